"""What the user reads of the doctor's findings: what was found, what is kept, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from engine.doctor.findings import Figure, Finding, Level, Repair

from . import i18n
from .i18n import N_
from .i18n import gettext as _

MARKS: Final[Mapping[Level, str]] = MappingProxyType({Level.OK: "✓", Level.WARNING: "!", Level.ERROR: "✗"})

CHECKS: Final[Mapping[str, str]] = MappingProxyType({
    "archive": N_("Messages"),
    "vectors": N_("Computed vectors"),
    "sync": N_("State of the updates from the forum"),
    "tasks": N_("List of tasks"),
    "queue": N_("Queue of tasks"),
    "index": N_("Index in use"),
    "words": N_("Keyword index"),
    "meaning": N_("Index by meaning"),
    "leftovers": N_("Leftovers"),
    "disk": N_("Disk"),
    "drive": N_("Place of the data folder"),
    "folder": N_("Data folder"),
    "secret": N_("Secret of the sessions"),
    "models": N_("Models"),
    "jobs": N_("Tasks"),
    "locks": N_("Locks of tasks"),
})  # fmt: skip

_DATABASE: Final = {
    "absent": N_("not there yet"),
    "sound": N_("sound ({bytes})"),
    "damaged": N_("damaged: {path}."),
    "unreadable": N_("can’t be read: {path}."),
}
_SHARED: Final = {(check, state): said for check in ("vectors", "sync", "tasks", "queue")
                  for state, said in _DATABASE.items()}  # fmt: skip

FOUND: Final[Mapping[tuple[str, str], str]] = MappingProxyType({
    **_SHARED,
    ("archive", "absent"): N_("no archive here yet: {path}."),
    ("archive", "sound"): N_("{posts} messages in {topics} topics, sound"),
    ("archive", "damaged"): N_("the file that holds the messages is damaged: {path}."),
    ("archive", "unreadable"): N_("the file that holds the messages can’t be read: {path}."),
    ("archive", "newer"): N_("written by a newer version of Archiviste; it is intact."),
    ("index", "empty"): N_("none, as there is no message yet"),
    ("index", "missing"): N_("none yet: the archive can’t be searched."),
    ("index", "fits"): N_("made by this version with these settings"),
    ("index", "dangling"): N_("its folder is gone ({generation}): the archive can’t be searched."),
    ("index", "unreadable"): N_("its description can’t be read ({generation}): the archive can’t be searched."),
    ("index", "other_settings"): N_("made with other settings or by another version of Archiviste."),
    ("index", "other_version"): N_("made by another version of a part of Archiviste."),
    ("words", "there"): N_("{posts} messages"),
    ("words", "agree"): N_("{posts} messages, the same as in the archive"),
    ("words", "damaged"): N_("damaged."),
    ("words", "gone"): N_("its folder is gone."),
    ("words", "lost_there"): N_("gone from the search engine: {url}."),
    ("words", "away"): N_("on a search engine that does not answer: {url}."),
    ("words", "behind"): N_("older than the archive: {missing} messages to add, {extra} to take out."),
    ("words", "differ"): N_("not that of the archive: {missing} messages are missing, {extra} are too many."),
    ("meaning", "there"): N_("{posts} messages"),
    ("meaning", "agree"): N_("{posts} messages, searched in a trial, the same as in the archive"),
    ("meaning", "held"): N_("{posts} messages; open in the application, where it works"),
    ("meaning", "no_encoder"): N_("none: this computer can’t search by meaning"),
    ("meaning", "unread"): N_("there, but this computer can’t search by meaning."),
    ("meaning", "other_model"): N_("made with another model than this computer’s ({model})."),
    ("meaning", "missing"): N_("not built yet."),
    ("meaning", "other_version"): N_("made by another version of a part of Archiviste."),
    ("meaning", "gone"): N_("its folder is gone."),
    ("meaning", "lost_there"): N_("gone from the search engine: {url}."),
    ("meaning", "away"): N_("on a search engine that does not answer: {url}."),
    ("meaning", "damaged"): N_("damaged; it will not be opened again."),
    ("meaning", "count"): N_("holds {count} passages instead of {expected}."),
    ("meaning", "differ"): N_("not that of the archive: {missing} messages are missing, {extra} are too many."),
    ("meaning", "behind"): N_("holds {posts} of {wanted} messages."),
    ("leftovers", "none"): N_("none"),
    ("leftovers", "busy"): N_("not looked for while an indexing or an import is under way"),
    ("leftovers", "found"): N_("folders of interrupted or old indexes: {folders} ({bytes})."),
    ("disk", "enough"): N_("{free} free; an index built anew needs {needed}"),
    ("disk", "short"): N_("{free} free, when an index built anew needs {needed}."),
    ("disk", "full"): N_("almost full: {free} free."),
    ("drive", "local"): N_("on a disk of this computer"),
    ("drive", "network"): N_("on a drive of the network ({kind}): {path}."),
    ("drive", "synced"): N_("in a folder that {service} synchronises: {path}."),
    ("folder", "private"): N_("writable by you only, or by your group"),
    ("folder", "open"): N_("anybody on this computer may write there: {path}."),
    ("folder", "unwritable"): N_("you may not write there: {path}."),
    ("secret", "private"): N_("readable by its owner only"),
    ("secret", "open"): N_("readable by others on this computer: {path}."),
    ("models", "none"): N_("none added"),
    ("models", "there"): N_("their files are there ({count})"),
    ("models", "missing"): N_("the setting “{setting}” names what is not there: {path}."),
    ("models", "incomplete"): N_("a file of “{model}” is missing or cut: {path}."),
    ("models", "unusable"): N_("a model can’t be loaded: {path}."),
    ("jobs", "none"): N_("none is under way"),
    ("jobs", "running"): N_("under way: {count}"),
    ("jobs", "dead"): N_("stopped without a word: {count} (the first: task {job})."),
    ("jobs", "crashed"): N_("task {job} stopped {count} times in a row and waits."),
    ("locks", "none"): N_("none left behind"),
    ("locks", "stale"): N_("left behind by tasks that are over: {count}."),
})  # fmt: skip

_REBUILD: Final = N_("Your messages are intact. It is made again from them by archiviste index --wait.")
_FETCH_MODEL: Final = N_("Correct the setting, or fetch the model again: archiviste models.")
_WRONG_PLACE: Final = N_(
    "Databases get damaged there sooner or later. Close the application, move the folder to a disk of this computer and"
    " name it with --data."
)
ADVICE: Final[Mapping[tuple[str, str], str]] = MappingProxyType({
    ("archive", "absent"): N_("Import a backup: archiviste import."),
    ("archive", "unreadable"): N_("Check that the disk is connected and that you may read the file."),
    ("archive", "newer"): N_("Update the application to open it."),
    ("vectors", "damaged"): N_(
        "Your messages are intact. The vectors can be computed again, which may take hours; those that a backup brought"
        " come back with its next import."
    ),
    ("vectors", "unreadable"): N_("Check that the disk is connected and that you may read the file."),
    ("sync", "damaged"): N_(
        "Your messages and what was fetched are intact. Close the application and put this file aside: the next update"
        " from the forum makes it again."
    ),
    ("tasks", "damaged"): N_(
        "Your messages and the indexes are intact. Close the application and put this file aside: the list of tasks,"
        " the log of questions and the passphrases start again from nothing."
    ),
    ("queue", "damaged"): N_("Nothing is lost: tasks that wait are put in the queue again."),
    ("index", "missing"): N_("Start the indexing: archiviste index."),
    ("disk", "short"): N_("Make some room before the next complete indexing. Until then everything works."),
    ("disk", "full"): N_("Make some room. What was already saved is kept."),
    ("drive", "network"): _WRONG_PLACE,
    ("drive", "synced"): _WRONG_PLACE,
    ("folder", "open"): N_("Take this right away (chmod o-w)."),
    ("folder", "unwritable"): N_("Check its owner and its rights, or that the disk is not locked."),
    ("secret", "open"): N_("Leave it to its owner (chmod 600)."),
    ("meaning", "unread"): N_("Results come from exact words only."),
    ("meaning", "other_model"): N_(
        "Results come from exact words only. Name that model in your settings, or build the index again."
    ),
    ("models", "missing"): _FETCH_MODEL,
    ("models", "incomplete"): N_("Fetch it again: archiviste models pull."),
    ("models", "unusable"): _FETCH_MODEL,
    ("jobs", "dead"): N_("They go on when the application is open; nothing is lost."),
    ("jobs", "crashed"): N_("Resume or cancel it: archiviste jobs."),
    ("locks", "stale"): N_("They harm nothing."),
})  # fmt: skip

REPAIRED: Final[Mapping[Repair, str]] = MappingProxyType({
    Repair.SET_ASIDE: N_("{path} was put aside under the name {aside}."),
    Repair.SWEEP: N_("Leftovers were removed: {count}."),
    Repair.PROTECT: N_("The rights of the data folder were put right."),
    Repair.RECOVER: N_("Tasks that had stopped without a word will go on: {count}."),
    Repair.REBUILD: N_("The indexes were made again from the messages."),
})  # fmt: skip
_BYTES: Final = frozenset({"bytes", "free", "needed"})


def line(finding: Finding) -> str:
    """« ✓ Index des mots : 18 413 messages, les mêmes que dans l’archive »."""
    return _("{mark} {check}: {found}").format(
        mark=MARKS[finding.level], check=_(CHECKS.get(finding.check, finding.check)), found=found(finding)
    )


def found(finding: Finding) -> str:
    """What was found, in words."""
    said = FOUND.get((finding.check, finding.state))
    return _("not as it should be.") if said is None else _(said).format_map(_figures(finding.figures))


def advice(finding: Finding) -> Iterator[str]:
    """What to do about it; nothing where all is well."""
    if finding.level is Level.OK:
        return
    if (finding.check, finding.state) == ("archive", "damaged"):
        yield from _lost_archive(finding.figures)
        return
    said = ADVICE.get((finding.check, finding.state))
    if said is None and finding.repair is Repair.REBUILD:
        said = _REBUILD
    if said is not None:
        yield _(said).format_map(_figures(finding.figures))


def notice(finding: Finding) -> str:
    """The same for a page: what was found and what to do, in one paragraph."""
    said = _("{check}: {found}").format(check=_(CHECKS.get(finding.check, finding.check)), found=found(finding))
    return " ".join((said, *advice(finding)))


def _lost_archive(figures: Mapping[str, Figure]) -> Iterator[str]:
    yield _("Nothing was deleted or changed. Close the application and put this file aside; don’t delete it.")
    yield _("If you have a copy of the data folder, restore it. Otherwise import again:")
    for source in str(figures.get("sources", "")).splitlines():
        yield _("- {source}, from which it was made").format(source=source)
    if figures.get("fetched"):
        yield _("- {raw}, which holds {fetched} topics fetched from the forum").format_map(_figures(figures))
    yield _("- or any backup of the forum. The vectors are kept and will serve again.")


def _figures(figures: Mapping[str, Figure]) -> dict[str, str]:
    return {
        name: str(value) if isinstance(value, str) or name == "job"
        else i18n.size(value) if name in _BYTES else i18n.number(value)
        for name, value in figures.items()
    }  # fmt: skip
