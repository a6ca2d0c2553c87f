"""The models known by name: where each is published, what it weighs, its licence and its hashes.

Knows nothing about the network nor about what is on this machine.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ..errors import ModelUnavailable

ModelRole = Literal["llm", "embed", "rerank"]
# OWNER/REPO/FILE.gguf: a model of the hub that has no name here.
HUB_FILE = re.compile(r"(?!.*\.\.)([\w.-]+/[\w.-]+)/((?:[\w.-]+/)*[\w.-]+\.gguf)")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model; size in bytes and hash are None while nobody knows them."""

    path: str
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A model that can be downloaded. `revision` is a commit of its repository, None for its newest."""

    name: str
    role: ModelRole
    title: str
    repo: str
    files: tuple[ModelFile, ...]
    revision: str | None = None
    licence: str | None = None
    memory_gb: int | None = None  # of a computer on which it is at ease

    @property
    def size(self) -> int | None:
        """Bytes of all its files, None when one is unknown."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size or 0 for size in sizes)


@cache
def entries() -> tuple[Entry, ...]:
    """The catalogue, in its own order: by role, then from the lightest to the heaviest."""
    document = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
    return tuple(_entry(**model) for model in document["model"])


def find(name: str) -> Entry:
    """The model of that name, or a GGUF of the hub as OWNER/REPO/FILE.gguf. Raises ModelUnavailable."""
    for entry in entries():
        if entry.name == name.lower():
            return entry
    if match := HUB_FILE.fullmatch(name):
        repo, path = match.groups()
        return Entry(plain_name(path), "llm", path.rpartition("/")[2], repo, (ModelFile(path),))
    raise ModelUnavailable(role="catalogue", path=name, reason="unknown_model")


def known(sha256: str) -> Entry | None:
    """The model of which that is the only file, None when nobody knows it."""
    return next((entry for entry in entries() if [file.sha256 for file in entry.files] == [sha256]), None)


def plain_name(path: str) -> str:
    """A short name for a file or a folder, good as a folder's own name everywhere."""
    stem = path.replace("\\", "/").rstrip("/").rpartition("/")[2].removesuffix(".gguf").lower()
    stem = "".join(c for c in unicodedata.normalize("NFKD", stem) if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._") or "model"


def _entry(*, file: list[dict[str, Any]], **facts: Any) -> Entry:
    return Entry(files=tuple(ModelFile(**each) for each in file), **facts)
