"""Whether a vector index may be opened in this process: what is known of its files, else what a child finds in it.

Call with the lock of the folder held. A folder that may not be opened is marked, and stays shut until an index built
anew stands elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from ..errors import IndexDamaged
from . import probe, seal

PART = "dense"
MOST_TRIES = 2  # processes that may die of their first search before the folder stays shut


def admitted(folder: Path) -> int:
    """How many processes in a row died of their first search here. Raises IndexDamaged for one that stays shut.

    One that the last process left open, or whose files are not known, is tried first; any other costs no time.
    """
    tries, flaw = seal.died(folder), seal.flaw(folder)
    if flaw is None and tries is not None and tries >= MOST_TRIES:
        flaw = "dies"
    if flaw is not None:
        refuse(folder, flaw)
    if tries is not None or not seal.is_sealed(folder):
        tried(folder)
    return tries or 0


def tried(folder: Path) -> int:
    """Compare every file, then search in a child process; the number of vectors. Raises IndexDamaged."""
    flaw = seal.flaw(folder, thorough=True)
    if flaw is not None:
        refuse(folder, flaw)
    found = probe.probe(folder)
    if found.flaw is not None:
        refuse(folder, found.flaw)
    if not seal.is_sealed(folder):
        seal.write(folder)
    return found.count


def refuse(folder: Path, flaw: str) -> NoReturn:
    """Mark the folder. Raises IndexDamaged."""
    seal.mark(folder, flaw)
    raise IndexDamaged(part=PART, reason=flaw)
