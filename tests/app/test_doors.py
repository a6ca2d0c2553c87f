"""Two servers with one secret behind Debian's nginx, as replicas stand: sessions, sockets, figures, and a graceful stop."""

import base64
import json
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.i18n import gettext as _
from tests.app.access.visitor import HTML, READER, Visitor, event, heard, set_passphrases
from tests.app.job_sources import until
from tests.browser.server import free_port, started

pytestmark = pytest.mark.several

QUESTION = "À quelle pression gonfler des pneus 700x28 pour un cycliste de 82 kg ?"
WORDS = [f"mot{n} " for n in range(24)]
WORD_S = 0.15  # the answer takes longer than the drain
SCRAPER = "127.0.0.77"


class Slow(BaseHTTPRequestHandler):
    """A server of answers that writes one word after the other."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.server.began.set()
        for word in WORDS:
            self.wfile.write(b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % word.encode())
            time.sleep(WORD_S)  # what a model takes, not a wait for a state
        self.wfile.write(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
        self.server.ended.set()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def model():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.began, server.ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def pair(demo_data, model, tmp_path_factory):
    """(nginx, first server, second server, process of the first): the second one serves when the first does not."""
    folder = tmp_path_factory.mktemp("doors")
    shutil.copytree(demo_data, folder / "one")
    set_passphrases(folder / "one")
    shutil.copytree(folder / "one", folder / "two")  # the same passphrases, as a replica has those of its primary
    (folder / "secret").write_text("un secret partagé de plus de trente-deux signes")
    ports = free_port(), free_port()
    environ = {
        "ARCHIVISTE_SHARED_SECRET": str(folder / "secret"), "ARCHIVISTE_HOSTS": "127.0.0.1",
        "ARCHIVISTE_TRUSTED_PROXIES": "127.0.0.1", "ARCHIVISTE_METRICS_FROM": SCRAPER, "ARCHIVISTE_DRAIN_S": "2",
        "ARCHIVISTE_LLM_URL": f"http://127.0.0.1:{model.server_port}/v1",
    }  # fmt: skip
    with (
        started(folder / "one", port=ports[0], environ=environ) as (first, process),
        started(folder / "two", port=ports[1], environ=environ) as (second, _other),
        nginx(folder, *ports) as front,
    ):
        yield front, first, second, process


@contextmanager
def nginx(folder, first, second):
    """The address of nginx before two servers."""
    program, port = shutil.which("nginx") or "/usr/sbin/nginx", free_port()
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"""daemon off; pid {folder}/pid; error_log {folder}/error.log;
        events {{}}
        http {{
            access_log off;
            {temporary}
            map $http_upgrade $archiviste_connection {{ default upgrade; '' close; }}
            upstream archiviste {{
                server 127.0.0.1:{first} max_fails=1 fail_timeout=1s;
                server 127.0.0.1:{second} backup;
            }}
            server {{
                listen 127.0.0.1:{port};
                location / {{
                    proxy_pass http://archiviste;
                    proxy_http_version 1.1;
                    proxy_set_header Host $http_host;
                    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                    proxy_set_header X-Forwarded-Proto $scheme;
                    proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection $archiviste_connection;
                    proxy_buffering off;
                }}
            }}
        }}"""
    )
    process = subprocess.Popen([program, "-c", configuration, "-e", folder / "error.log"])

    def listens():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(listens, within_s=10)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def is_obeyed(visitor):
    """Whether a page opens and its buttons are heard and answered over the websocket."""
    page, events = visitor.listeners("/")
    with visitor.socket(page) as line:
        for one in events:
            line.send(event("event", one))
        return any("update" in said for said in heard(line, within_s=20, patience_s=20))


def at(server, visitor, source="127.0.0.1"):
    """The same browser at another address."""
    other = Visitor(server, source=source)
    other.http.cookies.update(visitor.http.cookies)
    return other


@pytest.fixture(scope="module")
def reader(pair):
    visitor = Visitor(pair[0])
    assert visitor.enter(READER).status_code == 303
    return visitor


def test_who_came_in_through_nginx_is_in_at_each_server_pages_and_sockets(pair, reader):
    _front, first, second, _process = pair
    assert is_obeyed(reader)
    for server in (first, second):
        there = at(server, reader)
        assert there.open("/")[0] == 200 and is_obeyed(there)
        assert Visitor(server).http.get("/", headers=HTML).status_code == 303


def test_what_a_cookie_of_one_says_the_other_reads(pair, reader):
    """NiceGUI's own, by which it knows a browser again."""

    def named(cookie):
        return json.loads(base64.b64decode(cookie.partition(".")[0] + "=="))["id"]

    mine, there = named(reader.http.cookies["session"]), at(pair[2], reader)
    assert there.open("/")[0] == 200
    assert {named(cookie.value) for cookie in there.http.cookies.jar if cookie.name == "session"} == {mine}


