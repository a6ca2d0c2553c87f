"""The engine away, slow, emptied, or failing half-way: titles are searched, nothing is lost, and it mends by itself."""

import time

import pytest

from engine.archive import open_archive
from engine.errors import IndexAway
from engine.index import generations, milvus, milvus_place, milvus_publishing
from engine.values import Mode
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, post, save, settings, word_embed


@pytest.fixture
def archive(folder, server):
    index(folder, index_url=server.url)
    with open_archive(settings(folder, index_url=server.url), WORD_MODELS) as opened:
        yield opened


def ids(archive, text, mode=Mode.HYBRID):
    found = archive.search(text, mode=mode)
    return [hit.post_id for hit in found.hits], found.notices


def mended(archive, text):
    for _ in range(50):
        found, notices = ids(archive, text)
        if not notices:
            return found
        time.sleep(0.1)
    raise AssertionError(notices)


def collection(archive, kind):
    manifest = generations.read_manifest(archive.settings)
    base = manifest.words_base if kind == "words" else manifest.dense_base
    return milvus_place.place(archive.settings, archive.settings.index_url).collection(base, kind)


def test_titles_are_searched_while_the_engine_is_dead_and_all_is_well_once_it_is_back(archive, server):
    before, notices = ids(archive, "huile pour la chaîne")
    assert 22 in before and not notices
    server.kill()
    started = time.monotonic()
    assert ids(archive, "huile pour la chaîne") == ([21], ("engine_away",))
    assert ids(archive, "huile auteur:alice") == ([], ("engine_away",))
    assert ids(archive, "titre:huile") == ([21], ("engine_away",))
    assert time.monotonic() - started < 6
    server.start()
    assert mended(archive, "huile pour la chaîne") == before


def test_an_answer_is_made_of_what_the_titles_give(archive, server):
    server.kill()
    events = list(archive.ask("Quelle huile pour la chaîne ?", answerer="extractive"))
    assert any(item.post_id == 21 for event in events for item in getattr(event, "evidence", ()))


def test_a_frozen_engine_costs_one_wait_not_one_a_search(archive, server):
    ids(archive, "huile")
    server.freeze()
    started = time.monotonic()
    assert ids(archive, "huile")[1] == ("engine_away",)
    waited = time.monotonic() - started
    assert waited < 5
    milvus_retry, milvus.RETRY_S = milvus.RETRY_S, 5.0
    ids(archive, "huile")
    started = time.monotonic()
    assert ids(archive, "huile")[1] == ("engine_away",) and time.monotonic() - started < 0.5
    milvus.RETRY_S = milvus_retry
    server.thaw()
    archive_engine = archive._generation.lexical._engine
    archive_engine._shut_until = 0.0
    assert mended(archive, "huile") == ids(archive, "huile")[0]


def test_an_archive_opens_while_its_engine_is_away(folder, server):
    index(folder, index_url=server.url)
    server.kill()
    with open_archive(settings(folder, index_url=server.url), WORD_MODELS) as archive:
        assert ids(archive, "huile") == ([21], ("engine_away",))
        assert archive.status().lexical_posts == 12


def test_lost_vectors_leave_the_words_and_lost_words_the_titles_and_the_next_indexing_mends_both(archive, server):
    before, _ = ids(archive, "huile pour la chaîne")
    engine = milvus.open_engine(server.url)
    engine.drop(collection(archive, "vectors"))
    found, notices = ids(archive, "huile pour la chaîne")
    assert notices == ("engine_meaning",) and set(found) <= {21, 22, 23, *before}
    with pytest.raises(AssertionError):  # asked for meaning alone, there is nothing but titles
        assert ids(archive, "huile", Mode.DENSE)[1] == ()
    engine.drop(collection(archive, "words"))
    assert ids(archive, "huile pour la chaîne") == ([21], ("engine_lost",))
    engine.close()
    index(archive.settings.data, index_url=server.url)
    assert mended(archive, "huile pour la chaîne") == before


