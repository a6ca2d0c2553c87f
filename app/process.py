"""Starting this program again as another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from . import i18n


def command(data: Path, *arguments: str) -> list[str]:
    """The command line of this program for the same archive and in the same language."""
    program = [sys.executable] if _frozen() else [sys.executable, "-m", "app"]
    return [*program, "--data", str(data), "--lang", i18n.language(), *arguments]


def folder() -> Path | None:
    """The working directory that `command` needs: a checkout is found through it, an installed package anyway."""
    return None if _frozen() else Path(__file__).resolve().parents[1]


def detached() -> dict[str, Any]:
    """Options of `subprocess.Popen` for a process that neither Ctrl-C nor a closed terminal reaches."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _frozen() -> bool:
    return bool(getattr(sys, "frozen", False))
