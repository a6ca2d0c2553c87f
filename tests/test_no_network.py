"""Nothing phones home: import, index, search, ask and a served page open no connection but to this machine.

Two guards: an audit hook in the first process, and a library that is loaded before any other (tests/network_guard.c),
which sees the calls of every child and of native code (Chroma's Rust, llama.cpp) as well. What a browser asks for is
watched in tests/browser.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.access.visitor import Visitor, heard
from tests.browser.server import running
from tests.discourse_server import Reply, Serving, small_forum

ROOT = Path(__file__).parent.parent

# An audit hook sees every socket call of Python code, in whatever library, and raising in it forbids the call.
GUARD = """
import sys

def guard(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""
        if host not in ("127.0.0.1", "::1", "") and not str(address).startswith("/"):
            sys.stderr.write(f"NETWORK {event} {address}\\n")
            raise PermissionError(f"network call to {address}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        if arguments[0] not in (None, "", b"", "127.0.0.1", "::1", "localhost", b"127.0.0.1", b"localhost", "0.0.0.0"):
            sys.stderr.write(f"NETWORK {event} {arguments[0]}\\n")
            raise PermissionError(f"look-up of {arguments[0]}")

sys.addaudithook(guard)
"""

COMMANDS = """
from app import cli
data = sys.argv[1]
environ = {
    "ARCHIVISTE_LLM_MODEL": sys.argv[2], "ARCHIVISTE_LLM_ANSWER_TOKENS": "32", "ARCHIVISTE_EVIDENCE_MAX": "1",
    "ARCHIVISTE_EVIDENCE_NEIGHBOURS": "0",
}
ask = ["ask", "Quels lots de la jante R-28C sont concernés ?"]
for argv in (
    ["demo"], ["search", "chaîne"], ["search", "chaine", "--mode", "dense"], ask, [*ask, "--answerer", "llm"], ["status"],
    ["models", "list"], ["doctor"], ["export", data + "/sortie"], ["backup", data + "/copie"],
):
    status = cli.run(["--data", data, *argv], environ)
    assert status == 0, (argv, status)
"""

SYNC = """
from app import cli
environ = {"ARCHIVISTE_SYNC_INTERVAL_S": "0.3", "ARCHIVISTE_SYNC_UPLOADS_MB": "1"}
assert cli.run(["--data", sys.argv[1], "sync", sys.argv[2]], environ) == 0
"""

PROBE = """
import urllib.request
try:
    urllib.request.urlopen("http://192.0.2.1/", timeout=1)
except OSError as error:
    print(type(error).__name__, error)
"""


CHILD_PROBE = """
import subprocess
call = "import socket; print(socket.socket().connect_ex(('192.0.2.1', 80)))"
subprocess.run([sys.executable, "-c", call], check=True)
subprocess.run([sys.executable, "-c", "import socket; socket.getaddrinfo('forum.exemple', 80)"])
"""


@pytest.fixture(scope="module")
def guard(tmp_path_factory):
    """The library that watches a process, its children and their native code."""
    compiler = shutil.which("cc")
    assert compiler, "these tests need a C compiler, as llama.cpp does"
    made = tmp_path_factory.mktemp("guard") / "guard.so"
    source = Path(__file__).parent / "network_guard.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.fixture
def watching(guard, tmp_path):
    """Variables of the environment of what is watched, and what it called."""
    log = tmp_path / "network.log"
    return {"LD_PRELOAD": str(guard), "NETWORK_LOG": str(log)}, lambda: log.read_text() if log.exists() else ""


def run(code, *argv, environ):
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, *map(str, argv)], cwd=ROOT, capture_output=True, text=True, timeout=300,
        env={**os.environ, **environ},
    )  # fmt: skip


def test_the_guards_see_a_call(watching):
    environ, called = watching
    found = run(PROBE, environ=environ)
    assert "NETWORK" in found.stderr and "Error" in found.stdout
    assert not called()  # the hook forbade it before


def test_the_guard_sees_the_calls_of_children(watching):
    environ, called = watching
    found = run(CHILD_PROBE, environ=environ)
    assert found.stdout.split() == ["101"], found.stderr  # ENETUNREACH
    assert called().splitlines() == ["connect 192.0.2.1", "getaddrinfo forum.exemple"]


@pytest.mark.models
def test_commands_stay_on_this_machine(tmp_path, gguf, watching):
    environ, called = watching
    found = run(COMMANDS, tmp_path / "data", gguf, environ=environ)
    assert found.returncode == 0, found.stderr
    assert "NETWORK" not in found.stderr and not called()


def test_the_server_its_worker_and_its_pages_stay_on_this_machine(demo_data, tmp_path, watching):
    environ, called = watching
    # The original may be served to other tests, and one application serves a data folder.
    data = tmp_path / "data"
    shutil.copytree(demo_data, data, ignore=shutil.ignore_patterns("*.db-shm", "*.db-wal"))
    with running(data, environ=environ) as server:
        visitor = Visitor(server)
        for path in ("/", "/chercher?q=cha%C3%AEne", "/t/101/1", "/demander?q=Comment+gonfler+un+pneu+%3F", "/archive"):
            status, page = visitor.open(path)
            assert status == 200 and page, path
            with visitor.socket(page) as line:  # the page goes on working: searches, loads the encoder, answers
                list(heard(line, within_s=2, patience_s=20))
    assert not called()


def test_a_sync_talks_to_the_forum_that_was_named_and_to_nobody_else(tmp_path, watching):
    environ, called = watching
    forum = small_forum()
    images = [
        f"https://192.0.2.1/uploads/default/original/1X/{'a' * 40}.png",
        "https://cdn.exemple/b.png",
        "//192.0.2.1/c",
    ]
    forum.posts[200]["cooked"] += "".join(f'<p><img src="{image}"></p>' for image in images)
    forum.posts[60]["avatar_template"] = "https://192.0.2.1/{size}.png"
    forum.fail("/t/102.json", Reply(301, b"", {"Location": "http://192.0.2.1/t/102.json"}))
    with Serving(forum) as served:
        found = run(SYNC, tmp_path, served.url, environ=environ)
    assert found.returncode == 0, found.stderr
    assert "NETWORK" not in found.stderr and not called()
    assert [asked.path for asked in forum.asked].count("/t/101.json") == 1
