"""Rows changed in place: what serves stays whole, nothing that stands is lost or found twice, nothing removed is found."""

from contextlib import closing

import numpy as np
import pytest

from engine.archive import open_archive
from engine.index import building, generations, milvus, milvus_place, milvus_publishing, milvus_tidying
from engine.index.work import Work
from engine.seams import Models
from engine.store import ArchiveStore, VectorStore
from engine.values import Mode, PostId
from tests.engine.conftest import index
from tests.factories import BISTROT, WORD_MODELS, forum, post, save, settings, topic, word_embed

URL = "lite.db"


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Twelve posts are treated as millions are."""
    monkeypatch.setattr(milvus_publishing, "MOST_CHANGED", 0.9)


@pytest.fixture
def archive(folder):
    index(folder, index_url=URL)
    with open_archive(settings(folder, index_url=URL), WORD_MODELS) as opened:
        yield opened


def ids(archive, text, mode=Mode.BM25):
    return [hit.post_id for hit in archive.search(text, mode=mode).hits]


def changed(folder):
    """A post edited, one removed, one added, one whose author has another name."""
    kept = [item for item in forum() if getattr(item, "id", None) not in (22, 31, 44) or not hasattr(item, "cooked")]
    save(folder, [
        *kept, post(22, "La cire, et de la graisse pour le moyeu.", topic_id=2, number=2, by="alice", day=11, edited=1),
        post(44, "Un cœur de roue libre usé fait du bruit.", topic_id=4, number=4, by="zoé", day=603, edited=1),
        post(90, "Une selle de cuir, neuve et sans défaut.", topic_id=4, number=9, by="dan", day=900),
    ])  # fmt: skip


def test_what_changed_is_found_as_it_is_now_and_the_collection_is_the_same(archive, folder):
    before = generations.read_manifest(archive.settings)
    changed(folder)
    index(folder, index_url=URL)
    after = generations.read_manifest(archive.settings)
    assert (after.words_base, after.dense_base) == (before.words_base, before.dense_base)
    assert after.words_edition == 1 and after.dense_edition >= 1
    for mode in (Mode.BM25, Mode.DENSE):
        assert ids(archive, "selle cuir", mode)[0] == 90
        assert ids(archive, "graisse moyeu", mode)[0] == 22
        assert 31 not in ids(archive, "lac départ mairie", mode)
    assert 22 not in ids(archive, "sec temps longtemps")
    assert ids(archive, "roue libre auteur:zoé") == [44]
    assert archive.agreement()
    engine = milvus.open_engine(milvus_place.place(archive.settings, URL).url)
    at = milvus_place.place(archive.settings, URL)
    assert engine.count(at.collection(after.words_base, "words")) == after.lexical_posts  # what was removed has left
    assert engine.count(at.collection(after.dense_base, "vectors")) == after.dense_vectors
    engine.close()


def test_a_reader_of_the_generation_before_goes_on_seeing_it(archive, folder, monkeypatch):
    monkeypatch.setattr(milvus_tidying, "_take_out", lambda *given: None)  # the search takes longer than the grace
    with archive.reading() as old:
        seen = old.lexical.rank(["cire huile sec selle"], limit=10).post_ids
        near = old.dense.rank(word_embed(["La cire dure plus longtemps"], "query")[0], limit=10).post_ids
        changed(folder)
        index(folder, index_url=URL)
        assert old.lexical.rank(["cire huile sec selle"], limit=10).post_ids == seen
        assert old.dense.rank(word_embed(["La cire dure plus longtemps"], "query")[0], limit=10).post_ids == near
        assert old.lexical.matching("temps sec") == {22} and not old.lexical.matching("selle")
        with archive.reading() as new:
            assert not new.lexical.matching("temps sec") and new.lexical.matching("selle") == {90}


def test_updates_one_after_the_other_give_what_building_anew_gives(archive, folder, tmp_path):
    draw = np.random.default_rng(3)
    words = "selle guidon pignon moyeu rayon cire huile frein".split()
    held = {100 + n: "cire " * 4 for n in range(12)}
    for round_ in range(6):
        for _ in range(4):
            held[100 + int(draw.integers(20))] = " ".join(draw.choice(words, 12))
        for gone in draw.choice(sorted(held), 2).tolist():
            held.pop(gone, None)
        items = [post(n, text, topic_id=9, number=n, edited=round_) for n, text in held.items()]
        save(folder, [*forum(), BISTROT, topic(9, "Divers", category=3), *items])
        index(folder, index_url=URL)
    assert generations.read_manifest(archive.settings).words_edition > 2
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    save(fresh, [*forum(), BISTROT, topic(9, "Divers", category=3), *items])
    index(fresh)
    with open_archive(settings(fresh), WORD_MODELS) as anew:
        assert archive.agreement()
        for word in words:
            assert set(ids(archive, word)) == set(ids(anew, word))
            assert ids(archive, word, Mode.DENSE) == ids(anew, word, Mode.DENSE)


def test_a_crash_before_publication_is_made_good(archive, folder, monkeypatch):
    before = generations.current(archive.settings)
    changed(folder)
    monkeypatch.setattr(generations, "publish", lambda *given: (_ for _ in ()).throw(OSError("power cut")))
    with pytest.raises(OSError, match="power cut"):
        index(folder, index_url=URL)
    monkeypatch.undo()
    monkeypatch.setattr(milvus_publishing, "MOST_CHANGED", 0.9)
    monkeypatch.setattr(milvus_tidying, "GRACE_S", 0.0)
    assert generations.current(archive.settings) == before
    assert ids(archive, "temps sec") and not ids(archive, "selle")
    index(folder, index_url=URL)
    assert ids(archive, "selle") == [90] and archive.agreement()


def test_rows_that_a_crash_left_are_taken_out_by_the_next_indexing(archive, folder, monkeypatch):
    monkeypatch.setattr(milvus_tidying, "_take_out", lambda *given: None)
    changed(folder)
    index(folder, index_url=URL)
    monkeypatch.undo()
    manifest, at = generations.read_manifest(archive.settings), milvus_place.place(archive.settings, URL)
    engine = milvus.open_engine(at.url)
    assert engine.count(at.collection(manifest.words_base, "words")) == manifest.lexical_posts + 3
    index(folder, index_url=URL)
    assert engine.count(at.collection(manifest.words_base, "words")) == manifest.lexical_posts
    engine.close()


def test_what_replicas_may_still_read_stays_until_a_later_indexing(archive, folder, monkeypatch):
    before = generations.read_manifest(archive.settings)
    at = milvus_place.place(archive.settings, URL)
    collection = at.collection(before.words_base, "words")
    with closing(milvus.open_engine(at.url)) as engine:
        rows = engine.count(collection)
        changed(folder)
        index(folder, index_url=URL, index_kept_s=300)
        kept = engine.count(collection)
        assert kept > rows and archive.agreement()
        for n in (1, 2):  # a generation with rows to take out is not swept before that is done
            save(
                folder,
                [post(200 + n, f"Un pédalier numéro {n} qui craque.", topic_id=4, number=20 + n)],
                whole_forum=False,
            )
            index(folder, index_url=URL, index_kept_s=300)
        assert engine.count(collection) == kept + 2
        index(folder, index_url=URL)
        stands = len(archive.store.post_ids())
        assert engine.count(collection) == stands and archive.agreement()


def test_another_model_makes_another_collection_and_the_alias_is_switched(archive, folder):
    at, before = milvus_place.place(archive.settings, URL), generations.read_manifest(archive.settings)
    index(folder, Models(embed=word_embed, embed_name="another"), index_url=URL)
    after = generations.read_manifest(archive.settings)
    assert after.dense_base != before.dense_base and after.words_base == before.words_base
    engine = milvus.open_engine(at.url)
    assert engine.aliased(at.alias("vectors")) == at.collection(after.dense_base, "vectors")
    assert at.collection(before.dense_base, "vectors") in engine.collections(at.prefix)  # for one more round
    index(folder, Models(embed=word_embed, embed_name="a third"), index_url=URL)
    assert at.collection(before.dense_base, "vectors") not in engine.collections(at.prefix)
    engine.close()


def test_an_archive_moves_to_the_engine_and_back_and_leaves_nothing_there(folder):
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        here = ids(archive, "huile"), ids(archive, "huile", Mode.DENSE)
        with open_archive(settings(folder, index_url=URL), WORD_MODELS) as moving:
            assert ids(moving, "huile") == here[0]  # what was published here serves until there is something there
            index(folder, index_url=URL)
            assert (ids(moving, "huile"), ids(moving, "huile", Mode.DENSE)) == here
            assert moving._generation.manifest.index_url == URL
        index(folder)
        index(folder)
        index(folder, Models(embed=word_embed, embed_name="another"))
        assert ids(archive, "huile") == here[0]
    at = milvus_place.place(archive.settings, URL)
    engine = milvus.open_engine(at.url)
    assert not engine.collections("archiviste_") and milvus_place.left(archive.settings) is None
    engine.close()


def test_two_archives_share_an_engine(folder, tmp_path, server):
    other = tmp_path / "other"
    other.mkdir()
    save(other, forum())
    for data in (folder, other, folder):
        index(data, index_url=server.url)
    for data in (folder, other):
        with open_archive(settings(data, index_url=server.url), WORD_MODELS) as archive:
            assert archive.agreement()


def test_facets_are_counted_on_what_is_ranked(archive):
    from engine.retrieve.matching import Basis, matching
    from engine.retrieve.query import parse

    with archive.reading() as generation:
        assert matching(parse("huile"), generation, allowed=None, excluded=frozenset()).basis is Basis.RANKED
        found = matching(parse("auteur:alice"), generation, allowed=frozenset({PostId(1)}), excluded=frozenset())
        assert found.basis is Basis.CONDITIONS


def test_nothing_is_put_twice_when_nothing_changed(archive, folder):
    before = generations.current(archive.settings)
    index(folder, index_url=URL)
    assert generations.current(archive.settings) == before
    store, vectors = ArchiveStore(folder), VectorStore(folder)
    assert store.state() == generations.read_manifest(archive.settings).store_state
    store.close()
    vectors.close()


def test_an_erasure_leaves_no_collection_that_held_what_was_erased(archive, folder):
    from engine.erase.places import remove_generations

    at, before = milvus_place.place(archive.settings, URL), generations.read_manifest(archive.settings)
    save(folder, [item for item in forum() if getattr(item, "id", None) != 22])
    with closing(ArchiveStore(folder)) as store, closing(VectorStore(folder)) as vectors:
        work = Work(archive.settings, store, vectors, WORD_MODELS, lambda progress: None, lambda: None)
        after = building.publish_anew(work)
    remove_generations(archive.settings)
    engine = milvus.open_engine(at.url)
    kept = engine.collections(at.prefix)
    engine.close()
    assert before.words_base not in (after.words_base, None)
    assert set(kept) == {at.collection(after.words_base, "words"), at.collection(after.dense_base, "vectors")}
    assert not ids(archive, "cire temps sec") and ids(archive, "huile")
