"""Texts of answers and excerpts, cut into what the page shows."""

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from app.components.answer_text import Block, Doubted, Kind, blocks, while_streaming
from app.components.cards import shortened
from app.components.highlight import marked, terms_of
from engine import Query
from engine.index.french import analyser

ANALYSE = analyser("fr").words


def test_markers_become_numbers_and_words_stay_words():
    assert blocks("Poncez les patins [[2]], puis testez [[1]][[3]].", {1, 2, 3}) == (
        Block(Kind.PARAGRAPH, ("Poncez les patins", 2, ", puis testez", 1, 3, ".")),
    )


def test_a_number_that_is_not_cited_disappears():
    assert blocks("Ici [[7]].", {1}) == (Block(Kind.PARAGRAPH, ("Ici", ".")),)


def test_lists_extracts_and_paragraphs_are_told_apart():
    kinds = [
        block.kind for block in blocks("Deux avis :\n- la cire [[1]]\n2. l’huile\n\n«\u00a0Oui.\u00a0» [[1]]", {1})
    ]
    assert kinds == [Kind.PARAGRAPH, Kind.ITEM, Kind.ITEM, Kind.EXTRACT]


def test_an_extract_keeps_its_author_and_day():
    (block,) = blocks("«\u00a0Oui. Non.\u00a0» — alice, 1er mars 2014 [[1]]", {1})
    assert block == Block(Kind.EXTRACT, ("«\u00a0Oui. Non.\u00a0» — alice, 1er mars 2014", 1))


def test_doubted_sentences_stand_apart_with_their_citations():
    text = "Oui [[1]]. Comptez 3 mm [[1]].\n- Et 4 [[2]]."
    spans = [(11, 30), (33, 44)]
    assert [text[start:end] for start, end in spans] == ["Comptez 3 mm [[1]].", "Et 4 [[2]]."]
    assert blocks(text, {1, 2}, spans) == (
        Block(Kind.PARAGRAPH, ("Oui", 1, ". ", Doubted(0, ("Comptez 3 mm", 1, ".")))),
        Block(Kind.ITEM, (Doubted(1, ("Et 4", 2, ".")),)),
    )


def test_marks_of_emphasis_are_dropped():
    assert blocks("**Important** : ## non\n### Titre", ()) == (
        Block(Kind.PARAGRAPH, ("Important : ## non",)),
        Block(Kind.PARAGRAPH, ("Titre",)),
    )


@given(st.text(max_size=200))
def test_no_marker_is_ever_left_to_read(text):
    for block in blocks(text, {1}):
        assert all(part == 1 or isinstance(part, str) for part in block.parts)
        assert not any(isinstance(part, str) and "[[1]]" in part for part in block.parts)


def test_a_marker_being_written_waits_for_its_end():
    assert while_streaming("Poncez [[1]], puis [[1") == "Poncez\u00a0[1], puis"
    assert while_streaming("Poncez [") == "Poncez"


def test_words_are_marked_by_their_meaning_for_the_search():
    terms = terms_of(Query(words=("chevaux",), phrases=("l’usure",)), ANALYSE)
    assert marked("Le cheval s’use, l’usure <b>", terms, ANALYSE) == (
        "Le <mark>cheval</mark> s’use, <mark>l’usure</mark> &lt;b&gt;"
    )


@given(st.text(max_size=200))
def test_marking_never_loses_nor_makes_text(text):
    bare = marked(text, frozenset(ANALYSE(text)), ANALYSE).replace("<mark>", "").replace("</mark>", "")
    assert bare == escape(text)


def test_a_long_text_is_cut_at_a_word():
    assert shortened("un deux trois", 9) == "un deux\u00a0…"
    assert shortened(" un \n deux ", 9) == "un deux"
