"""What an erasure did, as it is kept: dates, counts and the result of the check, and no name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .files import CERTIFICATES
from .private_file import write_private


@dataclass(frozen=True, slots=True)
class Left:
    """A file where the check found something."""

    file: str
    names: int
    fragments: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """`done` counts what changed by place; `kept` are backups that were left and may hold what was erased.

    `fragments` passages and `names` names were looked for in `files` files (`bytes` in all, unpacked).
    """

    token: str
    asked_at: str
    done_at: str
    asked: Mapping[str, int]  # how many users, posts, patterns
    aliases: tuple[str, ...]
    done: Mapping[str, int]
    generation: str
    generations_removed: int
    kept: tuple[str, ...]
    names: int
    fragments: int
    shared: int  # passages that other messages say too, so that the check can't look for them
    files: int
    bytes: int
    left: tuple[Left, ...]
    unread: tuple[str, ...]
    agrees: bool | None  # store and indexes; None where there is no index

    @property
    def clean(self) -> bool:
        """Whether nothing was found that should have gone, outside the backups that were left on purpose."""
        return not [one for one in self.left if one.file.split("!")[0] not in self.kept]


def now() -> str:
    """This moment, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def save(data: Path, certificate: Certificate, text: str) -> Path:
    """Write it as JSON, and as a text to read; the path of the text."""
    stem = f"{certificate.done_at[:19].replace(':', '').replace('-', '')}-{certificate.token}"
    folder = data / CERTIFICATES
    document = {**asdict(certificate), "clean": certificate.clean}
    write_private(folder / f"{stem}.json", json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    write_private(folder / f"{stem}.txt", text)
    return folder / f"{stem}.txt"


def saved(data: Path) -> tuple[Certificate, ...]:
    """The certificates of a data folder, the newest first; one that can't be read is left out."""
    found = []
    for path in sorted((data / CERTIFICATES).glob("*.json"), reverse=True):
        try:
            document = json.loads(path.read_text("utf-8"))
            document.pop("clean", None)
            document["left"] = tuple(Left(**one) for one in document["left"])
            rest: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in document.items()
            }
            found.append(Certificate(**rest))
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return tuple(found)


def text_of(data: Path, token: str) -> Path | None:
    """Where the text of that certificate is."""
    return next(iter((data / CERTIFICATES).glob(f"*-{token}.txt")), None)
