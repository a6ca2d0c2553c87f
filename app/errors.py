"""The errors of the work behind the screen, told like those of the engine (`engine/errors.py`).

ArchivisteError
 ├─ JobUnderWay          job, kind, reason      the same work waits, runs or is paused
 ├─ JobUnknown           job                    no job has this number
 ├─ JobEnded             job                    it can't be paused, resumed or cancelled any more
 ├─ WorkerRunning        data                   another worker serves this data folder
 ├─ QueueUnavailable     reason                 a job can't be handed to the worker
 ├─ AccessNotReady       missing                the server would open to others without both passphrases
 ├─ PassphraseRefused    reason, count          this can't be a passphrase
 ├─ AccessFileRefused    reason                 what the primary tells of access can't be taken
 ├─ AccessElsewhere                             access is seen to on the primary
 └─ CertificateUnusable  reason, path           HTTPS can't be served with these files
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from engine import ArchivisteError, DiskFull, StoreError

_REFUSED: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
OF_THE_DISK: Final = (errno.ENOSPC, *_REFUSED)


class JobUnderWay(ArchivisteError):
    """The same work is in hand already (`reason`: the state of its job); the user waits for it."""

    code = "job_under_way"


class JobUnknown(ArchivisteError):
    """No job has this number; the user looks at the list."""

    code = "job_unknown"


class JobEnded(ArchivisteError):
    """The job is over; the user starts the work again instead."""

    code = "job_ended"


class WorkerRunning(ArchivisteError):
    """Another worker serves this data folder; one is enough."""

    code = "worker_running"


class QueueUnavailable(ArchivisteError):
    """The queue can't be reached (`reason`: "library" is missing, "address", or "refused"); nothing was started."""

    code = "queue_unavailable"


class AccessNotReady(ArchivisteError):
    """The server would open to others before both passphrases are chosen; the user chooses them first."""

    code = "access_not_ready"


class PassphraseRefused(ArchivisteError):
    """This can't be a passphrase (`reason`: short or long, with `count`; same as another; differs when typed again)."""

    code = "passphrase_refused"


class AccessFileRefused(ArchivisteError):
    """What a primary tells of access can't be taken (`reason`: secret, damaged, newer, older); what was held stays."""

    code = "access_file_refused"


class AccessElsewhere(ArchivisteError):
    """A replica can't change who may come in; the user does it on the primary."""

    code = "access_elsewhere"


class CertificateUnusable(ArchivisteError):
    """HTTPS can’t be served (`reason`: "pair" when one file is missing, else "unreadable"); nothing was started."""

    code = "certificate_unusable"


def unusable(path: Path, error: OSError) -> StoreError:
    """What the system refused on a file or folder of the data folder, as an error that has its sentence."""
    if error.errno == errno.ENOSPC:
        return DiskFull(path=str(path))
    return StoreError(path=str(path), reason="unwritable" if error.errno in _REFUSED else error.strerror or str(error))
