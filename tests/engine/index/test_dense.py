"""The vector index: cosine, exact scoring of small sets, a patch over its base."""

import json
import subprocess
import sys

import numpy as np
import pytest

from engine.errors import IndexDamaged, IndexMissing
from engine.index import chroma
from engine.index.dense import DenseIndex, Patch
from engine.index.passages import Passage
from engine.store import VectorStore
from engine.store.vectors import PLACES_A_POST
from engine.values import PostId

MODEL, POSTS, DIM = "essai", 400, 32
NO_PATCH = Patch(frozenset(), np.zeros(0, np.int64), np.zeros((0, 0), np.float32))


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
def base(tmp_path, store):
    batches = (([p * PLACES_A_POST + n for p, n in places], r) for places, r in store.passages_with_vectors(MODEL))
    chroma.build(tmp_path / "chroma", POSTS, batches)
    return tmp_path / "chroma"


@pytest.fixture
def opened(base, store):
    index = DenseIndex(base, NO_PATCH, model=MODEL, vectors=store)
    yield index
    index.close()


def by_hand(rows, query, allowed=None):
    best = {}
    for i, score in enumerate((rows.astype(np.float16).astype(np.float32) @ query).tolist()):
        post = 1000 + i // 2
        if allowed is None or post in allowed:
            best[post] = max(best.get(post, -2), score)
    return sorted(best, key=lambda p: (-best[p], p))


def test_a_patch_hides_places_of_the_base_and_adds_others(base, store, rows, tmp_path):
    moved = 1005 * PLACES_A_POST  # the first window of post 1005 now says something else
    fresh = np.array([moved, 5000 * PLACES_A_POST])
    Patch.save(tmp_path / "patch.npz", hidden=np.array([moved]), places=fresh, rows=rows[[20, 10]])
    index = DenseIndex(base, Patch.load(tmp_path / "patch.npz"), model=MODEL, vectors=store)
    assert index.rank(rows[10], limit=1).post_ids == (5000,)
    closest = index.rank(rows[20], limit=2)
    assert closest.post_ids == (1005, 1010) and closest.scores == pytest.approx([1.0, 1.0], abs=1e-3)
    assert index.post_ids() == {*range(1000, 1200), 5000}
    index.close()


def test_a_patch_that_can_not_be_read_is_damage(tmp_path):
    assert not len(Patch.load(tmp_path / "none.npz").places)
    (tmp_path / "patch.npz").write_bytes(b"rien" * 50)
    with pytest.raises(IndexDamaged):
        Patch.load(tmp_path / "patch.npz")


@pytest.mark.parametrize("lost", ["index_metadata.pickle", "header.bin", "data_level0.bin"])
def test_a_graph_that_loses_a_file_while_it_is_open_is_replaced_by_the_vectors_themselves(
    base, store, rows, caplog, lost
):
    index = DenseIndex(base, NO_PATCH, model=MODEL, vectors=store)
    (file,) = base.glob(f"*/{lost}")
    file.unlink()  # the graph is not loaded before the first search
    assert list(index.rank(rows[3], limit=10).post_ids) == by_hand(rows, rows[3])[:10]
    assert "every vector is compared" in caplog.text and index.failed
    index.close()
    with pytest.raises(IndexDamaged):  # it stays shut
        DenseIndex(base, NO_PATCH, model=MODEL, vectors=store)


def test_without_a_base_every_vector_is_compared(store, rows):
    index = DenseIndex(None, NO_PATCH, model=MODEL, vectors=store)
    assert list(index.rank(rows[3], limit=10).post_ids) == by_hand(rows, rows[3])[:10]
    assert not index.shared


def test_two_openers_of_one_process_share_the_base_and_the_last_releases_it(base, opened, store, rows):
    second = DenseIndex(base, NO_PATCH, model=MODEL, vectors=store)
    opened.close()
    assert chroma.is_held(base) and not second.shared
    assert second.rank(rows[3], limit=1).post_ids == (1001,)
    second.close()
    assert not chroma.is_held(base)


OTHER_PROCESS = """
import sys, json, numpy as np
from pathlib import Path
from engine.index.dense import DenseIndex, Patch
from engine.store import VectorStore
base, query = Path(sys.argv[1]), np.array(json.loads(sys.argv[2]), np.float32)
index = DenseIndex(base, Patch.load(base / "none"), model="essai", vectors=VectorStore(base.parent))
print(json.dumps([index.shared, index.rank(query, limit=10).post_ids]))
"""


def test_another_process_scores_exactly(base, opened, rows):
    command = [sys.executable, "-c", OTHER_PROCESS, str(base), json.dumps(rows[3].tolist())]
    shared, found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert shared and found == by_hand(rows, rows[3])[:10]


def test_it_holds_numbers_and_vectors_and_no_text(base, opened):
    raw = b"".join(path.read_bytes() for path in base.rglob("*") if path.is_file())
    assert b"texte 1" not in raw


def test_another_distance_is_refused(tmp_path):
    client = chroma._client(tmp_path / "chroma")
    client.create_collection(chroma.COLLECTION, embedding_function=None)  # Chroma's default is L2
    client.close()
    with pytest.raises(IndexDamaged) as caught:
        chroma.open_collection(tmp_path / "chroma")
    assert caught.value.details["reason"] == "space l2"


def test_a_missing_or_broken_folder_is_named(tmp_path, store):
    with pytest.raises(IndexMissing):
        DenseIndex(tmp_path / "nowhere", NO_PATCH, model=MODEL, vectors=store)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "chroma.sqlite3").write_bytes(b"rien" * 1000)
    with pytest.raises(IndexDamaged):
        DenseIndex(tmp_path / "broken", NO_PATCH, model=MODEL, vectors=store)
    assert not chroma.is_held(tmp_path / "broken")


@pytest.mark.parametrize("count", [0, 1, 3, 101, 1450])
def test_hardly_any_vector_stays_in_chromas_queue(tmp_path, monkeypatch, count):
    monkeypatch.setattr(chroma, "SYNCED_AT_A_TIME", 200)
    rows = np.random.default_rng(2).normal(size=(count, 8)).astype(np.float32)
    batches = ((list(range(start, min(start + 90, count))), rows[start : start + 90]) for start in range(0, count, 90))
    chroma.build(tmp_path / "chroma", count, batches)
    held = chroma.open_collection(tmp_path / "chroma")
    assert held.count == count and sorted(held.places()) == list(range(count))
    if count:
        assert held.nearest(rows[-1], 1)[0][0] == count - 1
        (lengths,) = (tmp_path / "chroma").glob("*/length.bin")
        assert count < 2 or lengths.stat().st_size // 4 >= count - count // 200
    held.close()


def test_vectors_are_kept_in_half_precision_and_forgotten_with_their_passages(store):
    (count,) = store.db.execute("SELECT MAX(LENGTH(vector)) FROM vectors").fetchone()
    assert count == DIM * 2
    assert store.missing(MODEL) == frozenset() and len(store.missing("autre")) == POSTS
    store.set_passages([Passage(PostId(1000), 0, "texte 0"), Passage(PostId(1), 0, "neuf")])
    assert store.count(MODEL) == 1 and len(store.missing(MODEL)) == 1
