"""Index generations: built in a new folder, published by replacing CURRENT, opened for reading.

    indexes/CURRENT → <generation>/{manifest.json, whoosh/, chroma/}

A generation is a disposable cache of the store. A kill at any moment leaves the last published one.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import IndexDamaged, IndexMissing, IndexOutdated
from ..settings import Settings, index_fingerprint
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import PostId
from . import dense, lexical
from .french import analyser

BUILDING = ".building"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The identity card of a generation: what it was built from and with."""

    generation: str
    created_at: str
    fingerprint: str
    store_state: str
    versions: dict[str, str]
    lexical_posts: int
    dense_model: str | None = None
    dense_vectors: int = 0
    dense_posts: int = 0


class Generation:
    """An open generation. The dense index is None while there is none, or when it can't be used."""

    def __init__(self, folder: Path, manifest: Manifest, settings: Settings, vectors: VectorStore) -> None:
        self.folder, self.manifest = folder, manifest
        if manifest.fingerprint != index_fingerprint(settings):
            raise IndexOutdated(reason="settings")
        if manifest.versions["whoosh3"] != version("whoosh3"):
            raise IndexOutdated(reason="whoosh3")
        self.analyser = analyser(settings.language)
        self.lexical = lexical.LexicalIndex(folder / "whoosh", self.analyser)
        self.dense: dense.DenseIndex | None = None
        self.notices: tuple[str, ...] = ()
        if manifest.dense_model is None:
            self.notices = ("dense_missing",)
            return
        try:
            if manifest.versions["chromadb"] != version("chromadb"):
                raise IndexOutdated(reason="chromadb")
            self.dense = dense.DenseIndex(folder / "chroma", model=manifest.dense_model, vectors=vectors)
        except (IndexDamaged, IndexMissing, IndexOutdated):
            # Keyword search goes on; the screen says that meaning is not searched.
            self.notices = ("dense_unusable",)

    def close(self) -> None:
        """Release both indexes."""
        self.lexical.close()
        if self.dense is not None:
            self.dense.close()


def versions() -> dict[str, str]:
    """The libraries whose change makes an index worthless."""
    return {name: version(name) for name in ("whoosh3", "chromadb", "PyStemmer")}


def is_whole(settings: Settings, manifest: Manifest) -> bool:
    """Whether the folders that a manifest promises are there."""
    folder = _root(settings) / manifest.generation
    return (folder / "whoosh").is_dir() and (manifest.dense_model is None or (folder / "chroma").is_dir())


def current(settings: Settings) -> str | None:
    """The name of the published generation, None before the first."""
    try:
        name = (_root(settings) / "CURRENT").read_text().strip()
    except FileNotFoundError:
        return None
    return name if name and "/" not in name and not name.startswith(".") else None


def read_manifest(settings: Settings) -> Manifest | None:
    """The manifest of the published generation, None when there is none that can be read."""
    name = current(settings)
    if name is None:
        return None
    try:
        return Manifest(**json.loads((_root(settings) / name / "manifest.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def open_current(settings: Settings, vectors: VectorStore) -> Generation:
    """Open the published generation. Raises IndexMissing, IndexOutdated or IndexDamaged."""
    name, manifest = current(settings), read_manifest(settings)
    if name is None:
        raise IndexMissing()
    if manifest is None:
        raise IndexDamaged(part="manifest")
    return Generation(_root(settings) / name, manifest, settings, vectors)


def build_lexical(settings: Settings, store: ArchiveStore, state: str, *, on_post: Callable[[int], None]) -> Manifest:
    """Build and publish a generation with the keyword index alone."""
    with _Building(settings) as folder:
        posts = lexical.build(folder / "whoosh", store.indexable(), analyser(settings.language), on_post=on_post)
        manifest = Manifest(
            generation=folder.name.removesuffix(BUILDING),
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            fingerprint=index_fingerprint(settings),
            store_state=state,
            versions=versions(),
            lexical_posts=posts,
        )
        _publish(settings, folder, manifest)
    return manifest


def build_dense(
    settings: Settings, vectors: VectorStore, model: str, base: Manifest, *, on_vector: Callable[[int], None]
) -> Manifest:
    """Publish a generation with the keyword index of `base` and the vectors of a model."""
    with _Building(settings) as folder:
        _link_tree(_root(settings) / base.generation / "whoosh", folder / "whoosh")
        count = dense.build(folder / "chroma", vectors.passages_with_vectors(model), on_vector=on_vector)
        manifest = replace(
            base,
            generation=folder.name.removesuffix(BUILDING),
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            dense_model=model,
            dense_vectors=count,
            dense_posts=vectors.covered_posts(model),
        )
        _publish(settings, folder, manifest)
    return manifest


def sweep(settings: Settings) -> None:
    """Remove what killed builds left, and generations that nobody reads. Call with the writer lock held."""
    root, kept = _root(settings), current(settings)
    folders = [path for path in root.glob("*") if path.is_dir() and path.name != kept]
    # The newest old generation stays for one more round: a reader may be about to open it.
    spared = max((f.name for f in folders if not f.name.endswith(BUILDING)), default=None)
    for folder in folders:
        if folder.name != spared and not _held(folder):
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Ids that the store and the two indexes disagree on; all empty when they agree."""

    only_store: frozenset[PostId]
    only_lexical: frozenset[PostId]
    without_vector: frozenset[PostId]
    only_dense: frozenset[PostId]

    def __bool__(self) -> bool:
        return not (self.only_store or self.only_lexical or self.without_vector or self.only_dense)


def agreement(settings: Settings, store: ArchiveStore, generation: Generation) -> Agreement:
    """Compare the ids of the store with those of an open generation; every id is read."""
    held = store.post_ids()
    in_lexical = frozenset(PostId(int(i)) for i in generation.lexical.post_ids)
    without = only_dense = frozenset[PostId]()
    if generation.dense is not None:
        wanted = store.post_ids(min_useful_chars=settings.min_dense_chars)
        in_dense = generation.dense.post_ids()
        without, only_dense = wanted - in_dense, in_dense - wanted
    return Agreement(held - in_lexical, in_lexical - held, without, only_dense)


class _Building:
    """A new folder, removed again unless it was published."""

    def __init__(self, settings: Settings) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        self.folder = _root(settings) / f"{stamp}-{secrets.token_hex(2)}{BUILDING}"

    def __enter__(self) -> Path:
        self.folder.mkdir(parents=True)
        return self.folder

    def __exit__(self, *_exc: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _publish(settings: Settings, folder: Path, manifest: Manifest) -> None:
    root = _root(settings)
    _write_durably(folder / "manifest.json", json.dumps(asdict(manifest), indent=1))
    folder.rename(root / manifest.generation)
    _write_durably(root / "CURRENT.new", manifest.generation + "\n")
    (root / "CURRENT.new").replace(root / "CURRENT")


def _write_durably(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _link_tree(source: Path, target: Path) -> None:
    """Hard links where the file system has them: committed Whoosh files never change."""

    def link(a: str, b: str) -> None:
        try:
            os.link(a, b)
        except OSError:
            shutil.copy2(a, b)

    shutil.copytree(source, target, copy_function=link)


def _held(folder: Path) -> bool:
    if not (folder / "chroma").is_dir():
        return False
    try:
        with FileLock(dense.lock_path(folder / "chroma"), blocking=False):
            return False
    except Timeout:
        return True


def _root(settings: Settings) -> Path:
    return settings.data / "indexes"
