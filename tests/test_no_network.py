"""Nothing phones home: import, index, search, ask and a served page open no connection but to this machine."""

import subprocess
import sys
from pathlib import Path

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
for argv in (["demo"], ["search", "chaîne"], ["ask", "Quels lots de la jante R-28C sont concernés ?"], ["status"]):
    status = cli.run(["--data", data, *argv], {})
    assert status == 0, (argv, status)
"""

SERVER = """
import threading, time, urllib.request, os, socket
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

def visit():
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            for path in ("/", "/chercher?q=cha%C3%AEne", "/t/101/1"):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as page:
                    assert page.status == 200
            time.sleep(1)  # the warm-up thread loads the encoder meanwhile
            os._exit(0)
        except OSError:
            time.sleep(0.05)
    os._exit(3)

threading.Thread(target=visit, daemon=True).start()
from app import cli
cli.run(["--data", sys.argv[1], "serve", "--port", str(port)], {})
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


def run(code, *argv):
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, *map(str, argv)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def test_the_guard_sees_a_call():
    found = run(PROBE)
    assert "NETWORK" in found.stderr and "Error" in found.stdout


def test_commands_stay_on_this_machine(tmp_path):
    found = run(COMMANDS, tmp_path)
    assert found.returncode == 0, found.stderr
    assert "NETWORK" not in found.stderr


def test_the_server_stays_on_this_machine(demo_data):
    found = run(SERVER, demo_data)
    assert found.returncode == 0, found.stderr
    assert "NETWORK" not in found.stderr


def test_a_sync_talks_to_the_forum_that_was_named_and_to_nobody_else(tmp_path):
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
        found = run(SYNC, tmp_path, served.url)
    assert found.returncode == 0, found.stderr
    assert "NETWORK" not in found.stderr
    assert [asked.path for asked in forum.asked].count("/t/101.json") == 1
