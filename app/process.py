"""Starting this program again as another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from . import i18n
from .frozen import is_frozen


def command(data: Path, *arguments: str) -> list[str]:
    """The command line of this program for the same archive and in the same language."""
    return role("--data", str(data), "--lang", i18n.language(), *arguments)


def role(*arguments: str) -> list[str]:
    """The command line of this program with just these arguments."""
    return [sys.executable, *arguments] if is_frozen() else [sys.executable, "-m", "app", *arguments]


def folder() -> Path | None:
    """The working directory that `command` needs: a checkout is found through it, an installed package anyway."""
    return None if is_frozen() else Path(__file__).resolve().parents[1]


def detached() -> dict[str, Any]:
    """Options of `subprocess.Popen` for a process that neither Ctrl-C nor a closed terminal reaches."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
