"""A vector index that was damaged on the disk: the application is never ended by it, search goes on, and it is told.

What Chroma makes of each damage is its own business (an error, an empty answer, the end of the process): none is opened.
"""

import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from engine.archive import open_archive
from engine.errors import IndexDamaged
from engine.index import chroma, generations, probe, seal
from engine.values import Mode
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, post, save, settings, topic

POSTS = 300
ROOT = __file__.rpartition("/tests/")[0]
NAMES = ("Alice", "Bruno", "Chloé", "Dan")
TOOLS = ("rabot", "ciseau", "maillet", "trusquin", "guillaume", "bouvet", "varlope", "bédane")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A data folder of 300 posts, indexed."""
    folder = tmp_path_factory.mktemp("whole")
    texts = (f"{NAMES[n % 4]} affûte le {TOOLS[n % 8]} numéro {n} avec la pierre {n * 7 % 97}." for n in range(POSTS))
    save(folder, [topic(1, "Outils"), *(post(n + 1, text, number=n + 1) for n, text in enumerate(texts))])
    index(folder)
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    """A copy of it, with the times of its files."""
    return shutil.copytree(whole, tmp_path / "data")


def base_of(folder):
    return folder / "indexes" / generations.read_manifest(settings(folder)).dense_base / "chroma"


def halve(path):
    os.truncate(path, path.stat().st_size // 2)


def empty(path):
    os.truncate(path, 0)


def zero(path):
    path.write_bytes(bytes(path.stat().st_size))


def noise(path):
    path.write_bytes(np.random.default_rng(3).bytes(path.stat().st_size))


def remove(path):
    path.unlink()


DAMAGE = [halve, empty, zero, noise, remove]
GRAPH = ["data_level0.bin", "header.bin", "length.bin", "link_lists.bin", "index_metadata.pickle"]


def answers(folder):
    """The notices of a search by meaning, which finds the post that was asked for."""
    with open_archive(settings(folder), WORD_MODELS) as archive:
        found = archive.search("le maillet numéro 42", mode=Mode.DENSE)
        assert found.hits[0].post_id == 43
        return found.notices


def answers_in_a_child(folder):
    """The same in a process that may be ended by what it opens."""
    code = (
        "import sys; from pathlib import Path; from tests.engine.index.test_damage import answers;"
        "print(answers(Path(sys.argv[1])))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_whole_index_is_opened_without_a_notice_nor_a_child(folder, monkeypatch):
    monkeypatch.setattr(probe, "command", lambda: pytest.fail("no child is needed"))
    assert answers(folder) == answers(folder) == ()
    assert seal.died(base_of(folder)) is None  # let go of


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", [*GRAPH, seal.DATABASE])
def test_whatever_file_is_damaged_search_goes_on_with_a_notice(folder, name, damage):
    (file,) = base_of(folder).rglob(name)
    damage(file)
    assert answers(folder) == ("dense_compared",)
    assert seal.marked(base_of(folder))
    assert answers(folder) == ("dense_compared",)


def test_a_folder_that_is_gone_or_empty_is_damage_too(folder):
    base = base_of(folder)
    (segment,) = (path for path in base.iterdir() if path.is_dir())
    shutil.rmtree(segment)
    assert answers(folder) == ("dense_compared",)
    shutil.rmtree(base)
    assert answers(folder) == ("dense_compared",)


def test_too_many_vectors_to_compare_leave_keyword_search(folder, monkeypatch):
    monkeypatch.setattr(generations, "MOST_COMPARED", POSTS - 1)
    halve(next(base_of(folder).rglob("length.bin")))
    with open_archive(settings(folder), WORD_MODELS) as archive:
        found = archive.search("le maillet numéro 42")
    assert found.hits and found.notices == ("dense_unusable",)


def test_indexing_builds_a_damaged_index_anew_from_the_store(folder):
    damaged = base_of(folder)
    halve(next(damaged.rglob("header.bin")))
    assert answers(folder) == ("dense_compared",)
    index(folder)
    assert base_of(folder) != damaged
    assert answers(folder) == ()


def test_indexing_sees_the_damage_itself(folder):
    halve(next(base_of(folder).rglob("header.bin")))
    index(folder)
    assert answers(folder) == ()


def test_a_damage_found_during_a_search_is_told_from_the_next_on(folder):
    with open_archive(settings(folder), WORD_MODELS) as archive:
        with archive.reading():
            next(base_of(folder).rglob("index_metadata.pickle")).unlink()
        assert archive.search("rabot").hits
        found = archive.search("rabot")
        assert found.hits and found.notices == ("dense_compared",)


# --- an index whose files are not known: of an earlier version ---------------------------------


def unsealed(folder):
    base = base_of(folder)
    base.with_name("chroma.seal").unlink()
    return base


def test_an_index_without_a_seal_is_tried_once_in_a_child_and_sealed(folder, monkeypatch):
    base = unsealed(folder)
    assert answers(folder) == ()
    assert seal.is_sealed(base)
    monkeypatch.setattr(probe, "command", lambda: pytest.fail("it was tried"))
    assert answers(folder) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="how a process was ended is told by POSIX")
@pytest.mark.parametrize("name", ["data_level0.bin", "header.bin"])
def test_a_damage_that_ends_a_process_ends_only_the_child(folder, name):
    base = unsealed(folder)
    (file,) = base.rglob(name)
    held = bytearray(file.read_bytes())
    middle = len(held) // 2
    held[middle : middle + 64] = b"\xff" * len(held[middle : middle + 64])
    file.write_bytes(held)
    ended = probe.probe(base)
    assert ended.flaw in {f"died {-signal.SIGSEGV}", f"died {-signal.SIGFPE}"}
    assert answers_in_a_child(folder) == "('dense_compared',)"
    assert seal.marked(base) == ended.flaw


def test_a_child_that_says_nothing_in_time_is_damage(folder, monkeypatch):
    base = unsealed(folder)
    monkeypatch.setattr(probe, "command", lambda: [sys.executable, "-c", "import time; time.sleep(60)"])
    assert probe.probe(base, timeout_s=0.2).flaw == "silent"
    monkeypatch.setattr(probe, "START_S", 0.2)
    assert answers(folder) == ("dense_compared",)
    assert seal.marked(base) == "silent"


# --- a process that died with the index open ----------------------------------------------------

DIES = """
import os, sys
from pathlib import Path
from engine.index import chroma
held = chroma.open_collection(Path(sys.argv[1]))
held.places() if sys.argv[2] == "searched" else held.count
os._exit(1)
"""


def die(base, when):
    """A process that ends with the index open: once it has searched, or while it loads it for its first search."""
    subprocess.run([sys.executable, "-c", DIES, str(base), when], cwd=ROOT, check=False)


def test_after_an_unclean_end_every_byte_is_compared(folder):
    base = base_of(folder)
    die(base, "searched")
    assert seal.died(base) == 0
    (file,) = base.rglob("length.bin")
    before = file.stat()
    zero(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert answers(folder) == ("dense_compared",)


def test_after_an_unclean_end_a_whole_index_serves_again(folder):
    die(base_of(folder), "searched")
    assert answers(folder) == ()
    assert seal.died(base_of(folder)) is None


def test_an_index_that_ends_every_process_is_not_opened_again(folder):
    base = base_of(folder)
    for tries in (1, 2):
        die(base, "loaded")  # before it answered; a child, which is asked in between, finds nothing
        assert seal.died(base) == tries
    with pytest.raises(IndexDamaged):
        chroma.open_collection(base)
    assert answers(folder) == ("dense_compared",)


def test_a_copied_folder_is_read_whole_once(folder):
    base = base_of(folder)
    for path in base.rglob("*.bin"):
        os.utime(path, ns=(1, 1))
    assert seal.flaw(base) is None
    assert {state[1] for name, state in seal._seal(base).graph.items() if name.endswith(".bin")} == {1}


def test_a_check_tries_the_folder_and_counts(folder):
    base = base_of(folder)
    assert chroma.check(base) == POSTS
    held = chroma.open_collection(base)
    assert chroma.check(base) is None
    held.close()
    zero(next(base.rglob("link_lists.bin")))
    with pytest.raises(IndexDamaged):
        chroma.check(base)
    assert seal.marked(base)
