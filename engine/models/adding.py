"""Takes a model that is already on a disk or a USB stick: a GGUF file, or the folder of an encoder or a reranker."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ..errors import DiskFull, DownloadFailed
from ..values import OnProgress
from . import catalogue, fetching, shelf
from .catalogue import ModelFile, ModelRole

# What the folder of a model holds beside pictures and exports for other libraries.
SUFFIXES = frozenset({".json", ".safetensors", ".bin", ".pt", ".model", ".txt"})


def add(
    source: Path,
    data: Path,
    *,
    leave: bool = False,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> shelf.Installed:
    """Copy a model into the data folder, or with `leave` only write down where it stands; it is read whole for that.

    A file that the catalogue knows gets its name and its licence. Raises DownloadFailed ("not_found", "not_a_model",
    "several", "damaged", "unreadable"), DiskFull, StoreBusy.
    """
    source = source.expanduser().absolute()
    at, role, paths = _recognised(source)
    total = sum((at / path).stat().st_size for path in paths)
    with fetching.workshop(data, catalogue.plain_name(str(source))) as made:
        for left in made.iterdir():  # of a copy that was interrupted
            left.unlink()
        if not leave:
            fetching.room_for(total, made)
        meter = fetching.Meter("verify" if leave else "copy", total, on_progress, check)
        try:
            files = _taken(at, paths, None if leave else made, meter)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(path=str(made)) from error
            raise DownloadFailed(reason="unreadable", path=str(error.filename or source)) from error
        known = catalogue.known(files[0].sha256 or "")
        model = shelf.Installed(
            name=known.name if known else catalogue.plain_name(str(source)), role=role, at=at if leave else made,
            files=files, added_at=datetime.now(UTC), repo=known.repo if known else None,
            revision=known.revision if known else None, licence=known.licence if known else None,
        )  # fmt: skip
        return shelf.publish(model, made, data)


def _recognised(source: Path) -> tuple[Path, ModelRole, list[str]]:
    """The folder of the model, its kind and its files. Raises DownloadFailed."""
    try:
        if source.is_dir():
            ggufs = sorted(path.name for path in source.glob("*.gguf"))
            if not ggufs:
                return source, _role(source), _files(source)
            if len(ggufs) > 1:
                raise DownloadFailed(reason="several", path=str(source))
            source = source / ggufs[0]
        if source.suffix == ".gguf" and shelf.looks_right(source):
            return source.parent, "llm", [source.name]
    except FileNotFoundError as error:
        raise DownloadFailed(reason="not_found", path=str(source)) from error
    except OSError as error:
        raise DownloadFailed(reason="unreadable", path=str(source)) from error
    raise DownloadFailed(reason="not_a_model" if source.exists() else "not_found", path=str(source))


def _role(folder: Path) -> ModelRole:
    try:
        kinds = [str(kind) for kind in json.loads((folder / "config.json").read_text("utf-8"))["architectures"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        kinds = []
    if any(kind.endswith("ForSequenceClassification") for kind in kinds):
        return "rerank"
    if kinds and (folder / "colbert_linear.pt").is_file():  # the heads of bge-m3
        return "embed"
    raise DownloadFailed(reason="not_a_model", path=str(folder))


def _files(folder: Path) -> list[str]:
    files = [path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file()]
    return sorted(path.name for path in files if not path.name.startswith("."))


def _taken(at: Path, paths: list[str], made: Path | None, meter: fetching.Meter) -> tuple[ModelFile, ...]:
    """The files with their hashes, copied into `made` if there is one; a copy is read again before it counts."""
    files, before = [], 0
    for path in paths:
        if not shelf.looks_right(at / path):
            raise DownloadFailed(reason="damaged", path=str(at / path))
        copy = made / path if made else None
        sha256 = _copied(at / path, copy, before, meter)
        if copy is not None and shelf.sha256(copy) != sha256:
            raise DownloadFailed(reason="damaged", path=str(copy))
        size = (at / path).stat().st_size
        files.append(ModelFile(path, size, sha256))
        before += size
    return tuple(files)


def _copied(source: Path, copy: Path | None, before: int, meter: fetching.Meter) -> str:
    if copy is None:
        return shelf.sha256(source, lambda done: meter.at(before + done))
    digest, done = hashlib.sha256(), 0
    with source.open("rb") as reading, copy.open("wb") as writing:
        while block := reading.read(shelf.BLOCK):
            digest.update(block)
            writing.write(block)
            done += len(block)
            meter.at(before + done)
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()
