"""A Redis server for the tests of the queue."""

import shutil
import socket
import subprocess

import pytest

from tests.app.job_sources import until


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """A Redis server of our own, as Debian installs it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = shutil.which("redis-server")
    assert program, "make test installs it: apt-get install redis-server"
    server = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        cwd=tmp_path_factory.mktemp("redis"), stdout=subprocess.DEVNULL,
    )  # fmt: skip

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers, within_s=10)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)
