"""Where one stands in a long topic: a range over its messages with their dates, and links to its years or months."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.store.reading import Moment, Span

from ..i18n import date_long, month, number
from ..i18n import gettext as _
from .markup import box, link, text

STOPS = 150  # dates that the range can tell while it is moved: a page of 2,700 dates would be longer than its messages
MAX_CHAPTERS = 24
SHORT = 20  # messages that a page opens with: nobody needs to be told where they are among them


@dataclass(frozen=True, slots=True)
class Chapter:
    """A year or a month of a topic, and the number of its first message."""

    name: str
    number: int


def chapters(moments: Sequence[Moment]) -> tuple[Chapter, ...]:
    """The years of a topic that goes over several, else its months; none when it is of one month."""
    days = [(moment.number, moment.at.astimezone()) for moment in moments]
    years = _firsts([(str(day.year), at) for at, day in days])
    if len(years) > 2:
        return _thinned(years)
    months = _firsts([(month(day), at) for at, day in days])
    return _thinned(months) if len(months) > 1 else ()


def stops(moments: Sequence[Moment]) -> str:
    """At most so many pairs of a number and its date, as JSON."""
    step = max(1, -(-len(moments) // STOPS))
    kept = [*moments[::step], *([moments[-1]] if moments and (len(moments) - 1) % step else [])]
    return json.dumps([[moment.number, date_long(moment.at)] for moment in kept], ensure_ascii=False)


def timeline(moments: Sequence[Moment], span: Span, *, path: str, query: str = "") -> None:
    """The range, where it stands, and the links; `path` is the topic's address, `query` what follows it."""
    look = "timeline short" if span.count <= SHORT else "timeline"
    with box("nav", look, aria_label=_("Place in the topic")):
        said = _("no. {n} of {total}")
        with box("p", "here", data_number=said.replace("{total}", number(span.last))):
            text("", "span", "here-number")
            text("", "span", "here-date")
        field = box(
            "input", "scrubber", type="range", min=span.first, max=span.last, step=1,
            aria_label=_("Go through the topic"),
        )  # fmt: skip
        field.props["defaultValue"] = span.first
        with box("div", "timeline-ends"):
            link(_("Opening message"), f"{path}/{span.first}{query}", "end")
            link(_("Last message"), f"{path}/{span.last}{query}", "end")
        found = chapters(moments)
        if found:
            with box("ul", "chapters", aria_label=_("Dates")):
                for chapter in found:
                    with box("li"):
                        link(chapter.name, f"{path}/{chapter.number}{query}", "chapter")
        # Written last, so that it stays in sight when it appears.
        text("", "button", "button quiet return", type="button", hidden=True, data_said=_("Back to message {n}"))


def _firsts(named: Sequence[tuple[str, int]]) -> list[Chapter]:
    """The first number of each name, in the order in which they first come."""
    first: dict[str, int] = {}
    for name, at in named:
        first.setdefault(name, at)
    return [Chapter(name, at) for name, at in first.items()]


def _thinned(found: Sequence[Chapter]) -> tuple[Chapter, ...]:
    return tuple(found[:: -(-len(found) // MAX_CHAPTERS)])
