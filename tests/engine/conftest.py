"""A tiny forum, imported and indexed once for all the tests that only read it."""

import pytest

from engine.archive import open_archive
from engine.index import building
from engine.store import ArchiveStore, VectorStore
from tests.factories import WORD_MODELS, forum, save, settings


def index(folder, models=WORD_MODELS, **values):
    """Index a data folder as `build_index` does, with the test's own encoder."""
    chosen = settings(folder, **values)
    store, vectors = ArchiveStore(folder), VectorStore(folder)
    try:
        return building.build(
            chosen, store, vectors, models, with_vectors=True, on_progress=lambda p: None, check=lambda: None
        )
    finally:
        store.close()
        vectors.close()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The open archive of the tiny forum."""
    folder = tmp_path_factory.mktemp("tiny")
    save(folder, forum())
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        yield archive
