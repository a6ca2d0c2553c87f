"""The demo forum becomes a Discourse backup: same bytes each time, private parts included."""

import gzip

import pytest
import yaml

from app import demo
from app.cook import cook
from app.resources import resource
from engine import build_settings, import_archive


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    return demo.build(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def tables(dump):
    """Table → rows as dictionaries, fields raw."""
    found, rows, columns = {}, None, ()
    for line in gzip.decompress(dump.read_bytes()).decode().splitlines():
        if line.startswith("COPY public."):
            name, _, rest = line.removeprefix("COPY public.").partition(" (")
            columns = rest.partition(")")[0].split(", ")
            rows = found[name] = []
        elif line == "\\.":
            rows = None
        elif rows is not None:
            rows.append(dict(zip(columns, line.split("\t"), strict=True)))
    return found


@pytest.fixture(scope="module")
def topics():
    paths = sorted(resource("assets/demo/topics").glob("*.yml"))
    return [yaml.safe_load(path.read_text("utf-8")) for path in paths]


def test_the_same_bytes_come_out_each_time(dump, tmp_path):
    assert demo.build(tmp_path).read_bytes() == dump.read_bytes()


def test_tables_come_in_alphabetical_order(tables):
    assert list(tables) == sorted(tables)


def test_a_post_is_named_by_its_topic_and_place(tables, topics):
    ids = [int(post["id"]) for post in tables["posts"]]
    assert ids == [t["id"] * 1000 + n for t in topics for n in range(1, len(t["posts"]) + 1)]


def test_private_things_are_in_the_backup_so_that_leaving_them_out_is_tested(tables):
    assert sum("zzsecretdemo" in post["raw"] for post in tables["posts"]) == 9
    assert {c["id"]: c["parent_category_id"] for c in tables["categories"]}["10"] == "9"


def test_the_import_holds_what_is_public_and_counts_the_rest(dump, topics, tmp_path):
    report = import_archive(build_settings(tmp_path), dump)
    private = ("moderation", "dossiers-moderation")
    public = [post for t in topics if t["category"] not in private for post in t["posts"]]
    hidden = sum(post.get("hidden", False) for post in public)
    actions = sum(post.get("type", 1) == 3 for post in public)
    assert report.complete
    assert report.flaws == ()
    assert report.added == len(public) - hidden - actions
    assert report.skipped == {
        "hidden": hidden,
        "small_action": actions,
        "restricted_category": sum(len(t["posts"]) for t in topics if t["category"] in private),
    }


def test_accepted_answers_are_known(tables, topics):
    accepted = {
        str(t["id"]): str(t["id"] * 1000 + n)
        for t in topics
        for n, post in enumerate(t["posts"], 1)
        if post.get("accepted")
    }
    solved = tables["discourse_solved_solved_topics"]
    assert {row["topic_id"]: row["answer_post_id"] for row in solved} == accepted


def test_questions_name_posts_that_exist(tables):
    questions = yaml.safe_load(resource("assets/demo/questions.yml").read_text("utf-8"))
    ids = {int(post["id"]) for post in tables["posts"]}
    assert {i for q in questions for i in q.get("expected_post_ids", ())} <= ids


def test_a_quote_keeps_its_attribution():
    cooked = cook('[quote="alice, post:3"]\nUn *mot*\n[/quote]\n\nOui.', topic_id=7)
    assert '<aside class="quote no-group" data-username="alice" data-post="3" data-topic="7">' in cooked
    assert "<blockquote>\n<p>Un <em>mot</em></p>\n</blockquote>" in cooked
    assert cooked.endswith("<p>Oui.</p>")
    assert "[quote" not in cooked


def test_what_discourse_adds_to_markdown_is_cooked():
    assert cook("[spoiler]chut[/spoiler]", topic_id=1) == '<p><span class="spoiler">chut</span></p>'
    assert 'class="emoji" alt=":rage:"' in cook("volé :rage:", topic_id=1)
    assert '<a class="mention" href="/u/alice">@Alice</a>' in cook("@Alice oui", topic_id=1)
    assert '<img src="/uploads/short-url/k2v.jpg" alt="photo"' in cook("![photo](upload://k2v.jpg)", topic_id=1)


def test_code_and_raw_html_stay_text():
    assert cook("`:rage: @alice`", topic_id=1) == "<p><code>:rage: @alice</code></p>"
    assert "&lt;script&gt;" in cook("<script>alert(1)</script>", topic_id=1)
    assert '<code class="lang-cpp">' in cook("```cpp\nint a;\n```", topic_id=1)


def test_times_and_addresses_are_not_emoji_or_mentions():
    assert cook("à 9:10:30 chez a@b.fr", topic_id=1) == "<p>à 9:10:30 chez a@b.fr</p>"


def test_fields_are_escaped_as_copy_wants(tables):
    script = next(post for post in tables["posts"] if post["id"] == "109001")
    assert r"%.2f m\\n" in script["raw"]
    assert "\n" not in script["raw"]
