"""The questions of an evaluation one by one, those that the address asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeVar
from urllib.parse import urlencode

from engine.index.french import fold

from .. import i18n
from ..components.figures import DIGITS
from ..components.markup import box, link, text
from ..components.pager import pager
from ..i18n import N_, fixed, ngettext
from ..i18n import gettext as _
from ..run_values import AnswerRun, Asked, Case, Run
from ..search_place import Place
from .measures_frame import measure_name, run_address

Row = TypeVar("Row", Asked, Case)
PAGE: Final = 50
ANSWER_CHARS: Final = 600
OUTCOMES: Final[Mapping[str, str]] = MappingProxyType({
    "answer": N_("answered"), "abstention": N_("no answer"), "declined": N_("turned away"),
})  # fmt: skip
EXPECTED: Final[Mapping[str, str]] = MappingProxyType({
    "answer": N_("an answer expected"), "abstain": N_("no answer expected"), "decline": N_("a refusal expected"),
})  # fmt: skip
_FOUND: Final[Mapping[str, tuple[str, Callable[[Asked], bool]]]] = MappingProxyType({
    "": (N_("all"), lambda a: True),
    "premier": (N_("first"), lambda a: _rank(a) == 1),
    "cinq": (N_("among the first 5"), lambda a: (_rank(a) or 6) <= 5),
    "loin": (N_("further down"), lambda a: (_rank(a) or 0) > 5),
    "perdu": (N_("not found"), lambda a: _rank(a) is None),
})  # fmt: skip
_CAME: Final[Mapping[str, tuple[str, Callable[[Case], bool]]]] = MappingProxyType({
    "": (N_("all"), lambda c: True),
    "bien": (N_("as expected"), lambda c: c.as_expected),
    "mal": (N_("not as expected"), lambda c: not c.as_expected),
    "securite": (N_("safety"), lambda c: c.safety),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """What the address of a run asks for."""

    name: str
    config: str = ""
    state: str = ""
    words: str = ""
    page: int = 1

    @property
    def address(self) -> str:
        """What leads there; what is usual is left out."""
        parts = {"config": self.config, "etat": self.state, "q": self.words,
                 "page": str(self.page) if self.page > 1 else ""}  # fmt: skip
        said = urlencode({key: value for key, value in parts.items() if value})
        return run_address(self.name) + (f"?{said}" if said else "")


def show(run: Run, asked: Filter) -> None:
    """The questions of a run that the filter keeps, with what narrows them further."""
    with box("section", id="questions"):
        text(_("Question by question"), "h2")
        if isinstance(run, AnswerRun):
            asked = replace(asked, config="", state=asked.state if asked.state in _CAME else "")
            _narrow(asked, {key: said for key, (said, _keeps) in _CAME.items()})
            keeps = _CAME[asked.state][1]
            _paged([case for case in run.cases if keeps(case) and _says(case.text, asked)], asked, _case)
            return
        names = [config.name for config in run.configs]
        chosen = asked.config if asked.config in names else names[-1]
        asked = replace(asked, config=chosen, state=asked.state if asked.state in _FOUND else "")
        with box("nav", "modes", aria_label=_("Configuration")):
            for name in names:
                _choice(name, replace(asked, config=name, page=1), chosen=name == chosen)
        _narrow(asked, {key: said for key, (said, _keeps) in _FOUND.items()})
        config = next(each for each in run.configs if each.name == chosen)
        found = _FOUND[asked.state][1]
        _paged([each for each in config.questions if found(each) and _says(each.text, asked)], asked, _asked)


def search_link(words: str) -> None:
    """A question, linked to its search; an address of ours is words there too."""
    link(words, Place(words).address)


def _rank(asked: Asked) -> int | None:
    return asked.topic_rank


def _says(words: str, asked: Filter) -> bool:
    said = fold(words)
    return all(word in said for word in fold(asked.words).split())


def _narrow(asked: Filter, states: Mapping[str, str]) -> None:
    with box("nav", "modes", aria_label=_("What came of it")):
        for key, said in states.items():
            _choice(_(said), replace(asked, state=key, page=1), chosen=key == asked.state)
    with box("form", "search narrow-words", action=run_address(asked.name) + "#questions", method="get"):
        for name, value in (("config", asked.config), ("etat", asked.state)):
            if value:
                box("input", type="hidden", name=name, value=value)
        field = box("input", "field", name="q", maxlength=200, autocomplete="off",
                    placeholder=_("Words of the question"), aria_label=_("Words of the question"))  # fmt: skip
        field.props["defaultValue"] = asked.words
        text(_("Filter"), "button", "button quiet", type="submit")


def _choice(said: str, asked: Filter, *, chosen: bool) -> None:
    link(said, asked.address + "#questions", "mode", **({"aria_current": "true"} if chosen else {}))


def _paged(rows: Sequence[Row], asked: Filter, line: Callable[[Row], None]) -> None:
    count = ngettext("{n} question", "{n} questions", len(rows)).format(n=i18n.number(len(rows)))
    text(count, "p", "count", role="status")
    pages = max(1, -(-len(rows) // PAGE))
    page = min(asked.page, pages)
    with box("ul", "asked"):
        for row in rows[(page - 1) * PAGE : page * PAGE]:
            with box("li"):
                line(row)
    pager(page, pages, lambda n: replace(asked, page=n).address + "#questions")


def _asked(asked: Asked) -> None:
    with box("p", "asked-question"):
        search_link(asked.text)
    told = [_place(_("by topic"), asked.topic_rank)]
    if asked.post_rank is not None or "post" in asked.scores:
        told.append(_place(_("by message"), asked.post_rank))
    if asked.abstained is not None:
        told.append(_("no extract answers") if asked.abstained else _("an extract answers"))
    with box("p", "note asked-facts"):
        text(asked.id, "code")
        text(" · ".join(told))
        for n, post in enumerate(asked.first[:3], 1):
            if "post" in asked.scores or asked.post_rank is not None:
                link(_("result {n}").format(n=n), f"/p/{post}")


def _place(what: str, rank: int | None) -> str:
    if rank is None:
        return _("{what}: not found").format(what=what)
    return _("{what}: rank {rank}").format(what=what, rank=i18n.number(rank))


def _case(case: Case) -> None:
    with box("p", "asked-question"):
        text("✓" if case.as_expected else "✗", "span", "verdict", aria_hidden="true")
        text(_("as expected") if case.as_expected else _("not as expected"), "span", "visually-hidden")
        search_link(case.text)
    told = [_(EXPECTED.get(case.expected, case.expected)), _(OUTCOMES.get(case.outcome, case.outcome)),
            f"{i18n.number(case.total_ms)}\u00a0ms"]  # fmt: skip
    shown = ("citation_hit", "citation_precision", "faithfulness", "context_recall")
    told += [f"{measure_name(m)} {fixed(case.scores[m], DIGITS)}" for m in shown if m in case.scores]
    with box("p", "note asked-facts"):
        text(case.id, "code")
        text(" · ".join(told))
        for n, post in enumerate(case.cited[:5], 1):
            link(_("source {n}").format(n=n), f"/p/{post}")
    if case.answer:
        with box("details"):
            text(_("The answer"), "summary")
            text(case.answer[:ANSWER_CHARS] + ("\u00a0…" if len(case.answer) > ANSWER_CHARS else ""), "blockquote")
