"""What is said of the questions of the log, on screen and in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from . import i18n
from .i18n import N_, ngettext
from .i18n import gettext as _
from .question_values import Complaint, Group, Logged, Outcome

COMPLAINTS: Final[Mapping[Complaint, str]] = MappingProxyType({
    Complaint.WRONG: N_("It is wrong"),
    Complaint.BESIDE: N_("It speaks of something else"),
    Complaint.INCOMPLETE: N_("It is incomplete"),
    Complaint.SOURCES: N_("The messages don’t say this"),
    Complaint.OUTDATED: N_("It is out of date"),
    Complaint.OTHER: N_("Another reason"),
})  # fmt: skip
OUTCOMES: Final[Mapping[Outcome, str]] = MappingProxyType({
    Outcome.ANSWER: N_("answered"),
    Outcome.ABSTENTION: N_("no answer"),
    Outcome.DECLINED: N_("turned away"),
})  # fmt: skip


def question_lines(row: Logged) -> Iterator[str]:
    """A question of the log: when, what came of it, what its reader thought."""
    facts = [i18n.date_short(row.asked_at), _(OUTCOMES[row.outcome])]
    if row.good is not None:
        facts.append("👍" if row.good else "👎")
    if row.complaint is not None:
        facts.append(_(COMPLAINTS[row.complaint]))
    yield f"{row.id}. {row.text}"
    yield "   " + " · ".join(facts)
    if row.comment:
        yield "   " + row.comment


def group_lines(group: Group) -> Iterator[str]:
    """Questions that say the same: how often they were asked, and why they have no good answer."""
    yield group.question
    yield "   " + " · ".join(reasons(group))
    for row in group.rows:
        if row.comment:
            yield "   " + row.comment


def reasons(group: Group) -> Iterator[str]:
    """How often a question was asked, and each thing that was wrong with what came of it."""
    asked, none, weak, bad = group.times, group.abstentions, group.weak, group.disliked
    yield ngettext("asked {count} time", "asked {count} times", asked).format(count=i18n.number(asked))
    if none:
        yield ngettext("{count} time without answer", "{count} times without answer", none).format(
            count=i18n.number(none)
        )
    if weak:
        yield ngettext("{count} cautious answer", "{count} cautious answers", weak).format(count=i18n.number(weak))
    if bad:
        yield ngettext("{count} bad opinion", "{count} bad opinions", bad).format(count=i18n.number(bad))
    yield _("last on {date}").format(date=i18n.date_short(group.last))
