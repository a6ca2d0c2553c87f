"""Settings, models and about, as a moderator sees them; what the frame offers everywhere."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from nicegui import ui

from app import changelog, settings_file, theme, versions
from app.i18n import gettext as _
from app.model_work import ModelWork
from app.pages import models as models_page
from app.pages import settings as settings_page
from app.schema import APP
from app.setting_words import GROUPS, OPTIONS
from app.settings import AppSettings
from app.state import State
from engine import Cancelled, build_settings
from engine.models import shelf
from engine.settings import INDEX_FORMAT
from tests.app.looking import arrive, button, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture
def state(tmp_path):
    save(tmp_path, forum())
    opened = State(AppSettings(), build_settings(tmp_path), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def until(condition, within_s=10):
    """Waits for what a page does after it has answered."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.02)


def tell(user, element, said):
    """What the browser tells when a field was left with this value."""
    event = SimpleNamespace(args=said)
    with user.client:
        for listener in list(element._event_listeners.values()):
            ui.timer(0, lambda handler=listener.handler: handler(event), once=True)


def field(user, name):
    (found,) = [
        e for e in user.client.elements.values()
        if e.tag in ("input", "select") and e.props.get("aria-labelledby") == f"nom-{name}"
    ]  # fmt: skip
    return found


# --- settings ---------------------------------------------------------------------------------


def test_every_setting_has_its_words_once_and_every_value_of_a_list_too():
    named = [name for group in GROUPS.values() for name in group]
    assert sorted(named) == sorted(settings_file.NAMES)
    assert {choice for name in settings_file.NAMES for choice in settings_file.options(name)} == set(OPTIONS)


async def test_every_setting_can_be_read_and_changed(user):
    await user.open(settings_page.PATH)
    await until(lambda: len([e for e in user.client.elements.values() if "setting" in e.classes]) > 40)
    for group in GROUPS.values():
        for name, words in group.items():
            assert field(user, name) is not None
            await user.should_see(_(words.told))


async def test_a_change_is_kept_for_the_next_start_and_can_be_taken_back(user, state):
    await user.open(settings_page.PATH)
    await until(lambda: "setting" in str([e.classes for e in user.client.elements.values()]))
    tell(user, field(user, "engine.evidence_max"), "4")
    await user.should_see(_("Saved for the next start. Now: {value}.").format(value="6"), retries=50)
    assert settings_file.filed(state.engine.data).engine.evidence_max == 4
    assert state.engine.evidence_max == 6
    await user.open(settings_page.PATH)
    await user.should_see(_("Back to the default"), retries=50)
    user.find(_("Back to the default")).click()
    await until(lambda: settings_file.filed(state.engine.data).engine.evidence_max == 6)


async def test_a_value_that_cannot_be_used_says_why(user, state):
    await user.open(settings_page.PATH)
    await until(lambda: "setting" in str([e.classes for e in user.client.elements.values()]))
    tell(user, field(user, "app.port"), "99999")
    await user.should_see("65535", retries=50)
    assert settings_file.filed(state.engine.data).app.port == AppSettings().port


async def test_a_file_that_is_broken_meanwhile_is_told(user, state):
    (state.engine.data / "settings.toml").write_text("[app\n", "utf-8")
    await user.open(settings_page.PATH)
    await user.should_see("Le fichier de réglages est illisible", retries=50)


def test_a_password_in_an_address_is_never_shown():
    assert settings_page.masked("redis://moi:secret@machine:6379/0") == "redis://•••@machine:6379/0"
    assert settings_page.masked("http://192.168.1.20:8000/v1") == "http://192.168.1.20:8000/v1"
    assert "secret" not in settings_page.shown("app.queue_url", "redis://:secret@machine/0")


def test_what_a_change_costs_is_told():
    effects = {name: settings_page.effect(name) for name in settings_file.NAMES}
    assert effects["engine.window_chars"] == _(settings_page.PREPARE)
    assert effects["engine.bge_model"] == _(settings_page.READ)
    assert effects["app.language"] == effects["engine.gate"] == _(settings_page.RESTART)


# --- models -----------------------------------------------------------------------------------


def add_model(data, name="petit"):
    """A model of the data folder, added for good; the file of it."""
    file = data.parent / f"{name}.gguf"
    file.write_bytes(b"GGUF" + bytes(64))
    work = ModelWork(build_settings(data), threading.Event())
    assert work.add(file, leave=False)
    work.join(10)
    assert work.last.outcome.error is None
    return shelf.installed(data)[0].path


