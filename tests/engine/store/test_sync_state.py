"""What a sync remembers: its cursor, the posts it found, which topic holds which post, what the archive knows."""

from contextlib import closing

import pytest

from engine.store import ArchiveStore
from engine.store.adoption import adopt
from engine.store.sync_state import SyncState
from engine.store.sync_values import HeldTopic, NewPost, Walk
from tests.factories import forum, save


@pytest.fixture
def state(tmp_path):
    with closing(SyncState(tmp_path / "raw")) as opened:
        yield opened


def held(id, *, at=5, category=1, gone="", **skipped):
    return HeldTopic(id, at, category, gone, skipped)


def test_a_step_keeps_its_posts_and_the_cursor_together(state):
    state.stepped([NewPost(9, 100, {"id": 9, "cooked": "é\ud800"})], Walk(9, 5, 0))
    state.stepped([NewPost(4, 101, {}), NewPost(3, 100, {"id": 3})], Walk(9, 2, 0))
    assert state.walk() == Walk(9, 2, 0)
    assert state.topics_with_new_posts() == (100, 101)
    assert state.new_posts(100) == [{"id": 3}, {"id": 9, "cooked": "é\ud800"}]
    assert state.number("seen") == 0


def test_the_end_of_a_descent_makes_its_top_the_newest_post_seen(state):
    state.stepped([], Walk(9, 1, 0))
    assert (state.walk(), state.number("seen")) == (None, 9)
    state.stepped([], Walk(7, 5, 5))
    assert state.number("seen") == 9


def test_a_topic_that_was_read_settles_its_new_posts(state):
    state.stepped([NewPost(1, 100, {}), NewPost(2, 101, {})], Walk(9, 5, 0))
    state.save(held(100, hidden=2), {1: True, 3: False})
    assert state.topics_with_new_posts() == (101,)
    assert state.topic(100) == held(100, hidden=2)
    assert state.announced(100) == {1: True, 3: False}
    assert state.unimported() == (100,)
    state.imported([100])
    assert state.unimported() == ()


def test_a_post_that_moved_is_of_its_last_topic_and_the_other_is_wanted(state):
    state.save(held(100), {1: True, 2: True})
    state.save(held(101), {3: True})
    assert state.wanted() == ()
    state.save(held(102), {2: True, 3: True}, want=[103])
    assert state.wanted() == (100, 101, 103)
    assert [state.owner(id) for id in (1, 2, 3, 4)] == [100, 102, 102, None]
    assert state.announced(100) == {1: True}


def test_a_topic_is_wanted_until_it_is_read_whole_or_gone(state):
    state.want([100, 101, 102])
    state.save(held(100), {1: True}, whole=False)
    assert state.wanted() == (100, 101, 102)
    state.save(held(100), {1: True})
    state.left(101, "404", at=9, want=[103])
    state.unwant(102)
    assert state.wanted() == (103,)


def test_what_is_gone_stays_until_it_is_removed(state):
    state.save(held(100), {1: True, 2: True})
    state.imported([100])
    state.left(100, "404", at=9)
    state.left(200, "403", at=9)  # never held: nothing to remove
    assert state.leaving() == (100,)
    assert state.announced(100) == {1: True, 2: True}
    assert state.unimported() == ()
    state.removed(100)
    assert (state.leaving(), state.unimported(), state.announced(100)) == ((), (100,), {})
    assert state.topic(100) == held(100, at=9, gone="404", deleted_topic=2)


def test_what_stays_for_want_of_consent_is_asked_for_first(state):
    state.save(held(100, at=5), {1: True})
    state.save(held(101, at=3), {2: True})
    state.left(100, "404", at=9)
    state.stay([100])
    assert state.leaving() == ()
    assert state.unchecked_since(6) == (100, 101)
    assert state.unchecked_since(3) == (100,)


def test_totals_count_public_topics_and_skipped_counts_all(state):
    state.save(held(100, hidden=1), {1: True, 2: True, 3: False})
    state.save(held(101, gone="unlisted_topic", unlisted_topic=2), {4: True, 5: True})
    totals = state.totals()
    assert (totals.topics, totals.announced, totals.holes) == (1, 3, 1)
    assert state.skipped() == {"hidden": 1, "unlisted_topic": 2}
    assert state.skipped(frozenset([101])) == {"hidden": 1}


def test_categories_group_the_public_topics(state):
    state.save(held(100), {})
    state.save(held(101, category=None), {})
    state.save(held(102, category=2, gone="restricted_category"), {})
    state.save(held(103, category=2, gone="unlisted_topic"), {})
    assert state.by_category() == {1: (100,)}
    assert state.gone_from_categories() == {102: 2}


def test_uploads_are_remembered_and_forgotten(state):
    state.set_upload("a.png", "held")
    state.set_upload("b.png", "absent")
    state.set_upload("a.png", None)
    assert state.uploads() == {"b.png": "absent"}


def test_the_room_of_settled_posts_is_given_back(state):
    state.stepped([NewPost(id, 100, {"cooked": "x" * 9000}) for id in range(1, 1000)], Walk(1000, 1, 0))
    state.save(held(100), {1: True})
    state.compact()
    assert state.rows("PRAGMA page_count")[0][0] < 100
    assert state.announced(100) == {1: True}


@pytest.fixture
def store(tmp_path):
    save(tmp_path, forum())
    with closing(ArchiveStore(tmp_path)) as opened:
        yield opened


def test_topics_of_another_source_are_adopted_unchecked(state, store):
    adopt(state, store, has_file=lambda i: False)
    assert state.wanted() == ()
    assert state.unchecked_since(1) == (1, 2, 3, 4)
    assert state.topic(1) == HeldTopic(1, 0, 2)
    assert state.announced(1) == {11: True, 12: True, 13: True}
    assert state.unimported() == ()


def test_a_topic_that_the_archive_lost_is_imported_again_from_its_file(state, store):
    state.tell(seen=900)
    for id in (50, 51):
        state.save(held(id), {id: True})
        state.imported([id])
    adopt(state, store, has_file=lambda i: True)
    assert state.unimported() == (50, 51)
    assert state.number("seen") == 900


def test_a_topic_that_nobody_has_any_more_is_looked_for_again(state, store):
    state.tell(seen=900)
    state.save(held(50), {50: True})
    state.imported([50])
    adopt(state, store, has_file=lambda i: False)
    assert (state.topic(50), state.announced(50), state.number("seen")) == (None, {}, 0)


def test_a_topic_that_another_source_brought_back_is_asked_for_again(state, store):
    state.save(held(1), {11: True})
    state.left(1, "404", at=9)
    state.removed(1)
    state.imported([1])
    adopt(state, store, has_file=lambda i: True)
    assert state.wanted() == (1,)
    assert state.topic(1) == HeldTopic(1, 0, 2)
    assert state.announced(1) == {11: True, 12: True, 13: True}


def test_only_whole_backups_tell_where_to_begin(tmp_path):
    with closing(ArchiveStore(tmp_path)) as store:
        assert store.newest_of_backups() == 0
        save(tmp_path, forum())
        assert store.newest_of_backups() == 44
        save(tmp_path, forum(), whole_forum=False, source="sujets")
        assert store.newest_of_backups() == 0
