"""What a person types as the address of a forum."""

import pytest

from engine.discourse.address import address
from engine.errors import ForumUnavailable


@pytest.mark.parametrize(
    ("typed", "base_url"),
    [
        ("https://forum.exemple", "https://forum.exemple"),
        ("  HTTPS://Forum.Exemple/ ", "https://forum.exemple"),
        ("forum.exemple", "https://forum.exemple"),
        ("https://forum.exemple:443/latest", "https://forum.exemple"),
        ("https://forum.exemple:8443/t/le-sujet/12/3?u=dan#x", "https://forum.exemple:8443"),
        ("https://exemple.org/forum/", "https://exemple.org/forum"),
        ("https://exemple.org/forum/c/vélo/4", "https://exemple.org/forum"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("http://localhost/", "http://localhost"),
        ("http://[::1]:3000/", "http://[::1]:3000"),
    ],
)
def test_an_address_is_understood(typed, base_url):
    assert address(typed).base_url == base_url


@pytest.mark.parametrize(
    "typed",
    [
        "", "https://", "http://forum.exemple", "ftp://forum.exemple", "file:///etc/passwd", "https://a b.exemple",
        "https://forum.exemple:port", "https://[::1", "https://alice:zzkey@forum.exemple", "http://192.168.1.2",
        "https://forum.exemple\\@ailleurs.exemple", "javascript:alert(1)",
    ],
)  # fmt: skip
def test_another_is_refused(typed):
    with pytest.raises(ForumUnavailable) as raised:
        address(typed)
    assert raised.value.details["reason"] == "address"


@pytest.mark.parametrize("typed", ["https://alice:zzkey@forum.exemple", "ftp://forum.exemple/?api_key=zzkey"])
def test_a_refusal_does_not_repeat_a_secret(typed):
    with pytest.raises(ForumUnavailable) as raised:
        address(typed)
    assert "zzkey" not in str(raised.value)


def test_this_computer_is_told_from_others():
    assert address("http://127.0.0.2").loopback
    assert address("https://localhost").loopback
    assert not address("https://localhost.exemple").loopback
