"""The ledger read back: sums, holes in every order, imports."""

from contextlib import closing
from dataclasses import replace

import pytest

from engine.sources import TopicExtent
from engine.store import ArchiveStore, ledger
from engine.store.ledger import HoleOrder
from engine.values import PostId, TopicId
from tests.factories import post, save, topic


@pytest.fixture
def store(tmp_path):
    """Topic 1 announces 4 posts and shows 1, topic 2 shows its 2, topic 3 announces 3 and shows 2."""
    items = [replace(topic(n, f"Sujet {n}"), expected_posts=count) for n, count in ((1, 4), (2, 2), (3, 3))]
    items += [post(11, "Un.", topic_id=1), post(21, "Deux.", topic_id=2), post(22, "Trois.", topic_id=2, number=2)]
    items += [post(31, "Quatre.", topic_id=3), post(32, "Cinq.", topic_id=3, number=2)]
    items += [_announces(1, 11, 12, 13, 14), _announces(2, 21, 22), _announces(3, 31, 32, 33)]
    save(tmp_path, items, whole_forum=False)
    with closing(ArchiveStore(tmp_path)) as opened:
        yield opened


def _announces(topic_id, *posts):
    return TopicExtent(TopicId(topic_id), frozenset(map(PostId, posts)))


def test_the_sums_are_those_of_the_topics(store):
    assert ledger.totals(store) == ledger.Totals(expected=9, held=5, deleted=0, missing=4, topics=2)


def test_a_hole_is_a_topic_that_shows_less_than_it_announces(store):
    found = ledger.holes(store)
    assert [(h.topic_id, h.expected, h.held, h.missing) for h in found.holes] == [(1, 4, 1, 3), (3, 3, 2, 1)]
    assert (found.total, found.page, found.pages) == (2, 1, 1)
    assert found.holes[0].path.startswith("/t/") and found.holes[0].path.endswith("/1")
    assert list(ledger.all_holes(store)) == list(found.holes)


@pytest.mark.parametrize(
    ("order", "expected"),
    [(HoleOrder.MISSING, [1, 3]), (HoleOrder.SHARE, [1, 3]), (HoleOrder.NEWEST, [3, 1])],
)
def test_holes_are_sorted_as_asked(store, order, expected):
    assert [hole.topic_id for hole in ledger.holes(store, order=order).holes] == expected


def test_a_page_after_the_last_is_the_last(store):
    assert ledger.holes(store, page=99).page == 1


def test_a_topic_that_is_not_held_has_no_title_and_no_path(store):
    store.db.execute("DELETE FROM topics WHERE id = 1")
    assert [(h.title, h.path) for h in ledger.holes(store).holes if h.topic_id == 1] == [("", "")]


def test_imports_come_the_newest_first_with_their_counts(store, tmp_path):
    save(tmp_path, [topic(2, "Roues"), post(23, "Six.", topic_id=2, number=3)], whole_forum=False, source="autre")
    last, first = ledger.imports(store)
    assert (last.source, last.kind, last.state, last.added) == ("autre", "topics", "done", 1)
    assert (first.kind, first.added, first.removed) == ("topics", 5, 0)
    assert last.ended_at is not None and last.ended_at >= last.started_at
    assert len(ledger.imports(store, 1)) == 1