def test_an_alias_that_points_nowhere_hinders_nobody_and_is_set_right(archive, server):
    at = milvus_place.place(archive.settings, server.url)
    engine = milvus.open_engine(server.url)
    assert engine.aliased(at.alias("words")) == collection(archive, "words")
    with engine._asked("") as client:
        client.drop_alias(at.alias("words"))
    assert engine.aliased(at.alias("words")) is None
    assert ids(archive, "huile")[1] == ()
    index(archive.settings.data, index_url=server.url)
    assert engine.aliased(at.alias("words")) == collection(archive, "words")
    engine.close()


@pytest.mark.parametrize("when", ["words", "vectors"])
def test_an_engine_that_dies_half_way_through_a_build_leaves_what_was_published(folder, server, when):
    index(folder, index_url=server.url)
    published = generations.current(settings(folder))
    save(folder, [post(45, "Une selle en cuir, toute neuve, pour mon vélo.", topic_id=4, number=5)], whole_forum=False)
    killed = []

    def embed(texts, role):
        if when == "vectors" and role == "passage" and not killed:
            killed.append(server.kill())
        return word_embed(texts, role)

    def check():
        if when == "words" and not killed:
            killed.append(server.kill())

    with pytest.raises(IndexAway):
        _build(folder, server.url, embed, check)
    assert killed
    if when == "words":
        assert generations.current(settings(folder)) == published
    server.start()
    with open_archive(settings(folder, index_url=server.url), WORD_MODELS) as archive:
        assert mended(archive, "patins")  # what was published serves
        index(folder, index_url=server.url)
        assert mended(archive, "selle cuir")[0] == 45
        assert archive.agreement()
        engine = milvus.open_engine(server.url)
        kept = engine.collections(milvus_place.place(archive.settings, server.url).prefix)
        engine.close()
        assert len(kept) <= 4  # of this generation and of the one before


def _build(folder, url, embed, check):
    from engine.index import building
    from engine.seams import Models
    from engine.store import ArchiveStore, VectorStore

    store, vectors = ArchiveStore(folder), VectorStore(folder)
    models = Models(embed=embed, embed_name=WORD_MODELS.embed_name)
    try:
        building.build(
            settings(folder, index_url=url), store, vectors, models, with_vectors=True,
            on_progress=lambda progress: check(), check=lambda: None,
        )  # fmt: skip
    finally:
        store.close()
        vectors.close()


def test_a_collection_that_goes_while_rows_are_put_into_it_stops_the_build_and_the_next_one_is_whole(
    folder, server, monkeypatch
):
    monkeypatch.setattr(milvus_publishing, "POSTS_AT_A_TIME", 5)
    put = milvus.Engine.put

    def put_and_lose(engine, name, rows):
        put(engine, name, rows)
        engine.drop(name)

    with monkeypatch.context() as once:
        once.setattr(milvus.Engine, "put", put_and_lose)
        with pytest.raises(IndexAway) as raised:
            index(folder, index_url=server.url)
    assert raised.value.details["reason"] == "lost" and generations.current(settings(folder)) is None
    index(folder, index_url=server.url)
    with open_archive(settings(folder, index_url=server.url), WORD_MODELS) as archive:
        assert ids(archive, "huile")[1] == () and archive.agreement()


def test_a_file_that_another_process_holds_is_told(folder, server, tmp_path):
    from milvus_lite.db import MilvusLite

    index(folder, index_url="lite.db")
    other = MilvusLite(str(folder / "lite.db"))
    with open_archive(settings(folder, index_url="lite.db"), WORD_MODELS) as archive:
        assert ids(archive, "huile") == ([21], ("engine_away",))
        with pytest.raises(IndexAway):
            index(folder, index_url="lite.db")
        other.close()
        assert 22 in mended(archive, "huile")


def test_without_the_library_titles_are_searched_and_an_indexing_says_what_lacks(folder, server, monkeypatch):
    index(folder, index_url=server.url)
    monkeypatch.setitem(__import__("sys").modules, "pymilvus", None)
    with open_archive(settings(folder, index_url=server.url), WORD_MODELS) as archive:
        assert ids(archive, "huile") == ([21], ("engine_library",))
    with pytest.raises(IndexAway) as raised:
        index(folder, index_url=server.url)
    assert raised.value.details["reason"] == "library"
