"""An encoder: a process that computes vectors along with the worker, whenever an indexing has texts to encode.

It runs no jobs and publishes nothing. Calls come over Redis; without one it looks by itself, so that it works while
Redis is away. What it claims it gives back at its end.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import ExitStack, closing
from typing import Final

from engine import ArchivisteError, Cancelled, Models, ModelUnavailable, encode_along, encoding_for, load_models

from . import encoders, logs, reaching
from .calls import Calls
from .errors import QueueUnavailable
from .i18n import gettext as _
from .job_states import Kind, State
from .jobs import Jobs
from .output import DONE, say
from .settings import Choices
from .worker import GRACE_S, orderly

LOOK_S: Final = 10.0  # between two looks at whether something is to be encoded
CHECK_S: Final = 0.5  # between two looks at what is asked of the job
_INDEXING: Final = frozenset({Kind.INDEX, Kind.UPDATE, Kind.DEMO})
_log = logging.getLogger(__name__)


def run(choices: Choices) -> int:
    """Encode whenever it is wanted, until a signal comes; the exit status.

    Raises QueueUnavailable without "queue_url", ModelUnavailable without a model.
    """
    if not choices.app.queue_url:
        raise QueueUnavailable(reason="alone")
    if load_models(choices.engine).embed is None:
        raise ModelUnavailable(role="embed", path="", reason="no_encoder")
    called, stopping = threading.Event(), threading.Event()
    data = choices.engine.data
    with ExitStack() as stack:
        jobs = stack.enter_context(closing(Jobs(data)))
        number = stack.enter_context(encoders.present(data))
        queue = stack.enter_context(closing(Calls(jobs, choices.app, called.set)))
        # Two processes must not rotate one file.
        logs.start(data, choices.app.log_level, name=f"encoder-{number}.log")
        consumer = orderly(queue.huey, periodic=False, max_delay=reaching.LONGEST_S)
        encoding = threading.Thread(target=_encode, args=(choices, called, stopping), name="encoder", daemon=True)
        encoding.start()
        said = _("Encodes along with the worker of {data}, whenever there is something to encode. To end: Ctrl-C.")
        say(said.format(data=data))
        consumer.run()
        stopping.set()
        called.set()
        encoding.join(GRACE_S)
        if encoding.is_alive():  # inside a call of a model; its claims end with this process
            logging.shutdown()
            os._exit(0)
    return DONE


def _encode(choices: Choices, called: threading.Event, stopping: threading.Event) -> None:
    with closing(Jobs(choices.engine.data)) as jobs:
        turn = _Turn(choices, jobs, stopping)
        while not stopping.is_set():
            try:
                turn.take()
            except Cancelled:
                _log.info("what was claimed is given back")
            except ArchivisteError as error:
                _log.warning("nothing can be encoded now: %s", error)
            except Exception:  # noqa: BLE001 - the boundary of the thread: it looks again later
                _log.exception("encoding")
            called.wait(LOOK_S)
            called.clear()


class _Turn:
    """What an encoder does each time it looks; it holds a model only while one is needed."""

    def __init__(self, choices: Choices, jobs: Jobs, stopping: threading.Event) -> None:
        self._choices, self._jobs, self._stopping = choices, jobs, stopping
        self._models: Models | None = None
        self._told: str | None = None  # the model that was asked for and is not ours
        self._looked = 0.0

    def take(self) -> None:
        """Encode what nobody else does, if an indexing is under way. Raises Cancelled when it may not go on."""
        engine = self._choices.engine
        wanted, _count = encoding_for(engine)
        if wanted is None or not self._is_wanted():
            self._models = None
            return
        self._models = self._models or load_models(engine)
        if self._models.embed_name != wanted:
            self._tell(wanted)
            return
        encoded = encode_along(engine, self._models, check=self._check)
        _log.info("%s texts encoded", encoded)

    def _is_wanted(self) -> bool:
        """Whether a job that indexes is under way and nobody asked it to wait or to end."""
        return any(
            job.work.kind in _INDEXING and job.state is State.RUNNING and job.wish is None
            for job in self._jobs.recent(0)
        )

    def _check(self) -> None:
        if self._stopping.is_set():
            raise Cancelled()
        if time.monotonic() - self._looked > CHECK_S:
            if not self._is_wanted():
                raise Cancelled()
            self._looked = time.monotonic()

    def _tell(self, wanted: str) -> None:
        self._models = None
        if self._told != wanted:
            self._told = wanted
            _log.warning("the indexing wants vectors of %s, which is not our model", wanted)
            say(_("The indexing uses another model than this process, which waits: give both the same settings."))
