"""A redis-server of Debian's for tests, that can be stopped and started again at the same address with nothing kept."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.app.job_sources import until
from tests.browser.server import free_port


class Server:
    """One server on this machine."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("redis-server")
        assert program, "make test installs it: apt-get install redis-server"
        self._process = subprocess.Popen(
            [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
            cwd=tempfile.gettempdir(), stdout=subprocess.DEVNULL,
        )  # fmt: skip
        until(self._answers, within_s=10)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Server]:
        """A server that runs, until the end of the block."""
        server = cls()
        server.start()
        try:
            yield server
        finally:
            server.stop()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
