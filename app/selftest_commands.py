"""What each step of the self-test does: one command of this very program, as users give it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

from . import process

STEP_S: Final = 180.0


def run(data: Path, *arguments: str, **environment: str) -> str:
    """Standard output of one command of this program. Raises AssertionError with what it said when it fails."""
    done = subprocess.run(
        process.command(data, *arguments), cwd=process.folder(), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=STEP_S, check=False, env={**os.environ, **environment}, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{arguments[0]}: {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def run_json(data: Path, *arguments: str, **environment: str) -> Any:
    """The document that one command prints with `--json`."""
    return json.loads(run(data, *arguments, "--json", **environment))
