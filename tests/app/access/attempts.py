"""A scripted attacker against a real server on loopback, opened with --lan: each attempt, what came of it, whether it held.

`python -m tests.app.access.attempts DATA` prints the table for a copy of a data folder.
"""

from __future__ import annotations

import shutil
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus

from app.access.throttle import FREE
from tests.app.access.visitor import HTML, MODERATOR, READER, SOCKET, Visitor, event, heard, set_passphrases
from tests.browser.server import running

EVIL: Final = "http://evil.example"
MODERATORS: Final = ("/archive", "/archive/x", "/mesures", "/reglages", "/reglages/acces", "/reglages/")
TRAVERSALS: Final = (
    "/assets/css/../../app.db", "/assets/css/..%2f..%2fapp.db", "/assets/css/%2e%2e/%2e%2e/app.db",
    "/assets/css/..%5c..%5capp.db", "/assets/icons/....//....//app.db", "/assets/css//etc/passwd",
    "/assets/css/%2fetc%2fpasswd", "/assets/demo/../css/../../pyproject.toml", "/uploads/1/..%2f..%2fapp.db",
    "/uploads/..%2f..%2f/app.db", "/uploads/1/%2e%2e", "/uploads/1/..%5c..%5capp.db", "/uploads/1/a.png%00.db",
    "/_nicegui/3.18.0/static/../../../app.db", "/_nicegui/3.18.0/static/..%2f..%2f..%2f__init__.py",
    "/_nicegui/3.18.0/resources/x/..%2f..%2fapp.db", "/_nicegui/3.18.0/esm/x/..%2f..%2fapp.db",
    "/_nicegui/auto/static/x/..%2fapp.db", "/t/..%2f..%2fapp.db/1", "/..%2fapp.db", "/%2e%2e/app.db", "/%00",
)  # fmt: skip
ALLOWED: Final = FREE + 5  # guesses within the minute that they take at most: the waits are 2, 4, 8, 16, 32 s
LEAKS: Final = (b"SQLite format 3", b"root:x:", b"[build-system]", b"argon2id", b"from .app import")


