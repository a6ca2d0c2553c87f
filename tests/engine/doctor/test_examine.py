"""The doctor of a data folder: what it says of each fault, and what an indexing makes good again."""

import gc
import json
import os
import shutil
from pathlib import Path

import pytest

from engine import Models
from engine.archive import open_archive
from engine.doctor import examine, repairs
from engine.doctor.findings import Level, Repair
from engine.index import chroma, generations
from engine.locks import writing
from engine.store import ArchiveStore, VectorStore
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, forum, post, save, settings


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    save(folder, forum(), source="/sauvegardes/forum.tar.gz")
    index(folder)
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "data")


def look(folder, *, quick=False, models=WORD_MODELS, **values):
    """{check: finding}."""
    found = examine(settings(folder, **values), models, quick=quick)
    assert len({f.check for f in found}) == len(found)
    return {f.check: f for f in found}


def states(folder, **options):
    return {check: f.state for check, f in look(folder, **options).items()}


def manifest_path(folder):
    return folder / "indexes" / generations.current(settings(folder)) / "manifest.json"


def edit_manifest(folder, **values):
    path = manifest_path(folder)
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def mended(folder, found):
    """After what `--repair` does for the indexes: condemn what is broken, then index."""
    repairs.condemn(settings(folder), found.values())
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        agrees = archive.agreement() and archive.search("huile").notices == ()
    return agrees and all(f.level is Level.OK for f in look(folder, quick=True).values())


def test_a_whole_archive_has_nothing_wrong(folder):
    full, quick = look(folder), look(folder, quick=True)
    assert all(f.level is Level.OK and f.repair is None for f in (*full.values(), *quick.values()))
    assert {check: f.state for check, f in full.items()} == {
        "drive": "local", "folder": "private", "archive": "sound", "vectors": "sound", "index": "fits",
        "words": "agree", "meaning": "agree", "leftovers": "none", "disk": "enough", "models": "none",
    }  # fmt: skip
    assert (full["archive"].figures["posts"], full["words"].figures["posts"]) == (12, 12)
    assert full["meaning"].figures["vectors"] == 11
    assert (quick["words"].state, quick["meaning"].state) == ("there", "there")


def test_a_folder_without_archive_is_left_as_it_is(tmp_path):
    assert states(tmp_path / "none") == {"archive": "absent"}
    assert not (tmp_path / "none").exists()
    assert states(tmp_path)["archive"] == "absent"
    assert [*tmp_path.iterdir()] == []


def test_an_archive_without_index_wants_one(tmp_path):
    save(tmp_path, forum())
    found = look(tmp_path)
    assert (found["index"].state, found["index"].repair) == ("missing", Repair.REBUILD)
    assert "words" not in found
    assert mended(tmp_path, found)


# --- the published generation -----------------------------------------------------------------


def test_a_published_generation_that_is_gone_is_built_again(folder):
    shutil.rmtree(manifest_path(folder).parent)
    found = look(folder, quick=True)
    assert (found["index"].state, found["index"].level) == ("dangling", Level.ERROR)
    assert mended(folder, found)


def test_a_manifest_that_cannot_be_read_is_built_again(folder):
    manifest_path(folder).write_text("{")
    found = look(folder, quick=True)
    assert found["index"].state == "unreadable"
    assert mended(folder, found)


def test_other_settings_and_other_versions_are_told_apart(folder):
    assert states(folder, language="en", quick=True)["index"] == "other_settings"
    edit_manifest(folder, versions={**generations.versions(), "PyStemmer": "1.0"})
    assert states(folder, quick=True)["index"] == "other_version"
    edit_manifest(folder, versions={**generations.versions(), "chromadb": "1.0"})
    found = look(folder)
    assert (found["index"].state, found["meaning"].state) == ("fits", "other_version")
    assert mended(folder, found)


def test_the_encoder_of_this_computer_may_be_another(folder):
    other = Models(embed=WORD_MODELS.embed, embed_name="another")
    assert states(folder, models=other, quick=True)["meaning"] == "other_model"
    assert states(folder, models=Models(), quick=True)["meaning"] == "unread"
    assert states(folder, models=Models())["meaning"] == "unread"


# --- words ------------------------------------------------------------------------------------


def test_an_index_older_than_the_archive_is_only_behind(folder):
    save(folder, [*forum(), post(50, "Une girafe à bicyclette, c’est plutôt rare.", topic_id=4, number=5)])
    found = look(folder)
    assert (found["words"].state, found["words"].level, found["words"].figures["missing"]) == (
        "behind", Level.WARNING, 1,
    )  # fmt: skip
    assert found["meaning"].state == "behind"
    assert mended(folder, found)


def test_ids_that_differ_for_the_same_archive_are_damage_and_built_again(folder):
    with ArchiveStore(folder).db as db:  # behind the index's back: its state is made to say that nothing changed
        db.execute("DELETE FROM posts WHERE id IN (12, 22)")
    store = ArchiveStore(folder)
    edit_manifest(folder, store_state=store.state())
    store.close()
    found = look(folder)
    assert (found["words"].state, found["words"].figures["extra"]) == ("differ", 2)
    assert mended(folder, found)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


