"""Where the files that ship with the application are: catalogue, icons, demo forum."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_MARK = "i18n"  # a folder that every layout has


def resource(*parts: str) -> Path:
    """Path of a bundled file or folder, in a checkout, an installed wheel and a frozen bundle alike."""
    return _root().joinpath(*parts)


@cache
def _root() -> Path:
    package = Path(__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)  # set by PyInstaller's loader
    places = [Path(frozen)] if frozen else []
    places += [package / "bundled", package.parent]
    for place in places:
        if (place / _MARK).is_dir():
            return place
    raise FileNotFoundError(f"no {_MARK} folder in {', '.join(map(str, places))}")
