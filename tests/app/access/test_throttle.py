"""Trying passphrases: a person who mistypes is not disturbed, a machine that guesses is."""

from app.access.throttle import BURST, FORGET_S, FREE, LONGEST_S, MAX_ADDRESSES, REFILL_S, Throttle


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def fail(throttle, address, times):
    return [throttle.take(address) for _ in range(times)]


def test_the_first_attempts_do_not_wait_and_each_later_one_waits_twice_as_long():
    clock = Clock()
    throttle = Throttle(clock)
    assert fail(throttle, "192.0.2.1", FREE) == [0] * FREE
    waits = []
    for _ in range(12):
        waits.append(throttle.take("192.0.2.1"))
        clock.now += waits[-1]
        assert throttle.take("192.0.2.1") == 0
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, LONGEST_S, LONGEST_S, LONGEST_S]


def test_waiting_less_than_asked_does_not_count_as_waiting():
    clock = Clock()
    throttle = Throttle(clock)
    fail(throttle, "192.0.2.1", FREE)
    clock.now += 1.5
    assert throttle.take("192.0.2.1") == 0.5


def test_one_address_that_waits_keeps_nobody_else_out():
    throttle = Throttle(Clock())
    fail(throttle, "192.0.2.1", 1000)
    assert throttle.take("192.0.2.2") == 0


def test_a_right_passphrase_does_not_hide_wrong_ones():
    throttle = Throttle(Clock())
    for _ in range(FREE):
        assert throttle.take("192.0.2.1") == 0  # a guess
        if throttle.take("192.0.2.1") == 0:  # one that the guesser knows
            throttle.give_back("192.0.2.1")
    assert throttle.take("192.0.2.1") > 0


def test_people_who_know_it_are_never_slowed_down():
    throttle = Throttle(Clock())
    for n in range(500):
        assert throttle.take(f"192.0.2.{n % 3}") == 0
        throttle.give_back(f"192.0.2.{n % 3}")


def test_many_addresses_together_are_slowed_down_too():
    clock = Clock()
    throttle = Throttle(clock)
    tried = sum(throttle.take(f"198.51.{n // 250}.{n % 250}") == 0 for n in range(1000))
    assert tried == BURST
    clock.now += 10 * REFILL_S
    assert sum(throttle.take(f"203.0.113.{n}") == 0 for n in range(100)) == 10


def test_a_network_of_ipv6_is_one_address_and_a_mapped_one_is_that_of_ipv4():
    throttle = Throttle(Clock())
    assert [throttle.take(f"2001:db8::{n:x}") == 0 for n in range(1, FREE + 2)] == [True] * FREE + [False]
    fail(throttle, "192.0.2.1", FREE)
    assert throttle.take("::ffff:192.0.2.1") > 0


def test_an_hour_without_an_attempt_is_forgotten():
    clock = Clock()
    throttle = Throttle(clock)
    fail(throttle, "192.0.2.1", FREE)
    clock.now += FORGET_S + 1
    assert fail(throttle, "192.0.2.1", FREE) == [0] * FREE


def test_memory_is_bounded():
    clock = Clock()
    throttle = Throttle(clock)
    for n in range(MAX_ADDRESSES + 500):
        clock.now += REFILL_S
        throttle.take(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}")
    assert len(throttle._tries) == MAX_ADDRESSES
