"""Index generations: what is published, opened for reading, and swept when nobody needs it.

    indexes/CURRENT → <generation>/{manifest.json, posts.npy, whoosh/, patch.npz}
    indexes/<base>/{chroma/, places.npy}      the generation whose vectors were last built whole; often the same

Words and vectors may also be on an engine elsewhere (`milvus_publishing.py`); then the folder holds what a reader must
know of them. Where a generation is read is what its manifest says; where the next one is built, the settings.

A generation is a disposable cache of the store. A kill at any moment leaves the last published one.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from ..errors import IndexDamaged, IndexMissing, IndexOutdated
from ..settings import Settings, index_fingerprint
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import PostId
from . import chroma, lexical, milvus_place, seal
from .dense import MOST_COMPARED, DenseIndex, Patch
from .french import Analyser, analyser
from .legs import Meaning, Words

logger = logging.getLogger(__name__)

BUILDING = ".building"
WORDS, POSTS = "whoosh", "posts.npy"  # the keyword index, and the digest of each post in it
BASE, PLACES, PATCH = "chroma", "places.npy", "patch.npz"  # vectors, the key of each, and what came since


@dataclass(frozen=True, slots=True)
class Manifest:
    """The identity card of a generation: what it was built from and with."""

    generation: str
    created_at: str
    fingerprint: str
    store_state: str
    versions: dict[str, str]
    lexical_posts: int
    lexical_changes: int = 0  # posts changed since the keyword index was built whole
    dense_model: str | None = None
    dense_base: str | None = None  # the generation whose chroma/ it reads
    dense_state: str = ""  # of all its vectors, base and patch
    dense_vectors: int = 0
    dense_posts: int = 0
    dense_probes: str = ""  # of a model on a server: what it must still answer (`seams.Elsewhere`)
    index_url: str | None = None  # of the engine that holds words and vectors, None where they lie in this folder
    words_base: str | None = None  # the generation that made the collection of its words there
    words_edition: int = 0  # how often that was changed since
    dense_edition: int = 0  # the same of `dense_base`


@dataclass(frozen=True, slots=True)
class Generation:
    """An open generation. The dense index is None while there is none, or when it can't be used."""

    folder: Path
    manifest: Manifest
    analyser: Analyser
    lexical: Words
    dense: Meaning | None
    notices: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a part was found damaged since, so that opening the generation again gives what is left of it."""
        return self.dense is not None and self.dense.failed

    def close(self) -> None:
        """Release both indexes."""
        self.lexical.close()
        if self.dense is not None:
            self.dense.close()


def versions() -> dict[str, str]:
    """The libraries whose change makes an index worthless."""
    return {name: version(name) for name in ("whoosh3", "chromadb", "PyStemmer")}


# --- reading ---


def folder_of(settings: Settings, generation: str) -> Path:
    """Where a generation of that name lies."""
    return settings.data / "indexes" / generation


def current(settings: Settings) -> str | None:
    """The name of the published generation, None before the first."""
    try:
        name = folder_of(settings, "CURRENT").read_text().strip()
    except (OSError, UnicodeDecodeError):  # none yet, or not ours
        return None
    return name if name.isprintable() and 0 < len(name) < 100 and "/" not in name and name[0] != "." else None


def read_manifest(settings: Settings) -> Manifest | None:
    """The manifest of the published generation, None when there is none that can be read."""
    name = current(settings)
    return None if name is None else manifest_of(settings, name)


def manifest_of(settings: Settings, generation: str) -> Manifest | None:
    """The manifest of the generation of that name, None when it can't be read."""
    return _manifest(folder_of(settings, generation))


def open_current(settings: Settings, vectors: VectorStore) -> Generation:
    """Open the published generation. Raises IndexMissing, IndexOutdated or IndexDamaged."""
    name, manifest = current(settings), read_manifest(settings)
    if name is None:
        raise IndexMissing()
    if manifest is None:
        raise IndexDamaged(part="manifest")
    if manifest.fingerprint != index_fingerprint(settings):
        raise IndexOutdated(reason="settings")
    folder, chosen = folder_of(settings, name), analyser(settings.language)
    if manifest.index_url is not None:
        return _open_elsewhere(settings, settings.index_url or manifest.index_url, folder, manifest, chosen)
    if manifest.versions["whoosh3"] != version("whoosh3"):
        raise IndexOutdated(reason="whoosh3")
    words = lexical.LexicalIndex(folder / WORDS, chosen)
    dense, notices = _open_dense(settings, folder, manifest, vectors)
    return Generation(folder, manifest, chosen, words, dense, notices)


def _open_elsewhere(settings: Settings, url: str, folder: Path, manifest: Manifest, chosen: Analyser) -> Generation:
    if manifest.words_base is None or manifest.versions["milvus"] != milvus_place.LAYOUT:
        raise IndexOutdated(reason="milvus")
    words = milvus_place.open_words(settings, url, folder, manifest.words_base, chosen)
    if manifest.dense_base is None:
        return Generation(folder, manifest, chosen, words, None, ("dense_missing",))
    try:
        vectors = milvus_place.open_vectors(settings, url, folder, manifest.dense_base, places=PLACES)
    except IndexDamaged:
        words.close()
        raise
    return Generation(folder, manifest, chosen, words, vectors)


