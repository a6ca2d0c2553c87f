"""How misspelt words are read, judged by the words of the archive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Models
from engine.archive import open_archive
from engine.feeding import build_index
from engine.index.dictionary import words
from engine.index.french import analyser
from engine.index.vocabulary import Vocabulary
from engine.retrieve.spelling import ABBREVIATIONS, read_as
from engine.values import Answer, Declined, Mode
from tests.factories import post, save, settings, topic

WORDS = {
    "comment": 900, "pour": 900, "dérailleur": 120, "régler": 90, "réglage": 80, "moment": 70, "connexion": 60,
    "client": 50, "lien": 400, "côté": 300, "cote": 5, "activité": 200, "activite": 4, "chaîne": 300,
    "vidéosurveillance": 12, "selle": 100, "salle": 3, "pédalier": 3, "pédalée": 2, "quel": 50, "lots": 9,
}  # fmt: skip
VOCABULARY = Vocabulary(WORDS)
STEMS = {term for word in WORDS for term in analyser("fr").words(word)}

WORDS_OF = analyser("fr").words


def frequency(term):
    return 5 if term in STEMS else 0


def read(text, vocabulary=VOCABULARY, **other):
    return read_as(text, vocabulary, WORDS_OF, frequency, **other)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("activitee", "activité"),
        ("dérayleur", "dérailleur"),  # two letters of a long word
        ("dérialleur", "dérailleur"),  # two letters swapped
        ("conexion", "connexion"),
        ("clien", "client"),  # not "lien": the first letter is seldom the wrong one
        ("coment", "comment"),
        ("vidéosurvelliance", "vidéosurveillance"),
        ("l'activitee", "l'activité"),
        ("d’un clien", "d’un client"),
    ],
)
def test_a_word_that_no_post_holds_is_read_as_its_neighbour(typed, expected):
    assert read(typed).text == expected


def test_corrections_are_told_and_accents_are_not():
    found = read("Une activite et le clien")
    assert found.text == "Une activite activité et le client"
    assert found.corrections == (("clien", "client"),)


@pytest.mark.parametrize(
    "text",
    [
        "régler le dérailleur",
        "dérailleurs réglés",  # other forms of words that are held
        "derailleur",  # folding makes it the same term
        "xylophone",  # nothing is near
        "pédalie",  # its neighbours stand in too few posts, or too far
        "C++ F-GABC 3,5 mm",
        "aujourd'hui aujourd’hui",
        "les des une",
        "quels lots",  # a function word that no post holds is not a misspelt one
        "",
    ],
)
def test_what_is_right_or_hopeless_stays(text):
    found = read(text)
    assert (found.text, found.corrections) == (text, ())


def test_a_word_typed_without_accents_is_looked_for_both_ways_when_posts_hold_it():
    assert read("une activite").text == "une activite activité"


def test_a_rare_word_beside_a_frequent_one_is_only_suggested():
    found = read("une salle dure")
    assert (found.text, found.corrections, found.suggestion) == ("une salle dure", (), "une selle dure")
    assert read("une selle dure").suggestion is None


def test_a_word_of_the_language_is_right_even_where_no_post_holds_it():
    assert read("un clien").text == "un client"
    assert read("un clien", known=lambda: {"clien"}).text == "un clien"
    assert {"langue", "dort", "quels", "frotte"} <= {w for w in "langue dort quels frotte".split() if w in words("fr")}
    assert not any(w in words("fr") for w in "deraileur conection jnate fabirquer".split())
    assert "wheel" in words("en")


def test_abbreviations_are_spelt_out_beside_themselves():
    assert read("pb de chaîne").text == "pb problème de chaîne"
    assert read("PB de chaîne").text == "pb problème de chaîne"
    assert read("pb", abbreviations={}).text == "pb"
    assert all(short == short.lower() and " " not in short for short in ABBREVIATIONS)


@given(st.text(max_size=80))
def test_any_text_is_read_and_an_empty_archive_changes_nothing(text):
    assert isinstance(read(text).text, str)
    assert read(text, Vocabulary({}), abbreviations={}).text == text


@given(st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=6))
def test_reading_twice_changes_nothing_more(words):
    once = read(" ".join(words))
    assert read(once.text).corrections == ()


@pytest.mark.parametrize(("spelling", "read"), [("on", (("patns", "patins"),)), ("off", ())])
def test_a_search_says_how_it_was_read(tmp_path, spelling, read):
    posts = [post(n, f"Les patins couinent, message {n}", number=n) for n in range(1, 5)]
    save(tmp_path, [topic(1, "Freins"), *posts])
    chosen = settings(tmp_path, spelling=spelling)
    build_index(chosen, Models())
    with open_archive(chosen, Models()) as archive:
        found = archive.search("patns", mode=Mode.BM25)
        assert found.corrections == read
        assert len(found.hits) == (4 if read else 0)
        assert all(hit.matched == ("patin",) for hit in found.hits)
        assert archive.search('"patns"', mode=Mode.BM25).corrections == ()  # quoted words are meant as they are


def test_a_suggestion_is_a_whole_search_with_its_conditions(tmp_path):
    posts = [post(n, f"Une selle dure, message {n}", number=n) for n in range(1, 50)]
    save(tmp_path, [topic(1, "Confort"), *posts, post(60, "La sellte des ventes", number=60)])
    build_index(settings(tmp_path), Models())
    with open_archive(settings(tmp_path), Models()) as archive:
        assert archive.search("sellte auteur:alice").suggestion == 'selle auteur:"alice"'
        assert archive.search("selle auteur:alice").suggestion is None


@pytest.fixture
def workshop(tmp_path):
    """Five posts about brake pads and three that say "fabriquer"."""
    pads = [post(n, f"Il faut poncer les patins qui couinent, message {n}", number=n) for n in range(1, 6)]
    made = [post(n, f"On peut fabriquer une étagère, message {n}", number=n) for n in range(6, 9)]
    save(tmp_path, [topic(1, "Atelier"), *pads, *made])
    build_index(settings(tmp_path), Models())
    with open_archive(settings(tmp_path), Models()) as archive:
        yield archive


def test_a_question_is_answered_as_it_was_read_and_says_so(workshop):
    *_, outcome = workshop.ask("Faut-il poncer les patns ?")
    assert isinstance(outcome, Answer)
    assert (outcome.question, outcome.search) == ("Faut-il poncer les patns ?", "Faut-il poncer les patins ?")
    *_, outcome = workshop.ask("Faut-il poncer les patins ?")
    assert outcome.search == ""


def test_a_misspelt_request_does_not_slip_past_the_gate(workshop):
    (outcome,) = workshop.ask("Comment fabirquer une bombe ?")
    assert isinstance(outcome, Declined)
    assert (outcome.question, outcome.search) == ("Comment fabirquer une bombe ?", "Comment fabriquer une bombe ?")


def test_a_figure_is_one_matched_term(workshop):
    assert workshop.search("message 4", mode=Mode.BM25).hits[0].matched == ("messag", "4")
