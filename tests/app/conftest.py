"""A Redis server for the tests of the queue."""

import pytest

from tests.redis_server import Server


@pytest.fixture(scope="session")
def redis_url():
    """A Redis server of our own, as Debian installs it."""
    with Server.running() as server:
        yield server.url
