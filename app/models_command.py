"""The command `models`: lists the models that Archiviste knows and those of the data folder, fetches, checks, adds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from engine import ModelUnavailable, Settings
from engine.models import adding, catalogue, fetching, machine, shelf
from engine.models.catalogue import Entry

from . import i18n
from .documents import Document
from .i18n import N_
from .i18n import gettext as _
from .messages_models import MODEL_FLAWS
from .output import DONE, FAILED, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices

ROLES: Final[Mapping[str, str]] = {
    "llm": N_("To write answers"),
    "embed": N_("To search by meaning"),
    "rerank": N_("To read the best results again"),
}
GIB: Final = 1 << 30  # memory is counted so, disks and downloads in thousands
INDENT: Final = "  "


def run(given: Namespace, choices: Choices) -> int:
    """Do what is asked of the models."""
    settings = choices.engine
    if given.action == "pull":
        return _pull(given, settings)
    if given.action == "add":
        return _add(given, settings)
    if given.action == "check":
        return _check(given, settings)
    if given.json:
        print_json(_list_document(settings))
    else:
        print_lines(*_list_lines(settings))
    return DONE


def _pull(given: Namespace, settings: Settings) -> int:
    from engine.models import hub

    wanted = [catalogue.find(name) for name in given.names]  # all names first: a download takes hours
    done = []
    for entry in wanted:
        with ProgressLine() as progress:
            done.append(hub.pull(entry, settings.data, on_progress=progress))
        _arrived(done[-1], given)
    if given.json:
        print_json({"models": [_model_document(model, settings) for model in done]})
    return DONE


def _add(given: Namespace, settings: Settings) -> int:
    done = []
    for source in given.names:
        with ProgressLine() as progress:
            done.append(adding.add(Path(source), settings.data, leave=given.leave, on_progress=progress))
        _arrived(done[-1], given)
    if given.json:
        print_json({"models": [_model_document(model, settings) for model in done]})
    return DONE


def _arrived(model: shelf.Installed, given: Namespace) -> None:
    tell = say if given.json else print_lines
    tell(_("{name} is ready: {path}").format(name=model.name, path=model.path))
    if model.role == "embed":
        tell(_("To search with it, index the archive again: archiviste index --wait"))


def _check(given: Namespace, settings: Settings) -> int:
    found = shelf.installed(settings.data)
    known = {model.name: model for model in found}
    for name in given.names:
        if name not in known:
            raise ModelUnavailable(role="catalogue", path=name, reason="not_installed")
    checked = [known[name] for name in given.names] or list(found)
    flaws: dict[str, tuple[shelf.ModelFlaw, ...]] = {}
    for model in checked:
        with ProgressLine() as progress:
            meter = fetching.Meter("verify", model.size, progress, lambda: None)
            flaws[model.name] = shelf.flaws(model, meter.at)
    if given.json:
        print_json({"models": [_checked_document(model, flaws[model.name], settings) for model in checked]})
    else:
        print_lines(*_check_lines(checked, flaws))
    return FAILED if any(flaws.values()) else DONE


def _check_lines(checked: list[shelf.Installed], flaws: dict[str, tuple[shelf.ModelFlaw, ...]]) -> Iterator[str]:
    if not checked:
        yield _("No model is in the data folder.")
    for model in checked:
        if not flaws[model.name]:
            yield _("{name}: whole ({size})").format(name=model.name, size=i18n.size(model.size))
        for flaw in flaws[model.name]:
            yield _("{name}: {file}: {flaw}").format(name=model.name, file=flaw.path, flaw=_(MODEL_FLAWS[flaw.reason]))
    if any(flaws.values()):
        yield _("Fetch what is damaged again: archiviste models pull NAME")


def _list_lines(settings: Settings) -> Iterator[str]:
    mine = {model.name: model for model in shelf.installed(settings.data)}
    taken = used(settings)
    memory = machine.memory_bytes()
    for role, title in ROLES.items():
        yield _(title)
        for entry in (entry for entry in catalogue.entries() if entry.role == role):
            yield from _entry_lines(entry, mine.pop(entry.name, None), taken, memory)
        for model in [model for model in mine.values() if model.role == role]:
            yield from _own_lines(mine.pop(model.name), taken)
        yield ""
    yield _("This computer has {count} GB of memory.").format(count=i18n.number(memory / GIB))
    yield _("To download one: archiviste models pull NAME. From a USB stick: archiviste models add FILE.")


def _entry_lines(entry: Entry, model: shelf.Installed | None, taken: set[Path], memory: int) -> Iterator[str]:
    facts = [i18n.size(entry.size) if entry.size else "", entry.licence or ""]
    if entry.memory_gb:
        facts.append(_("computer with {count} GB").format(count=i18n.number(entry.memory_gb)))
        if entry.memory_gb * 0.9 * GIB > memory:  # a system shows less of its memory than its nominal size
            facts.append(_("too heavy for this one"))
    if model is not None:
        facts.append(_("in use") if model.path in taken else _("in the data folder"))
    yield f"{INDENT}{entry.name} — {entry.title}"
    yield INDENT * 2 + " · ".join(fact for fact in facts if fact)


def _own_lines(model: shelf.Installed, taken: set[Path]) -> Iterator[str]:
    state = _("in use") if model.path in taken else _("in the data folder")
    yield f"{INDENT}{model.name} — {model.path}"
    yield INDENT * 2 + " · ".join((i18n.size(model.size), state))


def used(settings: Settings) -> set[Path]:
    """Where the models stand that the application takes when it starts."""
    chosen = shelf.completed(settings)
    return {path for path in (chosen.llm_model, chosen.bge_model, chosen.reranker_model) if path is not None}


def _list_document(settings: Settings) -> Document:
    return {
        "memory": machine.memory_bytes(),
        "catalogue": [
            {
                "name": entry.name,
                "role": entry.role,
                "title": entry.title,
                "repo": entry.repo,
                "revision": entry.revision,
                "licence": entry.licence,
                "size": entry.size,
                "memory_gb": entry.memory_gb,
            }
            for entry in catalogue.entries()
        ],
        "models": [_model_document(model, settings) for model in shelf.installed(settings.data)],
    }


def _model_document(model: shelf.Installed, settings: Settings) -> Document:
    return {
        "name": model.name,
        "role": model.role,
        "path": str(model.path),
        "size": model.size,
        "repo": model.repo,
        "revision": model.revision,
        "licence": model.licence,
        "in_use": model.path in used(settings),
        "files": [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in model.files],
    }


def _checked_document(model: shelf.Installed, flaws: tuple[shelf.ModelFlaw, ...], settings: Settings) -> Document:
    found = [{"path": str(flaw.path), "reason": flaw.reason} for flaw in flaws]
    return {**_model_document(model, settings), "flaws": found}
