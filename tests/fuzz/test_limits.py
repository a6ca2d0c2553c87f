"""Hostile sources cost little and lose nothing; larger ones and their figures: python -m tests.fuzz.limits."""

import pytest

from tests.fuzz import limits

CASES = (
    "outside", "sparse", "columns", "numbers", "bytes_of_all_kinds", "truncated", "odd_json", "named_in_bytes", "deep_html",
    "long_post", "deep_json", "chained_headers",
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """An archive into which every one of them is imported."""
    return limits.archive(tmp_path_factory.mktemp("limits"))


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_source_is_bounded_told_and_loses_nothing(case, data, tmp_path):
    imported, wrong = limits.import_hostile(case, data, tmp_path)
    assert not wrong
    assert limits.told(imported), "the user was told nothing"


def test_what_was_kept_of_them_is_indexed_searched_asked_and_shown(data):
    assert len(limits.posts(data)) > 15
    _read, wrong = limits.read_all(data)
    assert not wrong
