"""French typography as it comes to the screen: sentences put together, numbers, dates, plurals.

Over the same Greek archive as the crawl: a text that holds a Latin letter is ours. The catalogue alone is tested in
test_i18n.
"""

from __future__ import annotations

import re

import pytest

from app import i18n
from app.i18n import ngettext, number
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests import every_page
from tests.app.visits import all_said, visiting
from tests.factories import WORD_MODELS

FAULTS = {
    "straight apostrophe": r"[A-Za-zÀ-ÿ]'[A-Za-zÀ-ÿ]",
    "straight quotation mark": r'"',
    "three dots": r"\.\.\.",
    "plain space before a high mark": r"[^\W\d_] [;:!?»%]",
    "no thin space before ; ! ?": r"[a-zà-ÿ)»][;!?](?=\s|$)",
    "no space before a colon": r"[a-zà-ÿ)»]:(?=\s|$)",
    "no hard space inside « »": r"«[^\u00a0]|[^\u00a0]»",
    "plain space inside a number": r"\d \d{3}\b",
    "decimal point": r"\b\d+\.\d\b(?!\.\d)",
    "two spaces": r"[^\s] {2,}[^\s]",
    "a name left in braces": r"\{\w*\}",
}
LATIN = re.compile(r"[A-Za-zÀ-ÿ]")
# What is typed stays as it is typed; addresses, versions and models as they are written.
VERBATIM = re.compile(
    r"\b(?:auteur|catégorie|étiquette|titre|avant|après|sujet|dans|vers):\S*|« »|https?://\S+"
    r"|\bv?\d+\.\d+(?:\.\w+)+\b|\b[A-Z][\w-]+ \d+\.\d+\b"
)


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = every_page.build(tmp_path_factory.mktemp("greek"))
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()


def faults(text: str) -> list[str]:
    """What is wrong with a text of ours; a text of the archive is not judged."""
    if not LATIN.search(text):
        return []
    ours = VERBATIM.sub("¤", text)
    return [fault for fault, pattern in FAULTS.items() if re.search(pattern, ours)]


async def test_every_text_on_the_screen_is_well_set(state):
    found = []
    async with visiting(state) as user:
        for address in every_page.addresses():
            for where, said in await all_said(user, address):
                # A sentence that a script completes keeps the place of what it will say.
                said = said.replace("{n}", "1") if "data-" in where else said
                found += [f"{address} {where}: {said} ({fault})" for fault in faults(said)]
    assert not found, "\n".join(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("l'archive", "straight apostrophe"),
        ('dit "oui"', "straight quotation mark"),
        ("Attendez...", "three dots"),
        ("Vraiment ?", "plain space before a high mark"),
        ("Vraiment?", "no thin space before ; ! ?"),
        ("Voici: rien", "no space before a colon"),
        ("dit « oui »", "plain space before a high mark"),
        ("dit «oui»", "no hard space inside « »"),
        ("425 000 messages", "plain space inside a number"),
        ("37.4\u00a0% lus", "decimal point"),
        ("{n} messages", "a name left in braces"),
    ],
)
def test_each_fault_is_seen(text, fault):
    assert fault in faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "Vraiment\u202f? Oui\u202f! Voici\u00a0: «\u00a0l’archive\u00a0»\u202f; 425\u202f000 messages, 37,4\u00a0%…",
        "29 novembre 2026", "auteur:alice", "Archiviste 0.1.0", "https://forum.exemple/t/x/1?q=2", "Τα φρένα ?",
    ],
)  # fmt: skip
def test_what_is_well_set_has_no_fault(text):
    assert faults(text) == []


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, "0 message trouvé dans ce sujet"), (1, "1 message trouvé dans ce sujet"),
        (2, "2 messages trouvés dans ce sujet"), (425_000, "425\u202f000 messages trouvés dans ce sujet"),
    ],
)  # fmt: skip
def test_a_count_agrees_with_its_noun(n, said):
    i18n.use("fr")
    assert (
        ngettext("{n} message found in this topic", "{n} messages found in this topic", n).format(n=number(n)) == said
    )
