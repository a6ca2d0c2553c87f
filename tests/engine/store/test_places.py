"""Posts that moved keep their old addresses; members who changed their name keep one name."""

from dataclasses import replace

from engine.sources import PostMoved
from engine.store import ArchiveStore, places
from engine.store.reading import Place, holds
from tests.factories import SITE, post, save, topic


def elsewhere(folder, topic_id, number=None):
    store = ArchiveStore(folder)
    try:
        return places.elsewhere(store, topic_id, number)
    finally:
        store.close()


def test_what_the_source_tells_of_moves_leads_to_the_post(tmp_path):
    save(tmp_path, [SITE, topic(1), post(11, number=4), PostMoved(9, 2, 11), PostMoved(9, 3, 404)])
    assert elsewhere(tmp_path, 9, 2) == elsewhere(tmp_path, 9) == Place(1, 4)
    assert elsewhere(tmp_path, 9, 3) is None and elsewhere(tmp_path, 1, 4) is None


def test_a_post_seen_at_another_place_is_found_from_the_old_one(tmp_path):
    save(tmp_path, [SITE, topic(1), topic(2), post(11, number=2)], whole_forum=False)
    save(tmp_path, [SITE, topic(1), topic(2), post(11, number=7, topic_id=2, edited=1)], whole_forum=False)
    assert elsewhere(tmp_path, 1, 2) == Place(2, 7)
    save(tmp_path, [SITE, topic(1), topic(2), post(11, number=2, edited=2)], whole_forum=False)  # and back
    assert elsewhere(tmp_path, 2, 7) == Place(1, 2)


def test_an_old_address_goes_with_its_post(tmp_path):
    save(tmp_path, [SITE, topic(1), post(11), post(12, number=2), PostMoved(9, 2, 12)])
    save(tmp_path, [SITE, topic(1), post(11), post(13, number=3)], accept_removals=True)
    store = ArchiveStore(tmp_path)
    assert store.rows("SELECT * FROM moved") == [] and not holds(store, 1, 2)
    store.close()


def named(post_id, name, user_id, **values):
    return replace(post(post_id, by=name, number=post_id, **values), user_id=user_id)


def test_older_posts_take_the_name_of_the_newest(tmp_path):
    save(tmp_path, [SITE, topic(1), named(1, "ancien", 7), named(2, "autre", 8)], whole_forum=False)
    save(tmp_path, [SITE, topic(1), named(3, "nouveau", 7, day=5)], whole_forum=False)
    store = ArchiveStore(tmp_path)
    assert store.rows("SELECT id, username FROM posts ORDER BY id") == [(1, "nouveau"), (2, "autre"), (3, "nouveau")]
    assert store.rows("SELECT username FROM users ORDER BY 1") == [("autre",), ("nouveau",)]
    store.close()


def test_accounts_that_are_not_known_by_a_number_are_never_mixed(tmp_path):
    save(
        tmp_path,
        [SITE, topic(1), named(1, "a", None), named(2, "b", None), named(3, "system", -1), named(4, "robot", -1)],
    )
    store = ArchiveStore(tmp_path)
    assert [name for (name,) in store.rows("SELECT username FROM posts ORDER BY id")] == ["a", "b", "system", "robot"]
    store.close()
