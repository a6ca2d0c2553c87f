"""The bundle under test, and what its processes are."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import psutil

from app import instance, locks
from app.jobs import worker_lock

ROOT = Path(__file__).resolve().parents[3]
BUNDLE = ROOT / "dist" / "archiviste"
COMPLETE = ROOT / "dist" / "complet" / "archiviste"
SHOTS = ROOT / ".screenshots"
PROGRAM = BUNDLE / "archiviste"
# NiceGUI behaves otherwise in a test, and learns of it from the environment.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}


NOBODY = 65534
LIMIT_S = 120.0  # of a busy machine
started = []  # by `start`, in this test


def until(look, limit_s=LIMIT_S):
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + limit_s
    while not (found := look()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
    return found


def of(data):
    """The living processes of the bundle that serve this data folder, by role."""
    found = {}
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if words and Path(words[0]).name == "archiviste" and str(data) in words:
            role = next(word for word in words if word in ("serve", "worker", "window", "demo"))
            found[role] = process
    return found


def family(process):
    return [process, *process.children(recursive=True)]


def start(data, *arguments, env=None):
    started.append(subprocess.Popen(
        [str(PROGRAM), "--data", str(data), *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env or ENVIRONMENT,
    ))  # fmt: skip
    return started[-1]


def end(server):
    server.send_signal(signal.SIGTERM)
    return server.wait(LIMIT_S)


def size(bundle):
    """Bytes of a bundle's files."""
    return sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file() and not path.is_symlink())


@contextmanager
def alone(bundle, more=lambda home: []):
    """The self-test of a bundle where there is nothing else: (how it ended, its home, where the bundle stood).

    As `nobody`, without network, Python or variables, from a read-only folder, with a HOME that has odd characters.
    `more` gives further options, made for that home.
    """
    place = Path("/opt/archiviste essai")
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory() as outside:  # pytest closes its own folders to others
        Path(outside).chmod(0o755)
        home = Path(outside) / "Zoé Müller"
        home.mkdir()
        options = more(home)
        for path in (home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        shutil.copytree(bundle, place, symlinks=True)
        try:
            subprocess.run(["chmod", "-R", "a-w,a+rX", str(place)], check=True)
            nobody = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups"
            empty = 'env -i PATH=/nulle-part HOME="$0" TMPDIR="$0"'
            tried = f'"{place}/archiviste" --selftest --report "$0/rapport.json" "$@"'
            done = subprocess.run(
                ["unshare", "--net", "sh", "-c", f"ip link set lo up; exec {nobody} {empty} {tried}", str(home), *options],
                capture_output=True, text=True, cwd="/",
            )  # fmt: skip
            yield done, home, place
        finally:
            shutil.rmtree(place)


def page(port, path="/"):
    """What the server answers, None while it does not."""
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.read()
    except OSError:
        return None


def assert_nothing_left(data, everybody):
    """None of these processes lives on, and no lock of the data folder is held."""
    until(lambda: not any(process.is_running() for process in everybody))
    assert not of(data)
    assert not instance.is_open(data)
    assert not locks.is_held(worker_lock(data))


def assert_starts_clean(data, port):
    """The next start is an ordinary one, and so is its end."""
    server = start(data, "serve", "--port", port)
    until(lambda: page(port))
    until(lambda: locks.is_held(worker_lock(data)))
    everybody = family(of(data)["serve"])
    end(server)
    assert_nothing_left(data, everybody)
