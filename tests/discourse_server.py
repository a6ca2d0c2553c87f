"""A small Discourse for the tests: a forum in memory, served over HTTP on this machine as Discourse would.

A test changes the forum between two syncs (posts, deletions, moves, closed categories) or makes the server misbehave
(`fail`, `before`, `login_required`). `asked` lists what was requested.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

WHEN = "2024-05-06T07:08:09.500Z"
LATER = "2024-06-01T00:00:00.000Z"
SECRET = "zzsecret"
USER_KEY, API_KEY = "zzuserkey", "zzapikey"
REGULAR, MODERATOR, SMALL_ACTION, WHISPER = 1, 2, 3, 4


@dataclass
class Reply:
    """An answer as it goes over the wire. `cut` closes the connection after so many bytes of the body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


@dataclass
class Asked:
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


def reply(document, status=200, **headers):
    return Reply(status, json.dumps(document).encode(), {"Content-Type": "application/json", **headers})


def page(status, text="<html><body>Oups</body></html>", **headers):
    return Reply(status, text.encode(), {"Content-Type": "text/html", **headers})


def refusal(status, kind):
    return reply({"errors": ["Non."], "error_type": kind}, status)


NOT_FOUND = refusal(404, "not_found")
FORBIDDEN = refusal(403, "invalid_access")
NOT_LOGGED_IN = refusal(403, "not_logged_in")


