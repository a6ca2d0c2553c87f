"""The pages, registered by one call so that nothing of NiceGUI is built at import."""

from __future__ import annotations

from .. import snapshot_route, theme
from ..state import State
from . import (
    about,
    access,
    archive,
    archive_backup,
    archive_capacity,
    archive_erase,
    archive_export,
    archive_import,
    archive_jobs,
    archive_ledger,
    archive_updates,
    ask,
    browse,
    browse_day,
    browse_members,
    browse_topics,
    depot,
    login,
    measures,
    measures_compare,
    measures_questions,
    measures_run,
    measures_unanswered,
    models,
    not_found,
    quit,
    read_only,
    search,
    settings,
    topic,
    uploads,
    welcome,
)
from . import print as printing


def register(state: State) -> None:
    """Make every page known to the server."""
    theme.install()
    ask.register(state)
    search.register(state)
    browse.register(state)
    browse_topics.register(state)
    browse_members.register(state)
    browse_day.register(state)
    printing.register(state)
    topic.register(state)
    uploads.register(state)
    login.register(state)
    access.register(state)
    about.register(state)
    quit.register(state)
    not_found.register(state)
    if state.replica is None:
        _register_changing(state)
    else:
        read_only.register(state, state.replica)  # after those that it has below the same addresses


def _register_changing(state: State) -> None:
    """The pages that change something: the archive, its measures, the settings."""
    welcome.register(state)
    archive.register(state)
    archive_jobs.register(state)
    archive_export.register(state)
    archive_import.register(state)
    archive_ledger.register(state)
    archive_updates.register(state)
    archive_erase.register(state)
    archive_backup.register(state)
    archive_capacity.register(state)
    depot.register(state)
    measures.register(state)
    measures_compare.register(state)
    measures_questions.register(state)
    measures_unanswered.register(state)
    measures_run.register(state)  # after the others below its address
    settings.register(state)
    models.register(state)
    snapshot_route.register(state)
