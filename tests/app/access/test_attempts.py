"""The scripted attacker of `attempts.py`, against a real server: everything held, and its controls went through."""

import shutil

import pytest

from tests.app.access.attempts import Scene, attempts, secrets_kept
from tests.app.access.visitor import set_passphrases
from tests.browser.server import running


@pytest.fixture(scope="module")
def outcomes(demo_data, tmp_path_factory):
    data = tmp_path_factory.mktemp("attacked") / "data"
    shutil.copytree(demo_data, data)
    set_passphrases(data)
    with running(data, "--lan", environ={"ARCHIVISTE_LOG_LEVEL": "debug"}) as server:
        scene = Scene(server, data)
        tokens = [scene.reader.token, scene.moderator.token]
        return [*attempts(scene), secrets_kept(scene, tokens)]


def test_everything_held(outcomes):
    assert [outcome for outcome in outcomes if not outcome.held] == []


def test_the_attacker_tried_everything(outcomes):
    assert len(outcomes) >= 110
    assert sum("control" in outcome.attempt for outcome in outcomes) == 2
