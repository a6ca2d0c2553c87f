"""Puts a restored folder in the place of a data folder, which is kept under another name beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path

from .contents import MODELS

ASIDE = "avant"  # data folder "archive" → "archive-avant-2026-11-30"


def put_in_place(fresh: Path, data: Path, *, today: date, passing: frozenset[str] = frozenset()) -> Path | None:
    """Make `fresh`, which lies beside it, the data folder; where the former one is kept, None if there was nothing.

    `passing` names what doesn't make a folder a data folder. The models go on serving: they stand in both, as hard
    links where the disk knows them, else in the new one. Raises OSError, with the former folder in its place.
    """
    if not data.exists() or all(path.name in passing for path in data.iterdir()):
        if data.exists():
            shutil.rmtree(data)
        fresh.rename(data)
        return None
    aside = _free(data.with_name(f"{data.name}-{ASIDE}-{today.isoformat()}"))
    data.rename(aside)
    try:
        fresh.rename(data)
    except BaseException:
        aside.rename(data)
        raise
    if (aside / MODELS).is_dir() and not (data / MODELS).exists():
        _share(aside / MODELS, data / MODELS)
    return aside


def _share(models: Path, target: Path) -> None:
    def linked(source: str, new: str) -> None:
        os.link(source, new, follow_symlinks=False)

    link: Callable[[str, str], object] = linked
    try:
        shutil.copytree(models, target, copy_function=link, symlinks=True)
    except (OSError, shutil.Error):
        shutil.rmtree(target, ignore_errors=True)
        with suppress(OSError):  # they stay where they are, and can be fetched again
            models.rename(target)


def _free(path: Path) -> Path:
    found, n = path, 1
    while found.exists():
        n += 1
        found = path.with_name(f"{path.name}-{n}")
    return found
