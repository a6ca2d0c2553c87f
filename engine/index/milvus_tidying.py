"""What is done in Milvus once a generation is published, and what a crash left to do: aliases, rows, collections."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import IndexAway
from ..settings import Settings
from . import generations, listing, milvus_place
from .digests import Ids
from .editions import Editions, keys_of
from .generations import Manifest, folder_of
from .milvus import Engine
from .milvus_place import LEAVING, Kind, Place

logger = logging.getLogger(__name__)

GRACE_S = 2.0  # seconds that a search may go on with the generation before; its rows leave after them


def published(settings: Settings, manifest: Manifest) -> None:
    """Point the aliases to what is served; then take out what only the generation before read.

    An engine that does not answer leaves that to the next indexing: the generation is whole without it.
    """
    if settings.index_url is None:
        return
    at = milvus_place.place(settings, settings.index_url)
    try:
        with milvus_place.working(settings, at) as engine:
            _point(engine, at, manifest)
            # Replicas are given longer: what they may read is taken out by a later indexing.
            if (folder_of(settings, manifest.generation) / LEAVING).is_file():
                time.sleep(0.0 if settings.index_kept_s else GRACE_S)
                _take_out(settings, engine, at)
    except IndexAway:
        logger.warning("the engine is to be tidied by the next indexing", exc_info=True)


def finish(settings: Settings) -> None:
    """Do what an interrupted publication left to do. Raises IndexAway; what is lost there will be built anew."""
    current = generations.read_manifest(settings)
    if settings.index_url is None or current is None or current.index_url is None:
        return
    at = milvus_place.place(settings, settings.index_url)
    try:
        with milvus_place.working(settings, at) as engine:
            _take_out(settings, engine, at)
            _point(engine, at, current)
    except IndexAway as away:
        if away.details["reason"] != "lost":
            raise


def sweep(settings: Settings) -> None:
    """Drop the collections that no generation of the data folder reads. Raises IndexAway."""
    url = settings.index_url or milvus_place.left(settings)
    if url is None:
        return
    there = [one.manifest for one in listing.listed(settings) if one.manifest.index_url is not None]
    at = milvus_place.place(settings, url)
    read = {at.collection(one.words_base or "", "words") for one in there}
    read |= {at.collection(one.dense_base or "", "vectors") for one in there}
    with milvus_place.working(settings, at) as engine:
        for collection in engine.collections(at.prefix + "_"):
            if collection not in read:
                engine.drop(collection)
    if settings.index_url is None and not there:
        milvus_place.forget(settings)


def _point(engine: Engine, at: Place, manifest: Manifest) -> None:
    if manifest.words_base is not None:
        engine.point(at.alias("words"), at.collection(manifest.words_base, "words"))
    if manifest.dense_base is not None:
        engine.point(at.alias("vectors"), at.collection(manifest.dense_base, "vectors"))


def _take_out(settings: Settings, engine: Engine, at: Place) -> None:
    """What left the collections with any generation up to the published one, and is read by nobody any more."""
    for manifest in (one.manifest for one in listing.listed(settings)):
        folder = folder_of(settings, manifest.generation)
        path = folder / LEAVING
        if not path.is_file() or milvus_place.is_read_elsewhere(settings, folder):
            continue
        with np.load(path) as leaving:
            gone = {kind: leaving[kind].tolist() for kind in leaving.files}
        bases: dict[Kind, str | None] = {"words": manifest.words_base, "vectors": manifest.dense_base}
        for kind, base in bases.items():
            if base is not None and gone.get(kind):
                engine.remove(at.collection(base, kind), gone[kind])
        path.unlink()


def leave(draft: Path, kind: Kind, editions: Editions, outdated: Ids) -> None:
    """Note the rows that stood for the outdated."""
    numbers = editions.of(outdated)
    held = dict[str, Any]()
    if (draft / LEAVING).is_file():
        with np.load(draft / LEAVING) as noted:
            held = {name: noted[name] for name in noted.files}
    keys = keys_of(outdated[numbers >= 0], numbers[numbers >= 0])
    if len(keys):
        np.savez(draft / LEAVING, **{**held, kind: keys})
