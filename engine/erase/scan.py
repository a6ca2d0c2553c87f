"""The check: reads every byte of a data folder for what should not be there any more, in a process of its own.

Another process, because closing a SQLite file drops the locks that this one may hold on it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import StoreError
from .erased import FOLDER
from .request import PENDING

ROLE = "erase-scan"  # hidden subcommand of the program, see app/__main__.py
# Weights of models say nothing of members, and what is still asked for holds the name by need.
SKIPPED = ("models/", f"{FOLDER}/{PENDING}")
START_S, BYTES_A_SECOND = 120.0, 2e6  # of the slowest disk and processor worth waiting for


@dataclass(frozen=True, slots=True)
class Sought:
    """What must not be found. `excused` are longer words that hold a name and are somebody else's."""

    names: tuple[str, ...] = ()
    attributed: tuple[str, ...] = ()  # only as @name, /u/name and the like
    fragments: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.attributed or self.fragments)


@dataclass(frozen=True, slots=True)
class Hits:
    """What a file holds of it."""

    file: str  # below the data folder; what stands inside a compressed file after a « ! »
    names: int
    fragments: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the check read, and where it found something."""

    files: int
    bytes: int  # compressed ones counted as they are inside
    hits: tuple[Hits, ...]
    unread: tuple[str, ...]  # files that could not be read to their end


def scan(folder: Path, sought: Sought) -> Scanned:
    """Read the whole folder. Raises StoreError when the child fails."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    asked = json.dumps({"folder": str(folder), "skipped": SKIPPED, **asdict(sought)})
    try:
        # By its standard input: an argument would show the name to every user of the machine.
        child = subprocess.run(
            [*command()], input=asked.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
            env=_environment(), timeout=START_S + size / BYTES_A_SECOND,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        document = json.loads(child.stdout)
        hits = tuple(Hits(**hit) for hit in document["hits"])
        return Scanned(int(document["files"]), int(document["bytes"]), hits, tuple(document["unread"]))
    except (subprocess.TimeoutExpired, ValueError, TypeError, KeyError) as error:
        raise StoreError(path=str(folder), reason="scan") from error


def command() -> Sequence[str]:
    """The command line of the child: this program itself when frozen, a module otherwise."""
    return [sys.executable, ROLE] if getattr(sys, "frozen", False) else [sys.executable, "-m", f"{__name__}_child"]


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
