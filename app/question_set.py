"""The archive's own question set, `questions.yml` in its data folder: what `evaluate` can read of it, always whole.

A change writes a new file beside the old one, reads it back as `evaluate` would, and only then takes its place. The
file as it was before stays as `questions.bak.yml`, since comments written by hand don't survive a change made here.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine import StoreError
from engine.evaluate import questions
from engine.evaluate.questions import Expect, Question

FILE: Final = "questions.yml"
BEFORE: Final = "questions.bak.yml"
TEXT_CHARS: Final = 1000
NOTES_CHARS: Final = 2000
WORD_CHARS: Final = 60  # of a tag, or of a difficulty
TAGS: Final = 20
NEW: Final = Question("", "")
_NUMBERED: Final = re.compile(r"q-(\d{1,9})")
_changing = threading.Lock()  # moderators share one process, and nobody else writes here


def path(data: Path) -> Path:
    """Where the set is, or would be."""
    return data / FILE


def load(data: Path) -> tuple[Question, ...]:
    """The questions in the order of the file, () when there is none. Raises ArchiveFormatError."""
    return questions.read(path(data)).questions if path(data).exists() else ()


def add(data: Path, question: Question) -> Question:
    """Put a question in the set under a new name, or give what is expected to the one that says the same already.

    Raises ArchiveFormatError when the set can't be read, StoreError when it can't be written: it stays as it was.
    """
    question = cleaned(question)
    added = question

    def change(held: tuple[Question, ...]) -> tuple[Question, ...]:
        nonlocal added
        same = next((each for each in held if each.text.casefold() == question.text.casefold()), None)
        if same is None:
            added = replace(question, id=_free(held))
            return (*held, added)
        added = merged(same, question)
        return tuple(added if each is same else each for each in held)

    _change(data, change)
    return added


def save(data: Path, question: Question) -> bool:
    """Put a question in the place of the one of its name; False when that one is gone. Raises what `add` raises."""
    question, known = cleaned(question), False

    def change(held: tuple[Question, ...]) -> tuple[Question, ...]:
        nonlocal known
        known = any(each.id == question.id for each in held)
        return tuple(question if each.id == question.id else each for each in held)

    _change(data, change)
    return known


def remove(data: Path, question_id: str) -> None:
    """Take a question out of the set; nothing when it is gone already. Raises what `add` raises."""
    _change(data, lambda held: tuple(each for each in held if each.id != question_id))


def merged(held: Question, more: Question) -> Question:
    """A question with what another one of the same words expects too; its own notes and grades stay."""
    posts = tuple(dict.fromkeys((*held.post_ids, *more.post_ids)))
    topics = tuple(dict.fromkeys((*held.topic_ids, *more.topic_ids)))
    tags = tuple(dict.fromkeys((*held.tags, *more.tags)))
    expect = held.expect if not (posts or topics) or held.expect is Expect.ANSWER else None
    return replace(held, post_ids=posts, topic_ids=topics, tags=tags, expect=expect)


def cleaned(question: Question) -> Question:
    """The question as the file can hold it: on one line, of bounded lengths, expecting nothing that contradicts."""
    tags = tuple(dict.fromkeys(tag for tag in (_line(tag, WORD_CHARS) for tag in question.tags) if tag))
    judged = bool(question.post_ids or question.topic_ids)
    return replace(
        question,
        text=_line(question.text, TEXT_CHARS),
        post_ids=tuple(dict.fromkeys(question.post_ids)),
        topic_ids=tuple(dict.fromkeys(question.topic_ids)),
        grades=(),
        tags=tags[:TAGS],
        difficulty=_line(question.difficulty, WORD_CHARS),
        notes=_line(question.notes, NOTES_CHARS),
        expect=None if judged and question.expect is not Expect.ANSWER else question.expect,
    )


def _line(words: str, most: int) -> str:
    """Words on one line without what no file holds, such as half a pair of surrogates or a control character."""
    kept = "".join(c if c.isprintable() or c.isspace() else " " for c in words.encode("utf-8", "replace").decode())
    return " ".join(kept.split())[:most].strip()


def _free(held: Sequence[Question]) -> str:
    """A name that no question has: the number after the highest."""
    numbers = [int(found[1]) for each in held if (found := _NUMBERED.fullmatch(each.id))]
    return f"q-{max(numbers, default=0) + 1:04}"


def _change(data: Path, change: Callable[[tuple[Question, ...]], tuple[Question, ...]]) -> None:
    with _changing:
        before = load(data)
        after = change(before)
        if after == before:
            return
        try:
            _replace(data, after)
        except OSError as error:
            raise StoreError(path=str(path(data)), reason="questions") from error


def _replace(data: Path, held: tuple[Question, ...]) -> None:
    target = path(data)
    if target.exists():
        shutil.copyfile(target, data / BEFORE)
    if not held:  # an empty file is no question set
        target.unlink(missing_ok=True)
        return
    with tempfile.TemporaryDirectory(prefix=".questions-", dir=data) as beside:
        new = Path(beside) / FILE
        questions.write(new, held)
        questions.read(new)
        new.replace(target)
