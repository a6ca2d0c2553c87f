"""What a search may ask of its two legs, the same wherever the indexes lie: in the data folder, and on Milvus.

`make test` runs it on the local legs, `make test-milvus` on both.
"""

import math
import zlib
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pytest

from engine.index import generations
from engine.index.french import analyser
from engine.seams import Models
from engine.store import ArchiveStore, VectorStore
from engine.store.where import Where, where
from engine.values import CategoryId, PostId, Query
from tests.engine.conftest import index
from tests.factories import ATELIER, BISTROT, FREINS, post, save, settings, topic

URLS = {"here": None, **({"milvus": "milvus.db"} if find_spec("pymilvus") else {})}
FR = analyser("fr")
BODIES = {
    5: "La chaîne saute sur le petit pignon.",
    2: "Une chaîne neuve, une cassette neuve et une chaîne encore.",
    9: "Le frein avant grince, axe de 3,5 mm, script en C++.",
    1: "Rien à voir : un gâteau au chocolat.",
    7: "La cassette est usée, la chaîne aussi, et le pignon de onze dents saute.",
}
POSTS, DIMENSIONS, WINDOW = 150, 32, 200


@pytest.fixture(scope="module", params=URLS)
def url(request):
    """Where the indexes lie."""
    return URLS[request.param]


def opened(folder, models, url, **values):
    """The published generation of a folder, indexed there."""
    index(folder, models, index_url=url, **values)
    vectors = VectorStore(folder)
    return generations.open_current(settings(folder, index_url=url, **values), vectors), vectors


# --- words ---


@pytest.fixture(scope="module")
def words(url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    items = [ATELIER, FREINS, BISTROT]
    for n, body in sorted(BODIES.items()):
        category, tags = (2, ("neuf",)) if n == 2 else (1, ())
        items += [topic(n, f"Sujet {n}", category=category, tags=tags)]
        items += [post(n, body, topic_id=n, by="bruno" if n == 7 else "alice", day=n)]
    save(folder, items)
    generation, vectors = opened(folder, Models(), url)
    yield generation.lexical
    generation.close()
    vectors.close()


def bm25(term, body_id, b=0.75, k1=1.2):
    """Okapi BM25 of one term in one body, with Whoosh's idf: log(N / (df + 1)) + 1."""
    docs = {i: FR.words(text) for i, text in BODIES.items()}
    df = sum(term in said for said in docs.values())
    idf = math.log(len(docs) / (df + 1)) + 1
    tf, length = Counter(docs[body_id])[term], len(docs[body_id])
    average = sum(map(len, docs.values())) / len(docs)
    return idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))


def test_scores_are_bm25_as_computed_by_hand_on_five_documents(words):
    found = words.rank(["chaîne cassette"], limit=10)
    expected = {i: bm25("chain", i) + bm25("casset", i) for i in (2, 5, 7)}
    assert FR.words("chaîne cassette") == ["chain", "casset"]
    assert dict(zip(found.post_ids, found.scores, strict=True)) == pytest.approx(expected, rel=0.02)


def test_conditions_hold_before_the_limit(words):
    assert words.rank(["chaîne"], limit=1, allowed=frozenset({PostId(7)})).post_ids == (7,)
    assert 2 not in words.rank(["chaîne"], limit=5, excluded=frozenset({PostId(2)})).post_ids
    assert words.rank(["chaîne"], limit=5, allowed=frozenset()).post_ids == ()
    assert words.rank(["chaîne"], limit=5, allowed=frozenset({PostId(12345)})).post_ids == ()
    assert (
        words.rank(["chaîne"], limit=5, allowed=frozenset({PostId(7)}), excluded=frozenset({PostId(7)})).post_ids == ()
    )


@pytest.mark.parametrize(
    ("condition", "allowed"),
    [
        (Where(authors=("bruno",)), {7}),
        (Where(categories=(CategoryId(2),)), {2}),
        (Where(tags=("neuf", "vieux")), {2}),
        (Where(after=int(post(7, day=7).created_at.timestamp())), {7, 9}),
        (Where(before=int(post(7, day=7).created_at.timestamp())), {1, 2, 5}),
        (Where(authors=()), set()),
    ],
)
def test_what_the_allowed_posts_have_in_common_may_be_told_and_changes_nothing(words, condition, allowed, monkeypatch):
    monkeypatch.setattr("engine.index.milvus_conditions.MOST_IDS", 0)
    found = words.rank(["chaîne frein gâteau"], limit=5, allowed=frozenset(map(PostId, allowed)), where=condition)
    assert set(found.post_ids) == allowed & {1, 2, 5, 7, 9}


def test_a_phrase_needs_its_words_side_by_side(words):
    assert words.matching("petit pignon") == {5}
    assert words.matching("pignon petit") == frozenset()
    assert words.matching("de la") is None


def test_a_title_and_a_code_can_be_asked_alone(words):
    assert words.matching("sujet 9", field="title") == {9}
    assert words.matching("C++") == words.matching("3,5") == {9}
    assert words.rank(["c++"], limit=3).post_ids == (9,)


def test_a_pasted_page_is_searched_all_the_same(words):
    assert set(words.rank([" ".join(BODIES.values()) * 50], limit=5).post_ids) == set(BODIES)


def test_the_count_and_the_words_are_those_that_were_given(words):
    assert len(words) == 5 and sorted(words.post_ids) == [1, 2, 5, 7, 9]
    assert words.document_frequency("chain") == 3 and not words.document_frequency("velo")
    assert words.vocabulary.posts("chaîne") == 3
    assert words.has_terms("chaîne") and words.has_terms("C++") and not words.has_terms("de la")


