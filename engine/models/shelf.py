"""The models of a data folder: one folder each under models/, with a manifest that says what it should hold.

A model appears there whole or not at all. Knows nothing about the network.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from ..settings import Settings
from .catalogue import ModelFile, ModelRole

FOLDER = "models"
PARTIAL = ".partial"  # in that folder: what is being fetched or copied
MANIFEST = "model.json"
FORMAT = 1
BLOCK = 1 << 22
MAGIC = b"GGUF"
# The library that runs each kind of model: without it, what was downloaded is left alone.
LIBRARIES: dict[ModelRole, str] = {"llm": "llama_cpp", "embed": "FlagEmbedding", "rerank": "FlagEmbedding"}

FlawReason = Literal["missing", "size", "hash", "format"]
Heard = Callable[[int], None]  # bytes read so far; it may raise to stop


@dataclass(frozen=True, slots=True)
class Installed:
    """A model of the data folder. `at` is where its files are: its own folder, or wherever they were left."""

    name: str
    role: ModelRole
    at: Path
    files: tuple[ModelFile, ...]
    added_at: datetime
    repo: str | None = None
    revision: str | None = None
    licence: str | None = None

    @property
    def path(self) -> Path:
        """What the settings would name: the file of a language model, the folder of another."""
        return self.at / self.files[0].path if self.role == "llm" else self.at

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size or 0 for file in self.files)


@dataclass(frozen=True, slots=True)
class ModelFlaw:
    """A file of a model that is not what its manifest says."""

    path: Path
    reason: FlawReason


def folder(data: Path) -> Path:
    """Where the models of a data folder are."""
    return data / FOLDER


def installed(data: Path) -> tuple[Installed, ...]:
    """The models there, the last added first. A folder without a readable manifest is passed over."""
    found = [model for path in sorted(folder(data).glob(f"*/{MANIFEST}")) if (model := _read(path)) is not None]
    return tuple(sorted(found, key=lambda model: model.added_at, reverse=True))


def completed(settings: Settings) -> Settings:
    """The settings with the data folder's models where they name none: the last added of each kind.

    A kind whose library is not installed is left out, and an encoder or a reranker whose files have gone (a stick that
    was taken away): what nobody named must not keep the application from opening.
    """
    fields: dict[ModelRole, str] = {"llm": "llm_model", "embed": "bge_model", "rerank": "reranker_model"}
    chosen: dict[str, Any] = {}
    for model in reversed(installed(settings.data)):
        if model.role != "llm" and not all((model.at / file.path).is_file() for file in model.files):
            continue
        if getattr(settings, fields[model.role]) is None and importlib.util.find_spec(LIBRARIES[model.role]):
            chosen[fields[model.role]] = model.path
    return replace(settings, **chosen)


def publish(model: Installed, made: Path, data: Path) -> Installed:
    """Give a folder that is whole its place and its manifest, in one step; an older model of that name leaves."""
    place = folder(data) / model.name
    final = replace(model, at=place if model.at == made else model.at)
    _write(final, made / MANIFEST, own=final.at == place)
    old = made.with_name(f"{made.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.replace(old)
    made.replace(place)
    shutil.rmtree(old, ignore_errors=True)
    return final


def flaws(model: Installed, heard: Heard = lambda done: None) -> tuple[ModelFlaw, ...]:
    """What is wrong with the files of a model, read whole: presence, size, hash, and the look of a model."""
    found, before = [], 0
    for file in model.files:
        path = model.at / file.path
        try:
            size = path.stat().st_size
            reason: FlawReason | None = None
            if file.size is not None and size != file.size:
                reason = "size"
            elif not looks_right(path):
                reason = "format"
            elif file.sha256 is not None and sha256(path, _after(before, heard)) != file.sha256:
                reason = "hash"
        except OSError:
            reason = "missing"
        if reason is not None:
            found.append(ModelFlaw(path, reason))
        before += file.size or 0
    return tuple(found)


def looks_right(path: Path) -> bool:
    """Whether a file begins as its name promises; true for a name that promises nothing. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(9)
    match path.suffix:
        case ".gguf":
            return head.startswith(MAGIC)
        case ".safetensors":  # the length of its header, then the header, in JSON
            return len(head) == 9 and int.from_bytes(head[:8], "little") < path.stat().st_size and head[8:] == b"{"
        case ".json":
            try:
                json.loads(path.read_text("utf-8"))
            except ValueError:
                return False
    return True


def sha256(path: Path, heard: Heard = lambda done: None) -> str:
    """The hash of a file, in hex. Raises OSError."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            heard(done)
    return digest.hexdigest()


def _after(before: int, heard: Heard) -> Heard:
    return lambda done: heard(before + done)


def _read(path: Path) -> Installed | None:
    try:
        document = json.loads(path.read_text("utf-8"))
        if document.pop("format") != FORMAT or document["role"] not in get_args(ModelRole):
            return None
        document["files"] = tuple(ModelFile(**file) for file in document["files"])
        document["added_at"] = datetime.fromisoformat(document["added_at"])
        document["at"] = Path(document["at"]) if document["at"] else path.parent
        return Installed(**document)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(model: Installed, path: Path, *, own: bool) -> None:
    document = {"format": FORMAT, **asdict(model), "added_at": model.added_at.astimezone(UTC).isoformat()}
    # Its own folder is not written down: the data folder may be moved.
    document["at"] = None if own else str(model.at)
    with path.open("w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=2)
        file.flush()
        os.fsync(file.fileno())
