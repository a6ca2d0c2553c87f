"""The moderators' page of exports: it starts a task, lists what is in the data folder, and deletes it."""

import asyncio
from contextlib import closing

import pytest

from app import exports, running
from app.i18n import gettext as _
from app.job_states import Kind
from app.jobs import Jobs
from app.pages.archive_frame import EXPORT
from app.settings import AppSettings
from app.state import State as Pages
from engine import build_settings
from tests.app.looking import button, seen, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture
def state(tmp_path):
    save(tmp_path / "data", forum())
    opened = Pages(AppSettings(), build_settings(tmp_path / "data"), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def until(true):
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(("format_", "said"), [("html", "Export as pages"), ("json", "Export as JSON")])
async def test_an_export_is_made_as_a_task_then_listed_and_deleted(user, state, format_, said):
    data = state.engine.data
    await user.open(EXPORT)
    await until(lambda: _("No export was made yet.") in seen(user))
    with closing(Jobs(data)) as jobs:
        trigger(button(user, _(said)), "click")
        await until(jobs.recent)
        (job,) = jobs.recent()
        assert (job.work.kind, job.work.measured) == (Kind.EXPORT, (format_,))
        ended = running.run(jobs, job.id, state.engine)
    assert ended is not None and ended.notes[0].values["posts"] == 12
    (kept,) = exports.kept(data)
    assert (kept.path / ("index.html" if format_ == "html" else "archive.json")).is_file()
    await until(lambda: str(kept.path) in seen(user))
    trigger(button(user, _("Delete")), "click")
    trigger(button(user, _("Delete it for good")), "click")
    await until(lambda: _("No export was made yet.") in seen(user))
    assert exports.kept(data) == ()


def test_only_an_export_is_deleted(state):
    data = state.engine.data
    for name in ("..", "../archive.db", ".", "", "absent"):
        exports.remove(data, name)
    assert (data / "archive.db").is_file()
