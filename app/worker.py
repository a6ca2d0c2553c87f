"""The worker: the process that runs the jobs of one data folder, one after the other, with huey's consumer.

It starts from a module that imports neither the screen nor a model, and ends with the application that started it.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import closing
from typing import Any, Final

from engine import ArchivisteError, Cancelled

from . import locks, reaching, received, running, snapshots
from .calls import caller
from .errors import JobUnknown, WorkerRunning
from .flows import Heard
from .i18n import gettext as _
from .job_states import Event
from .jobs import Jobs, worker_lock
from .output import say
from .settings import Choices
from .tasks import Queue

GRACE_S: Final = 5.0  # for the job under way to reach its next check; longer means a call of a model
PREDECESSOR_S: Final = 2 * GRACE_S  # the worker of an application that was just closed may still be ending
LONGEST_WAIT_S: Final = 1.0  # between two looks at an empty queue
_log = logging.getLogger(__name__)


def run(choices: Choices, *, with_parent: bool = False) -> int:
    """Run jobs until a signal comes, or until standard input ends (`with_parent`); the exit status.

    Raises WorkerRunning when another worker serves this data folder, QueueUnavailable.
    """
    data = choices.engine.data
    wait_s = PREDECESSOR_S if with_parent else 0.0
    with closing(Jobs(data)) as jobs, locks.hold(worker_lock(data), wait_s=wait_s) as mine:
        if not mine:
            raise WorkerRunning(data=str(data))
        return _serve(jobs, choices, with_parent=with_parent)


def _serve(jobs: Jobs, choices: Choices, *, with_parent: bool) -> int:
    under_way: list[int] = []

    def work(job_id: int) -> None:
        under_way.append(job_id)
        try:
            job = running.run(
                jobs, job_id, choices.engine, heard=Heard(progress=caller(jobs, choices.app)),
                stopping=consumer.stop_flag.is_set, patient=True, shared=bool(choices.app.queue_url),
                after=snapshots.after(choices.app),
            )  # fmt: skip
            if job is not None:
                received.forget_read(jobs.data, job)
        except Cancelled:
            _log.info("job %s was stopped", job_id)
        except JobUnknown:
            _log.warning("job %s is not of this archive", job_id)
        except ArchivisteError as error:
            _log.warning("job %s: %s", job_id, error)
        except Exception:  # noqa: BLE001 - the boundary of a job: it has failed, the worker goes on
            _log.exception("job %s", job_id)
        finally:
            under_way.clear()

    with closing(Queue(jobs, choices.app, work)) as queue:
        if with_parent:
            threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
        reaching.when_reached(lambda: queue.look_after(jobs), away=lambda: say(_(reaching.AWAY)))
        queue.update_when_due(jobs, choices.app)
        consumer = orderly(queue.huey, max_delay=reaching.LONGEST_S if choices.app.queue_url else LONGEST_WAIT_S)
        consumer.run()
        if any(thread.is_alive() for _, thread in consumer.worker_threads):
            _leave(jobs, under_way)
    return 0


def orderly(huey: Any, *, max_delay: float, periodic: bool = True) -> Any:
    """A consumer of one thread, which every signal ends in an orderly way; huey would start itself again at SIGHUP."""
    reaching.log_sparingly()
    consumer = huey.create_consumer(
        workers=1, worker_type="thread", periodic=periodic, max_delay=max_delay, flush_locks=True,
        shutdown_timeout=GRACE_S,
    )  # fmt: skip
    consumer._signal_actions = dict.fromkeys(consumer._signal_actions, (False, True))
    return consumer


def _end_with_parent() -> None:
    """The parent holds the other end of standard input; the system closes it when the parent dies."""
    # Not through sys.stdin: the interpreter could not end while a thread waits in it.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    signal.raise_signal(signal.SIGTERM)


def _leave(jobs: Jobs, under_way: list[int]) -> None:
    """End this process inside a call of a model; its job goes on another time from what is kept."""
    for job_id in under_way:
        jobs.happen(job_id, Event.INTERRUPT)
    logging.shutdown()
    os._exit(0)