def _open_dense(
    settings: Settings, folder: Path, manifest: Manifest, vectors: VectorStore
) -> tuple[DenseIndex | None, tuple[str, ...]]:
    if manifest.dense_model is None or manifest.dense_base is None:
        return None, ("dense_missing",)
    model = manifest.dense_model
    try:
        if manifest.versions["chromadb"] != version("chromadb"):
            raise IndexOutdated(reason="chromadb")
        base = folder_of(settings, manifest.dense_base) / BASE
        return DenseIndex(base, Patch.load(folder / PATCH), model=model, vectors=vectors), ()
    except (IndexDamaged, IndexMissing, IndexOutdated) as error:
        logger.warning("the index of vectors can't be used: %s", error)
    if manifest.dense_vectors > MOST_COMPARED:
        return None, ("dense_unusable",)  # keyword search goes on; the screen says that meaning is not searched
    return DenseIndex(None, Patch.load(folder / "none"), model=model, vectors=vectors), ("dense_compared",)


def words_fit(settings: Settings, manifest: Manifest) -> bool:
    """Whether the keyword index of a generation is there, where it should be, and was made by this code with these
    settings. Raises IndexAway."""
    if settings.index_url is not None or manifest.index_url is not None:
        return _fit_elsewhere(settings, manifest, WORDS) and milvus_place.holds(
            settings, settings.index_url or "", manifest.words_base, "words", rows=manifest.lexical_posts
        )
    now = versions()
    made_alike = all(manifest.versions.get(name) == now[name] for name in ("whoosh3", "PyStemmer"))
    folder = folder_of(settings, manifest.generation) / WORDS
    whole = folder.is_dir() and seal.marked(folder) is None
    return made_alike and whole and manifest.fingerprint == index_fingerprint(settings)


def vectors_fit(settings: Settings, manifest: Manifest) -> bool:
    """Whether the vectors of a generation are there, are not known to be damaged, and can be read by this code.

    Raises IndexAway.
    """
    if settings.index_url is not None or manifest.index_url is not None:
        return _fit_elsewhere(settings, manifest, BASE) and milvus_place.holds(
            settings, settings.index_url or "", manifest.dense_base, "vectors", rows=manifest.dense_vectors
        )
    if manifest.dense_base is None or manifest.versions.get("chromadb") != version("chromadb"):
        return False
    folder = folder_of(settings, manifest.dense_base) / BASE
    return folder.is_dir() and seal.flaw(folder) is None


def _fit_elsewhere(settings: Settings, manifest: Manifest, part: str) -> bool:
    if settings.index_url is None or manifest.index_url is None:
        return False
    alike = manifest.versions.get("PyStemmer") == version("PyStemmer")
    alike &= manifest.versions.get("milvus") == milvus_place.LAYOUT
    alike &= seal.marked(folder_of(settings, manifest.generation) / part) is None
    return alike and manifest.fingerprint == index_fingerprint(settings)


# --- writing; call with the writer lock held ---


@contextmanager
def drafting(settings: Settings) -> Iterator[Path]:
    """A new folder to fill and then `publish`, removed again unless it was."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    folder = folder_of(settings, f"{stamp}-{secrets.token_hex(2)}{BUILDING}")
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def name_of(draft: Path) -> str:
    """The name that a draft will have once it is published."""
    return draft.name.removesuffix(BUILDING)


def publish(settings: Settings, draft: Path, manifest: Manifest) -> None:
    """Give a draft its name and make it the one that readers open."""
    _write_durably(draft / "manifest.json", json.dumps(asdict(manifest), indent=1))
    draft.rename(folder_of(settings, manifest.generation))
    fresh = folder_of(settings, "CURRENT.new")
    _write_durably(fresh, manifest.generation + "\n")
    fresh.replace(folder_of(settings, "CURRENT"))


def sweep(settings: Settings) -> None:
    """Remove what killed builds left, and generations that nobody reads."""
    for folder in unused(settings):
        shutil.rmtree(folder, ignore_errors=True)


def unused(settings: Settings) -> tuple[Path, ...]:
    """The folders that `sweep` removes."""
    root = folder_of(settings, "")
    folders = sorted(path for path in root.glob("*") if path.is_dir())
    published = [folder.name for folder in folders if not folder.name.endswith(BUILDING)]
    kept = {current(settings)}
    # The newest old generation stays for one more round: a reader may be about to open it.
    kept |= set([name for name in published if name not in kept][-1:])
    kept |= {name for name in published if milvus_place.is_read_elsewhere(settings, root / name)}
    for name in [name for name in kept if name is not None]:
        manifest = _manifest(folder_of(settings, name))
        kept.add(manifest.dense_base if manifest else None)
    return tuple(folder for folder in folders if folder.name not in kept and not chroma.is_held(folder / BASE))


def _manifest(folder: Path) -> Manifest | None:
    try:
        return Manifest(**json.loads((folder / "manifest.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _write_durably(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


# --- checking ---


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
    """Compare the ids of the store with those of an open generation; every id is read. Raises IndexDamaged."""
    held = store.post_ids()
    in_lexical = frozenset(map(PostId, generation.lexical.post_ids.tolist()))
    without = only_dense = frozenset[PostId]()
    if generation.dense is not None:
        wanted = store.post_ids(min_useful_chars=settings.min_dense_chars)
        in_dense = generation.dense.post_ids()
        without, only_dense = wanted - in_dense, in_dense - wanted
    return Agreement(held - in_lexical, in_lexical - held, without, only_dense)
