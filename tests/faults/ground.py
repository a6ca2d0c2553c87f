"""Where faults are made: the hash of the messages, files that are spoilt, disks that are small or can't be written."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from app import cli, i18n, instance, locks, process
from app.jobs import worker_lock
from tests.app.job_sources import until
from tests.browser.server import free_port

OURS = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def posts_hash(data: Path, ids: tuple[int, ...] = ()) -> str:
    """A hash of every message of a data folder as it stands there, or of those of these ids."""
    some = f"WHERE id IN ({','.join(map(str, ids))})" if ids else ""
    hasher = hashlib.sha256()
    with closing(sqlite3.connect(f"{(data / 'archive.db').as_uri()}?mode=ro", uri=True)) as db:
        for row in db.execute(f"SELECT * FROM posts {some} ORDER BY id"):
            hasher.update(repr(row).encode())
    return hasher.hexdigest()


def ids_of(data: Path) -> tuple[int, ...]:
    """The ids of the messages held."""
    with closing(sqlite3.connect(f"{(data / 'archive.db').as_uri()}?mode=ro", uri=True)) as db:
        return tuple(row[0] for row in db.execute("SELECT id FROM posts ORDER BY id"))


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended: its status, and all it said."""

    status: int
    said: str


def command(data: Path, *arguments: object) -> Ran:
    """A command line, run here."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = cli.run(["--data", str(data), *map(str, arguments)], {})
    i18n.use("fr")
    return Ran(status, output.getvalue())


class Server:
    """The application as a user starts it, with its worker. What it writes goes to `log`, on a disk that is sound."""

    def __init__(self, data: Path, log: Path, *, port: int = 0, environ: dict[str, str] | None = None) -> None:
        self.data, self.log, self.port = data, log, port or free_port()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                process.command(data, "serve", "--port", str(self.port)), cwd=process.folder(),
                env=ENVIRON | (environ or {}), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        until(self._is_up)

    def _is_up(self) -> bool:
        assert self.process.poll() is None, self.said
        return instance.address(self.data) is not None and self.page("/a-propos")[0] == 200

    @property
    def said(self) -> str:
        """What it wrote on the terminal."""
        return self.log.read_text("utf-8", "replace")

    def page(self, path: str) -> tuple[int, str]:
        """The status of a page, 0 where nobody answers, and what came."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
                return int(answer.status), unescape(answer.read().decode())
        except urllib.error.HTTPError as refused:
            return refused.code, unescape(refused.read().decode())
        except OSError:
            return 0, ""

    def wait_for_worker(self) -> None:
        """Until somebody runs the jobs."""
        until(lambda: locks.is_held(worker_lock(self.data)))

    def end(self) -> None:
        """As a person ends it."""
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def serving(data: Path, log: Path, **options: object) -> Iterator[Server]:
    """The application, for the time of the block."""
    server = Server(data, log, **options)  # type: ignore[arg-type]
    try:
        yield server
    finally:
        server.end()


# --- files --------------------------------------------------------------------------------------


def spoil_pages(path: Path, *, after: int = 1) -> None:
    """Overwrite every page of a SQLite file but the first ones; nobody may have it open."""
    page = int.from_bytes(path.read_bytes()[16:18], "big")
    with path.open("r+b") as file:
        for n in range(after, path.stat().st_size // page):
            file.seek(n * page)
            file.write(b"\xff" * page)


# --- disks --------------------------------------------------------------------------------------


def can_mount() -> bool:
    """Whether this process may mount: on Linux, as root, as in the checks of the repository."""
    return sys.platform == "linux" and os.geteuid() == 0


@contextmanager
def small_disk(place: Path, *, size_mb: int) -> Iterator[Path]:
    """An empty disk of that size."""
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: Path) -> Path:
    """A file that takes all the room that is left."""
    filler = disk / "remplissage"
    with filler.open("wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    return filler


@contextmanager
def cant_be_written(folder: Path) -> Iterator[None]:
    """A folder whose disk went read-only: a mode would not stop root, a mount does."""
    aside = folder.with_name(f"{folder.name} (lecture seule)")
    aside.mkdir()
    # Made apart, since a mount where somebody writes can't change, then put over the folder in one step.
    for arguments in (("--bind", folder, aside), ("--make-private", aside), ("-o", "remount,ro,bind", aside)):
        subprocess.run(["mount", *arguments], check=True)
    subprocess.run(["mount", "--bind", aside, folder], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
    try:
        yield
    finally:
        for place in (folder, aside):
            subprocess.run(["umount", "--lazy", place], check=True)
        aside.rmdir()
