"""Labelled questions → examples for the zones: the product's own search of each, as it is and without its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import as_file, files

from ..answer import looking
from ..archive import Archive
from ..values import OnProgress, PostId, Progress
from . import questions
from .questions import Question
from .zones import Example, Kind

OFF_TOPIC = "off_topic.yml"
STAGE = "evaluate"


@cache
def off_topic() -> tuple[Question, ...]:
    """Everyday questions, of which an archive on another subject answers none."""
    with as_file(files(__package__).joinpath(OFF_TOPIC)) as path:
        return questions.read(path).questions


def collect(
    archive: Archive,
    asked: Iterable[Question],
    refused: Iterable[Question],
    *,
    held_out: Iterable[Question] = (),
    foreign: Iterable[Question] = (),
    name: str = "",
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> list[Example]:
    """Each question with expected posts twice, the second time without them; all others once. Raises IndexUnavailable.

    Of `asked`, a question without expected posts or topics is taken for unanswerable unless it expects an answer.
    """
    others = {Kind.OFF_TOPIC: refused, Kind.HELD_OUT: held_out, Kind.FOREIGN: foreign}
    put = [*_put(asked), *((kind, q, frozenset[PostId]()) for kind, some in others.items() for q in some)]
    examples = []
    with archive.reading() as generation:
        for done, (kind, question, hidden) in enumerate(put, 1):
            check()
            looked = looking.look(
                question.text, store=archive.store, generation=generation, models=archive.models,
                settings=archive.settings, hidden=hidden,
            )  # fmt: skip
            answered = any(item.post_id in question.post_ids for item in looked.evidence)
            examples.append(Example(name, kind, question.text, looked.signals, answered))
            on_progress(Progress(STAGE, done, len(put)))
    return examples


def _put(asked: Iterable[Question]) -> Iterator[tuple[Kind, Question, frozenset[PostId]]]:
    for question in asked:
        if question.post_ids:
            yield Kind.ANSWERABLE, question, frozenset()
            yield Kind.REMOVED, question, frozenset(question.post_ids)
        elif question.expects_abstention:
            yield Kind.UNANSWERABLE, question, frozenset()
