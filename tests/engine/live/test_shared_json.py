"""A forum made of real topics: what a sync fetches of it is what an import of its saved topics gives."""

import json
from pathlib import Path

import pytest

from engine import import_archive, sync_archive
from tests.discourse_server import FakeClock, FakeForum, Serving, reply
from tests.engine.live.conftest import content, fake_clock
from tests.factories import settings

pytestmark = pytest.mark.shared
TOPICS = 60


class RealForum(FakeForum):
    """Serves topics as they were saved, twenty posts at a time, and their posts by id."""

    def __init__(self, saved):
        super().__init__()
        self.saved, self.site = saved, None
        self.all = {
            post["id"]: post | {"category_id": topic["category_id"], "topic_title": topic["title"]}
            for topic in saved.values()
            for post in topic["post_stream"]["posts"]
        }

    def answer(self, asked):
        name, *rest = asked.path.strip("/").removesuffix(".json").split("/")
        if name == "site" and not rest:
            return reply(self.site)
        if name == "posts":
            before = int(asked.query.get("before", ["999999999"])[0])
            listed = [post for id, post in sorted(self.all.items(), reverse=True) if id < before]
            return reply(
                {"latest_posts": [post for post in listed if post["post_type"] == 1 and not post["hidden"]][:50]}
            )
        if name == "t" and int(rest[0]) in self.saved:
            topic = self.saved[int(rest[0])]
            posts = topic["post_stream"]["posts"]
            if rest[1:] == ["posts"]:
                wanted = set(map(int, asked.query["post_ids[]"]))
                return reply({"id": topic["id"], "post_stream": {"posts": [p for p in posts if p["id"] in wanted]}})
            return reply(topic | {"post_stream": {"posts": posts[:20], "stream": topic["post_stream"]["stream"]}})
        return super().answer(asked)


def test_a_sync_of_real_topics_gives_what_an_import_of_them_gives(shared, tmp_path):
    data = shared / "data" / "discourse-json"
    paths = sorted((data / "t").glob("*.json"), key=lambda path: -path.stat().st_size)[::6][:TOPICS]
    forum = RealForum({record["id"]: record for path in paths if (record := json.loads(path.read_bytes()))})
    forum.site = json.loads((data / "site.json").read_bytes())
    saved = tmp_path / "saved"
    (saved / "t").mkdir(parents=True)
    for path in paths:
        (saved / "t" / path.name).symlink_to(path)
    with Serving(forum) as served:
        report = sync_archive(settings(tmp_path / "synced"), served.url, clock=fake_clock(FakeClock()))
        site = forum.site | {"base_url": served.url, "title": forum.title}
    (saved / "site.json").write_text(json.dumps(site), "utf-8")
    imported = import_archive(settings(tmp_path / "imported"), saved)
    assert content(tmp_path / "synced") == content(tmp_path / "imported")
    assert report.imported.skipped == imported.skipped
    assert report.announced == report.held + sum(report.imported.skipped.values()) + report.holes


@pytest.fixture
def shared():
    folder = Path(__file__).resolve().parents[4] / "shared"
    if not folder.is_dir():
        pytest.skip("no shared data beside this checkout")
    return folder
