"""Tries a vector index in a process of its own (`probe_child.py`): on some damage Chroma ends it instead of raising."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROLE = "index-probe"  # hidden subcommand of the program, see app/__main__.py
START_S = 120.0  # for the child to start: 2 s, or 16 s on two cores that ten others share
BYTES_A_SECOND = 20e6  # of the slowest disk worth waiting for
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a child found: how many vectors the folder holds, and why it can't be used (None when it can)."""

    count: int
    flaw: str | None


def probe(folder: Path, *, timeout_s: float | None = None) -> Probe:
    """Try a folder. Call with its lock held: the child takes none. A child that dies or is silent is a flaw."""
    if timeout_s is None:
        timeout_s = START_S + sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / BYTES_A_SECOND
    try:
        child = subprocess.run(
            [*command(), str(folder)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=_environment(), timeout=timeout_s, check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Probe(0, "silent")
    try:
        found = Probe(**json.loads(child.stdout))
    except (ValueError, TypeError):
        found = Probe(0, f"died {child.returncode}")
    if found.flaw is not None:
        _log.warning("the index of vectors in %s is damaged: %s", folder, found.flaw)
    return found


def command() -> list[str]:
    """The command line of the child: this program itself when frozen, a module otherwise."""
    return [sys.executable, ROLE] if getattr(sys, "frozen", False) else [sys.executable, "-m", f"{__name__}_child"]


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
