"""The life of a job, whatever happens to it: laws of the table of states."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.job_states import UNFINISHED, Event, Kind, State, Work, after

EVENTS = st.lists(st.sampled_from(Event), max_size=30)


def _live(events, state=State.WAITING):
    seen = [state]
    for event in events:
        state = after(state, event) or state
        seen.append(state)
    return seen


@given(EVENTS)
def test_an_end_is_an_end(events):
    seen = _live(events)
    ends = [n for n, state in enumerate(seen) if state not in UNFINISHED]
    assert not ends or set(seen[ends[0] :]) == {seen[ends[0]]}


@given(EVENTS)
def test_a_job_runs_only_after_a_start_or_in_the_process_that_paused_it(events):
    seen = _live(events)
    for event, before, now in zip(events, seen, seen[1:], strict=False):
        if now is State.RUNNING and before is not State.RUNNING:
            assert (before, event) in {(State.WAITING, Event.START), (State.PAUSED, Event.RESUME)}


@given(EVENTS)
def test_whatever_is_not_over_can_be_cancelled_and_can_be_made_to_run(events):
    state = _live(events)[-1]
    if state in UNFINISHED:
        assert _live([Event.CANCEL], state)[-1] is State.CANCELLED
        assert _live([Event.INTERRUPT, Event.REQUEUE, Event.START], state)[-1] is State.RUNNING


@given(EVENTS)
def test_a_pause_outlives_the_process_and_ends_only_by_somebodys_wish(events):
    seen = _live(events)
    for event, before, now in zip(events, seen, seen[1:], strict=False):
        if before is State.PAUSED and now is not State.PAUSED:
            assert event in {Event.RESUME, Event.REQUEUE, Event.CANCEL, Event.FAIL}


@given(EVENTS)
def test_only_what_runs_can_end_well(events):
    seen = _live(events)
    for before, now in pairwise(seen):
        if now in {State.DONE, State.PARTIAL} and now is not before:
            assert before is State.RUNNING


def test_an_event_out_of_place_is_none():
    assert after(State.DONE, Event.START) is None
    assert after(State.INTERRUPTED, Event.START) is None
    assert after(State.WAITING, Event.COMPLETE) is None


def test_work_is_the_same_by_its_kind_and_sources():
    a, b = Work(Kind.IMPORT, ("/a", "/b")), Work(Kind.IMPORT, ("/a", "/b"), accept_removals=True)
    assert a.key == b.key
    assert len({a.key, Work(Kind.IMPORT, ("/a",)).key, Work(Kind.UPDATE, ("/a", "/b")).key}) == 3
    assert Work(Kind.INDEX).key == Work(Kind.INDEX, vectors=False).key
