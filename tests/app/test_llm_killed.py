"""The model's process dies under a question: told in French, the rest goes on, the next question is answered."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from app import i18n
from app.components.question_stream import Kept, QuestionStream
from app.messages import message
from app.settings import AppSettings
from app.state import State
from engine import Abstention, Answer, EvidenceFound, GenerationFailed, build_settings

pytestmark = pytest.mark.models
QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"


@pytest.fixture
def state(demo_data, gguf):
    i18n.use("fr")
    layer = {"llm_model": gguf, "llm_threads": 1, "llm_answer_tokens": 40, "combine": "off"}
    layer |= {"evidence_max": 1, "evidence_neighbours": 0}  # a short prompt
    opened = State(AppSettings(), build_settings(demo_data, layer))
    yield opened
    opened.close()
    assert not children()


def children():
    """The processes of language models that this test has started."""
    found = []
    for process in psutil.Process().children():
        try:
            if "engine.models.llm_child" in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def events(stream, *, until=lambda event: event in ("done", "stopped"), timeout_s=60):
    """What arrives, up to the event that is waited for."""
    seen, deadline = [], time.monotonic() + timeout_s
    while not (seen and until(seen[-1])):
        assert time.monotonic() < deadline, seen
        seen += stream.arrived()
        time.sleep(0.01)
    return seen


def busy_child():
    deadline = time.monotonic() + 30
    while not (found := children()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found[0]


def test_killed_twice_in_a_row_the_next_question_is_answered(state):
    for _ in range(2):
        stream = QuestionStream(state, QUESTION, answerer="llm")
        os.kill(busy_child().pid, signal.SIGKILL)
        evidence, *_, failure, end = events(stream)
        assert isinstance(evidence, EvidenceFound) and end == "done"
        assert isinstance(failure, GenerationFailed)
        assert message(failure) == (
            "Le modèle de langue s’est arrêté avant la fin de sa réponse. Reposez la question, ou demandez"
            " seulement des extraits."
        )
        assert state.archive.search("jante R-28C").hits
    *_, outcome, kept, end = events(QuestionStream(state, QUESTION, answerer="llm"))
    assert isinstance(kept, Kept) and isinstance(outcome, Answer | Abstention) and outcome.answerer == "llm"
    assert end == "done"


def test_without_being_asked_for_by_name_it_gives_extracts_instead(state):
    stream = QuestionStream(state, QUESTION)
    os.kill(busy_child().pid, signal.SIGKILL)
    *_, outcome, _kept, _end = events(stream)
    assert isinstance(outcome, Answer) and (outcome.answerer, outcome.notices) == ("extractive", ("llm_failed",))
    assert message("llm_failed").startswith("Le modèle de langue")


@pytest.mark.parametrize("moment", ["loading", "reading"])
def test_stopping_takes_a_second_whatever_the_model_does(state, moment):
    stream = QuestionStream(state, QUESTION, answerer="llm")
    child = busy_child()
    if moment == "reading":
        while child.cpu_times().user < 2.0:  # it has loaded, and reads the prompt or writes
            time.sleep(0.01)
    started = time.monotonic()
    stream.stop()
    assert events(stream)[-1] == "stopped"
    assert time.monotonic() - started < 2.0
