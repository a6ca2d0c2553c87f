"""What is exported as JSON and imported into an empty folder is the same archive."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from app.demo import backup
from engine import build_settings, import_archive
from engine.discourse import cooked
from engine.discourse.plain_text import one_line
from engine.export import export
from engine.sources import PostMoved, Site
from engine.store import ArchiveStore
from engine.values import Category, CategoryId, PostId, PostNumber, TopicId
from tests.factories import forum, post, save, topic

# Every column of every table but what tells of the imports themselves. An accepted answer that is not held is nothing
# to the archive, and a number of a private post is not exported.
COMPARED = {
    "meta": "SELECT key, value FROM meta ORDER BY key",
    "categories": "SELECT * FROM categories ORDER BY id",
    "topics": """SELECT id, title, slug, category_id, created_at, last_posted_at, tags, views, likes, closed, archived,
        pinned, (SELECT p.id FROM posts p WHERE p.id = accepted_post_id) FROM topics ORDER BY id""",
    "topic_tags": "SELECT * FROM topic_tags ORDER BY tag, topic_id",
    "users": "SELECT * FROM users ORDER BY username",
    "posts": "SELECT * FROM posts ORDER BY id",
    "uploads": "SELECT * FROM uploads ORDER BY post_id, url",
    "files": "SELECT url, stored, bytes, name FROM files ORDER BY url",
    "moved": "SELECT * FROM moved ORDER BY topic_id, post_number",
    "ledger": "SELECT topic_id, held + missing, held, missing FROM ledger WHERE held + missing > 0 ORDER BY topic_id",
}
NOT_COMPARED = {"imports", "sqlite_sequence"}


def rows(data: Path) -> dict[str, list[tuple[object, ...]]]:
    store = ArchiveStore(data)
    try:
        tables = {name for (name,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables - NOT_COMPARED == set(COMPARED), "a table that nobody compares"
        ids, counts = store.linked()
        linked = list(zip(ids.tolist(), counts.tolist(), strict=True))
        return {name: store.rows(sql) for name, sql in COMPARED.items()} | {"links": linked}
    finally:
        store.close()


def round_trip(data: Path, folder: Path) -> Path:
    """Export, import into an empty folder, compare; the export."""
    exported = export(build_settings(data), folder / "export", "json")
    again = folder / "again"
    report = import_archive(build_settings(again), exported.folder)
    assert (report.flaws, report.skipped, report.added) == ((), {}, exported.posts)
    before, after = rows(data), rows(again)
    for table, found in before.items():
        assert after[table] == found, table
    return exported.folder


def test_a_small_forum(tmp_path):
    save(tmp_path / "data", forum())
    folder = round_trip(tmp_path / "data", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["archive.json", "categories.json", "site.json", "t"]
    one = json.loads((folder / "t" / "1.json").read_text("utf-8"))
    assert one["post_stream"]["stream"] == [11, 12, 13] and one["title"] == "Régler des freins"


def test_the_demo_forum(tmp_path):
    with backup(tmp_path) as source:
        import_archive(build_settings(tmp_path / "data"), source)
    round_trip(tmp_path / "data", tmp_path)


@pytest.mark.shared
@pytest.mark.parametrize("dialect", ["new", "old"])
def test_a_generated_backup(shared, tmp_path, dialect):
    command = [
        sys.executable,
        str(shared / "tools" / "make_forum.py"),
        "--posts",
        "3000",
        "--dialect",
        dialect,
        "--tar",
    ]
    subprocess.run([*command, "--out", str(tmp_path / "forum")], check=True, capture_output=True)
    import_archive(build_settings(tmp_path / "data"), next((tmp_path / "forum").glob("*.tar.gz")))
    folder = round_trip(tmp_path / "data", tmp_path)
    assert any((folder / "uploads").rglob("*.png"))
    for path in folder.rglob("*.json"):
        assert "zzsecret" not in path.read_text("utf-8"), path


def test_what_the_json_of_discourse_has_no_place_for(tmp_path):
    """Topics that miss posts, stand in no category, whose posts stood elsewhere; two posts of one number; old entities."""
    odd = Category(
        CategoryId(9), "R&amp;eacute;glages &amp; freins", "r", description="Un & deux\n&lt;b&gt; trois\nfin"
    )
    save(
        tmp_path / "data",
        [
            Site("&eacute;", "https://forum.exemple"), odd,
            replace(topic(1, "&eacute;t&lt;", category=9, expected=7), accepted_post_id=PostId(3)),
            topic(2, "Sans catégorie", category=None), topic(3, "Sans message", category=9),
            post(1), post(2, number=4), replace(post(3, number=4, edited=2, likes=4), revised_at=post(3).created_at),
            post(4, topic_id=2, by="é&amp;", number=3), PostMoved(TopicId(77), PostNumber(3), PostId(1)),
        ],
    )  # fmt: skip
    round_trip(tmp_path / "data", tmp_path)


def test_an_accepted_answer_that_is_private_is_not_told(tmp_path):
    save(
        tmp_path / "data",
        [*forum(), replace(topic(1, "Régler des freins", category=2), accepted_post_id=PostId(987654))],
    )
    folder = round_trip(tmp_path / "data", tmp_path)
    assert "987654" not in "".join(path.read_text("utf-8") for path in folder.rglob("*.json"))


_words = st.text(alphabet=st.sampled_from('aé&;#’ <>"amplt\u00a0œ\n]['), max_size=12)
_lines = _words.map(one_line)
_whens = st.integers(0, 4_000)


@st.composite
def archives(draw):
    """What a source may give of a small forum, as our readers give it: names on one line, HTML without controls."""
    count = draw(st.integers(0, 3))
    items = [Site(draw(_lines), "https://forum.exemple")]
    for n in range(1, count + 1):
        parent = draw(st.sampled_from([None, *range(1, n)]))
        parts = cooked.parse(draw(_words)).text
        items.append(Category(CategoryId(n), draw(_lines), draw(_lines), parent, draw(_lines), draw(_whens), parts))
    post_id = 0
    for n in range(1, draw(st.integers(0, 4)) + 1):
        category = draw(st.sampled_from([None, *range(1, count + 1)]))
        posts = []
        for _ in range(draw(st.integers(0, 4))):
            post_id += 1
            html = cooked.clean_html(draw(st.sampled_from(["", "<p>", "<aside class=quote>", "<pre>"])) + draw(_words))
            made = post(
                post_id, topic_id=n, number=draw(st.integers(1, 3)), by=draw(st.sampled_from(["a", "é&amp;", "O’b"])),
                day=draw(_whens), edited=draw(_whens), reply_to=draw(st.sampled_from([None, 1, 9])), likes=draw(_whens),
            )  # fmt: skip
            posts.append(replace(made, cooked=html, parts=cooked.parse(html), post_type=draw(st.sampled_from([1, 2]))))
        ids = [None, *(one.id for one in posts)]
        made = topic(n, "", category=category, tags=dict.fromkeys(filter(None, draw(st.lists(_lines, max_size=3)))))
        items.append(
            replace(
                made, title=draw(_lines), slug=draw(_lines) or "topic", closed=draw(st.booleans()),
                archived=draw(st.booleans()), pinned=draw(st.booleans()), accepted_post_id=draw(st.sampled_from(ids)),
                expected_posts=len(posts) + draw(st.sampled_from([0, 0, 2])), views=draw(_whens), likes=draw(_whens),
            )
        )  # fmt: skip
        items += posts
    return items


@profile(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(archives())
def test_any_small_archive(tmp_path_factory, items):
    folder = tmp_path_factory.mktemp("archive")
    save(folder / "data", items)
    if not any(getattr(item, "post_number", None) for item in items):
        return  # no source at all is recognised in a folder without a topic
    round_trip(folder / "data", folder)
