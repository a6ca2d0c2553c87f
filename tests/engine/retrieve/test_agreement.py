"""Vectors that know nothing of a question stay out of the fusion."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.agreement import MIN_SAMPLE, agrees

DRAWN = np.random.default_rng(1).normal(0.5, 0.1, 500).astype(np.float32)


def test_hits_that_stand_out_of_the_population_agree():
    assert agrees(np.full(10, 0.6, np.float32), DRAWN)  # one deviation above, ten times: z is 3.2
    assert not agrees(np.full(10, 0.5, np.float32), DRAWN)
    assert not agrees(np.full(10, 0.3, np.float32), DRAWN)  # further away than chance is no agreement


def test_the_threshold_is_one_and_a_half_deviations_of_the_mean():
    population = np.tile(np.float32([-1.0, 1.0]), 100)  # mean 0, deviation 1
    assert agrees(np.full(4, 0.75, np.float32), population)  # z = 0.75 × √4
    assert not agrees(np.full(4, 0.74, np.float32), population)


def test_too_little_to_tell_believes_the_vectors():
    far = np.full(2, -1.0, np.float32)
    assert agrees(far, DRAWN)
    assert agrees(np.full(10, -1.0, np.float32), DRAWN[: MIN_SAMPLE - 1])
    assert agrees(np.zeros(0, np.float32), np.zeros(0, np.float32))


def test_vectors_that_are_all_alike_say_nothing():
    assert not agrees(np.full(10, 0.7, np.float32), np.full(100, 0.7, np.float32))


@given(st.floats(0.25, 4), st.floats(-0.5, 0.5), st.floats(0.3, 0.9), st.integers(3, 30))
def test_the_scale_of_an_encoder_does_not_matter(factor, shift, level, count):
    hits = np.full(count, level, np.float32)
    z = (level - DRAWN.mean()) / DRAWN.std() * count**0.5
    if abs(z - 1.5) > 0.05:  # rounding may decide at the very threshold
        assert agrees(hits, DRAWN) == agrees(hits * factor + shift, DRAWN * factor + shift)
