"""What the pages of the archive share: their frame, with links from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ..components.markup import box, link, text
from ..i18n import N_
from ..i18n import gettext as _
from ..state import State
from ..theme import frame

PATH: Final = "/archive"
JOBS, IMPORT, LEDGER, UPDATES = (f"{PATH}/{name}" for name in ("travaux", "importer", "registre", "mises-a-jour"))
BACKUPS: Final = f"{PATH}/sauvegarde"
ERASE: Final = f"{PATH}/effacement"
EXPORT: Final = f"{PATH}/export"
CAPACITY: Final = f"{PATH}/capacite"
_PAGES: Final = (
    (PATH, N_("Overview")),
    (JOBS, N_("Tasks")),
    (IMPORT, N_("Import")),
    (LEDGER, N_("Ledger")),
    (UPDATES, N_("Updates")),
    (BACKUPS, N_("Backup")),
    (EXPORT, N_("Export")),
    (ERASE, N_("Erasure")),
    (CAPACITY, N_("Capacity")),
)


@contextmanager
def archive_frame(state: State, title: str, *, here: str) -> Iterator[None]:
    """The frame of one of these pages, up to its title."""
    with frame(state, title, here=PATH, wide=True), box("div", "archive"):
        with box("nav", "modes", aria_label=_("Pages of the archive")):
            for path, name in _PAGES:
                link(_(name), path, "mode", **({"aria_current": "page"} if path == here else {}))
        text(title, "h1")
        yield
