"""What a data folder weighs, part by part. Reads the sizes of files and nothing of what they hold."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.doctor.place import size
from engine.live.raw_folder import FOLDER as RAW
from engine.live.uploads import FOLDER as UPLOADS

from .backups import FOLDER as BACKUPS
from .exports import FOLDER as EXPORTS
from .received import FOLDER as RECEIVED

PARTS: Final = (
    "messages",
    "vectors",
    "tables",
    "indexes",
    "models",
    "uploads",
    "raw",
    "received",
    "backups",
    "exports",
    "logs",
    "others",
)
_FILES: Final = {"messages": ("archive.db",), "vectors": ("vectors.db",), "tables": ("app.db", "queue.db")}
_FOLDERS: Final = {
    "indexes": "indexes", "models": "models", "uploads": UPLOADS, "raw": RAW, "received": RECEIVED, "backups": BACKUPS,
    "exports": EXPORTS, "logs": "logs",
}  # fmt: skip
_JOURNALS: Final = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Bytes of each part of PARTS, in all, and what the disk still has."""

    parts: dict[str, int]
    free: int

    @property
    def total(self) -> int:
        """Bytes of the whole data folder."""
        return sum(self.parts.values())


def measure(data: Path) -> DiskUse:
    """The bytes of the data folder as they are now."""
    found = {part: sum(_bytes(data / f"{name}{end}") for name in names for end in _JOURNALS)
             for part, names in _FILES.items()}  # fmt: skip
    found |= {part: size([data / name]) for part, name in _FOLDERS.items()}
    found["others"] = max(0, size([data]) - sum(found.values()))
    return DiskUse({part: found[part] for part in PARTS}, shutil.disk_usage(data).free)


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
