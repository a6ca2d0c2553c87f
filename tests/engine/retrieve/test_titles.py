"""Titles are searched without an index."""

import pytest

from engine.index.french import analyser
from engine.retrieve import titles
from engine.store import ArchiveStore
from engine.values import PostId
from tests.factories import forum, save


@pytest.fixture
def store(tmp_path):
    save(tmp_path, forum())
    opened = ArchiveStore(tmp_path)
    yield opened
    opened.close()


def found(store, text, **conditions):
    given = {"allowed": None, "excluded": frozenset(), "limit": 10, **conditions}
    return titles.rank(store, text, analyser=analyser("fr"), **given).post_ids


def test_the_title_that_holds_the_most_of_the_words_comes_first(store):
    assert found(store, "Quelle huile pour régler la chaîne ?") == (21, 11)
    assert found(store, "frein") == (11,)  # as the index would read it
    assert found(store, "rien de tel") == found(store, "de la") == ()


def test_conditions_hold(store):
    assert found(store, "huile chaîne", excluded=frozenset({PostId(21)})) == ()
    assert found(store, "huile frein", allowed=frozenset({PostId(11), PostId(12)})) == (11,)
    assert len(found(store, "huile frein", limit=1)) == 1
