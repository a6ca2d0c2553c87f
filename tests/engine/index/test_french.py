"""Analysis: what must meet in the index and what must not."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.french import FRENCH_STOP, analyser, exact_tokens, fold, normalise

fr, en = analyser("fr"), analyser("en")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("été", "l'été"), ("été", "L’ETE"), ("cœur", "coeur"), ("cœurs", "COEUR"), ("aujourd'hui", "AUJOURD’HUI"),
        ("cassée", "cassés"), ("chaussure", "chaussures"), ("noir", "noires"), ("qu'il neige", "neige"),
        ("jusqu'au lac", "lac"), ("l'œuvre", "œuvre"), ("quelqu’un", "quelqu'une"), ("d'abord", "abord"),
        ("lorsqu'Hélène", "Hélène"), ("sœur", "soeurs"), ("e\u0301te\u0301", "été"),
    ],
)  # fmt: skip
def test_two_spellings_give_the_same_terms(one, other):
    assert fr.words(one) == fr.words(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("été", "étai"), ("marchand", "marche"), ("or", "ordre"), ("3,5", "35"), ("cote", "coteau")],
)
def test_two_words_stay_apart(one, other):
    assert set(fr.words(one)).isdisjoint(fr.words(other)) or exact_tokens(one) != exact_tokens(other)


@pytest.mark.parametrize("word", ["été", "est", "or", "son", "car", "pas", "plus", "sous"])
def test_homographs_of_function_words_are_kept(word):
    assert fr.words(word) and word not in FRENCH_STOP


@pytest.mark.parametrize("text", ["le la les", "c'est-à-dire qu'à", "dans les", "Où ?", "…", "🙂"])
def test_function_words_alone_leave_little(text):
    assert set(fr.words(text)) <= {"est", "dir"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Le moyeu F-GABC.", ["f-gabc"]), ("du C++ et du C#", ["c++", "c#"]), ("3,5 bars ou 3.5", ["3,5", "3,5"]),
        ("un pignon 11-34", ["11-34"]), ("taille x", ["x"]), ("peut-on dis-moi", []), ("https://a.fr/b?c=1", []),
        ("(R-28C)", ["r-28c"]), ("l'axe", []), ("4x4", []), ("rendez-vous", []), ("24/28", ["24/28"]),
    ],
)  # fmt: skip
def test_exact_tokens(text, expected):
    assert exact_tokens(text) == expected


def test_english_has_its_own_stemmer_and_no_elision():
    assert en.words("The brakes' running") == ["brake", "run"]
    assert en.words("it's l'été") != fr.words("it's l'été")


@given(st.text())
def test_normalising_is_idempotent_and_equal_for_nfc_and_nfd(text):
    assert normalise(normalise(text)) == normalise(text)
    nfc, nfd = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert normalise(nfc) == normalise(nfd)
    assert fr.words(nfc) == fr.words(nfd) and exact_tokens(nfc) == exact_tokens(nfd)


@given(st.text())
def test_analysis_of_any_text_gives_bounded_terms(text):
    for term in fr.words(text) + exact_tokens(text):
        assert 0 < len(term) <= 80 and not any(c.isspace() for c in term)


@given(st.text(alphabet="aàâeéèêœæçÉÇŒÆß'’ "))
def test_folding_leaves_no_accent(text):
    assert fold(text).isascii() or "ß" not in fold(text)
