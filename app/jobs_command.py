"""The command `jobs`: lists the jobs of an archive, pauses, resumes and cancels them."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from pathlib import Path

from engine import encoding_for

from . import documents, job_words, reaching
from .i18n import gettext as _
from .job_states import Job
from .jobs import Jobs
from .output import DONE, print_json, print_lines, say
from .settings import Choices


def run(given: Namespace, choices: Choices) -> int:
    """Do what is asked of a job, or show them all."""
    data = choices.engine.data
    if given.action:
        shown: tuple[Job, ...] = (_steer(given.action, given.job, choices),)
    else:
        shown = read(data)
    if given.json:
        print_json({"jobs": [documents.job_document(job) for job in shown]})
    elif shown:
        print_lines(*(line for job in shown for line in job_words.job_lines(job)))
    else:
        print_lines(_("No task yet."))
    tell_company(choices)
    return DONE


def tell_company(choices: Choices) -> None:
    """Say that Redis does not answer, or that several processes encode, where "queue_url" is given."""
    if not choices.app.queue_url:
        return
    from . import tasks

    if not tasks.answers(choices.app.queue_url):
        say(_(reaching.AWAY))
    if (count := encoding_for(choices.engine)[1]) > 1:
        say(reaching.together(count))


def read(data: Path) -> tuple[Job, ...]:
    """The jobs of an archive as they are now: those whose process died are marked as interrupted first."""
    with closing(Jobs(data)) as jobs:
        jobs.recover()
        return jobs.recent()


def _steer(action: str, job_id: int, choices: Choices) -> Job:
    with closing(Jobs(choices.engine.data)) as jobs:
        if action == "cancel":
            return jobs.cancel(job_id)
        if action == "pause":
            return jobs.pause(job_id)
        from . import tasks

        return tasks.resume(jobs, choices.app, job_id)
