"""The named configurations."""

import pytest

from engine.errors import SettingsError
from engine.evaluate.configs import CONFIGS, DEFAULT, named, pairs, settings_of
from tests.factories import settings


def names(configs):
    return [config.name for config in configs]


def test_names_are_given_back_in_the_order_of_the_table():
    assert names(named(["F", "bm25"])) == ["bm25", "F"]
    assert names(named(DEFAULT)) == ["bm25", "dense", "hybrid"]


def test_all_leaves_out_what_needs_a_reranker_that_is_not_there():
    assert names(named(["all"])) == ["bm25", "dense", "hybrid", "A", "B", "D", "F", "G"]
    assert names(named(["all"], contexts=True)) == ["bm25", "dense", "hybrid", "A", "B", "C", "D", "F", "G"]
    assert names(named(["all"], reranker=True, contexts=True)) == names(CONFIGS)
    assert "E" in names(named(["E"]))  # asked for by name, its absence is told later


def test_an_unknown_name_is_refused():
    with pytest.raises(SettingsError) as caught:
        named(["hybrid", "Z"])
    assert caught.value.details["value"] == "Z"


def test_each_is_compared_with_what_differs_from_it_by_one_factor():
    assert [(a.name, b.name) for a, b in pairs(named(DEFAULT))] == [
        ("bm25", "dense"),
        ("bm25", "hybrid"),
        ("dense", "hybrid"),
    ]
    assert [(a.name, b.name) for a, b in pairs(named(["A", "B", "D"]))] == [("A", "B"), ("B", "D")]
    assert [(a.name, b.name) for a, b in pairs(named(["bm25", "F"]))] == [("bm25", "F")]


def test_settings_of_the_archive_do_not_move_the_upstream_s_fusion(tmp_path):
    ours = settings(tmp_path, rrf_k=5, dense_weight=0.3, evidence_max=8)
    (fused,) = named(["F"])
    theirs = settings_of(fused, ours)
    assert (theirs.rrf_k, theirs.lexical_weight, theirs.dense_weight, theirs.evidence_max) == (60, 1.0, 1.0, 8)
    (hybrid,) = named(["hybrid"])
    assert settings_of(hybrid, ours) == ours
