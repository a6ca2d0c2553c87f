"""A real server in its own process, as a user starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_DEADLINE_S = 30.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(data: Path) -> Iterator[str]:
    """The address of a server on this data folder; it ends with the block."""
    port = free_port()
    command = [sys.executable, "-m", "app", "--data", str(data), "serve", "--port", str(port)]
    # NiceGUI behaves differently when it believes that it runs inside pytest.
    ours = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    with (data / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_served(address, process)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def _wait_until_served(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(0.05)  # a condition with a deadline, not a pause
    raise AssertionError(f"nothing served at {address}")
