"""A Milvus server of the tests' own: Milvus Lite in another process, to be killed, stopped and started again."""

import signal
import socket
import subprocess
import sys
import time

import pytest

from engine.index import milvus, milvus_tidying
from tests.factories import forum, save


class Server:
    """A server on a free port of this machine; its data outlives it."""

    def __init__(self, folder):
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = None
        self.start()

    def start(self):
        command = [
            sys.executable,
            "-m",
            "milvus_lite",
            "server",
            "--data-dir",
            str(self._folder),
            "--host",
            "127.0.0.1",
        ]
        with (self._folder.parent / "server.log").open("ab") as log:
            self._process = subprocess.Popen([*command, "--port", str(self.port)], stdout=log, stderr=log)
        for _ in range(300):
            with socket.socket() as asked:
                if not asked.connect_ex(("127.0.0.1", self.port)):
                    return
            assert self._process.poll() is None, "the server ended"
            time.sleep(0.1)
        raise TimeoutError(self.url)

    def kill(self):
        self.thaw()
        self._process.kill()
        self._process.wait()

    def freeze(self):
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self._process.send_signal(signal.SIGCONT)


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path / "server")
    yield made
    made.kill()


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Nobody waits: neither for a search that may go on, nor before asking again."""
    monkeypatch.setattr(milvus_tidying, "GRACE_S", 0.0)
    monkeypatch.setattr(milvus, "RETRY_S", 0.2)
    monkeypatch.setattr(milvus, "SEARCH_S", 2.0)
    monkeypatch.setattr(milvus, "WORK_S", 10.0)


@pytest.fixture
def folder(tmp_path):
    """The tiny forum, not indexed yet."""
    made = tmp_path / "archive"
    made.mkdir()
    save(made, forum())
    return made
