"""Downloads from a hub on this machine: whole or not there, resumed, verified, and clear when they fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import chain, repeat
from pathlib import Path

import pytest
from filelock import FileLock

from engine.errors import Cancelled, DiskFull, DownloadFailed, StoreBusy
from engine.models import hub, shelf
from engine.models.catalogue import Entry, ModelFile
from engine.values import Progress

from .hub_server import COMMIT, REPO, HubServer, serving

ROOT = Path(__file__).parents[3]
WEIGHTS = b"GGUF" + bytes(range(256)) * 4000  # about a megabyte
CONFIG = json.dumps({"architectures": ["Essai"]}).encode()
FILES = {"petit.gguf": WEIGHTS, "config.json": CONFIG, "dossier/vide.txt": b""}
ONE = Entry("petit", "llm", "Petit", REPO, (ModelFile("petit.gguf", len(WEIGHTS), sha256(WEIGHTS).hexdigest()),))
SEVERAL = replace(ONE, files=(ModelFile("config.json"), ModelFile("petit.gguf"), ModelFile("dossier/notes.txt")))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads ten megabytes at a time and waits a second before each of its tries."""
    from huggingface_hub import constants, file_download

    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1 << 16)
    monkeypatch.setattr(file_download.time, "sleep", lambda seconds: None)


@pytest.fixture
def server() -> Iterator[HubServer]:
    with serving({**FILES, "dossier/notes.txt": b"Licence et notes."}) as running:
        yield running


def reason(entry: Entry, data: Path, server: HubServer) -> str:
    with pytest.raises(DownloadFailed) as failed:
        hub.pull(entry, data, endpoint=server.endpoint)
    assert shelf.installed(data) == ()  # never there in part
    return str(failed.value.details["reason"])


def test_a_model_arrives_whole_with_what_is_known_of_it(tmp_path: Path, server: HubServer) -> None:
    heard: list[Progress] = []
    model = hub.pull(replace(ONE, licence="MIT"), tmp_path, endpoint=server.endpoint, on_progress=heard.append)
    assert model == shelf.installed(tmp_path)[0]
    assert model.path.read_bytes() == WEIGHTS
    assert (model.name, model.role, model.repo, model.revision, model.licence) == ("petit", "llm", REPO, COMMIT, "MIT")
    assert model.files == ONE.files
    assert shelf.flaws(model) == ()
    assert {progress.stage for progress in heard} == {"download", "verify"}
    for stage in ("download", "verify"):
        last = [progress for progress in heard if progress.stage == stage][-1]
        assert (last.done, last.total) == (len(WEIGHTS), len(WEIGHTS))
    assert server.sent == len(WEIGHTS)
    assert not list((tmp_path / "models" / ".partial").glob("petit/*"))


def test_several_files_come_from_one_commit_each_with_its_hash(tmp_path: Path, server: HubServer) -> None:
    model = hub.pull(SEVERAL, tmp_path, endpoint=server.endpoint)
    assert [file.path for file in model.files] == ["config.json", "petit.gguf", "dossier/notes.txt"]
    assert all(file.sha256 == sha256((model.at / file.path).read_bytes()).hexdigest() for file in model.files)
    asked = [path for path in server.paths if "/resolve/" in path]
    assert f"/resolve/main/{SEVERAL.files[0].path}" in asked[0]
    assert all(f"/resolve/{COMMIT}/" in path for path in asked[1:])


def test_a_download_cut_once_goes_on_by_itself(tmp_path: Path, server: HubServer) -> None:
    server.cuts = iter([400_000])
    model = hub.pull(ONE, tmp_path, endpoint=server.endpoint)
    assert model.path.read_bytes() == WEIGHTS
    assert len(server.ranges) == 1 and server.sent < len(WEIGHTS) + (1 << 17)


def test_a_download_cut_for_good_is_taken_up_where_it_stopped(tmp_path: Path, server: HubServer) -> None:
    server.cuts = chain([400_000], repeat(0))
    assert reason(ONE, tmp_path, server) == "cut"
    have = sum(path.stat().st_size for path in (tmp_path / "models/.partial/petit").glob("*.part"))
    assert 0 < have < len(WEIGHTS)
    server.cuts, server.sent, server.ranges = iter(()), 0, []
    assert hub.pull(ONE, tmp_path, endpoint=server.endpoint).path.read_bytes() == WEIGHTS
    assert server.ranges == [f"bytes={have}-"]
    assert server.sent == len(WEIGHTS) - have


KILLED = """
import os, sys
from pathlib import Path
from huggingface_hub import constants
from engine.models import hub
from tests.engine.models.test_hub import ONE
constants.DOWNLOAD_CHUNK_SIZE = 1 << 16

def heard(progress):
    if progress.stage == "download" and progress.done > 300_000:
        os._exit(9)

hub.fetching.REPORT_S = 0
hub.pull(ONE, Path(sys.argv[1]), endpoint=sys.argv[2], on_progress=heard)
"""


