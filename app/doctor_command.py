"""The command `doctor`: says what is well and what is not with an archive, and mends what can be made again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from engine import Settings, StoreBusy
from engine.doctor import place, repairs
from engine.doctor.findings import Finding, Level, Repair

from . import doctor_checks, encoders, foreground, instance, jobs, locks, printed
from .doctor_words import REPAIRED, advice, found, line
from .documents import Document
from .i18n import gettext as _
from .i18n import ngettext
from .job_states import Kind, Work
from .messages import message
from .output import DONE, FAILED, print_json, print_lines, say
from .settings import Choices

INDENT: Final = "    "
# Databases first: an indexing writes to them.
ORDER: Final = (Repair.PROTECT, Repair.SET_ASIDE, Repair.RECOVER, Repair.SWEEP, Repair.REBUILD)


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of the command."""
    parser.add_argument("--quick", action="store_true", help=_("only what takes less than a second"))
    parser.add_argument(
        "--repair", action="store_true",
        help=_("make again from the messages what is broken, and remove leftovers; the messages are never touched"),
    )  # fmt: skip


def run(given: Namespace, choices: Choices) -> int:
    """Look, mend if asked to, look again; 1 when something remains broken."""
    settings = choices.engine
    findings = doctor_checks.examine(settings, quick=given.quick)
    done: list[str] = []
    if given.repair and any(f.repair is not None for f in findings):
        if not given.json:
            print_lines(*_lines(findings), "")
        done = _mend(settings, findings)
        findings = doctor_checks.examine(settings, quick=given.quick)
    if given.json:
        print_json(document(findings, done))
    else:
        print_lines(*done, *([""] if done else []), *lines(findings))
    return FAILED if any(f.level is Level.ERROR for f in findings) else DONE


def document(findings: Iterable[Finding], done: Iterable[str] = ()) -> Document:
    """`doctor --json`."""
    shown = [*findings]
    return {
        "healthy": all(f.level is not Level.ERROR for f in shown),
        "findings": [
            {
                "check": f.check, "state": f.state, "level": f.level.value, "figures": dict(f.figures),
                "repair": None if f.repair is None else f.repair.value, "message": found(f), "advice": [*advice(f)],
            }
            for f in shown
        ],
        "repaired": [*done],
    }  # fmt: skip


def lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    """Every finding, and what comes of them."""
    yield from _lines(findings)
    yield ""
    yield _conclusion(findings)


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        yield line(finding)
        for said in advice(finding):
            yield from printed.wrapped(said, indent=INDENT)


def _conclusion(findings: Iterable[Finding]) -> str:
    wrong = [f for f in findings if f.level is not Level.OK]
    if not wrong:
        return _("All is well.")
    broken = sum(f.level is Level.ERROR for f in wrong)
    if broken:
        said = ngettext("{n} thing is broken.", "{n} things are broken.", broken).format(n=broken)
    else:
        said = ngettext("Nothing is broken; {n} thing to know.", "Nothing is broken; {n} things to know.", len(wrong))
        said = said.format(n=len(wrong))
    if any(f.repair is not None for f in wrong):
        said += " " + _("What can be made again is, with: archiviste doctor --repair")
    return said


def _mend(settings: Settings, findings: tuple[Finding, ...]) -> list[str]:
    """Every repair that the findings call for; what was done. One that fails is told, and the others are tried."""
    done: list[str] = []
    for repair in ORDER:
        concerned = [f for f in findings if f.repair is repair]
        # A vectors.db that was put aside leaves an index to build.
        if repair is Repair.REBUILD and any(f.repair is Repair.SET_ASIDE and f.check == "vectors" for f in findings):
            concerned = concerned or [f for f in findings if f.check == "vectors"]
        if not concerned or (repair is Repair.REBUILD and not _has_messages(findings)):
            continue
        try:
            done += _REPAIRS[repair](settings, concerned)
        except StoreBusy as busy:
            say(message(busy))
        except OSError:
            say(_("The data folder can’t be used: {path}.").format(path=settings.data))
    return done


def _has_messages(findings: Iterable[Finding]) -> bool:
    return any(f.check == "archive" and f.state == "sound" for f in findings)


def _protect(settings: Settings, concerned: list[Finding]) -> list[str]:
    if any(f.check == "folder" for f in concerned):
        place.protect(settings.data)
    doctor_checks.protect(settings.data)
    return [_(REPAIRED[Repair.PROTECT])]


def _set_aside(settings: Settings, concerned: list[Finding]) -> list[str]:
    # Whoever has the file open would go on writing to it under its new name.
    used = instance.is_open(settings.data) or locks.is_held(jobs.worker_lock(settings.data))
    if used or encoders.count(settings.data):
        say(_("Close the application first: a damaged file can only be put aside when nobody uses it."))
        return []
    done = []
    for finding in concerned:
        path = Path(str(finding.figures["path"]))
        done.append(_(REPAIRED[Repair.SET_ASIDE]).format(path=path, aside=repairs.set_aside(path).name))
    return done


def _recover(settings: Settings, concerned: list[Finding]) -> list[str]:
    with closing(jobs.Jobs(settings.data)) as table:
        table.recover()
    return [_(REPAIRED[Repair.RECOVER]).format(count=concerned[0].figures["count"])]


def _sweep(settings: Settings, concerned: list[Finding]) -> list[str]:
    stale = doctor_checks.stale_locks(settings.data)
    for path in stale:
        locks.forget(path)
    folders = 0
    for finding in concerned:
        if finding.check == "leftovers":
            repairs.sweep(settings)
            folders = int(finding.figures["folders"])
    return [_(REPAIRED[Repair.SWEEP]).format(count=folders + len(stale))]


def _rebuild(settings: Settings, concerned: list[Finding]) -> list[str]:
    """What is broken is condemned, then the indexing is the one of `index --wait`, as a job of the table."""
    repairs.condemn(settings, concerned)
    with foreground.Screen() as screen:
        foreground.run(settings, Work(Kind.INDEX), heard=screen.heard)
    return [_(REPAIRED[Repair.REBUILD])]


_REPAIRS: Final[Mapping[Repair, Callable[[Settings, list[Finding]], list[str]]]] = {
    Repair.PROTECT: _protect,
    Repair.SET_ASIDE: _set_aside,
    Repair.RECOVER: _recover,
    Repair.SWEEP: _sweep,
    Repair.REBUILD: _rebuild,
}
