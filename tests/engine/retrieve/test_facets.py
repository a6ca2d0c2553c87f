"""Facets: what they count adds up, whatever the set of posts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.facets import facets, said
from engine.store import ArchiveStore
from engine.values import Category, CategoryId
from tests.factories import forum, save

IDS = [11, 12, 13, 21, 22, 23, 31, 32, 41, 42, 43, 44]


@pytest.fixture(scope="module")
def columns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facets")
    save(folder, forum())
    store = ArchiveStore(folder)
    yield store.columns()
    store.close()


@given(chosen=st.sets(st.sampled_from([*IDS, 99])))
def test_each_facet_adds_up_to_the_posts(columns, chosen):
    places = columns.places(np.array(sorted(chosen), np.int64))
    found = facets(columns, places)
    assert found.posts == len(chosen - {99})
    assert sum(count.count for count in found.authors) == found.posts
    assert sum(count.count for count in found.categories if not count.depth) == found.posts
    assert sum(found.timeline.counts) == sum(count for _, count in found.timeline.years) == found.posts
    assert all(count.count for facet in (found.categories, found.authors, found.tags) for count in facet)


def test_a_category_counts_what_its_operator_finds(columns):
    found = facets(columns, columns.places(np.array([11, 12, 41])))
    assert [(c.label, c.count, c.depth) for c in found.categories] == [("Atelier", 3, 0), ("Freins & câbles", 2, 1)]
    assert [(c.value, c.count) for c in found.tags] == [("freins", 2), ("réglage", 2)]


def test_only_the_most_frequent_values_are_listed(columns):
    found = facets(columns, columns.places(np.array(IDS)), most=2)
    assert [count.value for count in found.authors] == ["alice", "bruno"]


def test_a_name_with_quotes_is_said_by_its_slug():
    assert said(Category(CategoryId(1), "Le « bistrot »", "le-bistrot")) == "le-bistrot"
    assert said(Category(CategoryId(1), "Le bistrot", "le-bistrot")) == "Le bistrot"
