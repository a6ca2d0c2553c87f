"""The databases of the data folder: sound, absent or damaged."""

from __future__ import annotations

from pathlib import Path

from ..errors import StoreDamaged, StoreError
from ..store import integrity
from .findings import Finding, Repair, error, ok


def check(name: str, path: Path, *, quick: bool, repair: Repair | None = None) -> Finding:
    """One database; `repair` for one that can be made again from another."""
    if not path.exists():
        return ok(name, "absent", path=str(path))
    try:
        reason = integrity.fault(path, quick=quick)
    except StoreDamaged as damaged:
        reason = str(damaged.details["reason"])
    except StoreError as unreadable:
        return error(name, "unreadable", path=str(path), reason=str(unreadable.details.get("reason", "")))
    if reason is not None:
        return error(name, "damaged", repair, path=str(path), reason=reason)
    return ok(name, "sound", path=str(path), bytes=path.stat().st_size)
