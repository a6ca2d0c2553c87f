"""What a backup takes from a data folder: everything but what can be made again, what is passing, what is another's.

An unknown file is taken. The published generation of the index is held open from the start: an indexing may publish
others meanwhile, and sweep this one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ..errors import StoreBusy, StoreError
from ..index import generations
from ..index.generations import BASE, PLACES
from ..settings import Settings
from ..store.database import Connection
from ..store.snapshots import BESIDE, ENDINGS

INDEXES, MODELS = "indexes", "models"
BACKUPS = "sauvegardes"  # where backups lie that have no other place; people see that name
PASSING = (".lock", ".part", ".new", ".open", *BESIDE)  # in the making, or saying who is at work
ASIDE = ".damaged"  # ends the name of a database that the doctor put aside
TRIES = 3  # to hold a generation before another one is published


@dataclass(frozen=True, slots=True)
class Choice:
    """What those who keep more in a data folder than the engine knows say of it.

    `left_out` names files and folders at its top; `cleaned` removes from the copy of a database what must not be
    restored; `schemas` are the newest that this version reads, by database.
    """

    application: str = ""
    left_out: frozenset[str] = frozenset()
    cleaned: Mapping[str, Callable[[Connection], None]] = field(default_factory=dict)
    schemas: Mapping[str, int] = field(default_factory=dict)
    models: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """Paths in the data folder: the databases, the files of the generation (open), and the other files."""

    databases: tuple[str, ...]
    generation: str | None
    held: Mapping[str, BinaryIO]
    others: tuple[str, ...]


@contextmanager
def taken(settings: Settings, choice: Choice) -> Iterator[Contents]:
    """What is to be kept now. Raises StoreError, StoreBusy."""
    data = settings.data
    if not data.is_dir():
        raise StoreError(path=str(data), reason="absent")
    with ExitStack() as stack:
        generation, index, held = _held(settings, stack)
        others = [*_others(data, choice)]
        databases = [name for name in (*others, *index) if name.endswith(ENDINGS)]
        yield Contents(tuple(databases), generation, held, tuple(name for name in others if not name.endswith(ENDINGS)))


def _held(settings: Settings, stack: ExitStack) -> tuple[str | None, tuple[str, ...], Mapping[str, BinaryIO]]:
    """The published generation, its paths, and its files but for the databases, open until the end of the stack."""
    for _try in range(TRIES):
        generation, index = generation_files(settings)
        if generation is None:
            return None, (), {}
        held: dict[str, BinaryIO] = {f"{INDEXES}/CURRENT": io.BytesIO(f"{generation}\n".encode())}
        with suppress(FileNotFoundError):
            for name in index:
                if not name.endswith(ENDINGS):
                    held[name] = stack.enter_context((settings.data / name).open("rb"))
            if generations.current(settings) == generation:  # so nothing of it was swept
                return generation, index, held
    raise StoreBusy(holder=str(settings.data), reason="writing")


def generation_files(settings: Settings) -> tuple[str | None, tuple[str, ...]]:
    """The published generation and its files, those of the base whose vectors it reads among them.

    By their paths in the data folder.
    """
    card = generations.read_manifest(settings)
    if card is None:
        return None, ()
    found = _below(settings.data, generations.folder_of(settings, card.generation))
    if card.dense_base is not None and card.dense_base != card.generation:
        base = generations.folder_of(settings, card.dense_base)
        found += _below(settings.data, base / BASE)
        beside = [path for path in (base / PLACES, *base.glob(f"{BASE}.*")) if path.is_file()]  # its seal, its mark
        found += [path.relative_to(settings.data).as_posix() for path in beside if not path.name.endswith(PASSING)]
    return card.generation, tuple(found)


def _others(data: Path, choice: Choice) -> Iterator[str]:
    left_out = choice.left_out | {INDEXES, BACKUPS} | (set() if choice.models else {MODELS})
    for path in sorted(data.iterdir()):
        if path.name in left_out:
            continue
        if path.is_dir():
            yield from _below(data, path)
        elif path.is_file() and not path.name.endswith((*PASSING, ASIDE)):
            yield path.name


def _below(data: Path, folder: Path) -> list[str]:
    """Every file below a folder, which may itself be a link to another disk; no link to a folder below is followed."""
    found = []
    for parent, _folders, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            if not name.endswith(PASSING) and path.is_file():
                found.append(path.relative_to(data).as_posix())
    return sorted(found)
