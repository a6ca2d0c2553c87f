"""Browsing: counts agree with each other, pages share out the list, and a day is a day."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.store import ArchiveStore, browsing, members
from engine.store.browsing import TopicOrder
from engine.store.members import MemberOrder
from tests.factories import forum, post, save, topic


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browsing")
    linking = '<p><a href="https://forum.exemple/t/regler-des-freins/1/2">ici</a></p>'
    quoting = '<aside class="quote" data-topic="1" data-post="1"><blockquote>…</blockquote></aside>'
    items = [
        *forum(),
        replace(post(61, topic_id=3, number=3, by="Émile", day=700), cooked=linking + quoting),
        replace(post(62, topic_id=2, number=4, by="Zoé", day=701), cooked=quoting),
        replace(post(63, topic_id=1, number=4, by="Zoé", day=702), cooked=linking),
        replace(post(64, topic_id=4, number=5, by="Zoé", day=703), cooked=linking.replace("forum.ex", "autre.ex")),
        topic(9, "Sans message public"),
    ]
    save(folder, items)
    opened = ArchiveStore(folder)
    yield opened
    opened.close()


def test_categories_count_all_that_lies_below_them(store):
    lines = browsing.categories(store)
    assert [(line.category.name, line.depth, line.topics, line.posts) for line in lines] == [
        ("Atelier", 0, 3, 13), ("Freins & câbles", 1, 1, 4), ("Le bistrot", 0, 1, 3),
    ]  # fmt: skip
    assert all(sum(line.life.counts) == line.posts for line in lines)
    top = [line.posts for line in lines if line.depth == 0]
    assert sum(top) == sum(browsing.life(store).counts) == store.counts()[0]


@given(size=st.integers(1, 6), order=st.sampled_from(TopicOrder), category=st.sampled_from([None, 1, 2, 3, 99]))
def test_pages_of_topics_share_out_the_list(store, size, order, category):
    first = browsing.topics(store, category=category, order=order, size=size)
    pages = [
        browsing.topics(store, category=category, order=order, page=n, size=size) for n in range(1, first.pages + 1)
    ]
    listed = [line.id for page in pages for line in page.topics]
    assert len(listed) == len(set(listed)) == first.total
    whole = browsing.topics(store, category=category, order=order, size=1000)
    assert listed == [line.id for line in whole.topics]
    assert browsing.topics(store, category=category, order=order, page=999, size=size).page == first.pages


def test_topics_are_sorted_filtered_and_described(store):
    most = browsing.topics(store, order=TopicOrder.POSTS).topics
    assert [(line.id, line.posts) for line in most] == [(4, 5), (2, 4), (1, 4), (3, 3)]
    assert (most[2].title, most[2].author, most[2].tags, most[2].category, most[2].path) == (
        "Régler des freins", "bruno", ("freins", "réglage"), "Freins & câbles", "/t/régler-des-freins/1",
    )  # fmt: skip
    assert [line.id for line in browsing.topics(store, tag="chaîne").topics] == [2]
    assert [line.id for line in browsing.topics(store, author="dan").topics] == [2]
    assert browsing.topics(store, tag="inconnue").total == browsing.topics(store, author="personne").total == 0


def test_tags_say_how_many_topics_and_posts_they_have(store):
    assert [(line.tag, line.topics, line.posts) for line in browsing.tags(store)] == [
        ("chaîne", 1, 4), ("freins", 1, 4), ("réglage", 1, 4),
    ]  # fmt: skip
    assert browsing.has_tag(store, "freins") and not browsing.has_tag(store, "Freins ")


def test_a_day_is_found_in_every_year(store):
    (year,) = browsing.on_day(store, 3, 2)
    assert (year.day, year.posts, [row.id for row in year.best]) == (date(2014, 3, 2), 1, [12])
    assert browsing.on_day(store, 2, 29) == ()
    found = [browsing.on_day(store, day.month, day.day) for day in map(date.fromordinal, range(735_000, 735_366))]
    assert sum(year.posts for years in found for year in years) == store.counts()[0]


def test_most_linked_counts_posts_of_other_topics_that_link_or_quote_on_this_forum(store):
    # The post that both links and quotes counts once; a topic's link to itself and another host's do not count.
    assert [(line.id, count) for line, count in browsing.most_linked(store)] == [(1, 2)]


def test_members_are_sorted_in_french_and_paged(store):
    names = [member.username for member in members.members(store, order=MemberOrder.NAME).members]
    assert names == ["alice", "bruno", "chloé", "dan", "Émile", "Zoé"]
    by_posts = members.members(store)
    assert sum(member.posts for member in by_posts.members) == store.counts()[0]
    assert [member.posts for member in by_posts.members] == sorted((m.posts for m in by_posts.members), reverse=True)
    parts = [members.members(store, page=n, size=4).members for n in (1, 2)]
    assert parts[0] + parts[1] == by_posts.members
    assert members.members(store, order=MemberOrder.LATEST).members[0].username == "Zoé"


def test_a_member_has_a_life_under_any_case_of_the_name(store):
    alice = members.member(store, "ALICE")
    assert (alice.member.username, alice.member.posts, alice.member.topics, alice.likes) == ("alice", 4, 1, 5)
    assert sum(alice.life.counts) == 4
    assert members.member(store, "emile").member.username == "Émile"
    assert members.member(store, "personne") is None
    assert [row.id for row in members.liked_posts(store, "alice")] == [12]
    assert members.liked_posts(store, "personne") == ()


def test_an_empty_archive_browses_to_nothing(tmp_path):
    empty = ArchiveStore(tmp_path)
    assert browsing.categories(empty) == browsing.tags(empty) == browsing.on_day(empty, 1, 1) == ()
    assert browsing.most_linked(empty) == () and browsing.topics(empty).pages == 1
    assert members.members(empty).total == 0 and browsing.life(empty).counts == ()
    empty.close()