class FakeForum:
    """Alice asks, Bruno and Dan reply, Chloé moderates."""

    def __init__(self):
        self.categories, self.topics, self.posts = {}, {}, {}
        self.title = "Le petit forum"
        self.before = "new"  # "old": the 50 ids below; "middle": up to and with; "new": below
        self.login_required = False
        self.lists_categories = True  # False: a big forum that loads its categories when they are looked at
        self.public_tags = {"rosier"}
        self.uploads = {}  # path → bytes
        self.faults = defaultdict(deque)  # path → replies to give before the true one
        self.asked: list[Asked] = []
        self.permalinks = {}  # topic id → where its address redirects
        self.on_request = lambda path: None

    # --- what a test makes happen ---

    def category(self, id, parent=None, *, restricted=False):
        self.categories[id] = {
            "id": id, "name": f"Catégorie {id}", "slug": f"categorie-{id}", "color": "CBF5D2", "position": id,
            "description_text": "", "read_restricted": restricted, "parent_category_id": parent, "permission": None,
            "topic_template": SECRET, "notification_level": 1,
        }  # fmt: skip

    def topic(self, id, category=1, **values):
        self.topics[id] = {
            "id": id, "title": f"Sujet {id}", "slug": f"sujet-{id}", "category_id": category, "archetype": "regular",
            "visible": True, "deleted_at": None, "created_at": WHEN, "last_posted_at": WHEN, "views": 7,
            "like_count": 2, "closed": False, "archived": False, "pinned": False, "tags": ["rosier"],
        } | values  # fmt: skip

    def post(self, id, topic, *, by="alice", **values):
        number = 1 + max((p["post_number"] for p in self.posts.values() if p["topic_id"] == topic), default=0)
        self.posts[id] = {
            "id": id, "topic_id": topic, "post_number": number, "username": by, "name": by.title(), "user_id": 10,
            "post_type": REGULAR, "cooked": f"<p>Message {id}</p>", "raw": f"Message {id}", "created_at": WHEN,
            "updated_at": WHEN, "reply_to_post_number": None, "hidden": False, "user_deleted": False,
            "deleted_at": None, "likes": id % 3,
        } | values  # fmt: skip

    def edit(self, id, text, at=LATER):
        self.posts[id] |= {"cooked": f"<p>{text}</p>", "updated_at": at}

    def delete(self, *ids):
        for id in ids:
            self.posts[id]["deleted_at"] = LATER

    def delete_topic(self, id):
        self.topics[id]["deleted_at"] = LATER

    def move(self, ids, to):
        """As Discourse's PostMover: a first post stays and gets a copy with a new id, the others keep theirs."""
        origin = self.posts[ids[0]]["topic_id"]
        for id in sorted(ids):
            moved = self.posts[id]
            number = 1 + max((p["post_number"] for p in self.posts.values() if p["topic_id"] == to), default=0)
            if moved["post_number"] == 1:
                new = max(self.posts) + 1
                self.posts[new] = moved | {"id": new, "topic_id": to, "post_number": number}
            else:
                moved |= {"topic_id": to, "post_number": number}
        new = max(self.posts) + 1
        self.post(new, origin, by="chloé", post_type=SMALL_ACTION, cooked="", action_code="split_topic")

    def fail(self, path, *replies):
        """Give these replies before the true one, at this path or at any ("*")."""
        self.faults[path].extend(replies)

    # --- what Discourse shows ---

    def answer(self, asked: Asked) -> Reply:
        for path in (asked.path, "*"):
            if self.faults[path]:
                return self.faults[path].popleft()
        team = asked.headers.get("api-key") == API_KEY or asked.headers.get("user-api-key") == USER_KEY
        if not team and ("api-key" in asked.headers or "user-api-key" in asked.headers):
            return FORBIDDEN
        if asked.path == "/site/basic-info.json":
            return reply({"title": self.title, "login_required": self.login_required})
        if self.login_required and not team:
            return NOT_LOGGED_IN
        for pattern, show in _ROUTES:
            if found := re.fullmatch(pattern, asked.path):
                return show(self, asked, team, *map(int, found.groups()))
        if asked.path in self.uploads:
            return Reply(200, self.uploads[asked.path], {"Content-Type": "image/png"})
        return NOT_FOUND

    def _open(self, category, team):
        while category is not None:
            known = self.categories.get(category)
            if known is None or (known["read_restricted"] and not team):
                return False
            category = known["parent_category_id"]
        return True

    def _shown(self, topic_id, team):
        topic = self.topics.get(topic_id)
        if topic is None or topic["deleted_at"]:
            return None
        if topic["archetype"] != "regular" and not team:
            return None
        return topic if topic["category_id"] is None or self._open(topic["category_id"], team) else None

    def _stream(self, topic_id, team):
        return [
            post for _, post in sorted(self.posts.items(), key=lambda item: item[1]["post_number"])
            if post["topic_id"] == topic_id and not post["deleted_at"] and (team or post["post_type"] != WHISPER)
        ]  # fmt: skip

    def _site(self, _asked, team):
        shown = [c for c in self.categories.values() if self._open(c["id"], team)] if self.lists_categories else []
        return reply({
            "post_types": {"regular": 1}, "notification_types": {}, "categories": shown,
            "current_user_email": f"{SECRET}@exemple.invalid",
        })  # fmt: skip

    def _categories(self, _asked, team):
        top = [c for c in self.categories.values() if c["parent_category_id"] is None and self._open(c["id"], team)]
        return reply({"category_list": {"can_create_category": False, "categories": top[:2]}})

    def _category(self, _asked, team, id):
        return reply({"category": self.categories[id]}) if self._open(id, team) else FORBIDDEN

    def _tags(self, _asked, team):
        names = self.public_tags | ({SECRET} if team else set())
        return reply({"tags": [{"id": name, "text": name, "count": 3} for name in sorted(names)], "extras": {}})

    def _posts(self, asked, team):
        before = int(asked.query.get("before", ["0"])[0])
        listed = sorted(self.posts, reverse=True)
        if self.before == "old":
            top = before or max(listed, default=0)
            listed = [id for id in listed if top - 50 < id <= top]
        elif before:
            listed = [id for id in listed if (id <= before if self.before == "middle" else id < before)]
        shown = []
        for id in listed:
            post = self.posts[id]
            topic = self._shown(post["topic_id"], team)
            regular = post["post_type"] == REGULAR and not post["hidden"] and not post["deleted_at"]
            if regular and topic and topic["archetype"] == "regular" and topic["visible"]:
                titles = {"topic_title": topic["title"], "category_id": topic["category_id"], "raw": post["raw"]}
                shown.append(_post_json(post, team) | titles)
        return reply({"latest_posts": shown[:50]})

    def _latest(self, _asked, team):
        topics = [t for id, t in self.topics.items() if t["visible"] and self._shown(id, team)]
        return reply(
            {"topic_list": {"topics": [{"id": t["id"], "last_posted_at": t["last_posted_at"]} for t in topics]}}
        )

    def _topic(self, _asked, team, id):
        if id in self.permalinks:
            return Reply(301, b"", {"Location": self.permalinks[id]})
        topic = self._shown(id, team)
        if topic is None:
            return NOT_FOUND if id not in self.topics or self.topics[id]["deleted_at"] is None else refusal(410, "gone")
        stream = self._stream(id, team)
        tags = topic["tags"] + ([SECRET] if team else [])
        return reply(topic | {
            "tags": tags, "posts_count": len(stream), "details": {"created_by": {"username": SECRET}},
            "post_stream": {
                "posts": [_post_json(post, team) for post in stream[:20]], "stream": [post["id"] for post in stream],
            },
        })  # fmt: skip

    def _topic_posts(self, asked, team, id):
        if self._shown(id, team) is None:
            return NOT_FOUND
        wanted = [int(value) for value in asked.query.get("post_ids[]", [])]
        assert 0 < len(wanted) <= 20
        posts = [_post_json(post, team) for post in self._stream(id, team) if post["id"] in wanted]
        return reply({"id": id, "post_stream": {"posts": posts}})

    def _post(self, _asked, team, id):
        post = self.posts.get(id)
        if post is None or post["deleted_at"] or self._shown(post["topic_id"], team) is None:
            return NOT_FOUND
        return reply(_post_json(post, team))


