"""One application a data folder, its window in a process of its own, and what the end of that window means."""

import sys
import threading
from contextlib import contextmanager

import psutil
import pytest

from app import desktop, instance, serve, window
from app.settings import AppSettings
from engine import build_settings
from tests.app.job_sources import until

SHOWN = "import os, sys; os.write(1, b'shown\\n'); "
WAITS = "sys.stdin.read()"


@contextmanager
def opened(tmp_path, code):
    """A window whose process runs this code, and what was called in the end."""
    heard, ended = [], threading.Event()

    def hear(what):
        heard.append(what)
        ended.set()

    one = desktop.Window(tmp_path, "http://127.0.0.1:1", closed=lambda: hear("closed"), failed=lambda: hear("failed"))
    one._command = [sys.executable, "-c", f"import sys; {code}"]
    one.open()
    try:
        yield one, heard, ended
    finally:
        one.end()


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (f"{SHOWN} sys.exit(0)", "closed"),
        (f"{SHOWN} os.abort()", "closed"),  # seen, then crashed: nothing must stay behind unseen
        (f"sys.exit({window.FAILED})", "failed"),
        ("import os; os.abort()", "failed"),
    ],
)
def test_the_end_of_the_window_closes_the_application_or_calls_the_browser(tmp_path, code, meaning):
    with opened(tmp_path, code) as (_, heard, ended):
        assert ended.wait(20)
        assert heard == [meaning]


def test_an_application_that_ends_takes_its_window_away_and_calls_nobody(tmp_path):
    with opened(tmp_path, f"{SHOWN} {WAITS}") as (one, heard, _):
        pid = until(lambda: one.pid)
        one.end()
        assert not psutil.pid_exists(pid)
    assert heard == []


def test_a_window_that_cannot_be_started_calls_the_browser(tmp_path):
    heard = []
    one = desktop.Window(tmp_path, "", closed=lambda: heard.append("closed"), failed=lambda: heard.append("failed"))
    one._command = [str(tmp_path / "absent")]
    one.open()
    until(lambda: heard)
    assert heard == ["failed"]


def test_a_second_start_is_led_to_the_application_that_is_open(tmp_path, capsys):
    data = tmp_path / "data"
    before = instance.asked_to_front(data)
    with instance.hold(data) as mine:
        assert mine
        assert instance.is_open(data)
        assert serve.run(AppSettings(language="en"), build_settings(data), show=False) == 1  # it has no page yet
        instance.announce(data, "http://127.0.0.1:8080", window=True)
        assert serve.run(AppSettings(language="en"), build_settings(data), show=False) == 0
        assert instance.has_window(data)
    assert "http://127.0.0.1:8080" in capsys.readouterr().err
    assert instance.asked_to_front(data) > before
    assert (instance.is_open(data), instance.address(data), instance.has_window(data)) == (False, None, False)


def test_looking_for_an_open_application_makes_nothing(tmp_path):
    assert not instance.is_open(tmp_path / "data")
    assert not (tmp_path / "data").exists()
