"""A backup and its way back: equal posts, nothing passing, one moment even during writes; damage is never restored."""

import errno
import gzip
import io
import json
import os
import random
import shutil
import sqlite3
import tarfile
import threading
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine import BackupUnusable, Cancelled, DiskFull, Mode, StoreDamaged, StoreError, build_index, keeping
from engine.archive import open_archive
from engine.index import generations, seal
from engine.keeping import Choice, put_in_place, saving
from engine.keeping.restoring import safe_name
from engine.store import ArchiveStore
from tests.factories import WORD_MODELS, forum, post, save, settings

CHOICE = Choice("1.0", left_out=frozenset({"logs", "queue.db"}), schemas={"archive.db": 99, "vectors.db": 99})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data folder and its backup, made once."""
    folder = tmp_path_factory.mktemp("faits") / "archive de l’été"
    save(folder, forum())
    build_index(settings(folder), WORD_MODELS)
    (folder / "uploads" / "ab").mkdir(parents=True)
    (folder / "uploads" / "ab" / "image é.png").write_bytes(bytes(range(256)) * 9)
    (folder / "settings.toml").write_text("[engine]\n")
    (folder / "effacements.json").write_text("[1]")  # a file that nobody here has heard of
    (folder / "logs").mkdir()
    (folder / "logs" / "archiviste.log").write_text("…")
    (folder / "queue.db").write_bytes(b"queue")
    (folder / "models").mkdir()
    (folder / "models" / "petit.gguf").write_bytes(b"GGUF")
    return folder, keeping.save(settings(folder), folder.with_name(f"copie{keeping.ENDING}"), CHOICE).path


@pytest.fixture
def data(made, tmp_path):
    return shutil.copytree(made[0], tmp_path / made[0].name)


@pytest.fixture
def backup(made, tmp_path):
    return Path(shutil.copy(made[1], tmp_path / made[1].name))


def rows(folder, table="posts"):
    with closing(sqlite3.connect(folder / "archive.db")) as db:
        return db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()


def found(folder, text="freins"):
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()
        result = archive.search(text, mode=Mode.HYBRID)
        return [(hit.post_id, hit.score) for hit in result.hits], result.notices


def unpack(backup, folder, **options):
    return keeping.unpack(backup, folder, schemas=CHOICE.schemas, **options)


def test_a_round_trip_gives_the_same_posts_and_the_same_search(data, backup, tmp_path):
    head, manifest = unpack(backup, tmp_path / "rétabli")
    assert rows(tmp_path / "rétabli") == rows(data) and len(rows(data)) == 12
    assert found(tmp_path / "rétabli") == found(data)
    assert (manifest.posts, manifest.topics, manifest.categories) == (12, 4, 3)
    assert (head.title, head.application) == ("Forum d’essai", "1.0")


def test_what_can_be_made_again_and_what_passes_is_left_out_and_an_unknown_file_is_kept(data, backup, tmp_path):
    unpack(backup, tmp_path / "rétabli")
    held = {path.relative_to(tmp_path / "rétabli").as_posix() for path in (tmp_path / "rétabli").rglob("*")}
    assert {"uploads/ab/image é.png", "settings.toml", "effacements.json", "vectors.db", "indexes/CURRENT"} <= held
    assert not held & {"logs", "models", "queue.db", "writer.lock"}
    assert not [name for name in held if name.endswith((".lock", "-wal", "-shm"))]
    assert (tmp_path / "rétabli" / "uploads/ab/image é.png").read_bytes() == bytes(range(256)) * 9


def test_models_are_kept_when_asked_for(data, tmp_path):
    path = keeping.save(settings(data), tmp_path / "copie", replace(CHOICE, models=True)).path
    assert "models/petit.gguf" in {kept.path for kept in keeping.check(path, schemas={})[1].files}


def test_only_its_owner_reads_a_backup_and_nothing_else_is_left(made):
    folder, backup = made
    assert not backup.stat().st_mode & 0o077
    assert sorted(path.name for path in backup.parent.iterdir()) == [folder.name, backup.name]


def test_old_generations_stay_behind_but_the_base_of_the_vectors_comes(data, tmp_path):
    first = generations.read_manifest(settings(data))
    save(data, [post(45, "Encore un message sur les freins, plus long.", topic_id=4, number=5)], whole_forum=False)
    build_index(settings(data), WORD_MODELS)
    with closing(ArchiveStore(data)):
        path = keeping.save(settings(data), tmp_path / "copie", CHOICE).path
    unpack(path, tmp_path / "rétabli")
    now = generations.read_manifest(settings(data))
    kept = {path.name for path in (tmp_path / "rétabli" / "indexes").iterdir()}
    assert kept == {"CURRENT", now.generation, now.dense_base} and first.generation != now.generation
    assert found(tmp_path / "rétabli") == found(data)


def test_the_seal_of_the_vectors_still_holds(data, backup, tmp_path):
    unpack(backup, tmp_path / "rétabli")
    base = tmp_path / "rétabli" / "indexes" / generations.read_manifest(settings(data)).dense_base / "chroma"
    assert seal.is_sealed(base) and seal.flaw(base, thorough=True) is None


def test_a_copy_is_cleaned_of_what_must_not_come_back(data, tmp_path):
    with closing(sqlite3.connect(data / "app.db")) as db:
        db.executescript("CREATE TABLE sessions (token TEXT); INSERT INTO sessions VALUES ('jeton-très-secret')")
    cleaned = {"app.db": lambda db: db.execute("DELETE FROM sessions") and None}
    path = keeping.save(settings(data), tmp_path / "copie", replace(CHOICE, cleaned=cleaned)).path
    unpack(path, tmp_path / "rétabli")
    assert b"jeton" not in (tmp_path / "rétabli" / "app.db").read_bytes()
    with closing(sqlite3.connect(data / "app.db")) as db:
        assert db.execute("SELECT COUNT(*) FROM sessions").fetchone() == (1,)


def test_a_backup_taken_during_writes_is_one_moment(data, tmp_path):
    """A writer adds topics of ten posts, one transaction each: no backup may hold part of one."""
    over = threading.Event()
    with closing(sqlite3.connect(data / "archive.db")) as db:
        db.execute("CREATE TABLE heaps (heap INTEGER, n INTEGER, text TEXT)")

    def write():
        with closing(sqlite3.connect(data / "archive.db", isolation_level=None)) as db:
            heap = 0
            while not over.is_set():
                heap += 1
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT INTO heaps VALUES (?, ?, ?)", [(heap, n, "x" * 3000) for n in range(10)])
                db.execute("COMMIT")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        paths = [keeping.save(settings(data), tmp_path / f"copie {n}", CHOICE).path for n in range(5)]
    finally:
        over.set()
        writer.join()
    heaps = []
    for n, path in enumerate(paths):
        unpack(path, tmp_path / f"rétabli {n}")
        with closing(sqlite3.connect(tmp_path / f"rétabli {n}" / "archive.db")) as db:
            (ok,) = db.execute("PRAGMA integrity_check").fetchone()
            torn = db.execute("SELECT heap FROM heaps GROUP BY heap HAVING COUNT(*) <> 10").fetchall()
            heaps.append(db.execute("SELECT COUNT(DISTINCT heap) FROM heaps").fetchone()[0])
        assert (ok, torn) == ("ok", [])
        assert rows(tmp_path / f"rétabli {n}") == rows(data)
    assert heaps == sorted(heaps) and heaps[-1] > heaps[0]


def test_an_index_published_and_swept_meanwhile_does_not_tear_the_backup(data, tmp_path, monkeypatch):
    """Two generations are published after the files of the first were taken, and the first is swept."""
    first = generations.read_manifest(settings(data)).generation
    real = saving.snapshots.moment

    def publish_first(paths):
        for n in (1, 2):
            save(
                data,
                [post(50 + n, f"Message {n} sur les freins du vélo.", topic_id=4, number=9 + n)],
                whole_forum=False,
            )
            build_index(settings(data), WORD_MODELS)
        shutil.rmtree(data / "indexes" / first, ignore_errors=True)
        return real(paths)

    with open_archive(settings(data), WORD_MODELS):
        pass
    monkeypatch.setattr(saving.snapshots, "moment", publish_first)
    with pytest.raises(StoreError):  # its database of vectors is gone: told, and nothing is left
        keeping.save(settings(data), tmp_path / "copie", CHOICE)
    assert not (tmp_path / "copie").exists()
    monkeypatch.undo()
    assert keeping.save(settings(data), tmp_path / "copie", CHOICE).manifest.posts == 14


def test_giving_up_leaves_nothing_and_the_former_backup_stays(data, backup, tmp_path):
    before, asked = backup.read_bytes(), []

    def check():
        asked.append(1)
        if len(asked) > 5:
            raise Cancelled()

    with pytest.raises(Cancelled):
        keeping.save(settings(data), backup, CHOICE, check=check)
    assert backup.read_bytes() == before
    assert len([*tmp_path.iterdir()]) == 2


def test_a_disk_too_small_is_told_before_anything_is_written(data, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 1000))
    with pytest.raises(DiskFull) as full:
        keeping.save(settings(data), tmp_path / "copie", CHOICE)
    assert full.value.details["reason"] == "backup_forecast"
    assert not (tmp_path / "copie").exists()


def test_a_file_of_another_kind_is_never_written_over(data, tmp_path):
    (tmp_path / "thèse.odt").write_text("dix ans de travail")
    with pytest.raises(BackupUnusable):
        keeping.save(settings(data), tmp_path / "thèse.odt", CHOICE)
    assert (tmp_path / "thèse.odt").read_text() == "dix ans de travail"


def test_a_damaged_database_is_not_kept_in_silence(data, tmp_path):
    with (data / "archive.db").open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(StoreDamaged) as damaged:
        keeping.save(settings(data), tmp_path / "copie", CHOICE)
    assert damaged.value.details["path"] == str(data / "archive.db")


def test_the_progress_goes_to_its_end(data, tmp_path):
    seen = []
    keeping.save(settings(data), tmp_path / "copie", CHOICE, on_progress=seen.append)
    assert seen and {p.stage for p in seen} == {"backup"} and all(0 <= p.done <= p.total for p in seen)


# --- what must never be restored ---------------------------------------------------------------


def refused(backup, tmp_path):
    with pytest.raises(BackupUnusable) as unusable:
        unpack(backup, tmp_path / "rétabli")
    shutil.rmtree(tmp_path / "rétabli")
    with pytest.raises(BackupUnusable) as checked:
        keeping.check(backup, schemas=CHOICE.schemas)
    assert checked.value.details["reason"] == unusable.value.details["reason"]
    return unusable.value.details["reason"]


def test_a_backup_cut_anywhere_is_refused(backup, tmp_path):
    whole = backup.read_bytes()
    for n in range(1, 8):
        backup.write_bytes(whole[: len(whole) * n // 8])
        assert refused(backup, tmp_path) in ("cut", "not_a_backup")
    backup.write_bytes(whole[:-1])
    assert refused(backup, tmp_path) == "cut"


def test_a_bit_changed_anywhere_is_refused(backup, tmp_path):
    whole, chance = backup.read_bytes(), random.Random(7)
    content, harmless = gzip.decompress(whole), 0
    for _ in range(30):
        changed = bytearray(whole)
        changed[chance.randrange(10, len(whole))] ^= 1 << chance.randrange(8)  # the time in gzip's header says nothing
        backup.write_bytes(changed)
        try:
            keeping.check(backup, schemas=CHOICE.schemas)
            assert gzip.decompress(changed) == content  # a bit that the compression does not use
            harmless += 1
        except BackupUnusable as unusable:
            assert unusable.details["reason"] in ("damaged", "cut", "not_a_backup")
    assert harmless < 5


def rewritten(backup, *, change=lambda name, content: content, more=()):
    """The same backup with other contents, its compression sound."""
    with tarfile.open(backup) as tar:
        members = [(m, tar.extractfile(m).read()) for m in tar]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        *files, last = members
        for member, content in [*files, *more, last]:
            content = change(member.name, content)
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    backup.write_bytes(gzip.compress(buffer.getvalue(), 1))


def test_a_file_that_is_not_what_was_saved_is_refused(backup, tmp_path):
    rewritten(backup, change=lambda name, content: content + b"!" if name.endswith(".png") else content)
    assert refused(backup, tmp_path) == "damaged"


@pytest.mark.parametrize(("card", "value"), [("format", 2), ("schemas", {"archive.db": 100})])
def test_a_backup_of_a_newer_version_is_refused(backup, tmp_path, card, value):
    rewritten(
        backup,
        change=lambda name, text: (
            json.dumps(json.loads(text) | {card: value}).encode() if name == "backup.json" else text
        ),
    )
    assert refused(backup, tmp_path) == "newer"


@pytest.mark.parametrize(
    "name", ["data/../évadé", "/etc/évadé", "data//etc/évadé", "data/a/../../évadé", "évadé", "data/."]
)
def test_a_member_that_would_land_elsewhere_is_refused(backup, tmp_path, name):
    rewritten(backup, more=[(tarfile.TarInfo(name), b"x")])
    assert refused(backup, tmp_path) == "unsafe"
    assert not (tmp_path / "évadé").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_only_plain_files_are_accepted(backup, tmp_path, kind):
    member = tarfile.TarInfo("data/lien")
    member.type, member.linkname = kind, "/etc/passwd"
    rewritten(backup, more=[(member, b"")])
    assert refused(backup, tmp_path) == "unsafe"


def test_the_same_name_twice_is_refused(backup, tmp_path):
    rewritten(backup, more=[(tarfile.TarInfo("data/settings.toml"), b"x")])
    assert refused(backup, tmp_path) == "unsafe"


@pytest.mark.parametrize(
    "name", ["data/a:b", "data/a\\b", "data/nul", "data/x /y", "data/fin.", "data/C:/x", "data/con.db"]
)
def test_windows_has_names_of_its_own(name):
    assert safe_name(tarfile.TarInfo(name), windows=True) is None
    assert safe_name(tarfile.TarInfo(name), windows=False) == name.removeprefix("data/")


def test_another_file_is_not_a_backup(tmp_path):
    other = tmp_path / "autre"
    for content in (b"", b"rien", gzip.compress(b"rien"), gzip.compress(b"\0" * 2000)):
        other.write_bytes(content)
        assert refused(other, tmp_path) in ("not_a_backup", "cut")
    with pytest.raises(BackupUnusable) as absent:
        keeping.check(tmp_path / "absente", schemas={})
    assert absent.value.details["reason"] == "unreadable"


def test_a_full_disk_during_the_way_back_is_told(backup, tmp_path, monkeypatch):
    def full(*_args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "utime", full)
    with pytest.raises(DiskFull) as error:
        unpack(backup, tmp_path / "rétabli")
    assert error.value.details["reason"] == "restore"


# --- in its place ------------------------------------------------------------------------------


def test_the_former_folder_is_kept_and_its_models_serve_on(data, backup, tmp_path):
    save(data, [post(46, "Écrit après la sauvegarde.", topic_id=4, number=6)], whole_forum=False)
    after = rows(data)
    unpack(backup, tmp_path / ".neuf")
    aside = put_in_place(tmp_path / ".neuf", data, today=date(2026, 11, 30))
    assert aside.name == "archive de l’été-avant-2026-11-30"
    assert (len(rows(data)), rows(aside)) == (12, after)
    assert (data / "models" / "petit.gguf").samefile(aside / "models" / "petit.gguf")
    unpack(backup, tmp_path / ".neuf")
    assert put_in_place(tmp_path / ".neuf", data, today=date(2026, 11, 30)).name.endswith("-2026-11-30-2")


@pytest.mark.parametrize("there", [False, True])
def test_an_absent_folder_or_one_with_nothing_but_logs_is_simply_filled(backup, tmp_path, there):
    place = tmp_path / "neuf"
    if there:
        (place / "logs").mkdir(parents=True)
    unpack(backup, tmp_path / ".neuf")
    assert put_in_place(tmp_path / ".neuf", place, today=date(2026, 11, 30), passing=frozenset({"logs"})) is None
    assert len(rows(place)) == 12 and not (place / "logs").exists()


def test_a_swap_that_fails_half_way_leaves_the_former_folder_in_its_place(data, tmp_path):
    with pytest.raises(OSError):
        put_in_place(tmp_path / "absent", data, today=date(2026, 11, 30))
    assert len(rows(data)) == 12
