"""What somebody offers to read into the archive: recognised before anything is started, in words of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine import ArchiveFormatError, discourse, forum_address
from engine.doctor.place import size

from .flows import ADDRESSES, newest_backup
from .forum_key import forum_key
from .job_states import Kind, Work

Origin = Literal["demo", "path", "received", "forum"]
SOURCE_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Offer:
    """A source that was recognised. `kind` is "demo", "forum", or what its files are: "dump", "topics", "posts".

    `name` is what to call it, `newest` the backup that will be read when it is a folder of several.
    """

    origin: Origin
    kind: str
    source: str
    name: str
    bytes: int = 0
    newest: str = ""
    with_key: bool = False

    def work(self, *, accept_removals: bool = False) -> Work:
        """What a job would do with it: read it, then make it searchable."""
        if self.origin == "demo":
            return Work(Kind.DEMO)
        return Work(Kind.UPDATE, (self.source,), accept_removals=accept_removals)


DEMO = Offer("demo", "demo", "", "")


def look(said: str, *, origin: Literal["path", "received"] = "path") -> Offer:
    """What lies at a path, or the forum of an address; nothing is asked of the network.

    Raises ArchiveFormatError and ForumUnavailable (reason "address").
    """
    said = said.strip().strip('"')[:SOURCE_CHARS]  # Windows copies a path between quotation marks
    if said.startswith(ADDRESSES):
        return forum(said)
    path = Path(said).expanduser().absolute()
    newest = newest_backup(str(path))
    shown = path.name if origin == "received" else str(path)
    try:
        found = discourse.read(Path(newest))
    except ArchiveFormatError as error:
        if origin == "received":  # its sender does not know where it lies
            error.details["path"] = path.name
        raise
    several = Path(newest).name if newest != str(path) else ""
    weight = found.path.stat().st_size if found.path.is_file() else size([found.path])
    return Offer(origin, found.kind, str(path), shown, weight, several)


def forum(said: str) -> Offer:
    """A live forum by its address, as it was typed or pasted. Raises ForumUnavailable (reason "address")."""
    address = forum_address(said)
    return Offer("forum", "forum", address.base_url, address.base_url, with_key=bool(forum_key(os.environ)))
