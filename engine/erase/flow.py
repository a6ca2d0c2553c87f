"""The erasure itself, step by step. Every step can be done again: after a kill at any moment the same call ends it.

list      what must not come back, before anything goes
archive   archive.db in one transaction, then written anew
index     passages and vectors, a whole new generation, published at once; all others go
places    questions, raw pages, measures, logs, images; backups, with the moderator's word
check     every byte of the data folder is read
certificate, then the request is forgotten
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from ..errors import ModelUnavailable
from ..index import building, generations
from ..index.work import Work
from ..locks import SYNC_LOCK, locked, writing
from ..progress import OnProgress, Progress
from ..seams import Models
from ..settings import Settings
from ..store import ArchiveStore, VectorStore, erasing, scrubbing
from ..store.files import prune
from . import certificate as certificates
from . import erased as erase_list
from . import files, places, request
from .certificate import Certificate, Left
from .files import Cleaner
from .fragments import SIZE
from .items import Eraser, eraser
from .plan import Plan
from .request import Pending
from .scan import Scanned, Sought, scan

logger = logging.getLogger(__name__)

STEPS = ("list", "archive", "index", "places", "check")
STAGE = "erase"
TOLD_APART = frozenset(("backups", "shared", "generations"))  # counts that a certificate has its own words for
MOST_REFILLED = 2_000  # passages that an erasure encodes again itself: some minutes


def confirm(settings: Settings, plan: Plan) -> str:
    """Keep a request that was confirmed; the token under which `erase` does it. Raises StoreBusy, DiskFull."""
    with writing(settings):
        erase_list.save(settings.data, plan.erased)
        request.save(settings.data, plan.pending)
    return plan.pending.token


def erase(
    settings: Settings,
    token: str,
    models: Models,
    *,
    word: Callable[[Certificate], str] = lambda certificate: "",
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Certificate | None:
    """Do, or end, what was confirmed under this token; None when it is over. `word` puts a certificate in words.

    Needs the archive for itself: raises StoreBusy while something writes or a sync runs. Raises DiskFull.
    """
    with writing(settings), locked(settings, SYNC_LOCK, reason="sync"):
        pending = request.load(settings.data, token)
        if pending is None:
            return None
        with closing(ArchiveStore(settings.data)) as store, closing(VectorStore(settings.data)) as vectors:
            names = [name for name, _, _ in erasing.members(store)]
            found = eraser(settings.data, names)
            if found is None:  # the list was saved before the request
                return None
            _step(on_progress, 1)
            erasing.apply(store, found, check=check)
            prune(store)
            scrubbing.compact(store.path, check=check)
            _step(on_progress, 2)
            work = Work(settings, store, vectors, models, on_progress, check)
            pending = _index(work, pending)
            _step(on_progress, 3)
            _places(settings, found, pending, check)
            _step(on_progress, 4)
            done = _certified(settings, work, found, pending)
            certificates.save(settings.data, done, word(done))
            request.forget(settings.data, token)
            return done


def reapply(settings: Settings, *, check: Callable[[], None] = lambda: None) -> dict[str, int]:
    """Make what is held obey the list again, as after the restoring of an older archive; what changed.

    The list knows no name in clear: there is no check of the bytes. Index afterwards.
    """
    with writing(settings), closing(ArchiveStore(settings.data)) as store:
        found = eraser(settings.data, [name for name, _, _ in erasing.members(store)])
        if found is None:
            return {}
        counts = erasing.apply(store, found, check=check)
        prune(store)
        scrubbing.compact(store.path, check=check)
        return counts


def _index(work: Work, pending: Pending) -> Pending:
    settings = work.settings
    if not pending.generation:
        manifest = building.publish_anew(work)
        pending = replace(pending, generation=manifest.generation if manifest else "-")
        request.save(settings.data, pending)
    removed = places.remove_generations(settings)
    scrubbing.compact(work.vectors.path, check=work.check)
    if removed:
        pending = replace(pending, removed_generations=pending.removed_generations + removed)
        request.save(settings.data, pending)
    return pending


def _places(settings: Settings, found: Eraser, pending: Pending, check: Callable[[], None]) -> None:
    places.clean(settings, Cleaner(found, frozenset(pending.fragments), SIZE), check=check)
    if pending.request.backups:
        places.remove_copies(settings.data)


def _certified(settings: Settings, work: Work, found: Eraser, pending: Pending) -> Certificate:
    filled = _refill(work)
    places.remove_generations(settings)
    sought = Sought(pending.names, pending.attributed_names, pending.fragments, pending.excused)
    seen = scan(settings.data, sought) if sought else Scanned(0, 0, (), ())
    kept = tuple(path.relative_to(settings.data).as_posix() for path in files.copies(settings.data))
    asked = pending.request
    aliases = {found.redactor.name(name) for name in (*pending.names, *pending.attributed_names)}
    return Certificate(
        token=pending.token,
        asked_at=datetime.fromtimestamp(pending.asked_at, UTC).isoformat(timespec="seconds"),
        done_at=certificates.now(),
        asked={"users": len(asked.users), "posts": len(asked.posts), "patterns": len(asked.patterns)},
        aliases=tuple(sorted(alias for alias in aliases if alias)),
        done={name: count for name, count in pending.counts.items() if name not in TOLD_APART},
        generation=generations.current(settings) or "",
        generations_removed=pending.removed_generations,
        kept=kept,
        names=len(pending.names) + len(pending.attributed_names),
        fragments=len(pending.fragments),
        shared=pending.counts.get("shared", 0),
        files=seen.files,
        bytes=seen.bytes,
        left=tuple(Left(hit.file, hit.names, hit.fragments) for hit in seen.hits),
        unread=seen.unread,
        agrees=_agrees(settings, work, filled=filled),
    )  # fmt: skip


def _refill(work: Work) -> bool:
    """Make the vectors of changed texts again, where the model is at hand and they are few; whether none is missing.

    The others wait for the next indexing, as they did before.
    """
    manifest = generations.read_manifest(work.settings)
    if manifest is None or manifest.dense_model is None or manifest.dense_model != work.models.embed_name:
        return False
    if len(work.vectors.missing(manifest.dense_model)) > MOST_REFILLED:
        return False
    try:
        building.build(
            work.settings, work.store, work.vectors, work.models, with_vectors=True, on_progress=work.report,
            check=work.check,
        )  # fmt: skip
    except ModelUnavailable as away:  # what was to be erased is: an encoder that fails must not hide it
        logger.warning("the changed texts have no vectors yet: %s", away)
        return False
    return True


def _agrees(settings: Settings, work: Work, *, filled: bool) -> bool | None:
    """Whether the indexes hold what the store holds; a missing vector is no disagreement until an indexing made it."""
    if generations.current(settings) is None:
        return None
    with closing(generations.open_current(settings, work.vectors)) as opened:
        found = generations.agreement(settings, work.store, opened)
    lacking = found.without_vector if filled else frozenset()
    return not (found.only_store or found.only_lexical or found.only_dense or lacking)


def _step(tell: OnProgress, done: int) -> None:
    tell(Progress(STAGE, done, len(STEPS)))
