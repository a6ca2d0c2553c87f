"""What the reader is told around an answer: its heading, what is doubted or left out of it, where else to ask."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import Abstention, AbstentionReason, Answer, ClaimCheck, Doubt, DoubtCode, SourceState, Zone

from . import i18n
from .i18n import N_, ngettext
from .i18n import gettext as _

DOUBTS: Final[Mapping[DoubtCode, str]] = MappingProxyType({
    DoubtCode.UNCITED: N_("This sentence cites no message."),
    DoubtCode.NUMBER: N_("Number that is not in the cited message: {words}."),
    DoubtCode.UNIT: N_("Unit that is not the one of the cited message: {words}."),
    DoubtCode.DATE: N_("Date that is not in the cited message: {words}."),
    DoubtCode.NAME: N_("Name that is not in the cited message: {words}."),
    DoubtCode.QUOTE: N_("Words that the cited message doesn’t say: {words}."),
    DoubtCode.NEGATION: N_("The cited message seems to say the contrary."),
    DoubtCode.WORDS: N_("The cited message doesn’t speak of this: {words}."),
})  # fmt: skip
CHANGED: Final[Mapping[SourceState, str]] = MappingProxyType({
    SourceState.EDITED: N_("This message was edited since."),
    SourceState.GONE: N_("This message is no longer in the archive."),
})  # fmt: skip

WRITERS: Final[Mapping[str, str]] = MappingProxyType({
    "extractive": N_("Sentences taken as they are from messages of the forum."),
    "llm": N_("Written by this computer’s language model from the messages cited. Check them before you rely on it."),
    "remote": N_("Written by your answer server from the messages cited. Check them before you rely on it."),
})  # fmt: skip

ANSWER_NOTICES: Final[Mapping[str, str]] = MappingProxyType({
    "sources_disagree": N_("The messages found contradict each other: compare who wrote them, and when."),
    "unfit_removed": N_("Sentences of the model that don’t come from the messages were left out."),
})  # fmt: skip


def heading(answer: Answer) -> str:
    """What stands above an answer."""
    if answer.zone is Zone.WEAK:
        return _("Perhaps related")
    return _("Extracts of the archive") if answer.answerer == "extractive" else _("Answer")


def caution(answer: Answer) -> str:
    """What stands between the heading and an answer that may miss the question; nothing otherwise."""
    return _("No message found clearly answers. These may be related.") if answer.zone is Zone.WEAK else ""


def basis(answer: Answer) -> str:
    """How well the messages found answer, in words."""
    if answer.zone is Zone.WEAK:
        return _("to be read with caution")
    return _("the messages speak of it")


def written_by(answer: Answer) -> str:
    """Who put the words of an answer together."""
    return _(WRITERS[answer.answerer])


def invitation(abstention: Abstention) -> str:
    """Where to ask the members what the archive doesn't answer; nothing for an empty question."""
    if abstention.reason is AbstentionReason.QUESTION_EMPTY:
        return ""
    if not abstention.category:
        return _("You can ask the members on the forum, in the category that fits.")
    return _("You can ask the members on the forum, for example in the category “{category}”.").format(
        category=abstention.category
    )


def dropped(count: int) -> str:
    """How many sentences of an answer were left out."""
    return ngettext(
        "{count} sentence that the cited messages don’t support was left out.",
        "{count} sentences that the cited messages don’t support were left out.",
        count,
    ).format(count=i18n.number(count))


def why(check: ClaimCheck) -> str:
    """Why a sentence is doubted, in one or more sentences."""
    return " ".join(_doubt(doubt) for doubt in check.doubts)


def changed(state: SourceState | None) -> str:
    """What has become of a cited post; nothing when it is as it was."""
    return _(CHANGED[state]) if state is not None and state in CHANGED else ""


def _doubt(doubt: Doubt) -> str:
    return _(DOUBTS[doubt.code]).format(words=", ".join(doubt.tokens))
