"""Whole journeys in a real Chromium, on a real server with its worker; each screen that is passed fits its window."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.job_states import State
from app.jobs import Jobs
from tests.browser import journeys
from tests.browser.backups import few_questions, long_dump
from tests.browser.chromium import SCREENS, watched
from tests.browser.server import running

pytestmark = pytest.mark.browser


def fits(page: Page) -> journeys.Shoot:
    """Fails when something sticks out sideways."""

    def look(name: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name

    return look


def test_from_nothing_to_a_first_answer_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    width, height = SCREENS["phone"]
    with running(tmp_path) as site, watched(browser, width=width, height=height, is_mobile=True) as page:
        journeys.first_answer(page, site, fits(page))


def test_a_wrong_file_is_told_and_nothing_of_it_is_kept(browser: Browser, tmp_path: Path) -> None:
    data, wrong = tmp_path / "data", tmp_path / "vacances.sql"
    data.mkdir()
    wrong.write_bytes(b"\xff\xd8\xff" * 5000)
    with running(data) as site, watched(browser) as page:
        journeys.wrong_file(page, site, wrong, fits(page))
        assert not [path for path in (data / "received").glob("*") if path.is_file()]


def test_search_narrow_and_read_in_a_long_topic(browser: Browser, long_site: str) -> None:
    with watched(browser) as page:
        journeys.long_thread(page, long_site, fits(page))


def test_ask_read_the_source_and_save_the_answer(browser: Browser, demo_site: str) -> None:
    with watched(browser) as page:
        saved = journeys.cited_answer(page, demo_site, fits(page))
    assert "7K-0200" in saved["md"] and re.search(r"\[.+\]\(<https://.+/t/.+>\)", saved["md"])
    assert "<blockquote>" in saved["html"] and "7K-0200" in saved["html"]


def test_an_import_shows_how_far_it_is_and_can_be_stopped(browser: Browser, tmp_path: Path) -> None:
    data, sent = tmp_path / "data", tmp_path / "sent"
    data.mkdir()
    sent.mkdir()
    backup = long_dump(sent)
    with running(data) as site, watched(browser) as page:
        journeys.stopped_import(page, site, backup, fits(page))
        with closing(Jobs(data)) as jobs:
            (job,) = jobs.recent()
            assert job.state is State.CANCELLED and 0 < job.done < job.total
        assert [path.name for path in (data / "received").iterdir()] == ["forum d_exemple.sql"]  # to start again


def test_two_evaluations_are_compared(browser: Browser, own_demo: str, tmp_path: Path) -> None:
    with watched(browser) as page:
        journeys.compared_runs(page, own_demo, few_questions(tmp_path), fits(page))
