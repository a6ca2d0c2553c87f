"""Snapshots as the application publishes them: after each job that changed what readers find, or by hand."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine import ArchivisteError, Cancelled, Progress, Settings, snapshot
from engine.snapshot import Card
from engine.store.archive import FILE as ARCHIVE
from engine.store.schema import ARCHIVE as ARCHIVE_SCHEMA
from engine.store.schema import VECTORS as VECTORS_SCHEMA
from engine.store.vectors import FILE as VECTORS

from . import versions
from .flows import Steps
from .job_states import Event, Kind, Note, Work
from .running import After
from .settings import AppSettings, listed

SCHEMAS: Final = {ARCHIVE: len(ARCHIVE_SCHEMA), VECTORS: len(VECTORS_SCHEMA)}
PURPOSE: Final = "snapshot"  # of the shared secret: the token that a replica sends
PUBLISHING: Final = frozenset({Kind.IMPORT, Kind.INDEX, Kind.UPDATE, Kind.SYNC, Kind.DEMO, Kind.ERASE})
_log = logging.getLogger(__name__)


def publish(
    app: AppSettings,
    engine: Settings,
    folder: Path,
    *,
    verify: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Card | None:
    """What is indexed now, as a snapshot in this folder. Returns and raises what `engine.snapshot.publish` does."""
    return snapshot.publish(
        engine, folder, application=versions.own(), primary=_address(app), verify=verify, on_progress=on_progress,
        check=check,
    )  # fmt: skip


def after(app: AppSettings) -> After:
    """What ends a job where snapshots are wanted: its work is done, whatever becomes of the snapshot."""

    def published(work: Work, steps: Steps, event: Event) -> Event:
        folder = app.snapshots
        done = event in (Event.COMPLETE, Event.FALL_SHORT)
        if folder is None or app.replica_of or not done or work.kind not in PUBLISHING:
            return event
        steps.begin("")
        # An older snapshot holds what was erased: its end is waited for, by whoever erases.
        waiting = replace(steps, patient=steps.patient or work.kind is Kind.ERASE)
        try:
            waiting.when_free(lambda: publish(app, steps.engine, folder, on_progress=steps.progress, check=steps.check))
        except Cancelled:
            raise
        except ArchivisteError as error:
            _log.warning("no snapshot was published: %s", error)
            steps.notes.extend((Note("not_published"), Note(error.code, error.details)))
            return Event.FALL_SHORT
        return event

    return published


def _address(app: AppSettings) -> str:
    """Where moderators find this server, as far as the settings say."""
    names = listed(app.hosts)
    if not names:
        return ""
    return f"https://{names[0]}" if app.certificate or app.trusted_proxies else f"http://{names[0]}:{app.port}"
