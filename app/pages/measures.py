"""The measures, for moderators: /mesures lists the evaluations that were made and starts another one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine import ArchivisteError
from engine.evaluate import configs, contexts, questions, tables

from .. import i18n, job_desk, question_set, runs
from ..components.figures import bars
from ..components.job_follow import JobFollow
from ..components.later import later
from ..components.markup import box, button, link, text
from ..evaluating import ANSWERS
from ..i18n import gettext as _
from ..i18n import ngettext
from ..job_states import Job, Kind, Work
from ..messages import message
from ..offered import SOURCE_CHARS
from ..resources import resource
from ..run_values import Brief, Unreadable
from ..state import State
from .measures_frame import COMPARE, PATH, QUESTIONS, answerer_name, file_name, measures_frame, moment, run_address

log = logging.getLogger(__name__)
OWN, DEMO, OTHER = "own", "demo", "other"
SEARCH, EXTRACTS, USUAL = "search", "extractive", "auto"  # what is measured; the last two are who answers


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH)
    def measures_page(tache: str = "") -> None:
        with measures_frame(state, _("Measures"), here=PATH):
            said = _(
                "An evaluation asks the archive questions whose answer is known, and counts how often the right message"
                " comes, and how early."
            )
            text(said, "p", "lead")
            if tache.isascii() and tache.isdigit() and len(tache) < 10:
                _follow(state, int(tache))
            with box("section", "launch"):
                text(_("A new evaluation"), "h2")
                later(lambda: _choices(state), lambda found: _Launch(state, found))
            with box("section"):
                text(_("Evaluations made"), "h2")
                later(lambda: runs.briefs(state.engine.data), _list)


def _follow(state: State, number: int) -> None:
    """The task that was just started, then a link to what it measured."""
    with box("section"):
        text(_("The evaluation started"), "h2")
        place: list[ui.element] = []

        async def ended(job: Job) -> None:
            for note in job.notes:
                if note.code == "evaluated" and not place[0].is_deleted:
                    with place[0]:
                        link(_("See what was measured"), run_address(str(note.values.get("run", ""))), "button")

        JobFollow(state, number, ended=ended, seen=lambda job: None)
        place.append(box("p", "buttons"))


def _list(found: tuple[Brief | Unreadable, ...]) -> None:
    if not found:
        text(_("None yet. The first one takes a question set: yours, or that of the demo forum."), "p", "note")
        return
    if sum(isinstance(each, Brief) for each in found) > 1:
        link(_("Compare two of them"), COMPARE, "button quiet small")
    with box("ul", "runs"):
        for each in found:
            with box("li", "run"):
                if isinstance(each, Unreadable):
                    text(f"{each.name}.json", "h3", "run-name")
                    text(_("This file is no evaluation, or is damaged: it can’t be read."), "p", "note")
                else:
                    _run(each)


def _run(brief: Brief) -> None:
    found = brief.conditions
    with box("div", "run-head"):
        with box("h3", "run-name"):
            link(moment(found.at), run_address(found.name))
        text(_("Evaluation of the answers") if brief.answers else _("Evaluation of the search"), "span", "state")
        asked = ngettext("{n} question", "{n} questions", found.questions).format(n=i18n.number(found.questions))
        text(f"{file_name(found)} · {asked}", "span", "note")
    rows = []
    for name, first, second in brief.figures:
        name = answerer_name(name) if brief.answers else name
        rows.append((name, _("as expected") if brief.answers else "Hit@5", first))
        if second is not None:
            rows.append((name, "MRR", second))
    bars(rows)


# --- a new one --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Choices:
    own: int  # questions of the archive's own set
    broken: str  # why it can't be read, "" when it can
    configs: tuple[str, ...]


def _choices(state: State) -> _Choices:
    """What can be measured here now."""
    own, broken = 0, ""
    try:
        own = len(question_set.load(state.engine.data))
    except ArchivisteError as error:
        broken = message(error)
    models = state.models
    usable = configs.named(
        (configs.ALL,), reranker=models.rerank is not None, contexts=contexts.ready(state.engine, models)
    )  # fmt: skip
    return _Choices(own, broken, tuple(config.name for config in usable))


@dataclass(slots=True)
class _Chosen:
    file: str
    path: str = ""
    what: str = SEARCH
    configs: list[str] = field(default_factory=lambda: list(configs.DEFAULT))


class _Launch:
    """The form of a new evaluation."""

    def __init__(self, state: State, found: _Choices) -> None:
        self._state, self._found = state, found
        self._chosen = _Chosen(OWN if found.own else DEMO)
        if found.broken:
            text(found.broken, "p", "notice", role="alert")
        with box("div", "launch-form"):
            self._files()
            self._what()
            self._configs()
        said = _(
            "While Archiviste is open, meaning is compared message by message here: the durations are those of that"
            " slower way."
        )
        text(said, "p", "note")
        with box("div", "buttons"):
            button(_("Start an evaluation"), self._start)
            link(_("Change the question set"), QUESTIONS, "button quiet")
        self._said = text("", "p", "notice", role="alert")
        self._said.set_visibility(False)

    def _files(self) -> None:
        own = ngettext("the set of this archive ({n} question)", "the set of this archive ({n} questions)",
                       self._found.own).format(n=i18n.number(self._found.own))  # fmt: skip
        named = [(OWN, own)] if self._found.own else []
        named += [(DEMO, _("the questions of the demo forum"))]
        if self._state.sits_here():  # nobody else names files of this machine
            named += [(OTHER, _("another file"))]
        with box("label", "question-field"):
            text(_("Questions"))
            _select(named, self._chosen.file, self._choose_file)
        self._path = box("label", "question-field")
        with self._path:
            text(_("Path of the question file (.yml, .jsonl, or a BEIR folder)"))
            path = box("input", "field", maxlength=SOURCE_CHARS, autocomplete="off", spellcheck="false")
            path.on("change", self._type_path, js_handler="(event) => emit(event.target.value)")
        self._path.set_visibility(False)

    def _what(self) -> None:
        named = [
            (SEARCH, _("the search")),
            (EXTRACTS, _("the answers, by extracts")),
            (USUAL, _("the answers, as readers get them")),
        ]
        with box("label", "question-field"):
            text(_("What is measured"))
            _select(named, self._chosen.what, self._choose_what)

    def _configs(self) -> None:
        told = tables.meanings(_)
        self._boxes = box("fieldset", "launch-configs")
        with self._boxes:
            text(_("Configurations"), "legend")
            for name in self._found.configs:
                with box("label", "check"):
                    tick = box("input", "", type="checkbox", value=name)
                    tick.props["checked"] = name in self._chosen.configs
                    tick.on("change", lambda event, name=name: self._tick(name, event),
                            js_handler="(event) => emit(event.target.checked)")  # fmt: skip
                    text(name, "code")
                    text(told.get(name, ""), "span", "note")

    def _choose_file(self, event: GenericEventArguments) -> None:
        self._chosen.file = str(event.args)
        self._path.set_visibility(self._chosen.file == OTHER)

    def _type_path(self, event: GenericEventArguments) -> None:
        self._chosen.path = str(event.args)[:SOURCE_CHARS].strip().strip('"')

    def _choose_what(self, event: GenericEventArguments) -> None:
        self._chosen.what = str(event.args)
        self._boxes.set_visibility(self._chosen.what == SEARCH)

    def _tick(self, name: str, event: GenericEventArguments) -> None:
        others = [each for each in self._chosen.configs if each != name]
        self._chosen.configs = [*others, name] if event.args is True else others

    async def _start(self) -> None:
        if not self._state.may("moderate"):
            return
        if self._chosen.file == OTHER and not self._state.sits_here():
            return
        found = await run.io_bound(_started, self._state, self._chosen, self._found.configs)
        if found is None or self._said.is_deleted:
            return
        if isinstance(found, Job):
            ui.navigate.to(f"{PATH}?tache={found.id}")
        else:
            self._said.text = found
            self._said.set_visibility(True)


def _select(named: list[tuple[str, str]], chosen: str, on_change: Callable[[GenericEventArguments], None]) -> None:
    with box("select", "field") as select:
        for value, said in named:
            option = text(said, "option", value=value)
            option.props["selected"] = value == chosen
    select.on("change", on_change, js_handler="(event) => emit(event.target.value)")


def _started(state: State, chosen: _Chosen, usable: tuple[str, ...]) -> Job | str:
    """The job, or the sentence that says why there is none; a question file that can't be read is told at once."""
    try:
        if chosen.file == OTHER and not chosen.path:
            return _("Name the question file first.")
        path = _file(state, chosen)
        questions.read(path)
        if chosen.what in (EXTRACTS, USUAL):
            measured: tuple[str, ...] = (ANSWERS, chosen.what)
        else:
            measured = tuple(name for name in usable if name in chosen.configs)
            if not measured:
                return _("Choose at least one configuration.")
        return job_desk.start(state, Work(Kind.EVALUATE, (str(path),), measured=measured))
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("an evaluation could not be started")
        return message(ArchivisteError())


def _file(state: State, chosen: _Chosen) -> Path:
    match chosen.file:
        case "own":
            return question_set.path(state.engine.data).absolute()
        case "other":
            return Path(chosen.path).expanduser().absolute()
    return resource("assets", "demo", "questions.yml").absolute()