@dataclass(slots=True)
class Scene:
    """A server, the data folder behind it, and people who are in."""

    server: str
    data: Path
    reader: Visitor = field(init=False)
    moderator: Visitor = field(init=False)

    def __post_init__(self) -> None:
        self.reader, self.moderator = Visitor(self.server, source="127.0.0.5"), Visitor(self.server, source="127.0.0.6")
        assert self.reader.enter(READER).status_code == 303
        assert self.moderator.enter(MODERATOR).status_code == 303

    def nobody(self, source: str = "127.0.0.7") -> Visitor:
        return Visitor(self.server, source=source)

    def raw(self, request: str | bytes) -> bytes:
        """The answer to bytes of ours, until the server hangs up."""
        answer = b""
        with socket.create_connection(("127.0.0.1", urlsplit(self.server).port), timeout=10) as line:
            line.sendall(request.encode("latin-1") if isinstance(request, str) else request)
            with suppress(ConnectionResetError):  # it hung up before it had read everything
                while part := line.recv(65536):
                    answer += part
        return answer


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt came to, and whether the server held."""

    attempt: str
    result: str
    held: bool


def attempts(scene: Scene) -> Iterator[Outcome]:
    """Every attempt, one after the other; those that end sessions come last."""
    for group in (_names, _sites, _sessions, _roles, _pages_of_others, _guesses, _paths, _sizes, _proxies, _endings):
        yield from group(scene)


# --- who is asked ---------------------------------------------------------------------------------


def _names(scene: Scene) -> Iterator[Outcome]:
    port = urlsplit(scene.server).port
    for said in (
        "evil.example", f"evil.example:{port}", "127.0.0.1:1", f"127.0.0.1:{port}@evil.example",
        f"127.0.0.1:{port}\r\nHost: evil.example", "", f"[::1%25lo]:{port}", f"127.0.0.1:{port}?x",
    ):  # fmt: skip
        answer = scene.raw(f"GET /entrer?essai=1 HTTP/1.1\r\nHost: {said}\r\nConnection: close\r\n\r\n")
        yield _answered(f"Host forged: {said!r}", answer, (400, 403))
    yield _answered("no Host", scene.raw("GET /entrer HTTP/1.0\r\n\r\n"), (400, 403))
    line = f"GET http://evil.example/entrer HTTP/1.1\r\nHost: evil.example:{port}\r\nConnection: close\r\n\r\n"
    yield _answered("absolute address of another site", scene.raw(line), (400, 403))
    line = (
        f"GET {SOCKET}?EIO=4&transport=websocket HTTP/1.1\r\nHost: evil.example:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Origin: http://evil.example:{port}\r\nCookie: archiviste={scene.moderator.token}\r\n\r\n"
    )
    yield _answered("websocket of a moderator's browser under a foreign Host", scene.raw(line), (403,))


def _sites(scene: Scene) -> Iterator[Outcome]:
    for origin in (EVIL, "null", scene.server.replace("127.0.0.1", "localhost"), f"{scene.server}.evil.example"):
        answer = scene.nobody().enter(READER, Origin=origin)
        yield _status(f"right passphrase posted from Origin {origin}", answer, (403,))
        yield _refused_socket(f"websocket of a moderator's browser, Origin {origin}", scene.moderator, origin=origin)
    form = {"reader": "a" * 12, "reader_again": "a" * 12}
    for headers in ({"Origin": EVIL}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}):
        answer = scene.moderator.http.post("/reglages/acces/phrases", data=form, headers=headers)
        yield _status(f"passphrases changed from another site, {next(iter(headers))}", answer, (403,))
    poll = scene.moderator.http.get(f"{SOCKET}?EIO=4&transport=polling", headers={"Origin": EVIL})
    yield _status("polling from another site", poll, (403,))
    framed = scene.moderator.http.get("/reglages/acces", headers=HTML).headers
    held = framed["x-frame-options"] == "DENY" and "frame-ancestors 'none'" in framed["content-security-policy"]
    yield Outcome("a page of ours in a frame", f"X-Frame-Options {framed['x-frame-options']}", held)
    (cookie,) = (
        one.lower() for one in scene.nobody("127.0.0.9").enter(READER).headers.get_list("set-cookie")
        if one.startswith("archiviste=")
    )  # fmt: skip
    held = all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    yield Outcome("the cookie read by a script or sent from another site", cookie.partition(";")[2].strip(), held)


def _sessions(scene: Scene) -> Iterator[Outcome]:
    yield _refused_socket("websocket without a session", scene.nobody())
    yield _status("polling without a session", scene.nobody().http.get(f"{SOCKET}?EIO=4&transport=polling"), (401,))
    yield _status(
        "polling POST without a session", scene.nobody().http.post(f"{SOCKET}?EIO=4&sid=x", content="40"), (401,)
    )
    with sqlite3.connect(f"file:{scene.data / 'app.db'}?mode=ro", uri=True) as db:
        (on_disk,) = db.execute("SELECT token FROM sessions LIMIT 1").fetchone()
    token = scene.moderator.token
    for what, cookie in (
        ("made up", "archiviste=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        ("what app.db keeps", f"archiviste={on_disk}"),
        ("a moderator's, cut", f"archiviste={token[:-1]}"),
        ("a moderator's and another", f"archiviste={token}; archiviste=x"),
        ("empty", "archiviste="),
        ("quoted", f'archiviste="{token}"'),
        ("NiceGUI's own", f"session={scene.moderator.http.cookies.get('session')}"),
        ("not UTF-8", b"archiviste=\xff\xfe"),
        ("SQL", "archiviste=' OR 1=1 --"),
    ):
        answer = scene.nobody().http.get("/reglages/acces", headers={"Cookie": cookie, **HTML})
        yield _status(f"cookie: {what}", answer, (303,))
        if isinstance(cookie, str):
            yield _refused_socket(f"websocket with a cookie: {what}", scene.nobody(), Cookie=cookie)


def _roles(scene: Scene) -> Iterator[Outcome]:
    for path in MODERATORS:
        yield _status(f"reader asks for {path}", scene.reader.http.get(path, headers=HTML), (403,))
        yield _status(f"nobody asks for {path}", scene.nobody().http.get(path, headers=HTML), (303,))
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
            answers = [who.http.request(method, path) for who in (scene.nobody(), scene.reader)]
            if any(answer.status_code not in (401, 403) for answer in answers):
                yield _status(f"{method} {path}", answers[1], (403,))
    yield Outcome("six other methods on the same addresses", "401 and 403", True)
    form = {"moderator": "a" * 12, "moderator_again": "a" * 12}
    yield _status("reader changes passphrases", scene.reader.http.post("/reglages/acces/phrases", data=form), (403,))
    for path in ("/", "/chercher?q=a", "/demander?q=a", "/t/101/1", "/uploads/1/a.png", "/_nicegui/3.18.0/static/vue.js",
                 "/assets/js/keys.js", "/openapi.json", "/docs", "/redoc", "/n-existe-pas"):  # fmt: skip
        yield _status(f"nobody asks for {path}", scene.nobody().http.get(path, headers=HTML), (303,))


def _pages_of_others(scene: Scene) -> Iterator[Outcome]:
    page, events = scene.moderator.listeners("/")
    with scene.moderator.socket(page) as own:
        list(heard(own, within_s=1))
        for stranger, name in ((scene.reader, "a reader"), (_second(scene), "another moderator")):
            with stranger.socket() as line:
                line.send(event("handshake", {"client_id": page, "tab_id": "t", "document_id": "d"}))
                for one in events:
                    line.send(event("event", one))
                told = [said for said in heard(line, within_s=0.5) if "update" in said]
            moved = [said for said in heard(own, within_s=0.5) if said != "2"]
            yield Outcome(f"{name} drives a moderator's page by its id", _moved(told, moved), not told and not moved)
            yield _silent_socket(f"{name} opens the socket of that page", stranger, page)
        for one in events:
            own.send(event("event", one))
        moved = [said for said in heard(own, within_s=0.5) if "update" in said or "run_javascript" in said]
        yield Outcome("(control) its moderator does", f"{len(moved)} answers", bool(moved))
    opened = scene.moderator.http.get(f"{SOCKET}?EIO=4&transport=polling").text
    sid = opened.partition('"sid":"')[2].partition('"')[0]
    for stranger, name, status in ((scene.reader, "a reader", 403), (scene.nobody(), "nobody", 401)):
        went_on = [
            stranger.http.get(f"{SOCKET}?EIO=4&transport=polling&sid={sid}"),
            stranger.http.post(f"{SOCKET}?EIO=4&transport=polling&sid={sid}", content="40"),
        ]
        yield _status(
            f"{name} goes on with a moderator's polling", max(went_on, key=lambda a: a.status_code == 200), (status,)
        )
    files = {"file": ("../../evil.py", b"x")}
    for stranger, name, status in ((scene.reader, "a reader", 403), (scene.nobody(), "nobody", 401)):
        answer = stranger.http.post(f"/_nicegui/client/{page}/upload/4", files=files)
        yield _status(f"{name} sends a file to a moderator's page", answer, (status,))
    answer = _second(scene).http.post(f"/_nicegui/client/{page}/upload/4", files=files)
    yield _status("another moderator sends a file to it", answer, (403,))
    for odd in (
        "42",
        "42[]",
        '42["event"]',
        '42["event",{}]',
        '42["event",{"client_id":[1]}]',
        "4",
        "9x",
        "451-[",
        "é",
    ):
        with scene.reader.socket() as line:
            try:
                line.send(odd)
                list(heard(line, within_s=0.2))
            except ConnectionClosed:
                pass
    yield _status("nine malformed messages on the socket; then the server", scene.reader.http.get("/"), (200,))


# --- guessing -------------------------------------------------------------------------------------


def _guesses(scene: Scene) -> Iterator[Outcome]:
    guesser = scene.nobody("127.0.0.20")
    codes = [guesser.enter(f"mauvaise phrase {n}").status_code for n in range(40)]
    yield Outcome("40 guesses in a row", _counted(codes), codes.count(403) <= ALLOWED and set(codes) == {403, 429})
    answer = guesser.enter(READER)
    held = answer.status_code == 429 and int(answer.headers["retry-after"]) >= 1 and not guesser.token
    yield Outcome(
        "the right one while that address waits", f"429, Retry-After {answer.headers.get('retry-after')}", held
    )
    other = scene.nobody("127.0.0.21")
    yield _status("(control) the right one from another address meanwhile", other.enter(READER), (303,))
    spoofer = scene.nobody("127.0.0.20")
    codes = [
        spoofer.enter(f"phrase {n}", **{"X-Forwarded-For": f"10.0.0.{n}", "X-Real-IP": f"10.0.0.{n}",
                                        "Forwarded": f"for=10.0.0.{n}"}).status_code for n in range(10)
    ]  # fmt: skip
    yield Outcome("10 guesses under invented X-Forwarded-For", _counted(codes), codes.count(429) >= 8)
    with ThreadPoolExecutor(50) as pool:
        codes = list(pool.map(lambda n: scene.nobody("127.0.0.22").enter(f"phrase {n}").status_code, range(50)))
    yield Outcome("50 guesses at once", _counted(codes), codes.count(403) <= ALLOWED)
    knower = scene.nobody("127.0.0.23")
    codes = [knower.enter(READER if n % 2 else f"phrase {n}").status_code for n in range(14)]
    yield Outcome("guesses between right passphrases of a reader", _counted(codes), codes.count(403) <= ALLOWED)


# --- what is asked --------------------------------------------------------------------------------


def _paths(scene: Scene) -> Iterator[Outcome]:
    port = urlsplit(scene.server).port
    for visitor, name in ((scene.nobody(), "nobody"), (scene.reader, "reader"), (scene.moderator, "moderator")):
        cookie = f"Cookie: archiviste={visitor.token}\r\n" if visitor.token else ""
        found, leaked = [], []
        for path in TRAVERSALS:
            lines = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}Connection: close\r\n\r\n"
            answer = scene.raw(lines)
            found.append(int(answer.split(b" ", 2)[1]))
            leaked += [path for mark in LEAKS if mark in answer]
        held = not leaked and not set(found) & {200, 500}
        yield Outcome(f"{len(TRAVERSALS)} traversals as {name}", _counted(found) + "".join(leaked), held)
    for target in ("//evil.example", "https://evil.example", "/\\evil.example", "/%0d%0aSet-Cookie:x=y", "/\r\nX: y",
                   "javascript:alert(1)", "\t//evil.example", "///evil.example"):  # fmt: skip
        place = scene.nobody("127.0.0.30").enter(READER, target).headers["location"]
        held = place.startswith("/") and not place.startswith(("//", "/\\")) and place.isprintable()
        yield Outcome(f"sent elsewhere after entering: {target!r}", f"Location {place}", held)
    asked = scene.nobody().http.get("/entrer", params={"essai": "1", "vers": '/"><script>alert(1)</script>'}).text
    yield Outcome("script in the address of the form", "written as text", "<script>alert" not in asked)


def _sizes(scene: Scene) -> Iterator[Outcome]:
    port = urlsplit(scene.server).port
    head = f"POST /entrer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n"
    yield _answered("1 GB declared", scene.raw(f"{head}Content-Length: 1000000000\r\n\r\nphrase=a"), (413,))
    yield _answered("length that is none", scene.raw(f"{head}Content-Length: -5\r\n\r\n"), (400,))
    chunks = "".join(f"2000\r\n{'a' * 0x2000}\r\n" for _ in range(20)) + "0\r\n\r\n"
    yield _answered(
        "160 kB in chunks, undeclared", scene.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n{chunks}"), (413,)
    )
    both = f"{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /reglages HTTP/1.1\r\n\r\n"
    answer = scene.raw(both)
    said = [part.partition(b"\r\n")[0].decode() for part in answer.split(b"HTTP/1.1 ")[1:]]
    yield Outcome("two lengths (request smuggling)", ", then ".join(said), all(one[0] == "4" for one in said))
    many = head + "".join(f"X-{n}: {'a' * 1000}\r\n" for n in range(200)) + "\r\n"
    yield _answered("200 kB of headers", scene.raw(many), (400, 431))
    poll = scene.reader.http.post(f"{SOCKET}?EIO=4&transport=polling&sid=x", content=b"4" * 2_000_000)
    yield _status("2 MB by polling", poll, (413,))
    with scene.reader.socket() as line:
        try:
            line.send("4" * 2_000_000)
            list(heard(line, within_s=2))
            closed = line.close_code
        except ConnectionClosed as end:
            closed = end.rcvd.code if end.rcvd else 1006
    yield Outcome("2 MB in a message of the socket", f"closed {closed}", closed is not None)
    fields = "&".join(f"f{n}=1" for n in range(5000))
    answer = scene.nobody().http.post(
        "/entrer", content=fields, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    yield _status("5,000 fields", answer, (400, 403, 413))


def _proxies(scene: Scene) -> Iterator[Outcome]:
    text = scene.reader.http.get("/", headers={"X-Forwarded-Prefix": "//evil.example", **HTML}).text
    yield Outcome("X-Forwarded-Prefix of our own", "not in the page", "evil.example" not in text)
    for name in ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Path"):
        answer = scene.nobody().http.get("/reglages/acces", headers={name: "/entrer", **HTML})
        yield _status(f"another address in {name}", answer, (303,))
    answer = scene.nobody().http.post("/entrer", headers={"X-HTTP-Method-Override": "GET"}, data={"phrase": ""})
    yield _status("method in X-HTTP-Method-Override", answer, (403,))
    secure = scene.nobody("127.0.0.31").enter(READER, **{"X-Forwarded-Proto": "https"}).headers["set-cookie"]
    yield Outcome("X-Forwarded-Proto of our own", "cookie as over HTTP", "secure" not in secure.lower())


# --- when it ends ---------------------------------------------------------------------------------


def _endings(scene: Scene) -> Iterator[Outcome]:
    def renewed() -> None:
        set_passphrases(scene.data)  # by another process, as the server sees it

    def expired() -> None:
        with sqlite3.connect(scene.data / "app.db") as db:
            db.execute("UPDATE sessions SET expires_at = 1")

    def left() -> None:
        assert leaver.http.post("/sortir").status_code == 303

    for name, end in (("its end of time", expired), ("leaving", left), ("a new passphrase", renewed)):
        leaver = Visitor(scene.server, source="127.0.0.40")
        assert leaver.enter(READER).status_code == 303
        token = leaver.token
        yield _ended(leaver, token, name, end)


def _ended(leaver: Visitor, token: str, name: str, end: Callable[[], None]) -> Outcome:
    page, events = leaver.listeners("/")
    with leaver.socket(page) as line:
        list(heard(line, within_s=0.6))
        end()
        leaver.http.cookies.set("archiviste", token, domain="127.0.0.1")  # whoever stole it still has it
        try:
            line.send(event("event", events[0]))
            said = list(heard(line, within_s=2))
        except ConnectionClosed:
            said = []
        code = line.close_code
    asked = leaver.http.get("/", headers=HTML).status_code
    return Outcome(
        f"page and cookie after {name}",
        f"socket closed {code}, page {asked}",
        code == 1008 and not said and asked == 303,
    )


# --- words ----------------------------------------------------------------------------------------


def _second(scene: Scene) -> Visitor:
    other = Visitor(scene.server, source="127.0.0.8")
    assert other.enter(MODERATOR).status_code == 303
    return other


def _answered(attempt: str, answer: bytes, expected: tuple[int, ...]) -> Outcome:
    said = _status_line(answer)
    return Outcome(attempt, said, said.split(" ")[0] in {str(code) for code in expected})


def _status_line(answer: bytes) -> str:
    return answer.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")[2] or "closed"


def _status(attempt: str, answer: httpx.Response, expected: tuple[int, ...]) -> Outcome:
    return Outcome(attempt, str(answer.status_code), answer.status_code in expected)


def _refused_socket(attempt: str, visitor: Visitor, *, origin: str | None = None, **headers: str) -> Outcome:
    try:
        with visitor.socket(origin=origin, **headers):
            return Outcome(attempt, "opened", False)
    except InvalidStatus as refusal:
        code = refusal.response.status_code
        return Outcome(attempt, str(code), code == 403)


def _silent_socket(attempt: str, visitor: Visitor, page: str) -> Outcome:
    with visitor.socket(page) as line:
        said = [one for one in heard(line, within_s=0.5) if "update" in one]
    return Outcome(attempt, f"{len(said)} updates", not said)


def _moved(told: list[str], moved: list[str]) -> str:
    return f"{len(told)} answers to them, {len(moved)} changes of the page"


def _counted(codes: list[int]) -> str:
    return ", ".join(f"{codes.count(code)} × {code}" for code in sorted(set(codes)))


def secrets_kept(scene: Scene, tokens: list[str]) -> Outcome:
    """Whether neither a passphrase nor a token was written anywhere in the data folder."""
    wanted = [word.encode() for word in (READER, MODERATOR, *tokens)]
    files = [path for path in scene.data.rglob("*") if path.is_file()]
    found = [path.name for path in files if any(word in path.read_bytes() for word in wanted)]
    return Outcome("a passphrase or a token in a file", f"{len(files)} files, {len(found)} with one {found}", not found)


def main(source: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(source, data)
        set_passphrases(data)
        with running(data, "--lan", environ={"ARCHIVISTE_LOG_LEVEL": "debug"}) as server:
            scene = Scene(server, data)
            tokens = [scene.reader.token, scene.moderator.token]
            began, bad = time.monotonic(), 0
            for outcome in chain(attempts(scene), [secrets_kept(scene, tokens)]):
                bad += not outcome.held
                print(f"{'held' if outcome.held else 'BROKEN':6} | {outcome.attempt} | {outcome.result}")
            print(f"{bad} broken; {time.monotonic() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
