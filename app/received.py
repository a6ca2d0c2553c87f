"""The files that moderators sent to the application: where they lie until a job has read them, and when they go.

A backup holds what is private in the forum, so a copy never stays longer than it is needed.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .job_states import UNFINISHED, Job, State
from .jobs import Jobs

FOLDER: Final = "received"  # of the data folder
PART: Final = ".part"  # ends the name of a file that is still coming in
NAME_CHARS: Final = 100
KEPT_S: Final = 7 * 24 * 3600.0  # what nobody had read, or could read, in all that time is not waited for any more
_READ: Final = frozenset({State.DONE, State.PARTIAL})
_PLAIN: Final = frozenset("._-+@()' ")
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", *(f"{p}{n}" for p in ("com", "lpt") for n in range(10))})


def plain_name(said: str) -> str:
    """A name for a file of ours, from what a browser says: never a path, good on every file system."""
    last = unicodedata.normalize("NFC", said).replace("\\", "/").rpartition("/")[2]
    kept = "".join(c if c.isalnum() or c in _PLAIN else "_" for c in last)
    kept = kept[-NAME_CHARS:].strip(" .")  # the end of a name tells its kind
    if not kept or kept.partition(".")[0].lower() in _RESERVED or kept.endswith(PART):
        return f"source_{kept}_".rstrip("_")
    return kept


def free_place(data: Path, said: str) -> Path:
    """Where a file of that name goes: beside the others, in the place of none."""
    name = plain_name(said)
    stem, dot, kind = name.partition(".")
    folder, n = data / FOLDER, 1
    while (path := folder / name).exists() or beside(path).exists():
        n += 1
        name = f"{stem}-{n}{dot}{kind}"
    return path


def beside(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(path.name + PART)


def find(data: Path, name: str) -> Path | None:
    """The whole file of that name, None when there is none: the name comes from a browser."""
    if plain_name(name) != name:
        return None
    path = data / FOLDER / name
    return path if path.is_file() else None


def is_received(data: Path, source: str) -> bool:
    """Whether this source is a file that was sent to the application."""
    return Path(source).parent == data / FOLDER


def forget_read(data: Path, job: Job) -> None:
    """Remove what was sent for a job that has read it. One that failed may be started again with it."""
    if job.state in _READ:
        for source in job.work.sources:
            if is_received(data, source):
                Path(source).unlink(missing_ok=True)


def sweep(data: Path) -> None:
    """Remove what is left of files that were cut, of those that were read, and of those that nobody waits for."""
    folder = data / FOLDER
    if not folder.is_dir():
        return
    jobs = Jobs(data)
    try:
        needed = {source for job in jobs.recent(0) for source in job.work.sources}
        read = {source for job in jobs.recent() if job.state in _READ for source in job.work.sources}
    finally:
        jobs.close()
    for path in folder.iterdir():
        old = path.stat().st_mtime < time.time() - KEPT_S
        if str(path) not in needed and (path.name.endswith(PART) or str(path) in read or old):
            path.unlink(missing_ok=True)


def waiting(data: Path) -> Iterator[Path]:
    """The whole files that are there."""
    folder = data / FOLDER
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_file() and not path.name.endswith(PART))


def remove_unused(data: Path) -> int:
    """Remove the whole files that no unfinished job names; how many."""
    jobs = Jobs(data)
    try:
        needed = {s for job in jobs.recent(0) if job.state in UNFINISHED for s in job.work.sources}
    finally:
        jobs.close()
    unused = [path for path in waiting(data) if str(path) not in needed]
    for path in unused:
        path.unlink(missing_ok=True)
    return len(unused)
