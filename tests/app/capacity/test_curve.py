"""A curve through measured points: never falling, close to what was measured, exact where it must be."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capacity.curve import Curve, fit

SIZES = st.lists(st.integers(100, 2_000_000), min_size=1, max_size=6, unique=True)
COSTS = st.floats(1e-3, 1e12)


@st.composite
def measured(draw):
    """Any measures, even such as no cost would give."""
    return [(size, draw(COSTS)) for size in draw(SIZES)]


@st.composite
def laws(draw):
    """Points of a law of ours, each measured with an error of up to 2 %: (law, points)."""
    exponent = draw(st.floats(1, 1.5))
    sizes = sorted(
        draw(st.lists(st.sampled_from([2_757, 9_206, 18_413, 46_046, 92_096, 391_421]), min_size=3, unique=True))
    )
    most = sizes[-1] ** exponent
    law = Curve(draw(st.floats(0, 0.5)) * most, 1.0, exponent, (1,), (1.0,))
    return law, [(size, law.at(size) * draw(st.floats(0.98, 1.02))) for size in sizes]


@given(measured(), st.integers(1, 10**9), st.integers(1, 10**9))
def test_more_posts_never_cost_less(points, one, other):
    curve = fit(points)
    low, high = sorted((one, other))
    assert 0 <= curve.at(low) <= curve.at(high) * (1 + 1e-9)
    assert math.isfinite(curve.at(high))


@given(laws())
def test_measured_points_are_given_back(case):
    _law, points = case
    assert fit(points).worst < 0.06


@given(laws(), st.sampled_from([1_000_000, 5_000_000, 20_000_000]))
def test_points_without_error_give_the_law_back_far_beyond_them(case, posts):
    law, _points = case
    curve = fit((size, law.at(size)) for size in (2_757, 9_206, 46_046, 92_096, 391_421))
    assert curve.at(posts) == pytest.approx(law.at(posts), rel=0.2)


@given(st.lists(st.floats(0.96, 1.04), min_size=4, max_size=4))
def test_noise_bends_a_line_fifty_times_beyond_its_points_by_three_at_most(errors):
    sizes = (9_206, 46_046, 92_096, 391_421)
    curve = fit((n, (25 + n / 10_000) * error) for n, error in zip(sizes, errors, strict=True))
    assert 0.8 * 2_025 < curve.at(20_000_000) < 3.1 * 2_025


def test_a_cost_that_grows_less_and_less_is_told_as_a_line():
    curve = fit([(2_757, 174.0), (18_413, 292.0), (92_095, 489.0)])
    assert curve.exponent == 1.0 and curve.at(20_000_000) > 20_000_000 / 92_095 * 300


@given(st.integers(100, 10**6), st.integers(100, 10**6), COSTS, COSTS)
def test_two_points_are_met_and_a_smaller_one_is_never_below_zero(one, other, low, high):
    if one == other:
        return
    (x1, x2), (y1, y2) = sorted((one, other)), sorted((low, high))
    curve = fit([(x1, y1), (x2, y2)])
    assert curve.at(1) >= 0
    assert curve.at(x2) == pytest.approx(y2, rel=1e-6)
    steep = math.log(y2 / y1) > 2 * math.log(x2 / x1)  # steeper than anything here grows: only the larger one is met
    assert steep or curve.at(x1) == pytest.approx(y1, rel=1e-6)


def test_one_point_is_taken_in_proportion():
    curve = fit([(1000, 50.0)])
    assert curve.at(2000) == pytest.approx(100.0) and curve.residual == pytest.approx(0)


def test_two_points_of_a_line_keep_what_an_empty_process_costs():
    curve = fit([(10_000, 300.0), (110_000, 800.0)])
    assert curve.fixed == pytest.approx(250.0)
    assert curve.at(1_000_000) == pytest.approx(5_250.0)


def test_the_fixed_part_is_found_among_three():
    curve = fit([(n, 200 + 0.005 * n) for n in (9_206, 46_046, 92_096, 391_421)])
    assert curve.exponent == pytest.approx(1, abs=0.02)
    assert curve.at(20_000_000) == pytest.approx(100_200, rel=0.05)


def test_several_measures_of_a_size_count_once_by_their_median():
    curve = fit([(1000, 10.0), (1000, 12.0), (1000, 90.0), (2000, 24.0)])
    assert curve.sizes == (1000, 2000) and curve.values == (12.0, 24.0)


def test_what_was_measured_is_known_at_its_size_only():
    curve = fit([(1000, 10.0), (2000, 20.0)])
    assert curve.measured(1010) == 10.0 and curve.measured(1500) is None


def test_without_a_point_there_is_no_curve():
    assert fit([]) is None
