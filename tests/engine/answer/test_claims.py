"""Each sentence of an answer against the posts that it cites. How often this is right: tests/quality/test_claims.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.citations import resolve, without_markers
from engine.answer.claims import check, drop, makes_claim
from engine.errors import ModelUnavailable
from engine.index.french import analyser
from engine.seams import Embed, TextRole, Vectors
from engine.values import Role
from engine.verdicts import Doubt, DoubtCode

from .samples import around, evidence
from .test_citations import NUMBERS, OUTPUT

WORDS = analyser("fr").words
CARE = evidence(1, "Pour nourrir le cuir, une crème Saphir deux fois par an suffit. Je l'ai payée 12 € en 2014.")
WAX = evidence(2, "La cire ne convient pas aux plis. Le moyeu F-GABC prend un axe de 3,5 mm.", topic=13, author="dan")
SOURCES = (CARE, WAX)


def doubts(said: str, embed: Embed | None = None) -> list[tuple[Doubt, ...]]:
    return [found.doubts for found in check(said, SOURCES, analyse=WORDS, embed=embed)]


@pytest.mark.parametrize(
    "said",
    [
        "Une crème Saphir deux fois par an suffit pour nourrir le cuir [[1]].",
        "La crème coûtait douze euros en 2014 [[1]].",
        "Selon Alice, la crème nourrit le cuir [[1]].",
        "La cire est déconseillée sur les plis [[2]].",
        "Il faut de la crème [[1]] et un axe de 3.5 mm [[2]].",
        "Le message du 1er mars 2014 parle d’un moyeu « F-GABC » [[2]].",
    ],
)
def test_what_the_posts_say_is_supported(said: str) -> None:
    assert doubts(said) == [()]


@pytest.mark.parametrize(
    ("said", "code", "tokens"),
    [
        ("Une crème trois fois par an nourrit le cuir [[1]].", DoubtCode.NUMBER, ("trois",)),
        ("Le moyeu prend un axe de 3,5 cm [[2]].", DoubtCode.UNIT, ("3,5 cm",)),
        ("La crème date de 2016 [[1]].", DoubtCode.DATE, ("2016",)),
        ("La crème Famaco nourrit le cuir [[1]].", DoubtCode.NAME, ("Famaco",)),
        ("Le moyeu F-GABD prend un axe [[2]].", DoubtCode.NAME, ("F-GABD",)),
        ("Dan conseille une crème pour le cuir [[1]].", DoubtCode.NAME, ("Dan",)),
        ("La crème « suffit toujours » au cuir [[1]].", DoubtCode.QUOTE, ("suffit toujours",)),
        ("La cire convient aux plis [[2]].", DoubtCode.NEGATION, ()),
        (
            "Le chien aboie devant la maison bleue [[1]].",
            DoubtCode.WORDS,
            ("chien", "aboie", "devant", "maison", "bleue"),
        ),
        ("La crème nourrit le cuir.", DoubtCode.UNCITED, ()),
    ],
)
def test_what_they_do_not_say_is_doubted_for_its_reason(said: str, code: DoubtCode, tokens: tuple[str, ...]) -> None:
    assert doubts(said) == [(Doubt(code, tokens),)]


def test_the_number_must_count_the_same_thing() -> None:
    source = (evidence(1, "Il faut deux couches de cire puis trois jours de séchage."),)
    [found] = check("Il faut trois couches de cire [[1]].", source, analyse=WORDS)
    assert found.doubts == (Doubt(DoubtCode.NUMBER, ("trois",)),)


def test_only_the_cited_posts_count_with_what_stands_around_them() -> None:
    assert [d.code for d in doubts("La crème nourrit le cuir du moyeu F-GABC [[1]].")[0]] == [DoubtCode.NAME]
    near = (evidence(1, "Deux fois par an.", context=(around(Role.PARENT, "Combien de crème Saphir pour le cuir ?"),)),)
    [found] = check("Une crème Saphir nourrit le cuir deux fois par an [[1]].", near, analyse=WORDS)
    assert found.supported


@pytest.mark.parametrize(
    "said",
    [
        "Bonjour !",
        "Voici ce que disent les membres :",
        "J’espère que cela vous aide.",
        "Je n’ai trouvé aucun message qui réponde à cette question.",
        "Personne n’en parle dans l’archive.",
        "Quel est votre modèle ?",
        "**Entretien du cuir**",
    ],
)
def test_courtesy_and_silence_claim_nothing(said: str) -> None:
    assert not makes_claim(said, WORDS)
    assert doubts(said) == []


def test_a_figure_always_claims_something() -> None:
    assert makes_claim("Voici 12 euros :", WORDS)


def test_a_marker_after_the_full_stop_supports_the_sentence_before_it() -> None:
    assert doubts("La crème nourrit le cuir. [[1]] La cire ne convient pas aux plis. [[2]]") == [(), ()]


def test_an_encoder_saves_a_sentence_close_in_meaning() -> None:
    def near(texts: Sequence[str], role: TextRole) -> Vectors:
        rows = [[1.0, 0.0] if "bichonne" in text or "crème" in text else [0.0, 1.0] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 2)

    said = "On bichonne ses souliers au printemps et en automne [[1]]."
    assert [d.code for d in doubts(said)[0]] == [DoubtCode.WORDS]
    assert doubts(said, near) == [()]


def test_the_encoder_never_saves_a_wrong_number() -> None:
    def same(texts: Sequence[str], role: TextRole) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    assert [d.code for d in doubts("La crème coûtait 15 € [[1]].", same)[0]] == [DoubtCode.NUMBER]


def test_dropping_leaves_the_supported_sentences_and_moves_their_checks() -> None:
    said = "La crème Famaco nourrit le cuir [[1]].\n- La cire ne convient pas aux plis. [[2]]\n- Un chien aboie. [[1]]"
    text, checks, dropped = drop(said, check(said, SOURCES, analyse=WORDS))
    assert text == "- La cire ne convient pas aux plis. [[2]]"
    assert dropped == ("La crème Famaco nourrit le cuir.", "- Un chien aboie.")
    assert [text[found.start : found.end] for found in checks] == ["- La cire ne convient pas aux plis."]


@given(OUTPUT, NUMBERS)
def test_for_any_output_checks_lie_within_the_text_in_order(output: str, numbers: list[int]) -> None:
    sources = tuple(evidence(n) for n in numbers)
    text = resolve(output, sources).text
    end = 0
    for found in check(text, sources, analyse=WORDS):
        assert end <= found.start < found.end <= len(text)
        assert set(found.cited) <= set(numbers)
        assert found.supported == (not found.doubts)
        end = found.end


@given(OUTPUT, NUMBERS)
def test_for_any_output_dropping_leaves_nothing_doubted(output: str, numbers: list[int]) -> None:
    sources = tuple(evidence(n) for n in numbers)
    text = resolve(output, sources).text
    found = check(text, sources, analyse=WORDS)
    shorter, stay, dropped = drop(text, found)
    assert all(one.supported for one in stay)
    assert len(stay) + len(dropped) == len(found)
    assert resolve(shorter, sources).text == shorter


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=200))
def test_a_sentence_quoted_whole_from_its_post_is_never_doubted_for_its_words(text: str) -> None:
    source = (evidence(1, text),)
    said = resolve(f"«\u00a0{without_markers(text)}\u00a0» [[1]]", source).text
    codes = {doubt.code for found in check(said, source, analyse=WORDS) for doubt in found.doubts if found.cited}
    assert DoubtCode.WORDS not in codes


@pytest.mark.parametrize(
    "said",
    [
        "Le cuir se nourrit avec une crème Saphir deux fois par an. [1]",
        "Les tomates mûrissent mieux sous une serre bien aérée au printemps. [1]",
    ],
)
def test_without_its_encoder_a_sentence_is_judged_by_its_words(said: str) -> None:
    def away(_texts: Sequence[str], _role: TextRole) -> Vectors:
        raise ModelUnavailable(role="embed", path="http://machine", reason="server_away")

    assert doubts(said, away) == doubts(said)