def test_leaving_at_one_is_known_there_and_a_stolen_token_of_another_secret_opens_nothing(pair):
    visitor = Visitor(pair[1])
    assert visitor.enter(READER).status_code == 303
    stolen = at(pair[1], visitor)
    assert visitor.http.post("/sortir").status_code == 303
    assert stolen.http.get("/", headers=HTML).status_code == 303
    forged = Visitor(pair[1])
    forged.http.cookies.set("archiviste", stolen.token[:-6] + "AAAAAA", domain="127.0.0.1")
    assert forged.http.get("/", headers=HTML).status_code == 303


def test_the_figures_are_for_who_was_named_also_through_nginx(pair, reader):
    reader.open("/chercher?q=pneus")
    for server in (pair[0], pair[1]):
        assert Visitor(server).http.get("/metrics", headers=HTML).headers["location"].startswith("/entrer")
        # Whoever says that they are somebody else is not believed; nginx adds whom it sees.
        forger = Visitor(server, source="127.0.0.61")
        assert forger.http.get("/metrics", headers={**HTML, "X-Forwarded-For": SCRAPER}).status_code == 303
        answer = Visitor(server, source=SCRAPER).http.get("/metrics")
        assert answer.status_code == 200 and "set-cookie" not in answer.headers
        told = {
            sample.name: sample for family in text_string_to_metric_families(answer.text) for sample in family.samples
        }
        assert told["archiviste_posts"].value > 100 and told["process_open_fds"].value > 0
        routes = set(re.findall(r'archiviste_http_requests_total\{[^}]*route="([^"]*)"', answer.text))
        assert {"/", "/entrer", "/chercher"} <= routes and not [route for route in routes if "pneus" in route]
        for private in (READER, reader.token, "pneus", "127.0.0.1"):
            assert private not in answer.text


def test_at_sigterm_it_says_so_goes_on_lets_the_answer_end_and_nobody_sees_a_failure(pair, reader, model):
    front, first, _second, process = pair
    until(lambda: httpx.get(f"{first}/pret").status_code == 200)
    codes, over = [], threading.Event()

    def ask_all_the_time():
        visitor = at(front, reader, source="127.0.0.60")
        while not over.is_set():
            codes.append(visitor.http.get("/chercher?q=pneus", headers=HTML).status_code)

    asking = threading.Thread(target=ask_all_the_time)
    status, page = reader.open(f"/demander?q={quote(QUESTION)}")
    assert status == 200
    with reader.socket(page) as line:
        assert model.began.wait(30)
        asking.start()
        process.send_signal(signal.SIGTERM)
        told = time.monotonic()
        until(lambda: httpx.get(f"{first}/pret").status_code == 503, within_s=1)
        assert _("This server is stopping.") in httpx.get(f"{first}/pret").text
        assert httpx.get(f"{first}/sante").status_code == 200
        assert at(first, reader).http.get("/", headers=HTML).status_code == 200
        said = "".join(heard(line, within_s=15, patience_s=40))
    process.wait(30)
    took_s = time.monotonic() - told
    over.set()
    asking.join()
    # The answer was written to its end (the last words of a draft wait for those after them), and judged…
    assert model.ended.is_set() and WORDS[10].strip() in said and "answer-title" in said
    assert json.dumps(_("The server is stopping: this answer was cut. Ask again in a moment."))[1:-1] not in said
    assert took_s >= max(2, len(WORDS) * WORD_S - 1)  # …which was after the drain
    assert set(codes) == {200} and len(codes) > 3
    assert process.returncode == -signal.SIGTERM
    # The other one goes on where this one ended: the same session, pages and sockets.
    assert reader.open("/")[0] == 200 and is_obeyed(reader)
