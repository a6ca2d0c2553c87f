"""The page of backups: it makes one as a task, lists those that lie there, gives them and deletes them."""

import asyncio
import shutil
from contextlib import closing

import pytest

from app import backups, running
from app.i18n import gettext as _
from app.jobs import Jobs
from app.pages.archive_frame import BACKUPS
from app.settings import AppSettings
from app.state import State as Pages
from engine import build_settings, keeping
from tests.app.looking import button, seen, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture
def state(tmp_path):
    save(tmp_path / "archive", forum())
    opened = Pages(AppSettings(), build_settings(tmp_path / "archive"), models=WORD_MODELS)
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


async def test_a_backup_is_made_as_a_task_then_listed_given_and_deleted(state, user):
    data = state.engine.data
    await user.open(BACKUPS)
    await until(lambda: _("No backup was made yet.") in seen(user))
    with closing(Jobs(data)) as jobs:
        trigger(button(user, _("Make a backup now")), "click")
        await until(jobs.recent)
        (job,) = jobs.recent()
        running.run(jobs, job.id, state.engine)
    (made,) = backups.made(data)
    await until(lambda: made.name in seen(user))
    answer = await user.http_client.get(f"{BACKUPS}/{made.name}")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    (data.parent / "reçue").write_bytes(answer.content)
    assert keeping.check(data.parent / "reçue", schemas={})[1].posts == 12
    trigger(button(user, _("Delete")), "click")
    trigger(button(user, _("Delete it for good")), "click")
    await until(lambda: _("No backup was made yet.") in seen(user))
    assert backups.made(data) == ()


@pytest.mark.parametrize("name", ["..%2Farchive.db", "archive.db", "absente.archiviste.tar.gz", "%2Fetc%2Fpasswd"])
async def test_nothing_else_is_given(state, user, name):
    (state.engine.data / backups.FOLDER).mkdir()
    shutil.copy(state.engine.data / "archive.db", state.engine.data / backups.FOLDER / "archive.db")
    assert (await user.http_client.get(f"{BACKUPS}/{name}")).status_code == 404
