"""What the application puts right by itself before it opens: databases that can be made again, and are damaged.

Nothing is deleted: a damaged file stays beside the new one, under another name. archive.db is never touched.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, StoreDamaged
from engine.doctor import repairs
from engine.locks import WRITER_LOCK
from engine.store import integrity
from engine.store.vectors import FILE as VECTORS

from . import encoders, jobs, locks
from .access.keys import Keys
from .access.roles import Role
from .i18n import N_
from .i18n import gettext as _

QUEUE: Final = "queue.db"
READ_WHOLE_BYTES: Final = 64 << 20  # at most; reading a larger file would delay the start
TOLD: Final[Mapping[str, str]] = MappingProxyType({
    VECTORS: N_(
        "The file of the vectors was damaged; it is kept under the name {aside}. Your messages are intact. Bring the"
        " search up to date (archiviste index): the vectors are computed again, which may take hours."
    ),
    QUEUE: N_("The queue of tasks was damaged; it was made anew, and no task is lost. The old file is {aside}."),
    jobs.FILE: N_(
        "The file of tasks, questions asked and passphrases was damaged; it is kept under the name {aside}, and another"
        " one is begun. Your messages and indexes are intact. Choose the passphrases again if they are no longer asked"
        " for (archiviste access)."
    ),
})  # fmt: skip
_log = logging.getLogger(__name__)


def at_start(data: Path) -> tuple[str, ...]:
    """Put aside what is damaged and can be made again; the sentences that say so. Raises OSError where that fails.

    Call while this process is the application of the data folder. Whoever else has the files open keeps them.
    """
    damaged = [data / name for name in TOLD if _is_damaged(data / name)]
    used = locks.is_held(jobs.worker_lock(data)) or locks.is_held(data / WRITER_LOCK)
    if not damaged or used or encoders.count(data):
        return ()
    told = []
    for path in damaged:
        passphrases = integrity.rows(path, "passphrases", ("role", "hash")) if path.name == jobs.FILE else ()
        aside = repairs.set_aside(path)
        _log.warning("%s is damaged: kept as %s", path.name, aside.name)
        told.append(_(TOLD[path.name]).format(aside=aside.name))
        if passphrases:
            _keep(data, {str(name): str(kept) for name, kept in passphrases})
    return tuple(told)


def _is_damaged(path: Path) -> bool:
    try:
        return path.exists() and integrity.fault(path, quick=path.stat().st_size > READ_WHOLE_BYTES) is not None
    except StoreDamaged:
        return True
    except ArchivisteError:  # it can't be read now: nothing is known
        return False


def _keep(data: Path, passphrases: Mapping[str, str]) -> None:
    """The passphrases that could still be read hold on."""
    with closing(Keys(data)) as keys:
        for name, kept in passphrases.items():
            with suppress(KeyError):
                keys.set_passphrase(Role[name.upper()], kept)
