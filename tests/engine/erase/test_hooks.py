"""A sync writes nothing that was erased, neither its raw pages nor what it found and has not settled."""

import json
from contextlib import closing

from engine.erase import erased
from engine.erase.redact import terms_of
from engine.live import raw_folder
from engine.store.sync_state import SyncState
from engine.store.sync_values import NewPost, Walk


def remember(data, *names, posts=()):
    found = erased.Erased().keyed()
    terms = [term for name in names for term in terms_of(name, found, "anon1")]
    erased.save(data, found.with_more(
        terms=terms, members={found.hash_of_member(42): "anon1"}, posts=posts, places={(7, 2)}, topics=(), quotes=(),
        words=found.words,
    ))  # fmt: skip


QUOTE = '<aside class="quote" data-post="2" data-topic="7"><blockquote><p>Mes mots</p></blockquote></aside>'
TOPIC = {
    "id": 7, "title": "Adieu plume", "slug": "adieu-plume",
    "post_stream": {"stream": [1, 2, 3], "posts": [
        {"id": 1, "username": "Plume", "name": "Paul Hume", "user_id": 42, "cooked": "<p>a</p>"},
        {"id": 2, "username": "bob", "cooked": "<p>Mes mots</p>"},
        {"id": 3, "username": "al", "name": "Al", "user_id": 3, "cooked": f"{QUOTE}<p>@plume oui</p>"},
    ]},
}  # fmt: skip


def test_raw_pages(tmp_path):
    remember(tmp_path, "plume", posts=(2,))
    path = raw_folder.topic_path(tmp_path / "raw", 7)
    raw_folder.write(path, TOPIC)
    held = path.read_text("ascii")
    assert "plume" not in held.lower() and "mots" not in held and "Hume" not in held
    topic = json.loads(held)
    assert topic["title"] == "Adieu anon1" and topic["post_stream"]["stream"] == [1, 2, 3]
    first, third = topic["post_stream"]["posts"]
    assert (first["username"], first["name"], first["user_id"]) == ("anon1", "", None)
    assert (third["username"], third["name"], third["user_id"]) == ("al", "Al", 3)


def test_raw_pages_of_an_archive_where_nothing_was_erased(tmp_path):
    path = raw_folder.topic_path(tmp_path / "raw", 7)
    raw_folder.write(path, TOPIC)
    assert json.loads(path.read_text("ascii")) == TOPIC


def test_new_posts(tmp_path):
    remember(tmp_path, "plume", posts=(2,))
    with closing(SyncState(tmp_path / "raw")) as state:
        records = [{"id": 2, "cooked": "<p>Mes mots</p>"}, {"id": 5, "username": "plume", "cooked": "<p>@plume</p>"}]
        state.stepped([NewPost(record["id"], 7, record) for record in records], Walk(5, 1, 0))
        found = state.new_posts(7)
    assert "plume" not in json.dumps(found) and "mots" not in json.dumps(found)
