"""The bundle under test, and what its processes are."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[3]
BUNDLE = ROOT / "dist" / "archiviste"
PROGRAM = BUNDLE / "archiviste"
# NiceGUI behaves otherwise in a test, and learns of it from the environment.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}


def until(look, limit_s=120):
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
    return subprocess.Popen(
        [str(PROGRAM), "--data", str(data), *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env or ENVIRONMENT,
    )  # fmt: skip


def end(started):
    started.send_signal(signal.SIGTERM)
    return started.wait(30)