async def test_a_model_is_added_checked_and_found_damaged(user, state):
    path = add_model(state.engine.data)
    await arrive(user, models_page.PATH)
    check = [e for e in user.client.elements.values() if str(e.props.get("aria-label", "")).endswith("petit")][-1]
    press(user, check)
    await user.should_see(_("{name} is whole.").format(name="petit"), retries=99)
    path.write_bytes(b"GGUF" + bytes(63) + b"x")
    check = [e for e in user.client.elements.values() if str(e.props.get("aria-label", "")).endswith("petit")][-1]
    press(user, check)
    await user.should_see("petit.gguf (", retries=99)


def press(user, element):
    with user.client:
        for listener in list(element._event_listeners.values()):
            ui.timer(0, lambda handler=listener.handler: handler(None), once=True)


async def test_a_file_that_is_no_model_is_refused_in_words(user, state, tmp_path):
    await arrive(user, models_page.PATH)
    (path,) = [
        e for e in user.client.elements.values() if e.props.get("aria-label") == _("Path of the file or of the folder")
    ]
    trigger(button(user, _("Add this model")), "click")
    await user.should_see(_("Write the path of the model first."), retries=50)
    tell(user, path, str(tmp_path / "absent.gguf"))
    await asyncio.sleep(0.1)
    trigger(button(user, _("Add this model")), "click")
    await user.should_see("absent.gguf", retries=99)
    assert shelf.installed(state.engine.data) == ()


def test_one_model_at_a_time_and_a_stop_that_is_obeyed(tmp_path, monkeypatch):
    waiting, released = threading.Event(), threading.Event()

    def flaws(model, heard):
        waiting.set()
        released.wait(10)
        heard(1)
        return ()

    monkeypatch.setattr(shelf, "flaws", flaws)
    add_model(tmp_path / "data")
    work = ModelWork(build_settings(tmp_path / "data"), threading.Event())
    (model,) = shelf.installed(tmp_path / "data")
    assert work.check(model) and waiting.wait(10)
    assert not work.check(model)
    work.cancel()
    released.set()
    work.join(10)
    assert isinstance(work.last.outcome.error, Cancelled)
    assert models_page.said_of(work.last) == _("Stopped. What was received is kept: starting again goes on from there.")


# --- about ------------------------------------------------------------------------------------


async def test_about_tells_the_formats_of_the_data_and_what_changed(user):
    await user.open("/a-propos")
    await user.should_see(_("Data format"), retries=99)
    await user.should_see(f"app.db {len(APP)}, index {INDEX_FORMAT}")
    await user.should_see(changelog.read()[0].sections[0].changes[0].split("`")[0])


async def test_about_tells_the_archive_the_models_and_the_libraries(user, state):
    await user.open("/a-propos")
    await user.should_see("12 messages, 4 sujets", retries=99)
    await user.should_see(str(state.engine.data))
    await user.should_see("nicegui")
    await user.should_see(_("none: answers are extracts"))


async def test_readers_see_no_path_of_the_machine(user, state, monkeypatch):
    monkeypatch.setattr(state, "may", lambda action: action == "read")
    await user.open("/a-propos")
    await user.should_see("nicegui", retries=99)
    await user.should_not_see(str(state.engine.data))
    assert not [e for e in user.find(kind=ui.link).elements if e.props["href"] == "/reglages"]


def test_libraries_have_their_versions_and_licences():
    known = {library.name.lower(): library for library in versions.libraries()}
    assert known["nicegui"].version and known["nicegui"].licence == "MIT"
    assert "pytest" not in known and "ruff" not in known


def test_what_they_are_imported_by_is_told_whatever_their_own_name():
    assert {"Stemmer", "argon2", "spellchecker", "yaml"} <= versions.modules()
    assert "pytest" not in versions.modules()


# --- the frame --------------------------------------------------------------------------------


async def test_the_navigation_shows_the_pages_that_are_there_and_where_one_is(user):
    await user.open("/a-propos")
    links = [e for e in user.find(kind=ui.link).elements if "entry" in e.classes]
    shown = {e.props["href"] for e in links}
    assert {"/", "/chercher", "/reglages", "/a-propos"} <= shown <= {entry.path for entry in theme.NAVIGATION}
    assert [e.props["href"] for e in links if e.props.get("aria-current")] == ["/a-propos"]


async def test_every_page_has_its_keyboard_help_and_its_way_past_the_navigation(user):
    await user.open("/")
    for _key, meaning in theme.KEYS:
        await user.should_see(_(meaning))
    skip = next(e for e in user.find(kind=ui.link).elements if "skip" in e.classes)
    assert skip.props["href"] == f"#{theme.MAIN_ID}"
    assert [e for e in user.client.elements.values() if e.props.get("id") == theme.MAIN_ID]
