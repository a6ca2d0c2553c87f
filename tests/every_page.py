"""Every page of the application with addresses that show it, and the small archives that they are shown over.

A page that has no address here fails the tests: whoever adds one says how to see it. One archive is written in Greek, so
that a Latin letter on the screen is ours and nobody else's; the other one is hostile wherever an archive can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine import build_index, build_settings
from engine.discourse import cooked
from engine.sources import Site, SourceItem
from engine.values import Category, CategoryId
from tests.factories import WORD_MODELS, post, save, topic

QUESTION = "Πώς ρυθμίζω τα φρένα που τρίζουν;"
WORD = "φρένα"
LONG = 60  # messages of the long topic

# route → addresses; {word}, {member} and {tag} stand for words of the archive, {nothing} for one that it lacks.
SAMPLES: dict[str, tuple[str, ...]] = {
    "/": ("/",),
    "/demander": ("/demander", "/demander?q={question}", "/demander?q={question}&avant={word}"),
    "/chercher": ("/chercher", "/chercher?q={word}", "/chercher?q={nothing}", "/chercher?q=avant%3Aψ"),
    "/parcourir": ("/parcourir",),
    "/sujets": ("/sujets",),
    "/c/{slug}/{number}": ("/c/atelier/1", "/c/atelier/999"),
    "/c/{parent}/{slug}/{number}": ("/c/atelier/freins/2",),
    "/etiquettes": ("/etiquettes",),
    "/etiquette/{tag:path}": ("/etiquette/{tag}", "/etiquette/{nothing}"),
    "/auteurs": ("/auteurs",),
    "/u/{name}": ("/u/{member}", "/u/{nothing}"),
    "/ce-jour-la": ("/ce-jour-la",),
    "/ce-jour-la/{said}": ("/ce-jour-la/03-01",),
    "/t/{topic}": ("/t/2",),
    "/t/{first}/{second}": ("/t/2/1", "/t/long/2", "/t/long/2?q={word}", "/t/long/2?auteur={member}", "/t/long/999"),
    "/t/{slug}/{topic}/{post}": ("/t/long/2/30", "/t/un/1/1", "/t/long/2/999"),
    "/t/{slug}/{topic}/imprimer": ("/t/un/1/imprimer",),
    "/p/{post}": ("/p/11", "/p/999999"),
    "/bienvenue": ("/bienvenue", "/bienvenue?etape=modeles"),
    "/archive": ("/archive",),
    "/archive/travaux": ("/archive/travaux",),
    "/archive/importer": ("/archive/importer",),
    "/archive/registre": ("/archive/registre", "/archive/registre?tri=part&page=9"),
    "/archive/effacement": ("/archive/effacement",),
    "/archive/mises-a-jour": ("/archive/mises-a-jour",),
    "/archive/sauvegarde": ("/archive/sauvegarde",),
    "/archive/export": ("/archive/export",),
    "/archive/capacite": (
        "/archive/capacite",
        "/archive/capacite?messages=500000+x&encodeur=server&debit=800&coeurs=8&memoire=64",
    ),
    "/mesures": ("/mesures", "/mesures?tache=999"),
    "/mesures/comparer": ("/mesures/comparer",),
    "/mesures/questions": ("/mesures/questions",),
    "/mesures/sans-reponse": ("/mesures/sans-reponse",),
    "/mesures/{name}": ("/mesures/evaluation-absente",),
    "/reglages": ("/reglages",),
    "/reglages/acces": ("/reglages/acces",),
    "/reglages/quitter": ("/reglages/quitter",),
    "/reglages/modeles": ("/reglages/modeles",),
    "/a-propos": ("/a-propos",),
    "/entrer": ("/entrer",),
    "/sortir": ("/sortir",),
}
# Not pages: what they fetch, and what answers a form.
NO_PAGE = frozenset(
    {"/uploads/{post}/{name}", "/archive/registre.csv", "/archive/registre.json", "/archive/sauvegarde/{name}"}
)
_SHORTER = ("/t/2", "/p/11", "/entrer")
NOWHERE = "/nulle-part"  # the page of what does not exist


@dataclass(frozen=True, slots=True)
class Words:
    """The words that an archive is made of."""

    site: str
    titles: tuple[str, str]
    category: str
    tag: str
    member: str
    name: str
    texts: Callable[[int], tuple[str, str]]  # of a message: its plain text, and its HTML


GREEK = Words(
    site="Φόρουμ", titles=("Τα φρένα τρίζουν", "Η μεγάλη συζήτηση για τα φρένα"), category="Εργαστήριο", tag="φρένα",
    member="αλίκη", name="Αλίκη Π.",
    texts=lambda n: (text := f"Τα φρένα τρίζουν στη βροχή και θέλουν ρύθμιση {n}.", f"<p>{text}</p>"),
)  # fmt: skip


def routes() -> set[str]:
    """The addresses that the application has, read from the running server: the pages have been registered."""
    from fastapi.routing import APIRoute
    from nicegui import core

    known = (route for route in core.app.routes if isinstance(route, APIRoute) and "GET" in route.methods)
    return {route.path for route in known if not route.path.startswith(("/_nicegui", "/assets"))} - NO_PAGE


def addresses(words: Words = GREEK) -> list[str]:
    """The addresses of every page, filled with the archive's own words."""
    said = {
        "question": quote(QUESTION), "word": quote(WORD), "nothing": quote("ξψξψ"), "member": quote(words.member),
        "tag": quote(words.tag),
    }  # fmt: skip
    return [address.format(**said) for found in SAMPLES.values() for address in found] + [NOWHERE]


def distinct_addresses(words: Words = GREEK) -> list[str]:
    """Those that do not lead to another one of them."""
    return [address for address in addresses(words) if not address.startswith(_SHORTER)]


def build(folder: Path, words: Words = GREEK) -> Path:
    """An archive of two topics and three members in this folder, indexed with an encoder of words."""
    save(folder, _items(words))
    build_index(build_settings(folder), WORD_MODELS)
    return folder


def _items(words: Words) -> Iterable[SourceItem]:
    yield Site(words.site, "https://forum.exemple")
    yield Category(CategoryId(1), words.category, "atelier", description=words.category)
    yield Category(CategoryId(2), words.category, "freins", parent_id=CategoryId(1))
    yield replace(topic(1, words.titles[0], category=2, tags=(words.tag,)), slug="un", accepted_post_id=12)
    yield replace(topic(2, words.titles[1], category=1, tags=(words.tag,)), slug="long", closed=True)
    yield _post(words, 11, topic_id=1, number=1)
    yield _post(words, 12, topic_id=1, number=2, reply_to=1, likes=3)
    for n in range(1, LONG + 1):
        yield _post(words, 100 + n, topic_id=2, number=n, day=40 * n, likes=n % 2, reply_to=1 if n == 30 else None)


def _post(words: Words, post_id: int, **values: Any) -> SourceItem:
    text, html = words.texts(post_id)
    made = post(post_id, text, by=words.member, **values)
    return replace(made, cooked=html, parts=cooked.parse(html), display_name=words.name)
