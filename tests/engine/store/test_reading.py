"""Windows of a topic, the dates of its posts, one author of it, and the files that a post shows."""

from dataclasses import replace

import pytest

from engine.sources import Attachment, CookedText
from engine.store import ArchiveStore, reading
from engine.values import PostId
from tests.factories import SITE, post, save, topic

AUTHORS = ("alice", "bruno", "alice")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Posts 1 to 30 without 10 and 11, two of three by Alice; another topic beside."""
    folder = tmp_path_factory.mktemp("reading")
    items = [SITE, topic(7), topic(8), post(900, topic_id=8, number=5, by="dan")]
    items += [post(100 + n, topic_id=7, number=n, by=AUTHORS[n % 3], day=n) for n in range(1, 31) if n not in (10, 11)]
    shown = CookedText("mots", attachments=(Attachment("/uploads/default/original/1X/a.png", "a"),))
    items.append(replace(post(131, topic_id=7, number=31, by="alice", day=31), parts=shown))
    save(folder, items)
    opened = ArchiveStore(folder)
    yield opened
    opened.close()


def numbers(rows):
    return [row.post_number for row in rows]


def test_a_window_goes_both_ways_over_what_is_missing(store):
    assert numbers(reading.window(store, 7, 12, before=3, after=2)) == [7, 8, 9, 12, 13]
    assert numbers(reading.window(store, 7, 10, before=1, after=1)) == [9, 12]


def test_a_window_ends_with_its_topic(store):
    assert numbers(reading.window(store, 7, 2, before=10, after=1)) == [1, 2]
    assert numbers(reading.window(store, 7, 30, before=0, after=10)) == [30, 31]
    assert reading.window(store, 99, 1, before=5, after=5) == ()


def test_windows_put_together_are_the_topic(store):
    seen, at = [], 0
    while found := reading.window(store, 7, at, after=4):
        seen += numbers(found)
        at = seen[-1] + 1
    assert seen == [n for n in range(1, 32) if n not in (10, 11)]


def test_one_author_is_read_alone(store):
    assert numbers(reading.window(store, 7, 6, before=2, after=2, author="bruno")) == [1, 4, 7, 13]
    assert reading.span(store, 7, "bruno") == reading.Span(9, 1, 28)
    assert reading.span(store, 7, "dan") == reading.Span(0, 0, 0)


def test_a_number_that_is_not_held_leads_to_the_next_one_else_to_the_last(store):
    assert reading.nearest(store, 7, 10) == 12
    assert reading.nearest(store, 7, 5_000) == 31
    assert reading.nearest(store, 7, 2, "bruno") == 4
    assert reading.nearest(store, 7, 1, "dan") is None


def test_every_post_has_its_date(store):
    found = reading.moments(store, 7)
    assert len(found) == 29
    assert (found[0].number, found[0].at.date().isoformat()) == (1, "2014-03-02")


def test_a_post_is_found_by_its_id(store):
    assert reading.place(store, 112) == reading.Place(7, 12)
    assert reading.place(store, 110) is None


def test_only_a_held_post_shows_files(store):
    assert reading.upload_urls(store, 131) == ("/uploads/default/original/1X/a.png",)
    assert reading.upload_urls(store, 112) == ()
    store.db.execute("INSERT INTO uploads VALUES (555, '/uploads/default/original/1X/b.png', 'b')")
    assert PostId(555) not in store.posts([PostId(555)]) and reading.upload_urls(store, 555) == ()


def test_a_member_has_the_name_they_show(store):
    assert reading.display_name(store, "alice") == "Alice"
    assert reading.display_name(store, "nobody") == "nobody"
