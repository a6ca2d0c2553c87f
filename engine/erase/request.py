"""An erasure that was asked for: what the engine must know in clear until it is over, and where it stands.

It lies in a file that only its owner reads, is overwritten and removed at the end, and is all that a crash leaves:
whoever starts it again goes on from there. Jobs and logs name it by its token.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import StoreDamaged
from .erased import FOLDER, Words
from .private_file import shred, write_private

PENDING = "pending-"
_TOKEN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody wants erased.

    `with_posts`: the posts of the named members go too. `attributed`: a name that is an ordinary word is left alone
    where nothing says that it names the member. `backups`: those that lie in the data folder are deleted.
    """

    users: tuple[str, ...] = ()
    posts: tuple[int, ...] = ()
    patterns: tuple[str, ...] = ()  # a text, or a regular expression between slashes
    with_posts: bool = False
    attributed: bool = False
    backups: bool = False
    words: Words = field(default_factory=Words)

    def __bool__(self) -> bool:
        return bool(self.users or self.posts or self.patterns)


@dataclass(frozen=True, slots=True)
class Pending:
    """A request under way. `names` and `fragments` are what must not be found any more, `excused` the longer words that
    hold a name; `counts` says what the look before found, `generation` what was published since."""

    token: str
    request: Request
    asked_at: int
    names: tuple[str, ...] = ()
    attributed_names: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    generation: str = ""
    removed_generations: int = 0


def new_token() -> str:
    """What names a request; says nothing of it."""
    return secrets.token_hex(8)


def save(data: Path, pending: Pending) -> None:
    """Write a request where it stands now."""
    write_private(_path(data, pending.token), json.dumps(asdict(pending)))


def load(data: Path, token: str) -> Pending | None:
    """The request of that token, None once it is over. Raises StoreDamaged."""
    if not _TOKEN.fullmatch(token):
        return None
    path = _path(data, token)
    try:
        document = json.loads(path.read_text("utf-8"))
        asked = document.pop("request")
        asked = {name: tuple(value) if isinstance(value, list) else value for name, value in asked.items()}
        request = replace(Request(**asked), words=Words(**asked["words"]))
        rest: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in document.items()
        }
        return Pending(request=request, **rest)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreDamaged(path=str(path), reason=type(error).__name__) from error


def waiting(data: Path) -> tuple[str, ...]:
    """The tokens of the requests that are not over, the oldest first."""
    found = sorted((data / FOLDER).glob(f"{PENDING}*.json"), key=lambda path: path.stat().st_mtime_ns)
    return tuple(path.stem.removeprefix(PENDING) for path in found)


def forget(data: Path, token: str) -> None:
    """The request is over, or was given up."""
    shred(_path(data, token))


def _path(data: Path, token: str) -> Path:
    return data / FOLDER / f"{PENDING}{token}.json"
