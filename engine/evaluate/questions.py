"""Question files: the upstream's records in YAML or JSON Lines, and the BEIR form (queries.jsonl with qrels.tsv).

A question without expected topic or post is one that the archive can't answer: an abstention is expected, unless its
field `expect` says `answer` (by messages that nobody has named yet) or `decline` (a rule of the gate turns it away).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from ..errors import ArchiveFormatError
from ..values import PostId, TopicId

# libyaml reads a thousand questions ten times faster, where PyYAML was built with it.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FIELDS = frozenset({
    "id", "question", "expected_topic_ids", "expected_post_ids", "expect", "tags", "difficulty", "notes",
})  # fmt: skip
_TOPICS, _POSTS = "expected_topic_ids", "expected_post_ids"
QUERIES, QRELS = "queries.jsonl", ("qrels.tsv", "qrels/test.tsv")


class Expect(StrEnum):
    """What must come of a question."""

    ANSWER = "answer"
    ABSTAIN = "abstain"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what answers it. Any one expected topic counts; `grades` go with the posts, empty means all 1."""

    id: str
    text: str
    topic_ids: tuple[TopicId, ...] = ()
    post_ids: tuple[PostId, ...] = ()
    grades: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    difficulty: str = ""
    notes: str = ""
    expect: Expect | None = None  # what the file says; `expects` is what holds

    @property
    def judged(self) -> bool:
        """Whether it is known what answers it."""
        return bool(self.topic_ids or self.post_ids)

    @property
    def expects(self) -> Expect:
        """What must come of it: what the file says, else an answer where one is known and an abstention elsewhere."""
        return self.expect or (Expect.ANSWER if self.judged else Expect.ABSTAIN)

    @property
    def expects_abstention(self) -> bool:
        """Whether nothing of the archive answers."""
        return not self.judged and self.expects is not Expect.ANSWER


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file, with what identifies the file in a report."""

    path: Path
    sha256: str
    questions: tuple[Question, ...]


def read(path: Path) -> QuestionSet:
    """The questions of a .yml, .yaml or .jsonl file, or of a BEIR folder (or its queries.jsonl).

    Raises ArchiveFormatError with `reason` beginning with "questions_", `path` and `where` (the record and field).
    """
    if not path.exists():
        raise ArchiveFormatError(path=str(path), reason="not_found")
    queries = path / QUERIES if path.is_dir() else path
    qrels = next((p for name in QRELS if (p := queries.parent / name).is_file()), None)
    contents = [_read_text(queries)]
    if queries.suffix == ".jsonl":
        records = list(_json_lines(queries, contents[0]))
        # A BEIR query has a `text`; the upstream's record has a `question`.
        beir = bool(records) and "question" not in records[0]
        if beir and qrels is None:
            raise ArchiveFormatError(path=str(queries), where=QRELS[0], reason="questions_no_qrels")
        if beir and qrels is not None:
            contents.append(_read_text(qrels))
            questions = _judged(queries, records, qrels, contents[1])
        else:
            questions = [_question(queries, n, record) for n, record in enumerate(records, 1)]
    else:
        questions = [_question(queries, n, r) for n, r in enumerate(_yaml_records(queries, contents[0]), 1)]
    if not questions:
        raise ArchiveFormatError(path=str(path), reason="questions_empty")
    _refuse_duplicates(queries, questions)
    digest = hashlib.sha256("\0".join(contents).encode()).hexdigest()
    return QuestionSet(path.absolute(), digest, tuple(questions))


def write(path: Path, questions: Iterable[Question]) -> None:
    """Write a question file in YAML, which `read` reads back; grades are left out. Raises OSError."""
    records = []
    for question in questions:
        record: dict[str, object] = {"id": question.id, "question": question.text}
        record |= {_TOPICS: list(question.topic_ids)} if question.topic_ids else {}
        record |= {_POSTS: list(question.post_ids)} if question.post_ids or not question.judged else {}
        record |= {"expect": question.expect.value} if question.expect else {}
        record |= {"tags": list(question.tags)} if question.tags else {}
        record |= {"difficulty": question.difficulty} if question.difficulty else {}
        record |= {"notes": question.notes} if question.notes else {}
        records.append(record)
    path.write_text(yaml.safe_dump(records, allow_unicode=True, sort_keys=False, width=110), "utf-8")


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveFormatError(path=str(path), reason="unreadable_file") from error


def _yaml_records(path: Path, text: str) -> list[object]:
    try:
        records = yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = str(mark.line + 1) if mark else "…"
        raise ArchiveFormatError(path=str(path), where=where, reason="questions_syntax") from error
    if records is None:
        return []
    if not isinstance(records, list):
        raise ArchiveFormatError(path=str(path), where="1", reason="questions_syntax")
    return records


def _json_lines(path: Path, text: str) -> Iterator[Mapping[str, Any]]:
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise ArchiveFormatError(path=str(path), where=str(n), reason="questions_syntax") from error
        if not isinstance(record, dict):
            raise ArchiveFormatError(path=str(path), where=str(n), reason="questions_syntax")
        yield record


def _question(path: Path, n: int, record: object) -> Question:
    """One of the upstream's records. A misspelt field is refused: it would pass for an expected abstention."""

    def refuse(field: str, reason: str = "questions_field") -> ArchiveFormatError:
        name = record.get("id", n) if isinstance(record, dict) else n
        return ArchiveFormatError(path=str(path), where=str(name), field=field, reason=reason)

    def ids(field: str) -> tuple[int, ...]:
        values = record.get(field) or []  # type: ignore[attr-defined]
        if not isinstance(values, list) or not all(type(value) is int for value in values):
            raise refuse(field)
        return tuple(values)

    def words(field: str) -> str:
        value = record.get(field)  # type: ignore[attr-defined]
        if value is not None and not isinstance(value, str | int):
            raise refuse(field)
        return "" if value is None else str(value).strip()

    if not isinstance(record, dict):
        raise refuse("id")
    for field in record:
        if field not in _FIELDS:
            raise refuse(str(field), "questions_unknown_field")
    for field in ("id", "question"):
        if not words(field):
            raise refuse(field)
    tags = record.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise refuse("tags")
    expect = words("expect")
    # What must not be answered has no answer that could be expected.
    if expect and (expect not in tuple(Expect) or (expect != Expect.ANSWER and (ids(_TOPICS) or ids(_POSTS)))):
        raise refuse("expect")
    return Question(
        id=words("id"),
        text=words("question"),
        topic_ids=tuple(map(TopicId, ids(_TOPICS))),
        post_ids=tuple(map(PostId, ids(_POSTS))),
        tags=tuple(tags),
        difficulty=words("difficulty"),
        notes=words("notes"),
        expect=Expect(expect) if expect else None,
    )


