"""What the doctor finds: codes and figures, no sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Figure = str | int | float


class Level(StrEnum):
    """How much it matters."""

    OK = "ok"
    WARNING = "warning"  # everything works, perhaps not as well as it could
    ERROR = "error"  # something is broken, or will be


class Repair(StrEnum):
    """What would mend it. None of them touches archive.db or what was fetched from a forum."""

    REBUILD = "rebuild"  # the indexes, from the store
    SWEEP = "sweep"  # remove what interrupted work left
    SET_ASIDE = "set_aside"  # a database that can be made again, under another name
    PROTECT = "protect"  # permissions of the data folder
    RECOVER = "recover"  # jobs whose process died


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its name, what was found (the key of a sentence), its figures, and what mends it, if anything does."""

    check: str
    state: str
    level: Level = Level.OK
    figures: Mapping[str, Figure] = field(default_factory=dict)
    repair: Repair | None = None


def ok(check: str, state: str, **figures: Figure) -> Finding:
    """Nothing to say against it."""
    return Finding(check, state, Level.OK, figures)


def warning(check: str, state: str, repair: Repair | None = None, **figures: Figure) -> Finding:
    """Worth knowing."""
    return Finding(check, state, Level.WARNING, figures, repair)


def error(check: str, state: str, repair: Repair | None = None, **figures: Figure) -> Finding:
    """Broken."""
    return Finding(check, state, Level.ERROR, figures, repair)
