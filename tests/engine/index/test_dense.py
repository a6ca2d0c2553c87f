"""The vector index: cosine, exact scoring of small sets, damage."""

import numpy as np
import pytest

from engine.errors import IndexDamaged, IndexMissing
from engine.index import dense
from engine.index.dense import DenseIndex
from engine.index.passages import Passage
from engine.store import VectorStore
from engine.values import PostId

MODEL, POSTS, DIM = "essai", 400, 32


@pytest.fixture
def rows():
    found = np.random.default_rng(1).normal(size=(POSTS, DIM)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture
def store(tmp_path, rows):
    vectors = VectorStore(tmp_path)
    passages = [Passage(PostId(1000 + i // 2), i % 2, f"texte {i}") for i in range(POSTS)]  # two windows a post
    vectors.set_passages(passages)
    vectors.put(MODEL, [p.key for p in passages], rows)
    yield vectors
    vectors.close()


@pytest.fixture
def opened(tmp_path, store):
    assert dense.build(tmp_path / "chroma", store.passages_with_vectors(MODEL)) == POSTS
    index = DenseIndex(tmp_path / "chroma", model=MODEL, vectors=store)
    yield index
    index.close()


def by_hand(rows, query, allowed=None):
    best = {}
    for i, score in enumerate((rows.astype(np.float16).astype(np.float32) @ query).tolist()):
        post = 1000 + i // 2
        if allowed is None or post in allowed:
            best[post] = max(best.get(post, -2), score)
    return sorted(best, key=lambda p: (-best[p], p))


def test_the_best_window_of_each_post_ranks_it_and_nearly_all_neighbours_are_found(opened, rows):
    recall = 0
    for query in rows[:40]:
        found = opened.rank(query, limit=10).post_ids
        assert len(set(found)) == len(found) == 10
        recall += len(set(found) & set(by_hand(rows, query)[:10]))
    assert recall / 400 >= 0.98


def test_a_small_allowed_set_is_scored_exactly(opened, rows):
    allowed = {1003, 1050, 1199, 1077}
    found = opened.rank(rows[6], limit=3, allowed=frozenset(map(PostId, allowed)))
    assert list(found.post_ids) == by_hand(rows, rows[6], allowed)[:3]


def test_a_large_allowed_set_still_fills_the_list(opened, rows, monkeypatch):
    monkeypatch.setattr(dense, "EXACT_POSTS", 5)
    allowed = set(range(1000, 1200, 3))
    found = opened.rank(rows[0], limit=20, allowed=frozenset(map(PostId, allowed)), excluded=frozenset({PostId(1000)}))
    assert set(found.post_ids) == set(by_hand(rows, rows[0], allowed - {1000})[:20])


def test_scores_are_cosines(opened, rows):
    found = opened.rank(rows[10], limit=1)
    assert found.post_ids == (1005,) and found.scores[0] == pytest.approx(1.0, abs=1e-3)


def test_a_second_opener_scores_exactly(tmp_path, opened, store, rows):
    second = DenseIndex(tmp_path / "chroma", model=MODEL, vectors=store)
    assert second.shared and not opened.shared
    assert list(second.rank(rows[3], limit=10).post_ids) == by_hand(rows, rows[3])[:10]
    with pytest.raises(IndexDamaged):
        second.post_ids()
    second.close()


def test_it_holds_ids_and_vectors_and_no_text(tmp_path, opened):
    raw = b"".join(path.read_bytes() for path in (tmp_path / "chroma").rglob("*") if path.is_file())
    assert b"texte 1" not in raw


def test_another_distance_is_refused(tmp_path, store):
    client = dense._client(tmp_path / "chroma")
    client.create_collection(dense.COLLECTION, embedding_function=None)  # Chroma's default is L2
    client.close()
    with pytest.raises(IndexDamaged) as caught:
        DenseIndex(tmp_path / "chroma", model=MODEL, vectors=store)
    assert caught.value.details["reason"] == "space l2"


def test_a_missing_or_broken_folder_is_named(tmp_path, store):
    with pytest.raises(IndexMissing):
        DenseIndex(tmp_path / "nowhere", model=MODEL, vectors=store)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "chroma.sqlite3").write_bytes(b"rien" * 1000)
    with pytest.raises(IndexDamaged):
        DenseIndex(tmp_path / "broken", model=MODEL, vectors=store)


def test_vectors_are_kept_in_half_precision_and_forgotten_with_their_passages(store, rows):
    (count,) = store.db.execute("SELECT MAX(LENGTH(vector)) FROM vectors").fetchone()
    assert count == DIM * 2
    assert store.missing(MODEL) == frozenset() and len(store.missing("autre")) == POSTS
    store.set_passages([Passage(PostId(1000), 0, "texte 0"), Passage(PostId(1), 0, "neuf")])
    assert store.count(MODEL) == 1 and len(store.missing(MODEL)) == 1
