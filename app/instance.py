"""One application a data folder: whoever starts it again is led to the one that is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from . import locks

SERVER_FOLDER: Final = "server"  # of the data folder: what belongs to the pages, not to the archive
_LOCK: Final = "app.lock"
_ADDRESS: Final = "address"  # of the pages, for the time that they are served
_FRONT: Final = "front"  # touched to ask the window to come to the front


def is_open(data: Path) -> bool:
    """Whether an application serves this data folder. Makes nothing."""
    return locks.is_held(data / SERVER_FOLDER / _LOCK)


@contextmanager
def hold(data: Path) -> Iterator[bool]:
    """Whether no other application serves this data folder; held to the end."""
    with locks.hold(data / SERVER_FOLDER / _LOCK) as mine:
        if mine:
            (data / SERVER_FOLDER / _ADDRESS).unlink(missing_ok=True)
        try:
            yield mine
        finally:
            if mine:
                (data / SERVER_FOLDER / _ADDRESS).unlink(missing_ok=True)


def announce(data: Path, address: str, *, window: bool) -> None:
    """Let a later start find the pages, and know whether they have a window."""
    (data / SERVER_FOLDER / _ADDRESS).write_text(f"{address}\n{int(window)}\n", "utf-8")


def address(data: Path) -> str | None:
    """Where the pages of the application that is open are; None while it starts or ends."""
    return _announced(data)[0] or None


def has_window(data: Path) -> bool:
    """Whether the application that is open has a window of its own."""
    return _announced(data)[1:] == ["1"]


def ask_to_front(data: Path) -> None:
    """Ask the window, where there is one, to come to the front."""
    (data / SERVER_FOLDER / _FRONT).touch()


def asked_to_front(data: Path) -> float:
    """When that was asked last, in seconds since 1970; 0 when it never was."""
    try:
        return (data / SERVER_FOLDER / _FRONT).stat().st_mtime
    except OSError:
        return 0.0


def _announced(data: Path) -> list[str]:
    try:
        return (data / SERVER_FOLDER / _ADDRESS).read_text("utf-8").splitlines()
    except OSError:
        return [""]