def test_an_empty_archive_has_an_empty_index(tmp_path, url):
    ArchiveStore(tmp_path).close()
    generation, vectors = opened(tmp_path, Models(), url)
    assert generation.lexical.rank(["chaîne"], limit=5).post_ids == () and not len(generation.lexical)
    generation.close()
    vectors.close()


# --- vectors ---


def random_embed(texts, _role):
    """A vector drawn for each text."""
    rows = np.stack([np.random.default_rng(zlib.crc32(text.encode())).normal(size=DIMENSIONS) for text in texts])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def held(url, tmp_path_factory):
    """An open vector leg, and the places and (n, 32) rows that it was made of: two windows a post."""
    folder = tmp_path_factory.mktemp("vectors")
    texts = [" ".join(f"mot{n}x{i}" for i in range(40))[: WINDOW + 60] for n in range(POSTS)]
    items = [BISTROT, topic(1, "Sujet", category=3)]
    items += [post(1000 + n, text, number=n + 1) for n, text in enumerate(texts)]
    save(folder, items)
    models = Models(embed=random_embed, embed_name="random")
    generation, vectors = opened(folder, models, url, window_chars=WINDOW, window_overlap_chars=0)
    places, rows = [], []
    for part, found in vectors.passages_with_vectors("random"):
        places += part
        rows.append(found)
    yield generation.dense, [post_id for post_id, _ in places], np.concatenate(rows)
    generation.close()
    vectors.close()


def by_hand(held, query, allowed=None):
    _, posts, rows = held
    best = {}
    for post_id, score in zip(posts, (rows @ query).tolist(), strict=True):
        if allowed is None or post_id in allowed:
            best[post_id] = max(best.get(post_id, -2), score)
    return sorted(best, key=lambda p: (-best[p], p))


def test_the_best_window_of_each_post_ranks_it_and_nearly_all_neighbours_are_found(held):
    leg, posts, rows = held
    assert len(posts) == 2 * POSTS
    recall = 0
    for query in rows[:40]:
        found = leg.rank(query, limit=10).post_ids
        assert len(set(found)) == len(found) == 10
        recall += len(set(found) & set(by_hand(held, query)[:10]))
    assert recall / 400 >= 0.98


def test_a_small_allowed_set_is_scored_exactly(held):
    leg, _, rows = held
    allowed = {1003, 1050, 1149, 1077}
    found = leg.rank(rows[6], limit=3, allowed=frozenset(map(PostId, allowed)))
    assert list(found.post_ids) == by_hand(held, rows[6], allowed)[:3]


def test_a_large_allowed_set_still_fills_the_list(held, monkeypatch):
    monkeypatch.setattr("engine.index.dense.EXACT_POSTS", 5)
    monkeypatch.setattr("engine.index.milvus_conditions.MOST_IDS", 5)
    monkeypatch.setattr("engine.index.milvus_vectors.FETCHED", 5)
    leg, _, rows = held
    allowed = set(range(1000, 1150, 3))
    found = leg.rank(rows[0], limit=20, allowed=frozenset(map(PostId, allowed)), excluded=frozenset({PostId(1000)}))
    assert set(found.post_ids) == set(by_hand(held, rows[0], allowed - {1000})[:20])


def test_a_condition_that_starves_the_neighbours_still_fills_the_list(held, monkeypatch):
    monkeypatch.setattr("engine.index.dense.EXACT_POSTS", 5)
    monkeypatch.setattr("engine.index.dense.MAX_FETCH", 20)
    monkeypatch.setattr("engine.index.milvus_conditions.MOST_IDS", 5)
    monkeypatch.setattr("engine.index.milvus_vectors.FETCHED", 5)
    leg, _, rows = held
    allowed = set(by_hand(held, rows[0])[100:130])
    found = leg.rank(rows[0], limit=12, allowed=frozenset(map(PostId, allowed)))
    assert list(found.post_ids) == by_hand(held, rows[0], allowed)[:12]


def test_scores_are_cosines_whoever_is_asked(held):
    leg, posts, rows = held
    found = leg.rank(rows[10], limit=1)
    assert found.post_ids == (posts[10],) and found.scores[0] == pytest.approx(1.0, abs=1e-3)
    asked = [PostId(1005), PostId(1006), PostId(99)]
    theirs = {p: [s for q, s in zip(posts, rows @ rows[3], strict=True) if q == p] for p in (1005, 1006)}
    assert leg.cosines(rows[3], asked) == pytest.approx({p: max(s) for p, s in theirs.items()}, abs=1e-3)
    assert sorted(leg.passage_cosines(rows[3], asked)) == pytest.approx(
        sorted([*theirs[1005], *theirs[1006]]), abs=1e-3
    )
    assert leg.cosines(rows[3], []) == {} and not len(leg.passage_cosines(rows[3], []))


def test_the_population_is_of_the_index_and_the_posts_are_those_that_have_a_vector(held):
    leg, posts, rows = held
    assert leg.post_ids() == set(posts)
    population = leg.population(rows[3])
    assert len(population) == 2 * POSTS and abs(float(np.mean(population))) < 0.1


def test_conditions_are_told_in_the_archive_s_own_names(tmp_path):
    save(tmp_path, [ATELIER, FREINS, topic(1, category=2, tags=("Été",)), post(1, by="Zoé")])
    store = ArchiveStore(tmp_path)
    query = Query(words=("x",), authors=("zoe",), categories=("atelier",), tags=("ete",))
    assert where(store, query) == Where(("Zoé",), (CategoryId(1), CategoryId(2)), ("Été",))
    assert where(store, Query(words=("x",))) is None
    store.close()
