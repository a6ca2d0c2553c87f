"""The parts of a static archive: addresses, links, terms, and the files of the search."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.post_html import clean
from app.export_words import look
from engine import build_settings
from engine.export import export
from engine.export.places import Places, page_of
from engine.export.relink import relink
from engine.export.search_index import _base36
from engine.export.search_terms import shard, terms
from tests.factories import forum, save

PLACES = Places(np.array([7, 7, 7, 9]), np.array([1, 50, 120, 3]), {7: 50}, {(8, 2): (7, 120)})


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/t/fil/7/120", "t/7/3.html#post_120"),
        ("/t/7/50", "t/7/1.html#post_50"),
        ("/t/fil/7", "t/7/1.html"),
        ("/t/fil/7/60", "t/7/3.html"),  # not held: the next one
        ("/t/fil/7/9999", "t/7/3.html"),
        ("/t/9/3?u=x#a", "t/9/1.html#post_3"),
        ("/t/fil/8/2", "t/7/3.html#post_120"),  # where it went
        ("/t/fil/8", None),
        ("/u/alice", None),
        ("/t/../../etc/7", None),
    ],
)
def test_where_a_path_of_the_application_leads(path, address):
    assert PLACES.address(path) == address


def test_a_quoted_place_is_one_that_is_held():
    assert [PLACES.quoted(7, 50), PLACES.quoted(8, 2), PLACES.quoted(7, None)] == ["/t/7/50", "/t/7/120", "/t/7"]
    assert [PLACES.quoted(7, 51), PLACES.quoted(1, 1), PLACES.quoted(1, None)] == [None, None, None]


def test_an_address_does_not_depend_on_what_else_is_held():
    assert [page_of(n) for n in (1, 50, 51, 2700)] == [1, 1, 2, 54]
    assert PLACES.pages(7) == (1, 3) and PLACES.pages(9) == (1,) and PLACES.pages(1) == ()


class _Read(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, sorted(attrs)))

    def handle_data(self, data):
        self.seen.append(data)


def read(html):
    reader = _Read()
    reader.feed(html)
    return reader.seen


@given(st.lists(st.sampled_from(
    ['<a href="/t/x/7/1">', "<a href='/t/9'>", "</a>", "<img alt='<a href=\"/t/x/7/1\">' src=/uploads/1/a.png>", '"', "<",
     'href="/t/x/7/1"', "<p>", "texte", "&quot;", "<span title='/t/7'>", '<a href="https://ailleurs.example/t/1">'])
))  # fmt: skip
def test_only_the_addresses_of_links_and_images_change(parts):
    safe = clean("".join(parts), image_of=lambda url: "/uploads/1/a.png" if url.endswith("a.png") else None)
    found = read(relink(safe, lambda path: f"../{path[1:]}.html"))
    expected = [
        one if isinstance(one, str) else (one[0], sorted(
            (name, f"../{value[1:]}.html" if name in ("href", "src") and value.startswith("/") else value)
            for name, value in one[1]
        )) for one in read(safe)
    ]  # fmt: skip
    assert found == expected
    for one in read(relink(safe, lambda path: None)):
        assert isinstance(one, str) or not [name for name, value in one[1] if name != "alt" and value[:1] == "/"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L’Œuvre d'été", ["oeuvre", "ete"]),
        ("aujourd’hui, un vélo à 3.5 €", ["aujourdhui", "velo", "3,5"]),
        ("F-GABC a 2 roues", ["gabc", "2", "roues"]),
    ],
)
def test_terms_are_folded_without_elision(text, found):
    assert terms(text, "fr") == found


@given(st.text(min_size=1))
def test_the_name_of_a_shard_is_one_that_every_disk_takes(term):
    assert re.fullmatch(r"[a-z0-9]{1,2}|x[0-9a-f]+(-[0-9a-f]+)?", shard(term.lower())) or not term.lower().isascii()
    assert re.fullmatch(r"[A-Za-z0-9-]+", shard(term))


@given(st.integers(0, 2**40))
def test_numbers_are_written_in_base_36(n):
    assert int(_base36(n), 36) == n


def test_the_index_names_every_post_of_a_word(tmp_path):
    save(tmp_path / "data", forum())
    folder = export(build_settings(tmp_path / "data"), tmp_path / "sorti", "html", look=look(tmp_path / "data")).folder
    lines = re.search(r'"fr","(.*)"\);', (folder / "search" / "w" / "fr.js").read_text("utf-8"))[1].split("\\n")
    assert "freins 0 0" in lines  # the first post says it, the title of the first topic too
    assert '"sizes":"3 3 2 4"' in (folder / "search" / "setup.js").read_text("utf-8")
    assert not list((folder / "search").rglob("*.txt"))
