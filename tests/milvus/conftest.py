"""The engine elsewhere of these tests, and an archive to put there."""

import pytest

from engine.index import milvus, milvus_tidying
from tests.factories import forum, save

from .lite_server import Server


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
