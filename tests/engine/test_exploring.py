"""Exploring: what matches, its order, its pages; and that a count is what a click on it finds."""

from collections import Counter

import numpy as np
import pytest

from engine import Mode
from engine.exploring import Order, explore
from engine.retrieve.matching import Basis, matching
from engine.retrieve.query import parse


def ids(page):
    return [hit.post_id for group in page.groups for hit in group.hits]


def every_id(archive, text, **options):
    first = explore(archive, text, **options)
    return [post_id for n in range(1, first.pages + 1) for post_id in ids(explore(archive, text, page=n, **options))]


def test_all_posts_that_hold_the_words_are_sorted_not_only_the_best(tiny):
    page = explore(tiny, "huile", mode=Mode.BM25, order=Order.NEWEST)
    assert ids(page) == [23, 22, 21]
    assert ids(explore(tiny, "huile", mode=Mode.BM25, order=Order.OLDEST)) == [21, 22, 23]
    assert ids(explore(tiny, "auteur:alice", order=Order.LIKES))[0] == 12
    assert page.matching.basis is Basis.WORDS and (page.matching.held, page.matching.asked) == (1, 1)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("mode", Mode)
def test_pages_share_out_the_list_and_ranks_go_on(tiny, order, grouped, mode):
    options = {"mode": mode, "order": order, "grouped": grouped, "size": 2}
    first = explore(tiny, "huile chaîne roue", **options)
    pages = [explore(tiny, "huile chaîne roue", page=n, **options) for n in range(1, first.pages + 1)]
    found = [post_id for page in pages for post_id in ids(page)]
    left_out = sum(group.more for page in pages for group in page.groups)
    assert len(found) == len(set(found)) == first.listed - left_out
    topics = [group.topic_id for page in pages for group in page.groups]
    assert not grouped or len(topics) == len(set(topics))
    whole = explore(tiny, "huile chaîne roue", **{**options, "grouped": False, "size": 1000})
    by_rank = {hit.rank: hit.post_id for page in pages for group in page.groups for hit in group.hits}
    assert by_rank == {rank: post_id for rank, post_id in enumerate(ids(whole), 1) if rank in by_rank}
    assert explore(tiny, "huile chaîne roue", page=999, **options).page == first.pages


def test_a_topic_is_grouped_at_its_best_post_and_says_what_it_leaves_out(tiny):
    page = explore(tiny, "avant:2030", order=Order.OLDEST, grouped=True)
    assert [(group.topic_id, len(group.hits), group.more) for group in page.groups] == [
        (1, 3, 0), (2, 3, 0), (3, 2, 0), (4, 3, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["huile", "freins huile", "le moyeu et la roue libre", "chaîne -cire"])
def test_a_count_is_what_a_search_with_its_condition_finds(tiny, text):
    whole = explore(tiny, text, mode=Mode.BM25)
    fields = {"auteur": whole.facets.authors, "catégorie": whole.facets.categories, "étiquette": whole.facets.tags}
    assert whole.facets.authors
    for operator, counts in fields.items():
        for count in counts:
            narrowed = explore(tiny, f'{text} {operator}:"{count.value}"', mode=Mode.BM25, order=Order.NEWEST)
            assert narrowed.listed == narrowed.facets.posts == count.count, (operator, count)


def test_facets_count_what_the_dates_list(tiny):
    page = explore(tiny, "huile", mode=Mode.BM25, order=Order.NEWEST, size=100)
    authors = Counter(hit.author for group in page.groups for hit in group.hits)
    assert {count.value: count.count for count in page.facets.authors} == dict(authors)


def test_meaning_has_no_limit_so_its_facets_count_what_was_ranked(tiny):
    page = explore(tiny, "huile", mode=Mode.DENSE)
    assert page.matching.basis is Basis.RANKED and page.facets.posts == page.listed == len(
        every_id(tiny, "huile", mode=Mode.DENSE)
    )


def test_a_search_of_conditions_alone_matches_them(tiny):
    page = explore(tiny, "auteur:bruno")
    assert page.matching.basis is Basis.CONDITIONS and page.facets.posts == 3 and ids(page) == [42, 13, 11]


def test_short_searches_are_meant_in_full_and_longer_ones_as_far_as_enough_posts_go(tiny):
    with tiny.reading() as generation:
        free = {"allowed": None, "excluded": frozenset()}
        both = matching(parse("huile chaîne"), generation, **free)
        assert (both.held, both.asked, sorted(both.ids)) == (2, 2, [21, 22, 23])
        one = matching(parse("moyeu lac"), generation, **free)
        assert (one.held, sorted(one.ids)) == (1, [31, 32, 41])
        long = matching(parse("moyeu axe braquets roue"), generation, **free)
        assert (long.held, long.asked) == (1, 4)
        # A condition lowers what is asked only when nothing else would be left.
        kept = matching(parse("huile chaîne"), generation, allowed=frozenset({11, 21}), excluded=frozenset())
        assert (kept.held, kept.ids.tolist()) == (2, [21])
        lowered = matching(parse("cire lac"), generation, allowed=frozenset({31}), excluded=frozenset())
        assert (lowered.held, lowered.ids.tolist()) == (1, [31])
        nothing = matching(parse("xylophone"), generation, **free)
        assert len(nothing.ids) == 0 and np.isdtype(nothing.ids.dtype, "integral")


def test_what_is_excluded_is_neither_listed_nor_counted(tiny):
    page = explore(tiny, "huile -cire", mode=Mode.BM25, order=Order.NEWEST)
    assert ids(page) == [23, 21] and page.facets.posts == 2


def test_nothing_found_is_one_empty_page(tiny):
    page = explore(tiny, "xylophone", mode=Mode.BM25)
    assert (page.groups, page.page, page.pages, page.listed, page.facets.posts) == ((), 1, 1, 0, 0)
