"""A forum where somebody is named in every way, and a data folder that holds the name in every place."""

import json
import sqlite3
from dataclasses import replace

import pytest

from engine.discourse import cooked as html
from engine.store import ArchiveStore
from tests.engine.conftest import index
from tests.factories import ATELIER, SITE, post, save, topic

NAME = "zoë_plume"
SECRET = "La clé de la cabane bleue reste sous le grand pot de lavande."
SAID = f"{SECRET} Personne d’autre ne doit le savoir avant le printemps."


def written(post_id, markup, **values):
    """A post whose parts come from its HTML, as an import reads it."""
    return replace(post(post_id, **values), cooked=markup, parts=html.parse(markup))


def forum():
    quote = (
        f'<aside class="quote" data-username="{NAME}" data-post="1" data-topic="1"><div class="title"> {NAME}:</div>'
        f"<blockquote><p>{SECRET}</p></blockquote></aside>"
    )
    return [
        SITE, ATELIER,
        topic(1, "Où est la clé ?"),
        topic(2, f"Adieu {NAME} et bonne route"),
        topic(3, "Autre chose"),
        written(11, f"<p>{SAID}</p><p><img src='/uploads/default/original/1X/0123456789abcdef0123456789abcdef01234567.png'></p>",
                topic_id=1, number=1, by=NAME),
        written(12, f'{quote}<p>Merci <a class="mention" href="/u/{NAME}">@{NAME}</a> pour cette réponse utile.</p>',
                topic_id=1, number=2, by="alice", day=1),
        written(13, f"<blockquote><p>{SECRET}</p></blockquote><p>Vraiment, c’est écrit ici en toutes lettres ?</p>",
                topic_id=1, number=3, by="bruno", day=2),
        written(21, "<p>Le départ de Zoë_Plume nous attriste, dit zo&euml;_plume2 avec regret.</p>",
                topic_id=2, number=1, by="chloé", day=3),
        written(22, "<p>Je pars demain matin, au revoir à toutes et à tous.</p>", topic_id=2, number=2, by=NAME, day=4),
        written(31, "<p>Rien à voir : la chaîne saute sur le petit pignon.</p>", topic_id=3, number=1, by="dan", day=5),
    ]  # fmt: skip


def fill(data):
    """The forum, indexed, and the name wherever else a data folder may hold it."""
    save(data, forum(), source=f"/home/{NAME}/dump.sql")
    index(data)
    index(data)
    with sqlite3.connect(data / "app.db") as db:
        db.execute("CREATE TABLE questions (id INTEGER PRIMARY KEY, question TEXT, sources TEXT)")
        db.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT, notes TEXT)")
        db.execute("INSERT INTO questions VALUES (1, ?, '[11, 31]')", (f"Que dit {NAME} ?",))
        db.execute("INSERT INTO jobs VALUES (1, 'done', ?)", (json.dumps([f"/home/{NAME}/dump.sql"]),))
    db.close()
    for place, text in (
        ("logs/archiviste.log", f"DEBUG {NAME.upper()}\nINFO autre\n"),
        ("evaluations/e.json", json.dumps({"q": f"@{NAME}", "a": SAID}, indent=2)),
        ("evaluations/e.html", f"<p>{NAME}</p><td>{SAID}</td><p>reste</p>"),
        ("questions.yml", f"questions:\n- question: Que pense {NAME} ?\n"),
        ("raw/t/1.json", json.dumps({
            "id": 1, "title": "Où est la clé ?", "slug": "ou-est-la-cle", "post_stream": {"stream": [11, 12], "posts": [
                {"id": 11, "username": NAME, "name": "Zoë", "user_id": 5, "cooked": f"<p>{SAID}</p>"},
                {"id": 12, "username": "alice", "cooked": f"<p>@{NAME}</p>"}]}}, separators=(",", ":"))),
    ):  # fmt: skip
        path = data / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return data


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("filled"))


@pytest.fixture
def data(filled, tmp_path):
    import shutil

    shutil.copytree(filled, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def store(data):
    opened = ArchiveStore(data)
    yield opened
    opened.close()
