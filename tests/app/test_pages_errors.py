"""A page that fails or takes too long is replaced by one of ours, in French and without the error's own words."""

import asyncio

import pytest
from nicegui import ui

from app.i18n import gettext as _
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture
async def user(tmp_path):
    save(tmp_path, forum())
    state = State(AppSettings(), build_settings(tmp_path), models=WORD_MODELS)
    async with visiting(state) as visitor:
        yield visitor
    state.close()


async def test_a_page_that_is_not_ready_in_time_says_so(user):
    @ui.page("/lente", response_timeout=0.05)
    async def slow() -> None:
        await asyncio.sleep(30)

    answer = await user.http_client.get("/lente")
    assert answer.status_code == 500
    assert _("It took too long to prepare. Try again in a moment.") in answer.text
    assert "response_timeout" not in answer.text and "Server error" not in answer.text


async def test_a_page_that_fails_does_not_show_why(user, caplog):
    @ui.page("/fautive", response_timeout=5)
    async def wrong() -> None:
        await asyncio.sleep(0)
        raise ValueError("what nobody should read")

    answer = await user.http_client.get("/fautive")
    assert answer.status_code == 500
    assert _("This page can’t be shown") in answer.text
    assert "what nobody should read" not in answer.text and "what nobody should read" in caplog.text
