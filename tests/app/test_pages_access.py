"""The door of the server: foreign names and foreign pages get 403, on pages and on the websocket alike."""

import asyncio

import pytest

from app.access import OnlyThisServer


def request(kind="http", *, host="127.0.0.1:8080", origin=None, hosts=None):
    """What the layer sent, and whether the application behind it was reached."""
    headers = [(b"host", name.encode()) for name in (hosts if hosts is not None else [host])]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    reached, sent = [], []

    async def inner(scope, receive, send):
        reached.append(True)
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": headers, "method": "GET", "path": "/"}
    asyncio.run(OnlyThisServer(inner, port=8080)(scope, receive, send))
    return sent, bool(reached)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
def test_loopback_names_are_served(kind, host):
    assert request(kind, host=host)[1]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "host",
    ["evil.example:8080", "127.0.0.1.evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "192.168.1.20:8080", "",
     "127.0.0.1:8080@evil.example", "user@127.0.0.1:8080", "[::1", "127.0.0.1:port", "127.0.0.1:8080/x"],
)  # fmt: skip
def test_other_names_are_refused(kind, host):
    assert not request(kind, host=host)[1]


def test_a_request_without_a_name_or_with_two_is_refused():
    assert not request(hosts=[])[1]
    assert not request(hosts=["127.0.0.1:8080", "evil.example:8080"])[1]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:9999"])
def test_a_page_of_another_place_cannot_open_the_socket(origin):
    sent, reached = request("websocket", origin=origin)
    assert not reached
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_our_own_page_opens_the_socket():
    assert request("websocket", origin="http://127.0.0.1:8080")[1]


def test_the_refusal_is_a_403():
    sent, _ = request(host="evil.example:8080")
    assert sent[0]["status"] == 403


def test_answers_carry_the_security_headers():
    sent, _ = request()
    headers = dict(sent[0]["headers"])
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"x-frame-options"] == b"DENY"
    assert headers[b"referrer-policy"] == b"no-referrer"
    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy and "ws://127.0.0.1:8080" in policy
    assert "http:" not in policy and "*" not in policy
