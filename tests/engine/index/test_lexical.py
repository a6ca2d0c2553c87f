"""The keyword index as Whoosh keeps it: bounds, damage, giving up. What a search asks of it: test_legs.py."""

import pytest

from engine.errors import IndexDamaged, IndexMissing
from engine.index import lexical
from engine.index.french import analyser
from engine.index.lexical import LexicalIndex
from engine.index.passages import IndexablePost
from engine.values import PostId

FR = analyser("fr")
BODIES = {
    5: "La chaîne saute sur le petit pignon.",
    2: "Une chaîne neuve, une cassette neuve et une chaîne encore.",
    9: "Le frein avant grince.",
    1: "Rien à voir : un gâteau au chocolat.",
    7: "La cassette est usée, la chaîne aussi, et le pignon de onze dents saute.",
}


@pytest.fixture
def opened(tmp_path):
    posts = [IndexablePost(PostId(i), f"Sujet {i}", "", (), body, 20) for i, body in sorted(BODIES.items())]
    assert lexical.build(tmp_path / "w", posts, FR) == len(BODIES)
    index = LexicalIndex(tmp_path / "w", FR)
    yield index
    index.close()


def test_a_query_of_a_pasted_page_is_bounded(opened):
    with opened._searching() as searcher:
        terms = opened._query_terms(searcher.reader(), " ".join(BODIES.values()) * 50)
    assert len(terms) <= 2 * lexical.MAX_QUERY_TERMS


# Whoosh itself leaves the file open when it can't read it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_missing_and_a_damaged_folder_are_told_apart(tmp_path, opened):
    with pytest.raises(IndexMissing):
        LexicalIndex(tmp_path / "nowhere", FR)
    for file in (tmp_path / "w").glob("*.seg"):
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(IndexDamaged):
        LexicalIndex(tmp_path / "w", FR)


def test_giving_up_half_way_leaves_no_lock(tmp_path):
    def stop(done):
        if done == 2:
            raise KeyboardInterrupt

    posts = [IndexablePost(PostId(i), "T", "", (), "texte", 5) for i in range(5)]
    with pytest.raises(KeyboardInterrupt):
        lexical.build(tmp_path / "a", posts, FR, on_post=stop)
    assert lexical.build(tmp_path / "b", posts, FR) == 5
