"""Addresses of a Discourse, pasted where one searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.addresses import place_of


@pytest.mark.parametrize(
    ("pasted", "place"),
    [
        ("/t/freins-qui-couinent/114/4", "/t/freins-qui-couinent/114/4"),
        ("/t/freins-qui-couinent/114", "/t/freins-qui-couinent/114"),
        ("/t/114/4", "/t/-/114/4"),
        ("/t/114", "/t/-/114"),
        ("/t/2024/114/4", "/t/-/114/4"),  # a title of digits only
        ("https://forum.exemple/t/freins/114/4", "/t/freins/114/4"),
        ("HTTPS://forum.exemple/t/freins/114/4/", "/t/freins/114/4"),
        ("  https://forum.exemple/t/freins/114/4?u=bruno \n", "/t/freins/114/4"),
        ("https://forum.exemple/t/freins/114.json", "/t/freins/114"),
        ("https://forum.exemple/t/freins/114?page=3#post_61", "/t/freins/114/61"),
        ("https://forum.exemple/t/freins/114/4/quelquechose", "/t/freins/114/4"),
        ("http://192.168.1.20:8080/t/freins/114/4", "/t/freins/114/4"),
        ("forum.exemple/t/freins/114/4", "/t/freins/114/4"),
        ("localhost:3000/t/114", "/t/-/114"),
        ("https://exemple.fr/forum/t/freins/114/4", "/t/freins/114/4"),  # a forum in a folder
        ("/t/%C3%A9t%C3%A9/114", "/t/%C3%A9t%C3%A9/114"),
        ("/t/été/114", "/t/%C3%A9t%C3%A9/114"),
        ("/p/114004", "/p/114004"),
        ("https://forum.exemple/p/114004/17", "/p/114004"),
        ("/c/atelier/5", "/c/atelier/5"),
        ("/c/atelier/freins/7/l/latest", "/c/freins/7"),
        ("/c/5", "/c/-/5"),
        ("/u/tontonrayon/summary", "/u/tontonrayon"),
        ("https://forum.exemple/tag/freins", "/etiquette/freins"),
        ("/etiquette/d%C3%A9railleur", "/etiquette/d%C3%A9railleur"),
    ],
)
def test_an_address_is_read(pasted, place):
    assert place_of(pasted) == place


@pytest.mark.parametrize(
    "typed",
    [
        "", "freins", "t/freins", "auteur:alice freins", "/t/", "/t/freins", "/t/freins/abc", "/t/-1", "/p/", "/p/x", "/c/",
        "/c/atelier", "/u/", "/tag/", "https://forum.exemple/", "https://forum.exemple/latest", "javascript:/t/1",
        "//exemple.fr/t/1", "ftp://exemple.fr/t/1", "/t/1 2", "/t/" + "1" * 13, "https://[::1/t/1", "/u/..", "/u/%2e%2e",
        "/u/a%2Fb", "/t/x/" + "9" * 600, "freins/patins", "1/2", "http://", "/",
    ],
)  # fmt: skip
def test_the_rest_is_a_search(typed):
    assert place_of(typed) is None


@given(st.text(max_size=60) | st.from_regex(r"(https?://[a-z.]{0,9})?/[tpcu]/.{0,30}", fullmatch=True))
def test_a_place_is_always_a_path_of_ours(text):
    place = place_of(text)
    if place is not None:
        assert place.startswith(("/t/", "/p/", "/c/", "/u/", "/etiquette/")) and place.isascii()
        assert "//" not in place and not set("?# \\") & set(place)


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True))
def test_a_place_is_its_own_place(topic, post, slug):
    place = f"/t/{slug}/{topic}/{post}"
    assert place_of(place) == place_of(f"https://forum.exemple{place}?u=x") == place
