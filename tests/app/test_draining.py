"""The end of a server behind a balancer: it says so, goes on, lets answers end, cuts those that don't, then ends."""

import asyncio
import os
import signal
import time

import pytest

from app import draining
from app.draining import Drain
from app.i18n import gettext as _
from app.settings import AppSettings
from app.state import State
from engine import EvidenceFound, Piece, build_index, build_settings
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save

pytestmark = pytest.mark.several


@pytest.fixture
def state(tmp_path):
    settings = build_settings(tmp_path)
    save(settings.data, forum())
    build_index(settings, WORD_MODELS)
    opened = State(AppSettings(drain_s=1), settings, models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
def ends():
    """When the handler of before was given the signal; it is put back afterwards."""
    given = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: given.append(time.monotonic()))
    yield given
    signal.signal(signal.SIGTERM, before)


async def until(true, *, within_s=10.0):
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, "too late"
        await asyncio.sleep(0.02)


def told_to_stop():
    os.kill(os.getpid(), signal.SIGTERM)
    return time.monotonic()


async def test_it_goes_on_for_as_long_as_it_was_told_then_ends(state, ends, monkeypatch):
    monkeypatch.setattr(draining, "TOLD_S", 0.0)
    Drain(state).listen()
    began = told_to_stop()
    await until(state.leaving.is_set, within_s=1)
    assert not ends and not state.cutting.is_set()
    await until(lambda: ends)
    assert 1.0 <= ends[0] - began < 3.0
    assert not state.cutting.is_set()  # nothing was under way


async def test_an_answer_under_way_is_waited_for(state, ends, monkeypatch):
    monkeypatch.setattr(draining, "TOLD_S", 0.0)
    mark = state.under_way.begin()
    Drain(state).listen()
    began = told_to_stop()
    await asyncio.sleep(0)
    await until(lambda: time.monotonic() - began > 1.3)
    assert not ends and not state.cutting.is_set()
    state.under_way.end(mark)
    await until(lambda: ends)
    assert not state.cutting.is_set()


async def test_a_second_signal_ends_at_once(state, ends):
    Drain(state).listen()
    told_to_stop()
    await until(state.leaving.is_set)
    assert not ends
    told_to_stop()
    await until(lambda: ends, within_s=0.5)


async def test_an_answer_that_takes_too_long_is_told_as_cut(state, ends, monkeypatch):
    monkeypatch.setattr(draining, "ANSWERS_S", 0.5)

    def endless(question, history, *, answerer, check):
        yield EvidenceFound(())
        yield Piece("Il faut d’abord")
        while True:
            check()
            time.sleep(0.02)

    monkeypatch.setattr(state.archive, "ask", endless)
    async with visiting(state) as user:
        await user.open("/demander?q=freins")
        await user.should_see("Il faut d’abord", retries=50)
        Drain(state).listen()
        told_to_stop()
        await user.should_see(_("The server is stopping: this answer was cut. Ask again in a moment."), retries=100)
        assert not ends  # the page heard it before the end
        await user.should_see(_("Ask again"))
        await until(lambda: ends)
        assert state.under_way.count == 0


async def test_whoever_stops_their_own_answer_is_told_that_it_is_stopped(state, monkeypatch):
    def endless(question, history, *, answerer, check):
        yield Piece("Il faut d’abord")
        while True:
            check()
            time.sleep(0.02)

    monkeypatch.setattr(state.archive, "ask", endless)
    async with visiting(state) as user:
        await user.open("/demander?q=freins")
        await user.should_see("Il faut d’abord", retries=50)
        user.find(_("Stop")).click()
        await user.should_see(_("Stopped. What was written so far has not been checked."), retries=50)


def test_questions_are_counted_and_so_are_those_that_wait(state):
    marks = [state.under_way.begin() for _n in range(3)]
    assert (state.under_way.count, state.under_way.waiting) == (3, 3)
    state.under_way.waits(marks[0], False)
    assert (state.under_way.count, state.under_way.waiting) == (3, 2)
    assert not state.under_way.wait_for_none(0.01)
    for mark in marks:
        state.under_way.end(mark)
    assert (state.under_way.count, state.under_way.waiting) == (0, 0)
    assert state.under_way.wait_for_none(0.0)