def _judged(path: Path, records: Iterable[Mapping[str, Any]], qrels: Path, judgments: str) -> list[Question]:
    """The BEIR queries that have judgments, by post id. A query judged with zeros only expects an abstention."""
    texts: dict[str, str] = {}
    for n, record in enumerate(records, 1):
        query_id, text = record.get("_id", record.get("id")), record.get("text")
        if not isinstance(query_id, str | int) or not isinstance(text, str):
            raise ArchiveFormatError(path=str(path), where=str(n), field="_id, text", reason="questions_field")
        if str(query_id) in texts:
            raise ArchiveFormatError(path=str(path), where=str(query_id), reason="questions_duplicate")
        texts[str(query_id)] = text
    grades: dict[str, dict[PostId, int]] = {}
    for n, line in enumerate(judgments.splitlines(), 1):
        parts = line.split()
        if not parts or (n == 1 and not parts[-1].lstrip("-").isdigit()):  # BEIR's header
            continue
        if len(parts) not in (3, 4) or not parts[-2].isdigit() or not parts[-1].lstrip("-").isdigit():
            raise ArchiveFormatError(path=str(qrels), where=str(n), reason="questions_qrels")
        if parts[0] not in texts:
            raise ArchiveFormatError(path=str(qrels), where=str(n), reason="questions_qrels")
        grades.setdefault(parts[0], {})[PostId(int(parts[-2]))] = int(parts[-1])
    return [_of_grades(query_id, text, grades[query_id]) for query_id, text in texts.items() if query_id in grades]


def _of_grades(query_id: str, text: str, grades: Mapping[PostId, int]) -> Question:
    relevant = {post_id: grade for post_id, grade in grades.items() if grade > 0}
    return Question(id=query_id, text=text, post_ids=tuple(relevant), grades=tuple(relevant.values()))


def _refuse_duplicates(path: Path, questions: Iterable[Question]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise ArchiveFormatError(path=str(path), where=question.id, reason="questions_duplicate")
        seen.add(question.id)
