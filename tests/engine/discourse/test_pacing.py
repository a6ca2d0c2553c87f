"""How long a sync waits: its own rate, what the server asks for, and growing waits."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from engine.discourse.pacing import EASE_AFTER, SLICE_S, Clock, Pace, growing, wait_asked
from tests.discourse_server import FakeClock


def pace(interval, clock, check=lambda: None):
    return Pace(interval, Clock(clock.monotonic, clock.sleep, clock.time), check)


def test_the_first_request_waits_for_nobody_and_the_next_for_the_interval():
    clock = FakeClock()
    turns = pace(1.0, clock)
    turns.turn()
    assert clock.slept == []
    clock.now += 0.25  # the answer took that long
    turns.turn()
    assert sum(clock.slept) == pytest.approx(0.75)
    clock.now += 5.0
    turns.turn()
    assert sum(clock.slept) == pytest.approx(0.75)


def test_complaints_slow_it_down_to_a_limit_and_good_answers_ease_it():
    clock = FakeClock()
    turns = pace(1.0, clock)
    for _ in range(20):
        turns.complained()
    turns.turn()
    began = clock.now
    turns.turn()
    assert clock.now - began == pytest.approx(10.0)
    for _ in range(20 * EASE_AFTER):
        turns.answered()
    began = clock.now
    turns.turn()
    assert clock.now - began == pytest.approx(1.0)


def test_a_pace_slower_than_the_limit_stays_when_complained_about():
    clock = FakeClock()
    turns = pace(60.0, clock)
    turns.complained()
    turns.turn()
    began = clock.now
    turns.turn()
    assert clock.now - began == pytest.approx(60.0)


def test_a_wait_looks_every_half_second_whether_it_was_cancelled():
    clock, looks = FakeClock(), []

    def check():
        looks.append(clock.now)
        if len(looks) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pace(1.0, clock, check).wait(3600)
    assert max(clock.slept) <= SLICE_S


def test_growing_waits_double_up_to_a_minute():
    assert [growing(n) for n in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]


NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("7", b"", 7),
        ("7", b'{"errors": ["x"], "error_type": "rate_limit", "extras": {"wait_seconds": 13}}', 13),
        ("30", b'{"extras": {"wait_seconds": 13.5}}', 30),
        (None, b'{"extras": {"wait_seconds": 13.5}}', 13.5),
        (format_datetime(NOW.replace(second=39), usegmt=True), b"", 30),
        (format_datetime(NOW.replace(second=1), usegmt=True), b"", 0),
        (None, b"Slow down, you're making too many requests.\nPlease retry again in 15 seconds.\nError code: x.", 15),
        (None, b"<html>429</html>", None),
        ("soon", b"{", None),
        ("-5", b"[]", 0),
        ("nan", b'{"extras": {"wait_seconds": true}}', None),
        ("inf", b'{"extras": {"wait_seconds": "3"}}', None),
        (None, b'{"extras": [3]}', None),
        (None, b"[" * 100_000, None),
    ],
)
def test_the_longest_wait_that_a_refusal_asks_for_counts(header, body, expected):
    assert wait_asked(header, body, NOW.timestamp()) == expected