def test_a_killed_download_is_taken_up_where_it_stopped(tmp_path: Path, server: HubServer) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), server.endpoint], cwd=ROOT, check=False)
    assert killed.returncode == 9
    assert shelf.installed(tmp_path) == ()
    server.sent = 0
    assert hub.pull(ONE, tmp_path, endpoint=server.endpoint).path.read_bytes() == WEIGHTS
    assert server.sent < len(WEIGHTS) - 250_000


def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(tmp_path: Path, server: HubServer) -> None:
    entry = replace(ONE, files=(ModelFile("petit.gguf"),))
    server.cuts = chain([400_000], repeat(0))
    assert reason(entry, tmp_path, server) == "cut"
    server.cuts = iter(())
    server.files["petit.gguf"] = other = b"GGUF" + b"autre" * 1000
    assert hub.pull(entry, tmp_path, endpoint=server.endpoint).path.read_bytes() == other


def test_a_download_given_up_keeps_what_it_has(tmp_path: Path, server: HubServer) -> None:
    partial = tmp_path / "models/.partial/petit"

    def check() -> None:
        if any(partial.glob("*.part")):  # bytes on their way are not kept yet
            raise Cancelled

    with pytest.raises(Cancelled):
        hub.pull(ONE, tmp_path, endpoint=server.endpoint, check=check)
    assert list(partial.glob("*.part"))
    assert shelf.installed(tmp_path) == ()


def test_other_bytes_than_announced_are_refused_and_fetched_again(tmp_path: Path, server: HubServer) -> None:
    server.lie = b"GGUF" + bytes(len(WEIGHTS) - 4)
    assert reason(ONE, tmp_path, server) == "damaged"
    server.lie = None
    assert hub.pull(ONE, tmp_path, endpoint=server.endpoint).path.read_bytes() == WEIGHTS


def test_a_small_file_is_verified_by_its_git_hash(tmp_path: Path, server: HubServer) -> None:
    server.lie = CONFIG.replace(b"Essai", b"Autre")
    assert reason(replace(ONE, files=(ModelFile("config.json"),)), tmp_path, server) == "damaged"


def test_a_file_that_is_no_model_is_refused(tmp_path: Path, server: HubServer) -> None:
    server.files["petit.gguf"] = b"<html>Acceptez les conditions</html>"
    assert reason(replace(ONE, files=(ModelFile("petit.gguf"),)), tmp_path, server) == "damaged"


@pytest.mark.parametrize("file", [ModelFile("petit.gguf", 12), ModelFile("petit.gguf", sha256="0" * 64)])
def test_a_file_that_is_not_the_one_known_is_not_even_fetched(
    tmp_path: Path, server: HubServer, file: ModelFile
) -> None:
    assert reason(replace(ONE, files=(file,)), tmp_path, server) == "changed"
    assert server.sent == 0


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (replace(ONE, repo="essai/absent"), "not_found"),
        (replace(ONE, revision="b" * 40), "not_found"),
        (replace(ONE, files=(ModelFile("absent.gguf"),)), "not_found"),
    ],
)
def test_what_is_not_on_the_hub_is_said(tmp_path: Path, server: HubServer, entry: Entry, expected: str) -> None:
    assert reason(entry, tmp_path, server) == expected


@pytest.mark.parametrize(("status", "expected"), [(403, "refused"), (429, "busy"), (500, "server")])
def test_a_hub_that_refuses_is_told_from_one_that_fails(
    tmp_path: Path, server: HubServer, status: int, expected: str
) -> None:
    server.refuses = status
    assert reason(ONE, tmp_path, server) == expected


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    with serving(FILES) as gone:
        endpoint = gone.endpoint
    with pytest.raises(DownloadFailed) as failed:
        hub.pull(ONE, tmp_path, endpoint=endpoint)
    assert failed.value.details["reason"] == "unreachable"


def test_a_disk_too_small_is_seen_before_the_first_byte(
    tmp_path: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9, len(WEIGHTS)))
    with pytest.raises(DiskFull) as full:
        hub.pull(ONE, tmp_path, endpoint=server.endpoint)
    assert (full.value.details["needed_gb"], full.value.details["free_gb"]) == (2, 0)
    assert server.sent == 0


def test_one_download_of_a_model_at_a_time(tmp_path: Path, server: HubServer) -> None:
    (tmp_path / "models/.partial").mkdir(parents=True)
    with FileLock(tmp_path / "models/.partial/petit.lock"), pytest.raises(StoreBusy):
        hub.pull(ONE, tmp_path, endpoint=server.endpoint)


def test_pulled_again_it_replaces_the_one_before(tmp_path: Path, server: HubServer) -> None:
    entry = replace(ONE, files=(ModelFile("petit.gguf"),))
    first = hub.pull(entry, tmp_path, endpoint=server.endpoint)
    server.files["petit.gguf"] = other = b"GGUF" + b"autre" * 1000
    again = hub.pull(entry, tmp_path, endpoint=server.endpoint)
    assert shelf.installed(tmp_path) == (again,)
    assert again.path == first.path and again.path.read_bytes() == other
