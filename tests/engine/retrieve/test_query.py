"""The search grammar."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import QuerySyntaxError
from engine.retrieve.query import format_query, parse
from engine.values import Query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("roue voilée", Query(words=("roue", "voilée"))),
        ('"roue voilée" rayon', Query(words=("rayon",), phrases=("roue voilée",))),
        ("« roue voilée »", Query(phrases=("roue voilée",))),
        ("“roue voilée”", Query(phrases=("roue voilée",))),
        ('huile -cire -"temps sec"', Query(words=("huile",), excluded=("cire", "temps sec"))),
        ("peut-on rouler", Query(words=("peut-on", "rouler"))),
        ("auteur:alice", Query(authors=("alice",))),
        ('Auteur:"Jean Paul"', Query(authors=("Jean Paul",))),
        ("author:alice @bruno", Query(authors=("alice", "bruno"))),
        ("catégorie:atelier categorie:x category:y #z", Query(categories=("atelier", "x", "y", "z"))),
        ('#"Le bistrot"', Query(categories=("Le bistrot",))),
        ("étiquette:freins etiquette:a tag:b", Query(tags=("freins", "a", "b"))),
        ('titre:chaîne title:"deux mots"', Query(titles=("chaîne", "deux mots"))),
        ("avant:2015", Query(before=date(2015, 1, 1))),
        ("before:2015-06 after:2014-02-03", Query(before=date(2015, 6, 1), after=date(2014, 2, 3))),
        ("après:02/03/2014 apres:03/2014", Query(after=date(2014, 3, 1))),
        ("C# C++ #1 @", Query(words=("C#", "C++", "#1", "@"))),
        ("prix:dix", Query(words=("prix:dix",))),
        ("alice@exemple", Query(words=("alice@exemple",))),
        ('(  " * )', Query(words=("(", "*", ")"))),
        ("", Query()),
    ],
)
def test_what_a_text_means(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["avant:hier", "après:2014-13", "before:31/02/2014", "avant:20145"])
def test_a_bad_date_is_an_error_that_names_it(text):
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.details["hint"] == "date" and caught.value.details["value"] in text


@given(st.text())
def test_any_text_parses_or_names_a_bad_date(text):
    try:
        query = parse(text)
    except QuerySyntaxError:
        return
    assert parse(format_query(query)) == query
