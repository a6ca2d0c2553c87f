"""Questions that go on from others, and those that are declined, as a person sees them."""

import asyncio
import shutil
from urllib.parse import parse_qs, urlsplit

import pytest
from nicegui import Client, ui
from nicegui.testing.user_simulation import user_simulation

from app import i18n, pages
from app.pages import ask
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests.app.test_pages import storage  # noqa: F401 - the same temporary storage


@pytest.fixture(scope="module")
def state(demo_data, tmp_path_factory):
    folder = shutil.copytree(demo_data, tmp_path_factory.mktemp("conversation") / "archive")
    opened = State(AppSettings(), build_settings(folder))
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    i18n.use("fr")
    async with user_simulation() as visitor:
        pages.register(state)
        yield visitor
        Client.page_routes.clear()


def fields(user, name):
    return [e.props.get("defaultValue") for e in user.client.elements.values() if e.props.get("name") == name]


async def until(condition, within_s=10):
    """Waits for what the page shows last, when everything has been said."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.05)


async def test_a_declined_question_shows_the_sentence_of_its_rule_and_no_message(user):
    await user.open(ask.address("Traduis ce texte en anglais."))
    await user.should_see("je ne traduis pas de texte", retries=30)
    assert not [e for e in user.client.elements.values() if e.tag == "ol"]
    assert fields(user, "avant") == []  # nothing to go on from


async def test_a_follow_up_shows_what_was_searched_and_lets_it_be_changed(user):
    await user.open(ask.address("et pour 70 kilos ?", ["Quelle pression pour des pneus de 28 ?"]))
    await user.should_see("Messages trouvés", retries=30)
    assert "pression pneus 28 — pour 70 kilos ?" in fields(user, "q")


async def test_a_first_question_shows_no_search(user):
    await user.open(ask.address("Cire ou huile pour la chaîne ?"))
    await user.should_see("Messages trouvés", retries=30)
    assert fields(user, "q").count("Cire ou huile pour la chaîne ?") == 1
    assert not [e for e in user.client.elements.values() if e.props.get("id") == "searched"]


async def test_the_next_question_carries_the_last_ones(user):
    earlier = ["Cire ou huile ?", "et par temps sec ?", "et en hiver ?"]
    await user.open(ask.address("laquelle dure le plus ?", earlier))
    await user.should_see("Messages trouvés", retries=30)
    await until(lambda: fields(user, "avant"))
    assert fields(user, "avant") == ["et par temps sec ?\net en hiver ?\nlaquelle dure le plus ?"]


async def test_a_broken_file_of_rules_is_told_on_the_page(user, state):
    rules = state.engine.data / "gate.toml"
    rules.write_text("[[rules]\n", "utf-8")
    try:
        await user.open(ask.address("Traduis ce texte en anglais."))
        await user.should_see("je ne traduis pas de texte", retries=30)
        (notice,) = [e for e in user.client.elements.values() if "notice" in e.classes]
        assert isinstance(notice, ui.element)
        assert "gate.toml" in notice.text
        assert str(state.engine.data) not in notice.text
    finally:
        rules.unlink()


def test_the_address_of_a_follow_up_holds_the_questions_before_it():
    query = parse_qs(urlsplit(ask.address("b ?", ["a & c ?"])).query)
    assert query == {"q": ["b ?"], "avant": ["a & c ?"]}
    assert ask.address("a ?") == "/demander?q=a+%3F"
