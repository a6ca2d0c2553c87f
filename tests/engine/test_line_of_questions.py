"""Asking an archive whose model answers one at a time: the line, giving up, and what is not written twice."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from engine import Abstention, Answer, AnswerEvent, Cancelled, EvidenceFound, GenerationFailed, Piece, Queued
from engine.archive import Archive, open_archive
from engine.models.line import Line
from engine.seams import Message, Turn
from tests.factories import WORD_MODELS

QUESTIONS = {  # a word of the message that answers each
    "Pourquoi mes freins grincent quand il pleut ?": "patins",
    "Quelle huile pour ma chaîne neuve ?": "huile",
    "À quelle heure est le départ pour le lac ?": "lac",
    "Quel axe accepte le moyeu F-GABC ?": "axe",
    "Des chaussures taille 42 ?": "Chaussures",
}


@dataclass
class Reader:
    """A model that answers with the first extract it is given; it waits for `goes_on` before it speaks."""

    goes_on: threading.Event = field(default_factory=threading.Event)
    order: list[str] = field(default_factory=list)  # the questions it was asked
    finish: str = "stop"
    fails: bool = False
    line: Line = field(default_factory=Line)

    def generate(self, messages: Sequence[Message]) -> Iterator[str]:
        self.order.append(next(q for q in QUESTIONS if q in messages[1].content))
        while not self.goes_on.wait(0.01):
            yield ""
        if self.fails:
            raise GenerationFailed(stage="tokens", reason="process")
        said = re.search(r"Message\u00a0: (.+)", messages[1].content)
        assert said
        yield from (said[1], " [[1]].")
        return self.finish

    @property
    def asked(self) -> int:
        return len(self.order)

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        with self.line.place() as place:
            yield Turn(place.ahead(), self.generate, lambda text: len(text) // 4)


@dataclass
class User:
    """Somebody at the page of a question: what has come so far, read from another thread."""

    archive: Archive
    question: str
    leaves: threading.Event = field(default_factory=threading.Event)
    events: list[AnswerEvent] = field(default_factory=list)
    stopped: bool = False

    def ask(self) -> None:
        try:
            for event in self.archive.ask(self.question, check=self._check):
                self.events.append(event)
        except Cancelled:
            self.stopped = True

    def come(self) -> None:
        threading.Thread(target=self.ask, daemon=True).start()

    def _check(self) -> None:
        if self.leaves.is_set():
            raise Cancelled

    @property
    def places(self) -> list[int]:
        return [event.ahead for event in self.events if isinstance(event, Queued)]

    @property
    def end(self) -> Answer | Abstention | None:
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Answer | Abstention) else None


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "condition not met in time"
        time.sleep(0.005)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def archive(tiny: Archive, reader: Reader) -> Iterator[Archive]:
    models = replace(WORD_MODELS, generate=reader.generate, turn=reader.turn, generate_name=lambda: "lecteur-1")
    # How results are ordered is not the point here.
    with open_archive(replace(tiny.settings, combine="off"), models) as opened:
        yield opened


def in_line(archive: Archive, reader: Reader, count: int) -> list[User]:
    """So many users, each come once the one before has a place."""
    users: list[User] = []
    for rank, question in enumerate(list(QUESTIONS)[:count]):
        user = User(archive, question)
        user.come()
        users.append(user)
        wait_until(lambda user=user, rank=rank: user.places == [rank] if rank else reader.asked)  # type: ignore[misc]
    return users


def test_five_users_get_their_own_answers_in_the_order_of_their_coming(archive: Archive, reader: Reader) -> None:
    users = in_line(archive, reader, 5)
    for user in users:
        assert isinstance(user.events[0], EvidenceFound)  # the messages are there before any answer
    reader.goes_on.set()
    wait_until(lambda: all(user.end for user in users))
    assert reader.order == list(QUESTIONS)
    for rank, (user, word) in enumerate(zip(users, QUESTIONS.values(), strict=True)):
        # A line that moves fast skips a number; nobody ever moves back.
        assert user.places == sorted(set(user.places), reverse=True)
        assert (user.places[0], user.places[-1]) == (rank, 0) if rank else not user.places
        assert isinstance(user.end, Answer)
        assert user.end.question == user.question
        assert user.end.answerer == "llm"
        assert word in user.end.text
        (cited,) = user.end.citations
        assert word in next(e.text for e in user.end.evidence if e.n == cited.n)


def test_one_who_leaves_the_line_or_is_being_answered_stops_alone(archive: Archive, reader: Reader) -> None:
    first, second, third = in_line(archive, reader, 3)
    second.leaves.set()
    wait_until(lambda: second.stopped)
    wait_until(lambda: third.places == [2, 1])
    first.leaves.set()  # the model has said nothing yet
    wait_until(lambda: first.stopped)
    reader.goes_on.set()
    wait_until(lambda: third.end)
    assert isinstance(third.end, Answer)
    assert not first.end and not second.end and reader.asked == 2


def test_the_same_question_on_the_same_messages_is_written_once(archive: Archive, reader: Reader) -> None:
    reader.goes_on.set()
    question, other = list(QUESTIONS)[:2]
    first, again, elsewhere = User(archive, question), User(archive, question), User(archive, other)
    for user in (first, again, elsewhere):
        user.ask()
    assert reader.asked == 2
    assert first.end and again.end
    assert "kept" in again.end.timings_ms and "kept" not in first.end.timings_ms
    assert replace(again.end, timings_ms={}) == replace(first.end, timings_ms={})
    assert not [event for event in again.events if isinstance(event, Piece)]


def test_an_answer_cut_by_its_budget_is_kept_with_that_word(archive: Archive, reader: Reader) -> None:
    reader.goes_on.set()
    reader.finish = "length"
    for _ in range(2):
        user = User(archive, next(iter(QUESTIONS)))
        user.ask()
        assert isinstance(user.end, Answer) and user.end.truncated
    assert reader.asked == 1


def test_neither_a_failure_nor_an_answer_given_up_is_kept(archive: Archive, reader: Reader) -> None:
    question = next(iter(QUESTIONS))
    left = User(archive, question)
    left.come()
    wait_until(lambda: reader.asked)
    left.leaves.set()
    wait_until(lambda: left.stopped)
    reader.goes_on.set()
    reader.fails = True
    failed = User(archive, question)
    failed.ask()
    assert isinstance(failed.end, Answer) and failed.end.notices == ("llm_failed",)
    reader.fails = False
    user = User(archive, question)
    user.ask()
    assert isinstance(user.end, Answer) and user.end.answerer == "llm"
    assert reader.asked == 3


def test_another_model_of_the_same_archive_writes_again(archive: Archive, reader: Reader) -> None:
    reader.goes_on.set()
    question = next(iter(QUESTIONS))
    User(archive, question).ask()
    archive.models = replace(archive.models, generate_name=lambda: "lecteur-2")
    User(archive, question).ask()
    assert reader.asked == 2