def _post_json(post, team):
    hidden = {"cooked": "<p>Ce message a été masqué.</p>", "cooked_hidden": True} if post["hidden"] and not team else {}
    shown = {name: value for name, value in post.items() if name not in ("raw", "likes")}
    actions = [{"id": 2, "count": post["likes"], "acted": True}, {"id": 7, "can_act": True, "count": 9}]
    private = {
        "email": f"{SECRET}@exemple.invalid", "ip_address": "192.0.2.9", "avatar_template": SECRET, "yours": False,
        "can_edit": False, "read": True, "reads": 12, "actions_summary": actions, "reviewable_id": 4,
    }  # fmt: skip
    return shown | hidden | private


_ROUTES = (
    (r"/site\.json", FakeForum._site),
    (r"/categories\.json", FakeForum._categories),
    (r"/c/(\d+)/show\.json", FakeForum._category),
    (r"/tags\.json", FakeForum._tags),
    (r"/posts\.json", FakeForum._posts),
    (r"/latest\.json", FakeForum._latest),
    (r"/t/(\d+)\.json", FakeForum._topic),
    (r"/t/(\d+)/posts\.json", FakeForum._topic_posts),
    (r"/posts/(\d+)\.json", FakeForum._post),
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # headers and body in one packet: the client need not wait for a delayed acknowledgement
    disable_nagle_algorithm = True

    def do_GET(self):
        parts = urlsplit(self.path)
        query = defaultdict(list)
        for name, value in parse_qsl(parts.query):
            query[name].append(value)
        asked = Asked(parts.path, dict(query), {name.lower(): value for name, value in self.headers.items()})
        forum = self.server.forum
        forum.asked.append(asked)
        forum.on_request(asked.path)
        answer = forum.answer(asked)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
        if answer.cut is not None:
            self.close_connection = True

    def log_message(self, *_arguments):
        """The tests read `asked` instead."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    forum: FakeForum

    def handle_error(self, request, client_address):
        """A client that went away in the middle is one of the cases."""


class Serving:
    """A forum on a port of this machine; a context manager."""

    def __init__(self, forum: FakeForum) -> None:
        self.forum = forum
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.forum = forum
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Serving:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class FakeClock:
    """Time that passes by sleeping only. `slept` lists the waits."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    time = monotonic

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def small_forum() -> FakeForum:
    """Two public categories, a restricted one with one below it, and one of everything that must not enter."""
    forum = FakeForum()
    forum.category(1)
    forum.category(2, restricted=True)
    forum.category(3, 2)
    forum.category(4, 1)
    forum.topic(100)
    for id in range(1, 48):  # three pages of posts in the topic
        forum.post(id, 100, by=("alice", "bruno", "dan")[id % 3])
    forum.topic(101, 4, tags=[])
    forum.post(60, 101)
    forum.post(61, 101, by="chloé", post_type=MODERATOR)
    forum.topic(102)
    forum.post(200, 102)  # ids 62 to 199 belong to nobody: empty pages
    secret = {"cooked": f"<p>{SECRET}</p>", "raw": SECRET}
    forum.post(201, 102, hidden=True, **secret)
    forum.post(202, 102, user_deleted=True, **secret)
    forum.post(203, 102, post_type=SMALL_ACTION, **secret)
    forum.post(204, 102, post_type=WHISPER, **secret)
    forum.post(205, 102, deleted_at=WHEN, **secret)
    forum.topic(110, 2, title=SECRET)
    forum.topic(111, 3, title=SECRET)
    forum.topic(112, None, archetype="private_message", title=SECRET)
    forum.topic(113, visible=False, title=SECRET)
    forum.topic(114, deleted_at=WHEN, title=SECRET)
    for id, topic in enumerate(range(110, 115), start=210):
        forum.post(id, topic, **secret)
    forum.post(220, 101, by="bruno")
    return forum
