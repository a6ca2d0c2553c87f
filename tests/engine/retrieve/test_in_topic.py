"""Searching one topic: every word, in its order, and nothing of another topic."""

import pytest

from engine.retrieve.in_topic import search_topic
from engine.store import ArchiveStore
from tests.factories import SITE, post, save, topic


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    """A search of topic 7, giving (total, numbers)."""
    from engine.index.french import analyser

    folder = tmp_path_factory.mktemp("in-topic")
    save(folder, [
        SITE, topic(7), topic(8),
        post(1, "Les patins s’usent vite.", topic_id=7, number=1, by="alice"),
        post(2, "Il faut poncer chaque patin, puis orienter le pincement.", topic_id=7, number=2, by="bruno"),
        post(3, "Cet été, le moyeu F-GABC à 3,5 mm.", topic_id=7, number=3, by="alice"),
        post(4, "Voici le script.", topic_id=7, number=4, by="dan", code=("frein = patin + câble",)),
        post(5, "Un patin ailleurs.", topic_id=8, number=1, by="alice"),
    ])  # fmt: skip
    store = ArchiveStore(folder)

    def run(words, **options):
        found = search_topic(store, 7, words, analyser=analyser("fr"), **options)
        return found.total, [hit.number for hit in found.hits]

    run.store = store
    yield run
    store.close()


def test_words_agree_as_in_the_index_and_come_in_the_order_of_the_topic(search):
    assert search("patin") == (3, [1, 2, 4])
    assert search("PATINS poncés") == (1, [2])


def test_every_word_is_wanted(search):
    assert search("patin guidon") == (0, [])


def test_codes_and_decimals_are_found_whole(search):
    assert search("F-GABC") == (1, [3])
    assert search("3,5") == (1, [3])
    assert search("F-GABD") == (0, [])


def test_function_words_are_sought_by_their_letters(search):
    assert search("le")[0] == 4
    assert search("  ") == (0, [])


def test_one_author_only(search):
    assert search("patin", author="bruno") == (1, [2])


def test_the_count_goes_beyond_what_is_shown(search):
    assert search("patin", limit=2) == (3, [1, 2])


def test_a_hit_says_where_it_stands(search):
    from engine.index.french import analyser

    (hit,) = search_topic(search.store, 7, "poncer", analyser=analyser("fr")).hits
    assert (hit.author, hit.path) == ("Bruno", "/t/un-sujet/7/2")
    assert "poncer chaque patin" in hit.excerpt
