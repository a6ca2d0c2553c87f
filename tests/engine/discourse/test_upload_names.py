"""Addresses of files: their hash in each form that Discourse writes it, and the place where a backup keeps them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.discourse.upload_names import is_copy, place_of, sha1_of

FORUM = "https://forum.exemple"
SHA = "1c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def base62(sha1):
    """As Discourse's Base62.encode does."""
    number, digits = int(sha1, 16), ""
    while number:
        number, rest = divmod(number, 62)
        digits = DIGITS[rest] + digits
    return digits or "0"


@given(st.text("0123456789abcdef", min_size=40, max_size=40), st.sampled_from(["", ".png", ".tar.gz", ".JPEG"]))
def test_a_short_address_is_the_hash_in_base_62(sha1, extension):
    short = base62(sha1) + extension
    assert sha1_of(f"upload://{short}") == sha1
    assert sha1_of(f"/uploads/short-url/{short}?dl=1") == sha1
    assert sha1_of(f"{FORUM}/forum/uploads/short-url/{short}") == sha1


@pytest.mark.parametrize(
    "url",
    [
        f"/uploads/default/original/1X/{SHA}.png",
        f"//cdn.exemple/uploads/default/original/3X/1/c/{SHA}.jpeg?v=2",
        f"/uploads/default/optimized/1X/{SHA}_2_690x388.png",
        f"https://seau.s3.exemple/original/2X/1/{SHA}.pdf#page=2",
    ],
)
def test_a_name_tells_the_hash_of_the_original(url):
    assert sha1_of(url) == SHA
    assert is_copy(url) == ("optimized" in url)


@pytest.mark.parametrize(
    "url",
    [
        "", "/", "/uploads/default/123/0a1b2c3d4e5f6789.png", f"/{SHA}x.png", f"/x{SHA}.png", "upload://", "upload://é.png",
        "upload://" + "Z" * 27, "upload://a/b", f"/uploads/default/{SHA}/autre.png", "data:image/png;base64,AAAA",
    ],
)  # fmt: skip
def test_nothing_else_does(url):
    assert sha1_of(url) == ""


@pytest.mark.parametrize(
    ("url", "base", "place"),
    [
        (f"/uploads/default/original/1X/{SHA}.png", FORUM, f"default/original/1X/{SHA}.png"),
        (f"{FORUM}/uploads/default/a.png?x=1#y", FORUM, "default/a.png"),
        ("//forum.exemple/uploads/default/a%20b.png", FORUM, "default/a b.png"),
        ("/forum/uploads/default/a.png", f"{FORUM}/forum", "default/a.png"),
        ("/uploads/default/a.png", "", "default/a.png"),
        ("https://ailleurs.exemple/uploads/default/a.png", FORUM, ""),
        ("ftp://forum.exemple/uploads/default/a.png", FORUM, ""),
        ("/uploads/short-url/abc.png", FORUM, ""),
        ("/uploads/a.png", FORUM, ""),
        ("/images/emoji/a.png", FORUM, ""),
        ("/uploads/../archive.db", FORUM, ""),
        ("/uploads/default/%2e%2e/%2e%2e/archive.db", FORUM, ""),
        ("/uploads/default//a.png", FORUM, ""),
        ("/uploads/default/..\\a.png", FORUM, ""),
        ("/uploads/C:/a.png", FORUM, ""),
        ("/uploads/default/a\x00.png", FORUM, ""),
        ("http://[", FORUM, ""),
    ],
)
def test_the_place_of_a_file(url, base, place):
    assert place_of(url, base) == place


@given(st.text(max_size=80).map(lambda text: f"/uploads/{text}"))
def test_no_address_leads_out_of_the_folder(url):
    assert not {"", ".", ".."}.intersection(place_of(url, FORUM).split("/")) or not place_of(url, FORUM)
    assert "\\" not in place_of(url, FORUM)
