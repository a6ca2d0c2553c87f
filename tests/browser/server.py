"""A real server in its own process, as a user starts it."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_DEADLINE_S = 90.0  # of a machine that has other work
_ANY_CERTIFICATE = ssl._create_unverified_context()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    data: Path, *arguments: str, port: int = 0, scheme: str = "http", environ: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a server on this data folder; it ends with the block. `arguments` are more of `serve`'s."""
    with started(data, *arguments, port=port, scheme=scheme, environ=environ) as (address, _process):
        yield address


@contextmanager
def started(
    data: Path, *arguments: str, port: int = 0, scheme: str = "http", environ: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same, with its process."""
    port = port or free_port()
    command = [sys.executable, "-m", "app", "--data", str(data), "serve", "--port", str(port), *arguments]
    # NiceGUI behaves differently when it believes that it runs inside pytest.
    ours = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    with (data / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**kept, **(environ or {})}, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            address = f"{scheme}://127.0.0.1:{port}"
            _wait_until_served(address, process, data / "server.log")
            yield address, process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def _wait_until_served(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server ended at once: {log.read_text('utf-8', 'replace')[-2000:]}"
        try:
            with urllib.request.urlopen(address, timeout=5, context=_ANY_CERTIFICATE) as answer:
                assert answer.status == 200
                return
        except urllib.error.HTTPError as refusal:
            assert refusal.code == 401  # it answers, to those who gave the passphrase
            return
        except OSError:
            time.sleep(0.05)  # a condition with a deadline, not a pause
    raise AssertionError(f"nothing served at {address}")