def _garble(file):
    """A third of it, with much of what says which messages hold which words."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size * 6 // 10)
        opened.write(b"\xff" * (size // 3))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Whoosh leaves open what it can't read
@pytest.mark.parametrize("damage", [Path.unlink, _garble])
def test_a_keyword_index_that_lost_a_file_or_whose_words_are_garbled_is_built_again(folder, damage):
    for file in (manifest_path(folder).parent / "whoosh").glob("*.seg"):
        damage(file)
    found = look(folder)
    gc.collect()
    assert (found["words"].state, found["words"].level) == ("damaged", Level.ERROR)
    assert mended(folder, found)


def test_a_keyword_index_that_is_gone_is_built_again(folder):
    shutil.rmtree(manifest_path(folder).parent / "whoosh")
    found = look(folder, quick=True)
    assert found["words"].state == "gone"
    assert mended(folder, found)


# --- meaning ----------------------------------------------------------------------------------


def base_of(folder):
    return folder / "indexes" / generations.read_manifest(settings(folder)).dense_base / "chroma"


def test_a_damaged_index_of_vectors_is_found_by_the_quick_look_too(folder):
    os.truncate(next(base_of(folder).rglob("data_level0.bin")), 100)
    found = look(folder, quick=True)
    assert (found["meaning"].state, found["meaning"].repair) == ("damaged", Repair.REBUILD)
    assert mended(folder, found)


def test_bytes_that_changed_are_found_by_the_whole_look(folder):
    (file,) = base_of(folder).rglob("length.bin")
    before = file.stat()
    file.write_bytes(bytes(before.st_size))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert states(folder, quick=True)["meaning"] == "there"
    found = look(folder)
    assert found["meaning"].state == "damaged"
    assert mended(folder, found)


def test_another_count_than_it_should_hold(folder):
    places = base_of(folder).with_name("places.npy")
    places.write_bytes(places.read_bytes()[:-16])  # and its header no longer fits: it can't be read
    found = look(folder)
    assert (found["meaning"].state, found["meaning"].figures["count"]) == ("count", 11)
    assert mended(folder, found)


def test_an_index_open_in_another_place_is_not_opened_here(folder):
    held = chroma.open_collection(base_of(folder))
    assert states(folder)["meaning"] == "held"
    held.close()


def test_a_patch_that_cannot_be_read_is_damage(folder):
    (manifest_path(folder).parent / "patch.npz").write_bytes(b"rien" * 50)
    found = look(folder)
    assert found["meaning"].state == "damaged"
    assert mended(folder, found)


def test_vectors_that_are_still_to_come_are_told(folder):
    shutil.rmtree(folder / "indexes")
    index(folder, Models())
    assert states(folder, models=Models())["meaning"] == "no_encoder"
    found = look(folder)
    assert (found["meaning"].state, found["meaning"].level) == ("missing", Level.WARNING)
    assert mended(folder, found)


# --- databases --------------------------------------------------------------------------------


def test_a_damaged_archive_names_what_it_can_be_made_of_and_is_left_as_it_is(folder):
    path = folder / "archive.db"
    (folder / "raw" / "t").mkdir(parents=True)
    (folder / "raw" / "t" / "7.json").write_text("{}")
    store = ArchiveStore(folder)
    (root,) = store.row("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'posts' LIMIT 1")
    store.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    before = path.read_bytes()
    for _ in range(2):
        found = look(folder)
        assert (found["archive"].state, found["archive"].level, found["archive"].repair) == (
            "damaged", Level.ERROR, None,
        )  # fmt: skip
        assert found["archive"].figures["sources"] == "/sauvegardes/forum.tar.gz"
        assert found["archive"].figures["fetched"] == 1
        assert "index" not in found
    assert path.read_bytes() == before


def test_an_archive_of_a_newer_version_is_not_called_damaged(folder):
    store = ArchiveStore(folder)
    store.db.execute("PRAGMA user_version = 99")
    store.close()
    assert states(folder, quick=True)["archive"] == "newer"


def test_damaged_vectors_are_put_aside_and_computed_again(folder):
    path = folder / "vectors.db"
    path.write_bytes(b"rien" * 1000)
    found = look(folder)
    assert (found["vectors"].state, found["vectors"].repair) == ("damaged", Repair.SET_ASIDE)
    assert "index" not in found
    aside = repairs.set_aside(path)
    assert aside.read_bytes() == b"rien" * 1000 and not path.exists()
    index(folder)
    assert all(f.level is Level.OK for f in look(folder, quick=True).values())
    store = VectorStore(folder)
    assert store.count("words-512") == 11
    store.close()


# --- leftovers and models ---------------------------------------------------------------------


def test_leftovers_are_found_and_swept_but_not_under_a_writer(folder):
    left = folder / "indexes" / f"20200101T000000000000-dead{generations.BUILDING}"
    left.mkdir()
    (left / "x").write_bytes(bytes(1000))
    with writing(settings(folder)):
        assert states(folder, quick=True)["leftovers"] == "busy"
    found = look(folder, quick=True)["leftovers"]
    assert (found.state, found.repair, dict(found.figures)) == ("found", Repair.SWEEP, {"folders": 1, "bytes": 1000})
    repairs.sweep(settings(folder))
    assert not left.exists()
    assert states(folder, quick=True)["leftovers"] == "none"


def test_a_model_that_is_not_there_is_named(folder, tmp_path):
    found = look(folder, llm_model=tmp_path / "absent.gguf", quick=True)["models"]
    assert (found.state, found.level, found.figures["setting"]) == ("missing", Level.ERROR, "llm_model")


def test_a_model_that_was_cut_is_named(folder):
    place = folder / "models" / "petit"
    place.mkdir(parents=True)
    (place / "petit.gguf").write_bytes(b"GGUF" + bytes(6))
    card = {
        "format": 1, "name": "petit", "role": "llm", "at": None, "added_at": "2026-11-29T12:00:00+00:00",
        "files": [{"path": "petit.gguf", "size": 100, "sha256": None}], "repo": None, "revision": None, "licence": None,
    }  # fmt: skip
    (place / "model.json").write_text(json.dumps(card))
    found = look(folder, quick=True)["models"]
    assert (found.state, found.level, found.figures["model"]) == ("incomplete", Level.WARNING, "petit")
