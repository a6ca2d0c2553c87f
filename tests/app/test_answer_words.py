"""What the command line says around an answer: doubts, what was left out, where else to ask."""

from dataclasses import replace

import pytest

from app import i18n, printed
from app.answer_words import CHANGED, DOUBTS, changed, invitation, why
from app.documents import ask_document
from app.i18n import gettext as _
from engine import Abstention, AbstentionReason, Answer, ClaimCheck, Doubt, DoubtCode, SourceState, Zone

SAID = "Une crème nourrit le cuir [[1]]. Elle coûte 12 € [[1]]."
DOUBTED = ClaimCheck(SAID.index("Elle"), len(SAID), (1,), (Doubt(DoubtCode.NUMBER, ("12 €",)),))
ANSWER = Answer("q", Zone.NORMAL, "llm", SAID, (), (), checks=(ClaimCheck(0, 32, (1,)), DOUBTED), dropped=("Autre.",))
SILENCE = Abstention("q", Zone.EMPTY, "llm", AbstentionReason.NO_EVIDENCE, category="Atelier")


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


def test_a_doubted_sentence_is_followed_by_words_that_say_so():
    text = "\n".join(printed.answer_lines(ANSWER)).replace("\n", " ")
    assert f"12 € [1]. ({_('not verified in the sources')})" in text
    assert text.count(_("not verified in the sources")) == 1


def test_json_lists_the_doubted_sentences_of_the_text_then_those_left_out():
    assert ask_document(ANSWER)["unsupported_sentences"] == ["Elle coûte 12 € [[1]].", "Autre."]
    assert ask_document(SILENCE)["unsupported_sentences"] == []


def test_weak_evidence_has_its_own_heading():
    first, second, *_rest = printed.answer_lines(replace(ANSWER, zone=Zone.WEAK))
    assert (first, second) == (_("Perhaps related"), _("No message found clearly answers. These may be related."))


def test_an_abstention_names_a_category_only_when_there_is_one():
    assert "Atelier" in invitation(SILENCE)
    assert "Atelier" in "\n".join(printed.answer_lines(SILENCE))
    assert invitation(replace(SILENCE, category=""))
    assert invitation(replace(SILENCE, reason=AbstentionReason.QUESTION_EMPTY)) == ""


@pytest.mark.parametrize("code", DoubtCode)
def test_every_doubt_has_its_own_sentence(code):
    said = why(ClaimCheck(0, 1, (), (Doubt(code, ("12 €", "Famaco")),)))
    assert said.endswith(".") and "{" not in said
    assert ("12 €, Famaco" in said) == ("{words}" in DOUBTS[code])


def test_a_source_that_is_as_it_was_says_nothing():
    assert changed(SourceState.HELD) == changed(None) == ""
    assert {state for state in SourceState if changed(state)} == set(CHANGED)
