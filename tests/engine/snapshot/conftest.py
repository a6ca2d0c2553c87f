"""A small archive with its index, made once; each test has a copy of it and a folder for snapshots."""

import shutil
from types import SimpleNamespace

import pytest

from engine import build_index
from engine.store.schema import ARCHIVE, VECTORS
from tests.factories import WORD_MODELS, forum, save, settings

SCHEMAS = {"archive.db": len(ARCHIVE), "vectors.db": len(VECTORS)}


@pytest.fixture(scope="session")
def indexed(tmp_path_factory):
    data = tmp_path_factory.mktemp("indexed") / "data"
    save(data, forum())
    build_index(settings(data), WORD_MODELS)
    return data


@pytest.fixture
def primary(indexed, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(indexed, data)
    return SimpleNamespace(
        data=data, settings=settings(data), snapshots=tmp_path / "snapshots", folder=tmp_path / "copies"
    )
