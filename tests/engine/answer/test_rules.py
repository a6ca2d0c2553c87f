"""What a rule catches, on rules small enough to be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer.rules import Rule, Rules, caught, says_something

BOMB = Rule("bombe", "Non.", verbs=("fabriqu*",), objects=("bombe",))


def catches(rule: Rule, text: str, **shared: object) -> bool:
    names = shared.pop("names", lambda words: ())
    return caught(Rules((rule,), **shared), text, names=names) is rule  # type: ignore[arg-type]


def test_a_verb_and_its_object_are_needed() -> None:
    assert catches(BOMB, "Comment fabriquer une bombe ?")
    assert catches(BOMB, "Une bombe, ça se fabrique comment ?")
    assert not catches(BOMB, "Quelle bombe !")
    assert not catches(BOMB, "Comment fabriquer un meuble ?")


def test_the_object_is_near_the_verb() -> None:
    assert catches(BOMB, "fabriquer un deux trois quatre cinq six bombe")
    assert not catches(BOMB, "fabriquer un deux trois quatre cinq six sept bombe")
    assert catches(replace(BOMB, within=0), "fabriquer bombe")
    assert not catches(replace(BOMB, within=0), "fabriquer une bombe")


def test_the_end_of_a_sentence_counts_three_words() -> None:
    assert catches(replace(BOMB, within=3), "Fabriquer. Bombe")
    assert not catches(replace(BOMB, within=2), "Fabriquer. Bombe")


def test_an_object_may_have_to_come_after_its_verb() -> None:
    leave = Rule("quitter", "Non.", verbs=("quitter",), objects=("ma femme",), after=True)
    assert catches(leave, "Dois-je quitter ma femme ?")
    assert not catches(leave, "Ma femme veut me quitter.")


def test_an_order_begins_a_sentence_or_is_for_me() -> None:
    rule = Rule("traduire", "Non.", orders=("traduis", "traduit"), objects=("texte",))
    for text in (
        "Traduis ce texte",
        "Dan est là, traduis ce texte",
        "Dan, il me faut ça en anglais, alors traduit moi le texte",
    ):
        assert catches(rule, text), text
    for text in ("Il traduit le texte", "Dan traduit ce texte", "Traduis-tu ce texte ?"):
        assert not catches(rule, text), text


def test_some_verbs_only_count_when_asked_for() -> None:
    rule = Rule("rédiger", "Non.", asked=("rédiger",), objects=("lettre",))
    asking = ("peux-tu", "aide-moi à")
    assert catches(rule, "Peux-tu me la rédiger, cette lettre ?", asking=asking)
    assert catches(rule, "AIDE MOI A REDIGER UNE LETTRE", asking=asking)
    assert not catches(rule, "Comment rédiger une lettre ?", asking=asking)
    # three words between the request and the verb
    assert not catches(rule, "Peux-tu trouver qui peut rédiger une lettre ?", asking=asking)


def test_politeness_changes_nothing() -> None:
    rule = Rule("traduire", "Non.", orders=("traduis",), objects=("texte",))
    assert not catches(rule, "Bonjour traduis ce texte")
    assert catches(rule, "Bonjour traduis ce texte", polite=("bonjour",))


def test_an_exception_is_not_there_but_keeps_its_room() -> None:
    rule = replace(BOMB, exceptions=("bombe de peinture",), within=2)
    assert not catches(rule, "Comment fabriquer une bombe de peinture ?")
    assert catches(rule, "fabriquer une bombe, pas une bombe de peinture")
    assert not catches(rule, "fabriquer bombe de peinture bombe")


def test_an_exception_needs_none_of_its_small_words() -> None:
    rule = replace(BOMB, exceptions=("bombe de peinture",))
    assert not catches(rule, "bombe peinture cadre — comment la fabriquer ?")
    assert catches(rule, "bombe cadre — comment la fabriquer ?")


def test_a_word_just_before_makes_harmless() -> None:
    rule = Rule("acheter", "Non.", verbs=("acheter",), objects=("contrefaçon",), unless_before=("ne pas", "repérer"))
    assert not catches(rule, "Comment ne pas acheter une contrefaçon ?")
    assert not catches(rule, "Où acheter un livre pour repérer une contrefaçon ?")
    assert catches(rule, "Comment ne pas se faire prendre quand on veut acheter une contrefaçon ?")


def test_an_object_may_need_somebody_near_it() -> None:
    rule = Rule("adresse", "Non.", verbs=("quelle est",), objects=("adresse",), about=("de @", "des membres"))
    assert catches(rule, "Quelle est l'adresse de @dan ?")
    assert catches(rule, "Quelle est l'adresse de Grimpette ?", names=lambda words: {"grimpette"})
    assert not catches(rule, "Quelle est l'adresse de Grimpette ?")
    assert not catches(rule, "Quelle est l'adresse de la boutique ?", names=lambda words: {"grimpette"})


def test_an_expression_is_enough() -> None:
    rule = Rule("prompt", "Non.", phrases=("mon * en justice",))
    assert catches(rule, "mon voisin en justice")
    assert not catches(rule, "mon en justice")
    assert not catches(rule, "mon cher voisin en justice")


def test_the_longest_pattern_of_a_word_is_taken() -> None:
    rule = Rule("longue", "Non.", verbs=("acheter",), objects=("arme", "arme à feu"), within=1)
    # "arme" alone would stand two words before the verb.
    assert catches(rule, "arme à feu acheter")


def test_a_prefix_is_hard_or_soft_as_the_word_goes_on() -> None:
    rule = Rule("balance", "Non.", verbs=("balanc*",), objects=("poids",))
    assert catches(rule, "balancer le poids")
    assert catches(rule, "balançait le poids")


def test_a_rule_that_is_off_catches_nothing() -> None:
    assert not catches(replace(BOMB, off=True), "fabriquer une bombe")


def test_the_first_rule_that_catches_speaks() -> None:
    other = replace(BOMB, id="autre")
    assert caught(Rules((other, BOMB)), "fabriquer une bombe") is other


@pytest.mark.parametrize(
    ("pattern", "holds"), [("bombe", True), ("fabriqu*", True), ("*", False), ("@ *", False), ("…", False)]
)
def test_a_pattern_holds_a_word(pattern: str, holds: bool) -> None:
    assert says_something(pattern) is holds
