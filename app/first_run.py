"""Where somebody stands in the assistant of the first start, kept in the data folder so that it can be left.

Knows nothing about the pages.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from .instance import SERVER_FOLDER

FILE: Final = "first-run.json"
STEPS: Final = ("source", "modeles", "acces", "lecture")  # words of the page's address
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FirstRun:
    """What was chosen so far. `reached` is the furthest of STEPS; `job` is 0 before anything was started."""

    reached: str = STEPS[0]
    origin: str = ""  # of an Offer
    source: str = ""
    job: int = 0
    later: bool = False  # it was left on purpose: the start page does not lead there any more

    def has_reached(self, step: str) -> bool:
        """Whether this step may be shown."""
        return STEPS.index(step) <= STEPS.index(self.reached)


def load(data: Path) -> FirstRun:
    """What was kept, a fresh start when nothing was or when it can't be read."""
    try:
        kept: dict[str, Any] = json.loads(_path(data).read_text("utf-8"))
        found = FirstRun(
            reached=str(kept["reached"]), origin=str(kept["origin"]), source=str(kept["source"]), job=int(kept["job"]),
            later=bool(kept["later"]),
        )  # fmt: skip
    except FileNotFoundError:
        return FirstRun()
    except (OSError, ValueError, TypeError, KeyError):
        _log.warning("where the assistant stood can't be read", exc_info=True)
        return FirstRun()
    return found if found.reached in STEPS else FirstRun()


def save(data: Path, state: FirstRun) -> None:
    """Keep it. Raises OSError."""
    path = _path(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(asdict(state)), "utf-8")
    beside.replace(path)


def _path(data: Path) -> Path:
    return data / SERVER_FOLDER / FILE
