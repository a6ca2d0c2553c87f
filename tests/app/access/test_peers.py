"""Host, Origin and proxies: foreign names and foreign pages are not for us, and nobody speaks for others unasked."""

import pytest

from app.access.peers import Doors, networks, without_forwarded

LOCAL = Doors(8080)
LAN = Doors(8080, own=lambda: ("192.168.1.20", "fd00::20"))
PROXIED = Doors(8080, hosts=("archive.exemple",), proxies=networks(["127.0.0.1", "10.0.0.0/24"]))


def ask(doors=LOCAL, host="127.0.0.1:8080", *, kind="http", method="GET", client="127.0.0.1", scheme=None, **headers):
    """What the doors make of a request; `headers` with _ for -, a list for several."""
    named = [("host", one) for one in (host if isinstance(host, list) else [host])]
    for name, values in headers.items():
        named += [(name.replace("_", "-"), value) for value in (values if isinstance(values, list) else [values])]
    scope = {
        "type": kind, "method": method, "client": (client, 1) if client else None,
        "scheme": scheme or ("ws" if kind == "websocket" else "http"),
        "headers": [(name.encode(), value.encode()) for name, value in named],
    }  # fmt: skip
    return doors.peer(scope)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
def test_loopback_names_are_served(kind, host):
    assert ask(host=host, kind=kind)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "host",
    ["evil.example:8080", "127.0.0.1.evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "192.168.1.20:8080", "",
     "127.0.0.1:8080@evil.example", "user@127.0.0.1:8080", "[::1", "127.0.0.1:port", "127.0.0.1:8080/x",
     "127.0.0.1:8080?", "127.0.0.1:8080?x", "127.0.0.1:8080#x", "0.0.0.0:8080"],
)  # fmt: skip
def test_other_names_are_refused(kind, host):
    assert ask(host=host, kind=kind) is None


def test_a_request_without_a_name_or_with_two_is_refused():
    assert ask(host=[]) is None
    assert ask(host=["127.0.0.1:8080", "evil.example:8080"]) is None
    assert ask(host=["127.0.0.1:8080", "127.0.0.1:8080"]) is None


def test_on_the_network_the_machine_s_own_addresses_are_names_too():
    assert ask(LAN, "192.168.1.20:8080", client="192.168.1.33")
    assert ask(LAN, "[fd00::20]:8080", client="fd00::33")
    assert ask(LAN, "192.168.1.21:8080", client="192.168.1.33") is None
    assert ask(LAN, "archive.exemple:8080", client="192.168.1.33") is None


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:9999", "http://localhost:8080", "",
     "http://127.0.0.1:8080.evil.example"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_page_of_another_place_can_neither_open_the_socket_nor_post(kind, origin):
    assert ask(kind=kind, method="POST", origin=origin) is None
    assert ask(kind=kind, method="POST", origin=["http://127.0.0.1:8080", origin]) is None


def test_our_own_page_can():
    assert ask(kind="websocket", origin="http://127.0.0.1:8080")
    assert ask(method="POST", origin="http://127.0.0.1:8080")
    assert ask(scheme="https", origin="https://127.0.0.1:8080").secure


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_browsers_say_of_other_sites_counts_even_without_an_origin(site):
    assert ask(method="POST", sec_fetch_site=site, sec_fetch_mode="navigate") is None
    assert ask(kind="websocket", sec_fetch_site=site) is None
    assert ask(sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image") is None
    assert ask(sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe") is None
    assert ask(sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document")  # a link
    assert ask(sec_fetch_site="same-origin", method="POST", sec_fetch_mode="navigate")
    assert ask(sec_fetch_site="none", sec_fetch_mode="navigate")


def test_nobody_but_a_trusted_proxy_speaks_for_others():
    forged = {"x_forwarded_for": "203.0.113.9", "x_forwarded_proto": "https"}
    peer = ask(client="192.168.1.33", **forged)
    assert (peer.address, peer.secure) == ("192.168.1.33", False)
    peer = ask(PROXIED, client="192.168.1.33", **forged)
    assert (peer.address, peer.secure) == ("192.168.1.33", False)


def test_a_trusted_proxy_says_for_whom_it_asks():
    peer = ask(PROXIED, "archive.exemple", x_forwarded_for="203.0.113.9", x_forwarded_proto="https",
               origin="https://archive.exemple")  # fmt: skip
    assert (peer.address, peer.secure, peer.origin) == ("203.0.113.9", True, "https://archive.exemple")
    assert ask(PROXIED, "archive.exemple", client="192.168.1.33") is None  # directly, it is another port


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("6.6.6.6, 203.0.113.9", "203.0.113.9"),  # what its client wrote comes first
        ("6.6.6.6, 203.0.113.9, 10.0.0.4", "203.0.113.9"),  # through two of our proxies
        (["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", "127.0.0.1"),
        ("unknown", "127.0.0.1"),
        ("203.0.113.9, garbage", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("2001:db8::9", "2001:db8::9"),
    ],
)
def test_only_the_last_address_that_no_proxy_of_ours_has_is_believed(forwarded, address):
    assert ask(PROXIED, x_forwarded_for=forwarded).address == address


def test_without_an_address_nothing_is_trusted():
    assert ask(PROXIED, "archive.exemple", client=None) is None


def test_the_pages_never_see_what_was_forwarded():
    headers = [(b"X-Forwarded-Prefix", b"//evil.example"), (b"forwarded", b"for=1"), (b"cookie", b"a=b")]
    assert without_forwarded(headers) == [(b"cookie", b"a=b")]
