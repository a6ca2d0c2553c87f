"""The demo forum as a data folder that tests only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import demo
from engine import build_index, build_settings, import_archive
from tests.factories import WORD_MODELS


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of the demo forum, indexed with the encoder that counts words."""
    folder = tmp_path_factory.mktemp("demo")
    settings = build_settings(folder / "data")
    import_archive(settings, demo.build(folder / "source"))
    build_index(settings, WORD_MODELS)
    return settings.data
