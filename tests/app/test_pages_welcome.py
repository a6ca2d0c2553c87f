"""The assistant of the first start, without a browser: from nothing to a first answer, left and taken up again."""

import asyncio
import json
import threading
from contextlib import closing

import pytest
from nicegui import ui

from app import first_run, running
from app.access.roles import FIRST_RUN
from app.components.job_models import GIB, suited
from app.first_run import FirstRun
from app.i18n import gettext as _
from app.job_states import Event, Kind, State, Work
from app.jobs import Jobs
from app.settings import AppSettings
from app.state import State as Pages
from engine import build_settings
from tests.app.looking import arrive, button, seen, shown, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS

DEADLINE_S = 30.0


@pytest.fixture
def state(tmp_path):
    opened = Pages(AppSettings(), build_settings(tmp_path / "data"), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def sees(user, said):
    async with asyncio.timeout(DEADLINE_S):
        while not any(said in text for text in seen(user)):
            await asyncio.sleep(0.05)


async def step(user, state, name):
    """Wait until the assistant has been led to this step, and show it: the visitor does not follow by itself."""
    async with asyncio.timeout(DEADLINE_S):
        while first_run.load(state.engine.data).reached != name:
            await asyncio.sleep(0.05)
    await arrive(user, FIRST_RUN)


async def test_an_empty_archive_leads_its_moderator_to_the_assistant_until_they_leave_it(user, state):
    answer = await user.http_client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, FIRST_RUN)
    await arrive(user, FIRST_RUN)
    trigger(button(user, _("Finish later")), "click")
    async with asyncio.timeout(DEADLINE_S):
        while not first_run.load(state.engine.data).later:
            await asyncio.sleep(0.05)
    assert (await user.http_client.get("/")).status_code == 200


async def test_a_wrong_file_says_what_happened_and_the_assistant_stays_where_it_is(user, state, tmp_path):
    wrong = tmp_path / "photo.jpg"
    wrong.write_bytes(b"\xff\xd8" * 500)
    await arrive(user, FIRST_RUN)
    label = _("Path of the file or of the folder")
    (field,) = [e for e in shown(user) if e.tag == "input" and e.props.get("aria-label") == label]
    trigger(field, "keydown.enter", str(wrong))
    await sees(user, str(wrong))
    (told,) = [e for e in shown(user) if "notice" in e.classes]
    assert told.props["role"] == "alert" and "Discourse" in told.text
    assert first_run.load(state.engine.data) == FirstRun()
    with closing(Jobs(state.engine.data)) as jobs:
        assert jobs.recent() == ()


async def test_from_nothing_to_a_first_question_with_the_demo(user, state):
    """The journey of the demo; the task is run here as the worker runs it."""
    data = state.engine.data
    await arrive(user, FIRST_RUN)
    trigger(button(user, _("Choose the demo")), "click")
    trigger(button(user, _("Continue")), "click")
    await step(user, state, "modeles")
    trigger(button(user, _("Continue")), "click")
    await step(user, state, "acces")
    trigger(button(user, _("Continue")), "click")
    await step(user, state, "lecture")  # the page was left and opened again at each of these
    trigger(button(user, _("Start")), "click")
    async with asyncio.timeout(DEADLINE_S):
        while not first_run.load(data).job:
            await asyncio.sleep(0.05)
    number = first_run.load(data).job
    await user.open(FIRST_RUN)
    await sees(user, _("waiting for its turn"))
    with closing(Jobs(data)) as jobs:
        assert jobs.get(number).work == Work(Kind.DEMO)
        work = threading.Thread(
            target=running.run, args=(jobs, number, state.engine), kwargs={"load": lambda _: WORD_MODELS}
        )
        work.start()
        await sees(user, _("The archive is ready"))
        work.join()
        assert jobs.get(number).state is State.DONE
    assert not (data / "demo-source").exists()
    example = state.examples()[0]
    (link,) = [e for e in shown(user) if isinstance(e, ui.link) and e.text == example]
    assert link.props["href"].startswith("/demander?q=")
    await user.open(link.props["href"])
    async with asyncio.timeout(DEADLINE_S):
        while not [e for e in shown(user) if isinstance(e, ui.link) and e.props["href"].startswith("/t/")]:
            await asyncio.sleep(0.05)


async def test_a_task_that_failed_offers_another_source(user, state):
    data = state.engine.data
    with closing(Jobs(data)) as jobs:
        job = jobs.create(Work(Kind.UPDATE, ("/sauvegardes/a.tar.gz",)))
        first_run.save(data, FirstRun("lecture", "path", "/sauvegardes/a.tar.gz", job.id))
        await user.open(FIRST_RUN)
        await sees(user, "/sauvegardes/a.tar.gz")
        jobs.happen(job.id, Event.FAIL)
        await sees(user, _("Nothing could be made of this source. The archive is as it was before."))
    trigger(button(user, _("Choose another source")), "click")
    async with asyncio.timeout(DEADLINE_S):
        while first_run.load(data).job:
            await asyncio.sleep(0.05)


async def test_a_source_that_is_gone_when_one_comes_back_is_told(user, state):
    first_run.save(state.engine.data, FirstRun("lecture", "path", "/nulle/part.tar.gz"))
    await arrive(user, FIRST_RUN)
    await sees(user, "/nulle/part.tar.gz")
    assert button(user, _("Choose another source"))


async def test_a_step_that_was_not_reached_is_not_shown(user, state):
    await arrive(user, f"{FIRST_RUN}?etape=lecture")
    await sees(user, _("Choose the demo"))
    first_run.save(state.engine.data, FirstRun("acces", "demo"))
    await arrive(user, f"{FIRST_RUN}?etape=modeles")
    await sees(user, _("Models make answers and searches better"))


@pytest.mark.parametrize("kept", ["", "{", "[]", json.dumps({"reached": "x"}), json.dumps({"reached": "source"})])
def test_what_cannot_be_read_is_a_fresh_start(tmp_path, kept):
    first_run.save(tmp_path, FirstRun("acces", "demo"))
    (tmp_path / "server" / first_run.FILE).write_text(kept, "utf-8")
    assert first_run.load(tmp_path) == FirstRun()


def test_what_is_kept_is_read_back(tmp_path):
    state = FirstRun("lecture", "path", "/sauvegardes/é.tar.gz", 12, later=True)
    first_run.save(tmp_path, state)
    assert first_run.load(tmp_path) == state


def test_a_computer_is_offered_what_its_memory_suits():
    def names(gigabytes):
        return [entry.name for entry in suited(int(gigabytes * GIB))]

    assert names(4) == []
    assert names(7.6) == ["qwen3-4b", "bge-m3"]  # a computer of 8 GB shows less
    assert set(names(15.5)) == {"qwen3-4b", "ministral-8b", "bge-m3"}
    assert not [entry for entry in suited(64 * GIB) if entry.role == "rerank"]
