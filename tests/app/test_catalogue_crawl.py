"""Every page through a pseudo-catalogue: whatever is neither the archive's nor a translated sentence is told.

The archive is in Greek, and each translation is put between ⟦ and ⟧: a Latin letter outside of them comes from nowhere.
"""

from __future__ import annotations

import re

import pytest
from babel import Locale
from nicegui import ui

from app import i18n
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests import every_page
from tests.app.visits import all_said, visiting
from tests.factories import WORD_MODELS

LATIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿŒœ]{2,}")
SENTENCE = re.compile(r"⟦[^⟦⟧]*⟧")
# Written by babel, in the language of the screen: months, days, units after a number.
DATES = frozenset(
    word.lower().strip(".")
    for kind in (Locale("fr").months, Locale("fr").days) for context in kind.values() for names in context.values()
    for word in names.values()
)  # fmt: skip
UNITS = re.compile(r"\d[\d\u202f\u00a0.,]*\u00a0?(?:o|ko|Mo|Go|s|ms|min|h|er)\b")
ADDRESSES = re.compile(r"(?:https?://|/[a-z])[\w./?=&%-]*")
OPERATORS = re.compile(
    r"\b(?:auteur|catégorie|étiquette|titre|avant|après|sujet|dans):\S*|« »"
)  # the same in every language
NAMES = frozenset({"archiviste", "discourse"})  # proper names


class Pseudo:
    """A catalogue in which everything is translated, into itself between brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return f"⟦{singular if n < 2 else plural}⟧"


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    opened = State(
        AppSettings(), build_settings(every_page.build(tmp_path_factory.mktemp("greek"))), models=WORD_MODELS
    )
    yield opened
    opened.close()


def untranslated(text: str) -> list[str]:
    """The words that come from no catalogue."""
    while (shorter := SENTENCE.sub(" ", text)) != text:  # the innermost first: sentences hold sentences
        text = shorter
    text = ADDRESSES.sub(" ", OPERATORS.sub(" ", UNITS.sub(" ", text)))
    return [word for word in LATIN.findall(text) if word.lower() not in DATES | NAMES]


async def test_every_page_has_an_address_that_shows_it(state):
    async with visiting(state):
        known = every_page.routes()
    assert known - set(every_page.SAMPLES) == set(), "say in tests/every_page.py how to see these"
    assert set(every_page.SAMPLES) - known == set(), "these are no longer there"


async def test_everything_that_is_said_comes_from_the_catalogue(state, monkeypatch):
    monkeypatch.setattr(i18n, "_catalogue", lambda chosen: Pseudo())
    found = []
    async with visiting(state) as user:
        for address in every_page.addresses():
            found += [
                f"{address} {where}: {said}" for where, said in await all_said(user, address) if untranslated(said)
            ]
    assert not found, "\n".join(dict.fromkeys(found))


async def test_a_sentence_that_is_not_translated_is_seen(state, monkeypatch):
    monkeypatch.setattr(i18n, "_catalogue", lambda chosen: Pseudo())
    async with visiting(state) as user:

        @ui.page("/essai")
        def page() -> None:
            ui.label("Φρένα, and a word")
            ui.element("button").props["aria-label"] = "Close"
            ui.html("<p>Τα φρένα <b title='Hover'>του</b></p>")
            ui.label(i18n.gettext("An {odd} one").format(odd=i18n.gettext("inner")))
            ui.label("29 novembre 2026, 3,5\u00a0Mo, 1\u202f900")

        said = [word for _, text in await all_said(user, "/essai") for word in untranslated(text)]
    assert sorted(said) == ["Close", "Hover", "and", "word"]


async def test_in_english_no_word_is_french(state):
    """The letters that English lacks give French away, and so do its guillemets."""
    found = []
    async with visiting(state, "en") as user:
        for address in every_page.addresses():
            found += [
                f"{address} {where}: {said}"
                for where, said in await all_said(user, address)
                if re.search(r"[À-ÖØ-öø-ÿŒœ«»]", OPERATORS.sub("", said))
            ]  # fmt: skip
    assert not found, "\n".join(dict.fromkeys(found))
