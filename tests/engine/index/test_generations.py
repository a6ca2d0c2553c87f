"""Generations: published at once, left whole by a failure, rebuilt when they no longer fit."""

import errno
import json
from dataclasses import replace

import pytest

from engine.archive import open_archive
from engine.errors import Cancelled, DiskFull, IndexOutdated, StoreBusy
from engine.feeding import build_index
from engine.index import generations
from engine.seams import Models
from engine.values import Mode
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, forum, post, save, settings, word_embed


@pytest.fixture
def folder(tmp_path):
    save(tmp_path, forum())
    return tmp_path


def test_keyword_search_is_published_before_the_first_vector_is_computed(folder):
    seen = []

    def embed(texts, role):
        if not seen:
            with open_archive(settings(folder), WORD_MODELS) as archive:
                seen.append([hit.post_id for hit in archive.search("poncer", mode=Mode.BM25).hits])
        return word_embed(texts, role)

    index(folder, Models(embed=embed, embed_name="words"))
    assert seen == [[12]]


def test_stopping_while_encoding_keeps_the_vectors_and_the_next_run_encodes_only_the_rest(folder):
    counted = []

    def embed(texts, role):
        if len(counted) == 2:
            raise Cancelled
        counted.append(len(texts))
        return word_embed(texts, role)

    with pytest.raises(Cancelled):
        index(folder, Models(embed=embed, embed_name="words"), embed_batch=4)
    before, counted[:] = sum(counted), []
    index(folder, Models(embed=lambda t, r: (counted.append(len(t)), word_embed(t, r))[1], embed_name="words"))
    assert (before, sum(counted)) == (8, 3)  # eleven posts are long enough
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


def test_an_unchanged_store_is_not_indexed_again(folder):
    index(folder)
    first = generations.current(settings(folder))
    index(folder)
    assert generations.current(settings(folder)) == first


def test_a_changed_title_rebuilds_and_encodes_that_topic_only(folder):
    index(folder)
    counted = []
    items = [
        replace(i, title="Freins : les régler") if getattr(i, "slug", "") == "régler-des-freins" else i for i in forum()
    ]
    save(folder, items)
    index(
        folder,
        Models(embed=lambda t, r: (counted.append(len(t)), word_embed(t, r))[1], embed_name="words-512"),
    )
    assert sum(counted) == 2  # the third is too short
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


def test_a_removed_post_leaves_both_indexes_and_its_vector(folder):
    index(folder)
    save(folder, [item for item in forum() if getattr(item, "id", 0) != 22])
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        agreement = archive.agreement()
        assert agreement and 22 not in archive.store.post_ids()
        assert archive.vectors.count("words-512") == 10


def test_a_reader_sees_the_new_generation_without_being_reopened(folder):
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.search("girafe", mode=Mode.BM25).hits == ()
        save(folder, [*forum(), post(50, "Une girafe à bicyclette, c’est rare.", topic_id=4, number=5)])
        index(folder)
        assert [hit.post_id for hit in archive.search("girafe", mode=Mode.BM25).hits] == [50]


def test_a_failed_build_leaves_the_published_generation_and_no_rubbish(folder):
    index(folder)
    first = generations.current(settings(folder))
    save(folder, [*forum(), post(50, "Une girafe à bicyclette, c’est rare.", topic_id=4, number=5)])

    def fail(texts, role):
        raise Cancelled

    with pytest.raises(Cancelled):
        index(folder, Models(embed=fail, embed_name="autre"))
    names = [p.name for p in (folder / "indexes").iterdir() if p.is_dir()]
    assert not [n for n in names if n.endswith(generations.BUILDING)]
    assert generations.current(settings(folder)) != first  # the keyword index was published before
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert [hit.post_id for hit in archive.search("girafe", mode=Mode.BM25).hits] == [50]
        assert archive.search("freins").notices == ()  # the vectors of the encoder before still serve


def test_what_a_killed_build_left_is_swept(folder):
    index(folder)
    rubbish = folder / "indexes" / f"20200101T000000000000-dead{generations.BUILDING}"
    (rubbish / "whoosh").mkdir(parents=True)
    index(folder)
    assert not rubbish.exists()


def test_other_settings_make_the_index_outdated_and_a_rebuild_mends_it(folder):
    index(folder)
    with open_archive(settings(folder, language="en"), WORD_MODELS) as archive, pytest.raises(IndexOutdated):
        archive.search("freins")
    index(folder, language="en")
    with open_archive(settings(folder, language="en"), WORD_MODELS) as archive:
        assert archive.search("freins").hits


def test_another_library_version_is_refused(folder):
    index(folder)
    path = folder / "indexes" / generations.current(settings(folder)) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["whoosh3"] = "1.0"
    path.write_text(json.dumps(manifest))
    with open_archive(settings(folder), WORD_MODELS) as archive, pytest.raises(IndexOutdated) as caught:
        archive.search("freins")
    assert caught.value.details == {"reason": "whoosh3"}
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.search("freins").hits


def test_a_vector_index_of_another_version_leaves_the_comparison_of_all_vectors_or_keyword_search(folder, monkeypatch):
    index(folder)
    path = folder / "indexes" / generations.current(settings(folder)) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["chromadb"] = "1.0"
    path.write_text(json.dumps(manifest))
    with open_archive(settings(folder), WORD_MODELS) as archive:
        result = archive.search("freins", mode=Mode.DENSE)
        assert result.hits and result.notices == ("dense_compared",)
    monkeypatch.setattr(generations, "MOST_COMPARED", 5)  # more of them take too long
    with open_archive(settings(folder), WORD_MODELS) as archive:
        result = archive.search("freins")
        assert result.hits and result.notices == ("dense_unusable",)


def test_two_writers_are_refused(folder):
    def second(progress):
        with pytest.raises(StoreBusy):
            build_index(settings(folder), Models())

    build_index(settings(folder), Models(), on_progress=second)


def test_without_an_encoder_the_archive_is_searched_by_words(folder):
    build_index(settings(folder), Models())
    with open_archive(settings(folder), Models()) as archive:
        assert archive.search("freins").notices == ("dense_missing",)
        assert archive.status().dense_coverage == 0.0 and archive.status().lexical_posts == 12


def test_the_status_counts_what_is_held_and_indexed(folder):
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        status = archive.status()
    assert (status.posts, status.topics, status.categories, status.lexical_posts) == (12, 4, 3, 12)
    assert (status.dense_posts, status.dense_coverage, status.dense_model) == (11, 1.0, "words-512")
    assert (status.title, status.base_url) == ("Forum d’essai", "https://forum.exemple")


def test_a_disk_that_fills_while_indexing_says_so_and_leaves_what_was_published(folder):
    index(folder)
    save(folder, [*forum(), post(50, "Une girafe à bicyclette, c’est rare.", topic_id=4, number=5)])

    def full(progress):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull):
        build_index(settings(folder), WORD_MODELS, on_progress=full)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.search("freins").hits
