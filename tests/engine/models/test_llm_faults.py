"""Kills, crashes, cancels, idleness: the process of a real model treated badly, and the questions after it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.errors import ArchivisteError, GenerationFailed, ModelUnavailable
from engine.models.llm import DEATHS, Llm
from engine.seams import Message

from .waiting import first, wait_until

QUESTION = [Message("user", "Comment cirer des chaussures ?")]
LONG = [Message("user", "mot " * 20000)]

pytestmark = pytest.mark.models


@pytest.fixture
def llm(gguf: Path) -> Iterator[Llm]:
    with Llm(gguf, context_tokens=512, answer_tokens=16, threads=1) as model:
        yield model


def killed_while_loading(llm: Llm, sent: signal.Signals) -> ArchivisteError:
    """Ask, end the process with that signal before it can answer, and return what the question got."""
    before = llm.pid
    failures: list[ArchivisteError] = []

    def ask() -> None:
        try:
            first(llm.generate(QUESTION))
        except ArchivisteError as failure:
            failures.append(failure)

    asked = threading.Thread(target=ask)
    asked.start()
    wait_until(lambda: llm.pid not in (None, before))
    os.kill(llm.pid or 0, sent)
    asked.join(10)
    (failure,) = failures
    return failure


def test_killed_twice_while_it_loads_then_the_next_question_is_answered(llm: Llm) -> None:
    for _ in range(2):
        failure = killed_while_loading(llm, signal.SIGKILL)
        assert isinstance(failure, GenerationFailed)
        assert failure.details == {"stage": "load", "reason": "process"}
    assert "".join(llm.generate(QUESTION))


def test_killed_twice_in_the_middle_of_an_answer_then_the_next_question_is_answered(llm: Llm) -> None:
    expected = "".join(llm.generate(QUESTION))
    for _ in range(2):
        pieces = llm.generate(QUESTION)
        first(pieces)
        os.kill(llm.pid or 0, signal.SIGKILL)
        with pytest.raises(GenerationFailed) as failure:
            list(pieces)
        assert failure.value.details == {"stage": "tokens", "reason": "process"}
    assert "".join(llm.generate(QUESTION)) == expected


def test_killed_between_two_questions_nobody_notices(llm: Llm) -> None:
    expected = "".join(llm.generate(QUESTION))
    pid = llm.pid or 0
    os.kill(pid, signal.SIGKILL)
    assert "".join(llm.generate(QUESTION)) == expected
    assert llm.pid != pid


def test_an_illegal_instruction_at_load_turns_the_model_off_until_it_is_tried_again(llm: Llm) -> None:
    failure = killed_while_loading(llm, signal.SIGILL)
    assert isinstance(failure, ModelUnavailable)
    assert failure.details["reason"] == "crash"
    start = time.monotonic()
    for call in (lambda: list(llm.generate(QUESTION)), lambda: llm.count("x")):
        with pytest.raises(ModelUnavailable, match="crash"):
            call()
    assert llm.pid is None
    assert time.monotonic() - start < 0.1  # no process was started
    llm.retry()
    assert "".join(llm.generate(QUESTION))


def test_a_process_that_dies_again_and_again_is_left_alone(llm: Llm) -> None:
    failures = [killed_while_loading(llm, signal.SIGKILL) for _ in range(DEATHS)]
    assert [type(failure) for failure in failures] == [GenerationFailed] * (DEATHS - 1) + [ModelUnavailable]
    with pytest.raises(ModelUnavailable) as off:
        list(llm.generate(QUESTION))
    assert off.value.details["reason"] == "dies"
    assert llm.pid is None


def test_an_answer_makes_up_for_the_deaths_before_it(llm: Llm) -> None:
    for _ in range(DEATHS - 1):
        killed_while_loading(llm, signal.SIGKILL)
    assert "".join(llm.generate(QUESTION))
    pieces = llm.generate(QUESTION)
    first(pieces)
    os.kill(llm.pid or 0, signal.SIGKILL)
    with pytest.raises(GenerationFailed):
        list(pieces)


def test_giving_up_during_a_long_prompt_takes_less_than_a_second_and_a_half(gguf: Path) -> None:
    with Llm(gguf, context_tokens=32768, answer_tokens=8, threads=1) as llm:
        llm.count("charge le modèle")
        process = psutil.Process(llm.pid)
        busy = process.cpu_times().user + 0.5
        pieces = llm.generate(LONG)
        while process.cpu_times().user < busy:
            assert next(pieces) == ""  # nothing is said while the prompt is read
        start = time.monotonic()
        pieces.close()
        assert time.monotonic() - start < 1.5
        wait_until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
        assert llm.count("Bonjour") > 0


def test_giving_up_while_it_loads_ends_the_process(llm: Llm) -> None:
    pieces = llm.generate(QUESTION)
    assert next(pieces) == ""
    pid = llm.pid or 0
    pieces.close()
    assert not psutil.pid_exists(pid)
    assert "".join(llm.generate(QUESTION))


def test_an_idle_model_gives_its_memory_back_and_comes_again(gguf: Path) -> None:
    with Llm(gguf, context_tokens=512, answer_tokens=8, threads=1, idle_s=0.5) as llm:
        expected = "".join(llm.generate(QUESTION))
        pid = llm.pid or 0
        wait_until(lambda: llm.pid is None)
        wait_until(lambda: not psutil.pid_exists(pid))
        assert "".join(llm.generate(QUESTION)) == expected


def test_a_turn_keeps_the_model_for_one_question(llm: Llm) -> None:
    order: list[str] = []

    def other() -> None:
        llm.count("x")
        order.append("other")

    with llm.turn() as turn:
        assert set(turn.ahead) == {0}  # nobody is before; it loads
        turn.count("x")
        asked = threading.Thread(target=other)
        asked.start()
        assert "".join(turn.generate(QUESTION))
        order.append("mine")
    asked.join(10)
    assert order == ["mine", "other"]


def test_giving_up_the_turn_while_it_loads_ends_the_process(llm: Llm) -> None:
    with llm.turn() as turn:
        assert next(turn.ahead) == 0
        pid = llm.pid or 0
    del turn
    wait_until(lambda: not psutil.pid_exists(pid))
    assert llm.count("Bonjour") > 0


def test_one_who_leaves_the_line_lets_the_others_move_up(llm: Llm) -> None:
    with contextlib.ExitStack() as kept:
        kept.enter_context(llm.turn())
        leaver = contextlib.ExitStack()
        second = leaver.enter_context(llm.turn())
        third = kept.enter_context(llm.turn())
        assert (next(second.ahead), next(third.ahead)) == (1, 2)
        leaver.close()
        assert next(third.ahead) == 1
