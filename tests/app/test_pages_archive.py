"""The moderators' pages of the archive, without a browser: figures, tasks, import, ledger, updates."""

import asyncio
import shutil
import time
from contextlib import closing
from dataclasses import replace

import httpx
import nicegui
import pytest

from app import reaching, received, settings_file
from app.i18n import gettext as _
from app.i18n import ngettext
from app.job_states import Event, Kind, Note, State, Work
from app.jobs import Jobs
from app.pages.archive_frame import IMPORT, JOBS, LEDGER, PATH, UPDATES
from app.settings import AppSettings
from app.state import State as Pages
from engine import Progress, build_index, build_settings
from engine.store import VectorStore, claims
from tests.app.job_sources import topics
from tests.app.looking import arrive, button, seen, shown, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, post, save, topic

DEADLINE_S = 20.0


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    data = tmp_path_factory.mktemp("built")
    hole = replace(topic(9, "Le fil troué"), expected_posts=7)
    save(data, [*forum(), hole, post(901, "Un seul message est resté.", topic_id=9)])
    build_index(build_settings(data), WORD_MODELS)
    return data


@pytest.fixture
def state(built, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(built, data)
    opened = Pages(AppSettings(), build_settings(data), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
def jobs(state):
    with closing(Jobs(state.engine.data)) as opened:
        yield opened


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def sees(user, said):
    """Wait until a visible text holds this."""
    ends = time.monotonic() + DEADLINE_S
    while not any(said in text for text in seen(user)):
        assert time.monotonic() < ends, (said, seen(user))
        await asyncio.sleep(0.05)


async def until(true):
    ends = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < ends
        await asyncio.sleep(0.05)


def field(user, label):
    (found,) = [e for e in shown(user) if e.tag == "input" and e.props.get("aria-label") == label]
    return found


# --- overview ---------------------------------------------------------------------------------


async def test_the_overview_tells_what_there_is_how_it_is_indexed_and_what_is_missing(user, state):
    await user.open(PATH)
    posts = state.archive.store.counts()[0]
    await sees(user, str(posts))
    await sees(user, _("All messages can be found by their words."))
    await sees(user, ngettext("{n} message is missing.", "{n} messages are missing.", 6).format(n=6))
    await sees(user, _("Messages"))
    await sees(user, _("In all"))
    await sees(user, _("Last imports"))


async def test_the_doctor_looks_quickly_by_itself_and_wholly_when_asked(user):
    await arrive(user, PATH)
    trigger(button(user, _("Examine everything")), "click")
    await sees(user, "✓")


async def test_the_search_is_prepared_by_a_task(user, jobs):
    await user.open(PATH)
    await sees(user, _("Bring the search up to date"))
    trigger(button(user, _("Bring the search up to date")), "click")
    await until(lambda: jobs.last(Work(Kind.INDEX)) is not None)


# --- tasks ------------------------------------------------------------------------------------


async def test_a_task_is_steered_from_its_card_and_ends_in_the_table(user, jobs):
    job = jobs.create(Work(Kind.UPDATE, ("/sauvegardes/a.tar.gz",)))
    await user.open(JOBS)
    await sees(user, "/sauvegardes/a.tar.gz")
    trigger(button(user, _("Pause")), "click")
    await until(lambda: jobs.get(job.id).state is State.PAUSED)
    trigger(button(user, _("Resume")), "click")
    await until(lambda: jobs.get(job.id).state is State.WAITING)
    trigger(button(user, _("Cancel")), "click")
    await until(lambda: jobs.get(job.id).state is State.CANCELLED)
    await sees(user, _("Start again"))
    await sees(user, _("No task is under way."))
    trigger(button(user, _("Start again")), "click")
    await until(lambda: jobs.recent(0) and jobs.recent(0)[0].work == job.work)


async def test_how_far_a_task_is_shows_without_the_page_being_asked_again(user, jobs):
    job = jobs.create(Work(Kind.UPDATE, ("/sauvegardes/a.tar.gz",)))
    await user.open(JOBS)
    with jobs.claim(job.id):
        jobs.beat(job.id, Progress("lexical", 300, 1200, rate=50.0, left_s=18.0), "/sauvegardes/a.tar.gz")
        await sees(user, "25")
        (bar,) = [e for e in shown(user) if e.tag == "progress"]
        assert bar.props["value"] == 250
        jobs.beat(job.id, Progress("lexical", 900, 1200, rate=50.0, left_s=6.0), "/sauvegardes/a.tar.gz")
        await until(lambda: bar.props["value"] == 750)
        jobs.happen(job.id, Event.FALL_SHORT, [Note("flaw", {"code": "truncated", "where": "dump.sql"})])
    await sees(user, "dump.sql")


async def test_a_redis_that_is_away_and_the_processes_that_encode_are_told(user, state, jobs):
    await user.open(JOBS)
    await sees(user, _("No task is under way."))
    assert _(reaching.AWAY) not in seen(user)
    state.app = replace(state.app, queue_url="redis://127.0.0.1:1/0")
    with closing(VectorStore(state.engine.data)) as store:
        for n, name in enumerate(("un", "deux")):
            store.db.execute("INSERT INTO claims VALUES (?, 'words-512', ?)", (bytes([n]), name))
            claims.sign(store, name, until=time.time() + 60)
    await sees(user, _(reaching.AWAY))
    await sees(user, reaching.together(2))


# --- import -----------------------------------------------------------------------------------


async def look_at(user, label, said):
    element = field(user, label)
    trigger(element, "change", said)
    trigger(element, "keydown.enter", said)


async def test_a_wrong_file_is_told_on_the_spot_and_starts_nothing(user, jobs, tmp_path):
    wrong = tmp_path / "vacances.txt"
    wrong.write_text("rien d’un forum\n" * 50)
    await user.open(IMPORT)
    await look_at(user, _("Path of the file or of the folder"), str(wrong))
    await sees(user, str(wrong))
    (told,) = [e for e in shown(user) if "notice" in e.classes]
    assert told.props["role"] == "alert" and "Discourse" in told.text
    await look_at(user, _("Address of the forum"), "ftp://nulle.part")
    await sees(user, "ftp://nulle.part")
    assert jobs.recent() == ()


async def test_what_is_recognised_is_told_before_a_task_reads_it(user, jobs, tmp_path):
    folder = topics(tmp_path / "t", posts=3)
    await user.open(IMPORT)
    await look_at(user, _("Path of the file or of the folder"), f' "{folder}" ')
    await sees(user, _("Topics saved one by one"))
    assert jobs.recent() == ()
    trigger(button(user, _("Start the import")), "click")
    await until(jobs.recent)
    assert jobs.recent()[0].work == Work(Kind.UPDATE, (str(folder),))


async def test_a_file_that_was_sent_and_is_no_backup_goes_at_once(user, state):
    path = state.engine.data / received.FOLDER / "photo.gz"
    path.parent.mkdir()
    path.write_bytes(b"\xff\xd8 une photo")
    await user.open(IMPORT)
    (drop,) = [e for e in shown(user) if "drop" in e.classes]
    trigger(drop, "received", "photo.gz")
    await sees(user, "photo.gz")
    assert not path.exists()
    assert not [text for text in seen(user) if str(state.engine.data) in text]


async def test_a_name_that_was_never_received_is_not_looked_at(user, state):
    await user.open(IMPORT)
    (drop,) = [e for e in shown(user) if "drop" in e.classes]
    trigger(drop, "received", "../settings.toml")
    await asyncio.sleep(0.2)
    assert not [e for e in shown(user) if "notice" in e.classes]


async def test_who_is_elsewhere_names_no_file_of_this_machine_and_no_address(user, state):
    state.access.shared = True
    await user.open(IMPORT)
    assert [e for e in shown(user) if "drop" in e.classes]
    assert not [e for e in shown(user) if e.tag == "input" and e.props.get("type") in ("text", "url")]


# --- ledger -----------------------------------------------------------------------------------


async def test_the_ledger_names_the_topics_that_miss_messages(user):
    await user.open(LEDGER)
    await sees(user, "Le fil troué")
    await sees(user, _("Left out"))


async def test_the_ledger_as_a_file_is_the_same_list(user):
    transport = httpx.ASGITransport(nicegui.app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as http:
        answer = await http.get(f"{LEDGER}.csv")
    head, line = answer.content.decode("utf-8-sig").splitlines()
    assert head.count(";") == 5
    assert line == '"9";"Le fil troué";"7";"1";"0";"6"'


# --- updates ----------------------------------------------------------------------------------


async def test_updates_are_kept_in_the_settings_file_once_their_source_is_recognised(user, state, tmp_path):
    data = state.engine.data
    await user.open(UPDATES)
    await until(lambda: [e for e in shown(user) if e.tag == "select"])
    path, hours = field(user, _("Path of the file or of the folder")), next(e for e in shown(user) if e.tag == "select")
    save_button = button(user, _("Save"))
    trigger(hours, "change", 24)
    trigger(save_button, "click")
    await sees(user, _("Name the source first."))
    trigger(path, "change", str(tmp_path / "nulle-part"))
    trigger(save_button, "click")
    await sees(user, "nulle-part")
    assert settings_file.filed(data).app.update_every_hours == 0
    folder = tmp_path / "sauvegardes"
    folder.mkdir()  # the first backup will come
    trigger(path, "change", str(folder))
    trigger(save_button, "click")
    await sees(user, _("Saved. It counts from the next start of Archiviste."))
    filed = settings_file.filed(data).app
    assert (filed.update_source, filed.update_every_hours) == (folder, 24)


async def test_an_update_from_the_forum_can_be_begun_at_once(user, jobs):
    await user.open(UPDATES)
    await until(lambda: [e for e in shown(user) if e.tag == "select"])
    trigger(field(user, _("Address of the forum")), "change", "forum.exemple.org/latest")
    now = [e for e in shown(user) if e.tag == "button" and e.text == _("Update now")][1]
    trigger(now, "click")
    await until(jobs.recent)
    assert jobs.recent()[0].work == Work(Kind.UPDATE, ("https://forum.exemple.org",))
