"""Columns hold each held post once, and follow the archive."""

import pytest

from engine.store import ArchiveStore, remembered
from engine.store.columns import Timeline
from tests.factories import ATELIER, SITE, forum, post, save, topic


@pytest.fixture
def store(tmp_path):
    save(tmp_path, forum())
    opened = ArchiveStore(tmp_path)
    yield opened
    opened.close()


def test_each_post_has_one_place_with_what_the_store_says_of_it(store):
    columns = store.columns()
    assert columns.ids.tolist() == sorted(columns.ids.tolist()) == [11, 12, 13, 21, 22, 23, 31, 32, 41, 42, 43, 44]
    held = store.posts(columns.ids.tolist())
    for place, post_id in enumerate(columns.ids.tolist()):
        row, moment = held[post_id], held[post_id].created_at
        assert columns.authors[columns.author[place]] == row.username
        assert columns.topic_ids[columns.topic[place]] == row.topic_id
        assert (columns.number[place], columns.likes[place]) == (row.post_number, row.likes)
        assert columns.created[place] == int(moment.timestamp())
        assert columns.month[place] == (moment.year - 1970) * 12 + moment.month - 1
    assert columns.topic_posts.tolist() == [3, 3, 2, 4]
    assert {columns.tags[tag]: columns.topic_ids[at] for tag, at in zip(columns.tag, columns.tagged, strict=True)} == {
        "chaîne": 2, "freins": 1, "réglage": 1,
    }  # fmt: skip


def test_a_category_counts_with_those_below_it(store):
    columns = store.columns()
    assert [columns.categories[place].name for place in columns.below(0)] == ["Atelier", "Freins & câbles"]
    assert list(columns.tree()) == [(0, 0), (1, 1), (2, 0)]


def test_they_are_read_from_an_index_and_not_from_the_texts(store):
    (plan,) = store.rows("EXPLAIN QUERY PLAN SELECT id, topic_id, post_number, created_at, likes, username FROM posts")
    assert "COVERING INDEX" in plan[-1]


def test_they_are_kept_until_another_writes(store, tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "AT_MOST_EVERY_S", 0.0)
    before = store.columns()
    assert store.columns() is before
    save(tmp_path, [SITE, ATELIER, topic(5, "Un de plus"), post(51, topic_id=5)], whole_forum=False, source="other")
    assert store.columns().ids.tolist() == [*before.ids.tolist(), 51]


def test_an_import_that_commits_every_second_does_not_make_every_page_read_all(store, tmp_path):
    before = store.columns()
    save(tmp_path, [SITE, ATELIER, topic(5, "Un de plus"), post(51, topic_id=5)], whole_forum=False, source="other")
    assert store.columns() is before


def test_an_empty_archive_has_empty_columns(tmp_path):
    store = ArchiveStore(tmp_path)
    assert len(store.columns().ids) == len(store.columns().topic_ids) == 0
    store.close()


def test_years_have_no_gap():
    assert Timeline(11, (3, 0, 0, 2)).years == ((1970, 3), (1971, 2))
    assert Timeline(0, (1,) + (0,) * 24 + (5,)).years == ((1970, 1), (1971, 0), (1972, 5))
