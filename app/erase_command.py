"""The command `erase`: says what would go, and erases it once it is confirmed."""

from __future__ import annotations

import argparse
import re
import sys
import time
from argparse import ArgumentParser, Namespace
from contextlib import closing
from dataclasses import asdict
from typing import Final

from engine import Progress, StoreError
from engine.erase import certificate as certificates
from engine.erase import files
from engine.erase.certificate import Certificate
from engine.erase.plan import Plan
from engine.erase.request import Request

from . import erase_words, erasing, foreground, locks, snapshots
from .i18n import gettext as _
from .job_states import UNFINISHED, Job, Kind, Work
from .jobs import Jobs, worker_lock
from .output import DONE, FAILED, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices

LOOK_S: Final = 0.3
_ID: Final = re.compile(r"[0-9]{1,12}")


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of the command."""
    parser.add_argument(
        "--user", action="append", default=[], type=_clean, metavar=_("NAME"),
        help=_("a member’s name, wherever it stands (- reads names from standard input, one a line)"),
    )  # fmt: skip
    parser.add_argument("--post", nargs="+", action="extend", default=[], type=_post, metavar="ID",
                        help=_("whole messages, by their number"))  # fmt: skip
    parser.add_argument(
        "--pattern", action="append", default=[], type=_clean, metavar=_("TEXT"),
        help=_("a text, or a regular expression between slashes"),
    )  # fmt: skip
    parser.add_argument("--with-posts", action="store_true", help=_("the messages of these members go as well"))
    parser.add_argument(
        "--named-only", action="store_true",
        help=_("leave the name alone in sentences: only authors, quotes, mentions and links"),
    )  # fmt: skip
    parser.add_argument(
        "--delete-backups", action="store_true", help=_("delete the backups that lie in the data folder")
    )
    parser.add_argument("--yes", action="store_true", help=_("erase without asking; there is no way back"))


def run(given: Namespace, choices: Choices) -> int:
    """End what was interrupted, then look, ask and erase."""
    done = [_do(Work(Kind.ERASE, (token,)), choices) for token in erasing.interrupted(choices.engine.data)]
    for certificate in done if not given.json else ():
        say(_("An erasure that was interrupted has been ended."))
        print_lines(*_certified(certificate, choices))
    users = [name for said in given.user for name in (sys.stdin.read().splitlines() if said == "-" else [said])]
    asked = Request(
        users=tuple(name for name in users if name.strip()), posts=tuple(given.post), patterns=tuple(given.pattern),
        with_posts=given.with_posts, attributed=given.named_only, backups=given.delete_backups, words=erasing.words(),
    )  # fmt: skip
    if not asked and done:
        if given.json:
            print_json({"erased": True, "certificates": [_document(one) for one in done]})
        return DONE if all(one.clean for one in done) else FAILED
    with ProgressLine() as progress:
        found = erasing.look(choices.engine, asked, on_progress=progress)
    if not given.json:
        print_lines(*_lines(found))
    if not given.yes and not (sys.stdin.isatty() and not given.json and _sure()):
        if given.json:
            print_json({"erased": False, "counts": found.counts})
        else:
            print_lines("", _("Nothing was erased. To erase it: the same command with --yes."))
        return DONE
    certificate = _do(erasing.confirmed(choices.engine, found), choices)
    if given.json:
        print_json({"erased": True, "counts": found.counts, "certificate": _document(certificate)})
    else:
        print_lines("", *_certified(certificate, choices))
    return DONE if certificate.clean else FAILED


def _do(work: Work, choices: Choices) -> Certificate:
    """By the application's worker when there is one, else here; the certificate."""
    data, (token,) = choices.engine.data, work.sources
    if locks.is_held(worker_lock(data)):
        _wait(work, choices)
    else:
        with foreground.Screen() as screen:
            foreground.run(choices.engine, work, heard=screen.heard, after=snapshots.after(choices.app))
    found = next((one for one in certificates.saved(data) if one.token == token), None)
    if found is None:
        raise StoreError(path=str(data / files.CERTIFICATES), reason="no certificate")
    return found


def _wait(work: Work, choices: Choices) -> Job:
    with closing(Jobs(choices.engine.data)) as jobs, ProgressLine() as progress:
        from . import tasks  # with the library of the queue: `--help` and `status` do without

        job = tasks.start(jobs, choices.app, work)
        while job.state in UNFINISHED:
            time.sleep(LOOK_S)
            job = jobs.get(job.id)
            if job.stage:
                progress(_progress(job))
        return job


def _progress(job: Job) -> Progress:
    return Progress(job.stage, job.done, job.total, rate=job.rate, left_s=job.left_s)


def _lines(found: Plan) -> list[str]:
    told = [f"{place:<52} {count:>12}" for place, count in erase_words.count_lines(found.counts)]
    if not told:
        told = [_("Nothing in the archive speaks of it. A later import will be watched all the same.")]
    warned = list(erase_words.warnings(found.counts))
    return [_("This would be erased:"), *(f"  {line}" for line in told), *([""] if warned else []), *warned]


def _sure() -> bool:
    word = _("erase")
    print_lines("", _("There is no way back. Type “{word}” to go on:").format(word=word))
    return sys.stdin.readline().strip().casefold() == word.casefold()


def _certified(certificate: Certificate, choices: Choices) -> list[str]:
    path = certificates.text_of(choices.engine.data, certificate.token)
    said = [_("Erased."), *erase_words.check_lines(certificate)]
    return [*said, _("Certificate: {path}").format(path=path)] if path else said


def _document(certificate: Certificate) -> dict[str, object]:
    return {**asdict(certificate), "clean": certificate.clean}


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _post(text: str) -> int:
    if _ID.fullmatch(text):
        return int(text)
    raise argparse.ArgumentTypeError(_("expected a whole number between {low} and {high}").format(low=1, high=10**12))
