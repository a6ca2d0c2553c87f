"""Names in texts: every way to write them is found, and nobody else's name."""

import html
import json
from collections import Counter
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.erase.decoding import view
from engine.erase.erased import Erased, folded
from engine.erase.items import slug_of
from engine.erase.redact import Redactor, each_string, terms_of


def redactor(*names, known=(), attributed=False):
    erased = Erased().keyed()
    terms = [term for name in names for term in terms_of(name, erased, "anon123456", attributed=attributed)]
    erased = erased.with_more(terms=terms, members={}, posts=(), places=(), topics=(), quotes=(), words=erased.words)
    return Redactor(erased, frozenset(map(folded, known)))


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("merci plume !", "merci anon123456 !"),
        ("@plume.", "@anon123456."),
        ("PLUME, Plume et plume", "anon123456, anon123456 et anon123456"),
        ('<a class="mention" href="/u/plume">@plume</a>', '<a class="mention" href="/u/anon123456">@anon123456</a>'),
        ('<aside class="quote" data-username="plume">', '<aside class="quote" data-username="anon123456">'),
        ('[quote="plume, post:1, topic:2"]', '[quote="anon123456, post:1, topic:2"]'),
        ("l’ami plume/photo.jpg?u=plume&x=1", "l’ami anon123456/photo.jpg?u=anon123456&x=1"),
        ("adieu-plume-bis", "adieu-anon123456-bis"),
        ("une plumette, plume3, plume_3, déplume", "une plumette, plume3, plume_3, déplume"),
        ("", ""),
    ],
)
def test_every_place_of_a_name_and_no_other(written, left):
    assert redactor("plume").text(written) == left


@pytest.mark.parametrize(
    "written", ["hélène", "HÉLÈNE", "he\u0301le\u0300ne", "h&eacute;l&egrave;ne", "h&#233;l&#xE8;ne", quote("hélène")]
)
def test_a_name_with_accents_however_it_is_written(written):
    assert redactor("Hélène").text(f"<p>/u/{written}?</p>") == "<p>/u/anon123456?</p>"


def test_a_member_whose_name_holds_the_name_is_somebody_else():
    found = redactor("jean", known=["jean-luc", "marie.jean"])
    assert found.text("@jean-luc et marie.jean, mais jean-paul, jean.") == (
        "@jean-luc et marie.jean, mais anon123456-paul, anon123456."
    )


def test_a_name_of_several_words():
    found = redactor("Inès C.")
    assert found.text("d’Inès\u00a0C. et d’Inès D.") == "d’anon123456. et d’Inès D."


def test_a_name_that_is_a_word_is_left_alone_in_sentences():
    found = redactor("plume", attributed=True)
    told = (
        '<aside data-username="plume"><div class="title"> plume:</div></aside> une plume, @plume, <a href="/u/plume">'
    )
    assert found.text(told) == (
        '<aside data-username="anon123456"><div class="title"> anon123456:</div></aside> une plume, @anon123456,'
        ' <a href="/u/anon123456">'
    )


def test_the_tally_tells_how_the_name_stood():
    tally = Counter()
    redactor("plume").text('<aside data-username="plume"><a href="/u/plume">@plume</a> plume', tally)
    assert tally == {"quotes": 1, "links": 1, "mentions": 1, "words": 1}


def test_a_member_is_known_by_name_or_number():
    erased = Erased().keyed()
    erased = erased.with_more(
        terms=terms_of("Plume", erased, "anon1"), members={erased.hash_of_member(42): "anon2"}, posts=(), places=(),
        topics=(), quotes=(), words=erased.words,
    )  # fmt: skip
    found = Redactor(erased)
    assert (found.name("PLUME"), found.name("plumette"), found.name("new", 42), found.name("new", 43)) == (
        "anon1", None, "anon2", None,
    )  # fmt: skip


def test_the_list_tells_no_name():
    erased = Erased().keyed()
    (term,) = terms_of("Plume Marine", erased, "anon1")
    assert "plume" not in repr(term).lower() and term.words == 2
    assert terms_of("Plume Marine", Erased().keyed(), "anon1")[0].hash != term.hash
    assert terms_of(" … ", erased, "anon1") == ()


@given(st.text(max_size=60))
def test_a_text_without_the_name_is_the_very_same(text):
    found = redactor("zzplumezz")
    assert found.text(text) is text


@given(st.text(max_size=30), st.text(max_size=30))
def test_nothing_around_a_name_is_touched(before, after):
    before, after = f"{before} ", f" {after}"
    left = redactor("zzplumezz").text(f"{before}zzplumezz{after}")
    assert "zzplumezz" not in left
    import unicodedata

    whole = unicodedata.normalize("NFC", f"{before}zzplumezz{after}")
    assert left == whole.replace("zzplumezz", "anon123456")


@given(st.text(max_size=40))
def test_a_view_maps_every_part_back(text):
    source = html.escape(text) + quote(text, errors="replace")
    seen = view(source)
    assert seen.span(0, len(seen.text)) == (0, len(source))
    for at in range(len(seen.text)):
        start, end = seen.span(at, at + 1)
        assert 0 <= start < end <= len(source)
        assert seen.text[at] in view(source[start:end]).text


def test_json_keeps_its_shape():
    document = {"plume": ["plume", 1, None, {"x": "pas lui"}]}
    found = redactor("plume")
    assert each_string(json.loads(json.dumps(document)), found.text) == {
        "anon123456": ["anon123456", 1, None, {"x": "pas lui"}]
    }


def test_a_slug():
    assert slug_of("Sujet effacé !") == "sujet-efface" and slug_of("…") == "sujet"
