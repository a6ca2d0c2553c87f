"""What fills an archive: reading a source into it, bringing its indexes up to that, encoding along with others."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from . import discourse, upload_keeping
from .index import building, forum_vectors
from .index.company import joined, publishing
from .index.encoding import encode_share
from .index.work import Work
from .locks import writing
from .seams import Models
from .settings import Settings
from .sources import ImportReport
from .store import ArchiveStore, VectorStore, claims, import_source
from .values import OnProgress


def import_archive(
    settings: Settings,
    source: Path,
    *,
    accept_removals: bool = False,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Read a backup or a folder of saved JSON into the archive.

    Raises ArchiveFormatError, OtherForum, StoreBusy, DiskFull; what was read before is kept.
    """
    with writing(settings):
        found = discourse.read(source, check=check)
        store, vectors = ArchiveStore(settings.data), VectorStore(settings.data)
        ignored = settings.forum_vectors == "ignore"
        try:
            return import_source(
                store, found.items, source=str(source.absolute()), kind=found.kind,
                whole_forum=found.kind == "dump", accept_removals=accept_removals, on_progress=on_progress,
                keep_vectors=(lambda _: 0) if ignored else forum_vectors.keeper(settings, store, vectors), check=check,
                keep_uploads=lambda known: upload_keeping.keep(
                    settings, store, found.path, known, on_progress=on_progress, check=check
                ),
            )  # fmt: skip
        finally:
            store.close()
            vectors.close()


def build_index(
    settings: Settings,
    models: Models,
    *,
    vectors: bool = True,
    shared: bool = False,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Bring the indexes to the state of the store, keyword search first; `shared` with processes that encode as well.

    Raises StoreBusy, DiskFull and, where it is shared, PublisherReplaced.
    """
    with publishing(settings) if shared else writing(settings) as member:
        store, vector_store = ArchiveStore(settings.data), VectorStore(settings.data)
        try:
            building.build(
                settings,
                store,
                vector_store,
                models,
                with_vectors=vectors,
                on_progress=on_progress,
                check=check,
                member=member,
            )
        finally:
            store.close()
            vector_store.close()


def encode_along(settings: Settings, models: Models, *, check: Callable[[], None] = lambda: None) -> int:
    """Encode what no other process does for the indexing that is under way; how many texts.

    Nothing where no shared indexing wants vectors of this model. `check` may raise Cancelled: what was claimed is given
    back. Raises StoreError, ModelUnavailable.
    """
    with closing(ArchiveStore(settings.data)) as store, closing(VectorStore(settings.data)) as vectors:
        model = building.dense_model(settings, vectors, models)
        if model is None or models.embed_name != claims.encoded(vectors):
            return 0
        with joined(settings) as member:
            return encode_share(Work(settings, store, vectors, models, lambda progress: None, check, member), model)


def encoding_for(settings: Settings) -> tuple[str | None, int]:
    """The model of which an indexing wants vectors from whoever comes, and how many processes have texts to encode."""
    with closing(VectorStore(settings.data)) as vectors:
        return claims.encoded(vectors), claims.encoding(vectors, now=time.time())
