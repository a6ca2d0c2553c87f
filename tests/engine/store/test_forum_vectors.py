"""The forum's own vectors: kept for held posts, indexed without encoding, asked by a model that compares."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.archive import open_archive
from engine.feeding import build_index, import_archive
from engine.index import forum_vectors
from engine.seams import Models
from engine.sources import FORUM_MODEL, PostVector, VectorsRefused, beside_forum_model
from engine.store import ArchiveStore, VectorStore, import_source
from engine.values import Mode, PostId
from tests.factories import forum, settings

OWN = "m3-local"
READS = frozenset({FORUM_MODEL, beside_forum_model(OWN)})


def axis(number):
    return np.eye(1024, dtype=np.float32)[number]


class Encoder:
    """Puts every query on axis 12, every text on axis 500, and remembers what it was given."""

    def __init__(self):
        self.encoded = []

    def __call__(self, texts, role):
        if role == "query":
            return np.stack([axis(12)] * len(texts))
        self.encoded += texts
        return np.stack([axis(500)] * len(texts))


def bring(folder, items, **values):
    """Import items with their vectors, as `import_archive` does."""
    chosen = settings(folder, **values)
    store, vectors = ArchiveStore(folder), VectorStore(folder)
    try:
        keep = forum_vectors.keeper(chosen, store, vectors)
        return import_source(store, items, source="test", kind="dump", whole_forum=True, keep_vectors=keep)
    finally:
        store.close()
        vectors.close()


def vectors_of(*ids):
    return [PostVector(PostId(id), axis(id)) for id in ids]


ALL = (11, 12, 21, 22, 23, 31, 32, 41, 42, 43, 44)  # 13 is too short to have a vector


def test_vectors_of_held_posts_are_kept_and_reported(tmp_path):
    items = [*forum(), *vectors_of(*ALL), *vectors_of(13, 999), VectorsRefused("model", 7)]
    report = bring(tmp_path, items)
    assert (report.vectors, report.vectors_refused, report.complete) == (11, {"model": 7}, True)
    store = ArchiveStore(tmp_path)
    (saved,) = store.db.execute("SELECT report FROM imports").fetchone()
    store.close()
    assert json.loads(saved)["vectors"] == 11


def test_posts_with_a_vector_of_the_forum_are_indexed_without_encoding(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    encoder = Encoder()
    models = Models(embed=encoder, embed_name=OWN, reads=READS)
    build_index(settings(tmp_path), models)
    assert encoder.encoded == []
    with open_archive(settings(tmp_path), models) as archive:
        assert archive.status().dense_model == beside_forum_model(OWN)
        assert archive.agreement()
        found = archive.search("quelque chose", mode=Mode.DENSE)
        assert found.notices == () and found.hits[0].post_id == 12  # the query lies on its axis


def test_a_model_that_compares_encodes_the_other_posts_only(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(*ALL[:8])])
    encoder = Encoder()
    models = Models(embed=encoder, embed_name=OWN, reads=READS)
    build_index(settings(tmp_path), models)
    assert len(encoder.encoded) == 3  # 42, 43, 44
    build_index(settings(tmp_path), models)
    assert len(encoder.encoded) == 3
    with open_archive(settings(tmp_path), models) as archive:
        assert archive.agreement() and archive.status().dense_coverage == 1.0
        filtered = archive.search("quelque chose auteur:alice", mode=Mode.DENSE)  # scored exactly
        assert {hit.post_id for hit in filtered.hits} == {12, 22, 41, 44}


def test_the_vector_of_a_long_post_stands_for_all_its_windows(tmp_path):
    long = [replace(item, parts=replace(item.parts, text="Un long message. " * 200)) if getattr(item, "id", 0) == 44 else item
            for item in forum()]  # fmt: skip
    bring(tmp_path, [*long, *vectors_of(44)])
    encoder = Encoder()
    build_index(settings(tmp_path), Models(embed=encoder, embed_name=OWN, reads=READS))
    assert len(encoder.encoded) == len(ALL) - 1 and not any("Un long message" in text for text in encoder.encoded)


@pytest.mark.parametrize("models", [Models(embed=Encoder(), embed_name="autre"), Models()], ids=["autre", "aucun"])
def test_without_a_model_that_compares_keyword_search_goes_on_and_it_is_said(tmp_path, models):
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    build_index(settings(tmp_path, forum_vectors="use"), models)
    assert models.embed is None or models.embed.encoded == []
    with open_archive(settings(tmp_path), models) as archive:
        assert archive.status().dense_model == FORUM_MODEL and archive.agreement()
        result = archive.search("poncer les patins")
        assert result.hits[0].post_id == 12
        assert result.notices == ("encoder_differs" if models.embed else "encoder_missing",)
        assert {part.ranking for hit in result.hits for part in hit.contributions} == {"lexical"}
    # The model arrives: nothing is to be built again.
    encoder = Encoder()
    with open_archive(settings(tmp_path), Models(embed=encoder, embed_name=OWN, reads=READS)) as archive:
        assert archive.search("rien", mode=Mode.DENSE).hits[0].post_id == 12 and encoder.encoded == []


def test_vectors_wait_unused_for_a_model_that_compares(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    encoder = Encoder()
    build_index(settings(tmp_path), Models(embed=encoder, embed_name="autre"))
    assert len(encoder.encoded) == len(ALL)
    build_index(settings(tmp_path), Models(embed=encoder, embed_name=OWN, reads=READS))
    assert len(encoder.encoded) == len(ALL)
    store = VectorStore(tmp_path)
    assert store.count(FORUM_MODEL) == len(ALL)
    store.close()


def test_vectors_may_be_ignored(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    encoder = Encoder()
    build_index(settings(tmp_path, forum_vectors="ignore"), Models(embed=encoder, embed_name="autre"))
    assert len(encoder.encoded) == len(ALL)


def test_vectors_brought_by_a_second_import_are_indexed(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(11)])
    build_index(settings(tmp_path, forum_vectors="use"), Models())
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    build_index(settings(tmp_path, forum_vectors="use"), Models())
    with open_archive(settings(tmp_path), Models()) as archive:
        assert archive.status().dense_posts == len(ALL)


def test_the_vector_of_an_edited_or_removed_post_goes(tmp_path):
    bring(tmp_path, [*forum(), *vectors_of(*ALL)])
    build_index(settings(tmp_path, forum_vectors="use"), Models())
    later = [
        replace(item, parts=replace(item.parts, text="Tout autre chose à propos de la selle."), cooked="x")
        if getattr(item, "id", 0) == 12 else item for item in forum() if getattr(item, "id", 0) != 22
    ]  # fmt: skip
    bring(tmp_path, later)
    build_index(settings(tmp_path, forum_vectors="use"), Models())
    store = VectorStore(tmp_path)
    assert store.count(FORUM_MODEL) == store.held_passages(FORUM_MODEL) == len(ALL) - 2
    store.close()


@pytest.mark.shared
def test_a_backup_with_vectors_is_indexed_without_encoding_those_posts_and_keeps_no_secret(tmp_path):
    tool = Path(__file__).resolve().parents[4] / "shared" / "tools" / "make_forum.py"
    if not tool.is_file():
        pytest.skip("no shared data beside this checkout")
    source, data = tmp_path / "sauvegarde", tmp_path / "données"
    options = ["--posts", "3000", "--vectors", "500", "--tar", "--out", str(source)]
    subprocess.run([sys.executable, str(tool), *options], check=True, capture_output=True)
    report = import_archive(settings(data), next(source.glob("*.tar.gz")))
    assert report.complete and report.vectors_refused == {}
    store = VectorStore(data)
    kept = store.count(FORUM_MODEL)
    store.close()
    assert 400 < kept <= report.vectors <= 500  # some of the 500 posts are too short, a few have the same text

    encoder = Encoder()
    models = Models(embed=encoder, embed_name=OWN, reads=READS)
    build_index(settings(data), models)
    store, posts = VectorStore(data), ArchiveStore(data)
    wanted = len(posts.post_ids(min_useful_chars=settings(data).min_dense_chars))
    own = store.covered_posts(OWN)
    assert store.covered_posts(FORUM_MODEL) >= report.vectors and own + report.vectors >= wanted
    (both,) = store.db.execute(
        """SELECT COUNT(*) FROM passages p JOIN vectors v ON v.key = p.key AND v.model = ? WHERE p.post_id IN
           (SELECT p.post_id FROM passages p JOIN vectors v ON v.key = p.key AND v.model = ? AND p.n = 0)""",
        (OWN, FORUM_MODEL),
    ).fetchone()
    assert both == 0 and len(encoder.encoded) == store.count(OWN)
    store.close()
    posts.close()
    with open_archive(settings(data), models) as archive:
        assert archive.agreement()
    for file in data.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert b"zzsecretcle" not in content and b"modeles.exemple.fr" not in content, file
