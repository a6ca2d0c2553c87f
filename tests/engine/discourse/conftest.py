"""A small forum as pg_dump would write it, in the layouts of 2018 and of 2026, and as saved JSON."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.discourse.copy_text import escape

WHEN = "2024-05-06 07:08:09.5"
ALICE, BRUNO, CHLOE, DAN = 10, 11, 12, 13

COLUMNS = {
    "ai_posts_embeddings": "post_id model_id model_version strategy_id digest embeddings created_at",
    "api_keys": "id key user_id",
    "categories": "id name color read_restricted slug description position parent_category_id",
    "discourse_solved_solved_topics": "id topic_id answer_post_id",
    "discourse_solved_topic_answers": "id solved_topic_id answer_post_id accepter_user_id",
    "embedding_definitions": "id display_name dimensions version url api_key tokenizer_class embed_prompt"
    " search_prompt",
    "posts": "id user_id topic_id post_number raw cooked created_at updated_at reply_to_post_number"
    " deleted_at like_count post_type hidden user_deleted raw_email version last_version_at",
    "post_custom_fields": "id post_id name value",
    "poll_options": "id poll_id digest html anonymous_votes",
    "poll_votes": "poll_id poll_option_id user_id",
    "polls": "id post_id name status results",
    "moved_posts": "id old_topic_id old_post_id old_post_number new_topic_id new_topic_title new_post_id",
    "optimized_images": "id sha1 extension upload_id url",
    "uploads": "id user_id original_filename filesize url sha1 origin",
    "site_settings": "id name data_type value",
    "tag_group_memberships": "id tag_id tag_group_id",
    "tag_group_permissions": "id tag_group_id group_id permission_type",
    "tags": "id name",
    "topic_custom_fields": "id topic_id name value",
    "topic_tags": "id topic_id tag_id",
    "topics": "id title last_posted_at created_at views posts_count deleted_at like_count category_id visible"
    " closed archived archetype pinned_at slug",
    "user_emails": "id user_id email",
    "users": "id username name ip_address",
}


@dataclass
class Forum:
    """Rows by table; a test changes what it is about and writes the rest as it is."""

    tables: dict[str, list[dict[str, object]]] = field(default_factory=dict)

    def post(self, id, topic_id=100, number=1, cooked=None, *, user_id=ALICE, **values):
        row = {
            "id": id, "user_id": user_id, "topic_id": topic_id, "post_number": number, "raw": "brut",
            "cooked": f"<p>Message {id}</p>" if cooked is None else cooked,
            "created_at": WHEN, "updated_at": WHEN, "reply_to_post_number": None, "deleted_at": None,
            "like_count": 0, "post_type": 1, "hidden": False, "user_deleted": False, "raw_email": "zzmail",
        }  # fmt: skip
        self.tables["posts"].append(row | values)

    def topic(self, id, category_id=1, **values):
        row = {
            "id": id, "title": f"Sujet {id}", "last_posted_at": WHEN, "created_at": WHEN, "views": 7,
            "posts_count": 1, "deleted_at": None, "like_count": 2, "category_id": category_id,
            "visible": True, "closed": False, "archived": False, "archetype": "regular", "pinned_at": None,
            "slug": f"sujet-{id}",
        }  # fmt: skip
        self.tables["topics"].append(row | values)

    def category(self, id, parent=None, *, restricted=False, name=None):
        self.tables["categories"].append({
            "id": id, "name": name or f"Catégorie {id}", "color": "CBF5D2", "read_restricted": restricted,
            "slug": f"categorie-{id}", "description": None, "position": id, "parent_category_id": parent,
        })  # fmt: skip

    def sql(self, dialect="new", *, without=()):
        """The dump as text. "old" has no schema in its names, another order and another solution table."""
        prefix = "public." if dialect == "new" else ""
        lines = ["--", "-- PostgreSQL database dump", "--", ""]
        if dialect == "new":
            lines.append("\\restrict 0123abcd")
        lines += [
            "SET client_encoding = 'UTF8';",
            "CREATE TABLE x (",
            "    id integer",
            ");",
            "\\connect forum",
        ]
        for table in sorted(COLUMNS):
            if table in without or (dialect == "old" and table.startswith("discourse_solved")):
                continue
            columns = COLUMNS[table].split()
            if dialect == "old":
                columns.reverse()
            quoted = ", ".join(f'"{name}"' if name in ("position", "key") else name for name in columns)
            lines.append(f"COPY {prefix}{table} ({quoted}) FROM stdin;")
            for row in self.tables.get(table, []):
                lines.append("\t".join(_field(row.get(name)) for name in columns))
            lines += ["\\.", "", ""]
        lines += ["COPY backup.posts (id) FROM stdin;", "1", "\\.", ""]
        lines += ["--", "-- PostgreSQL database dump complete", "--", ""]
        return "\n".join(lines) + "\n"


def _field(value):
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    return escape(str(value).encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


@pytest.fixture
def forum():
    """Alice asks, Bruno and Dan reply, Chloé moderates; one topic or post for each reason to be private."""
    f = Forum({table: [] for table in COLUMNS})
    f.tables["users"] = [
        {"id": ALICE, "username": "alice", "name": "Alice", "ip_address": "192.0.2.9"},
        {"id": BRUNO, "username": "bruno", "name": None, "ip_address": "192.0.2.9"},
        {"id": CHLOE, "username": "chloé", "name": "Chloé", "ip_address": "192.0.2.9"},
        {"id": DAN, "username": "dan", "name": "Dan", "ip_address": "192.0.2.9"},
    ]
    f.tables["user_emails"] = [{"id": 1, "user_id": ALICE, "email": "zzmail@exemple.invalid"}]
    f.tables["api_keys"] = [{"id": 1, "key": "zzkey", "user_id": ALICE}]
    f.tables["site_settings"] = [
        {"id": 1, "name": "title", "data_type": 1, "value": "Le petit forum"},
        {"id": 2, "name": "force_hostname", "data_type": 1, "value": "forum.exemple"},
        {"id": 3, "name": "s3_secret_access_key", "data_type": 1, "value": "zzkey"},
    ]
    f.category(1, name="Jardin")
    f.category(2, restricted=True)
    f.category(3, 2)
    f.category(4, 1, name="Potager")
    f.topic(100, views=70, pinned_at=WHEN)
    f.topic(101, 4, closed=True)
    f.topic(110, 2)
    f.topic(111, 3)
    f.topic(112, None, archetype="private_message")
    f.topic(113, visible=False)
    f.topic(114, deleted_at=WHEN)
    f.topic(115, 99)
    f.topic(116)  # no post at all
    f.post(1, cooked="<p>Quand tailler\tles rosiers ?</p>\n<p>C:\\jardin</p>")
    f.post(2, number=2, user_id=BRUNO, reply_to_post_number=1, like_count=3, updated_at="2024-05-07 00:00:00")
    f.post(3, number=3, user_id=CHLOE, post_type=2)
    f.post(4, 101, user_id=None)
    for id, topic in enumerate((110, 111, 112, 113, 114, 115, 999), start=10):
        f.post(id, topic, cooked="<p>zzsecret</p>")
    secret = "<p>zzsecret</p>"
    f.post(20, number=4, cooked=secret, deleted_at=WHEN)
    f.post(21, number=5, cooked=secret, hidden=True)
    f.post(22, number=6, cooked=secret, user_deleted=True)
    f.post(23, number=7, cooked=secret, post_type=3)
    f.post(24, number=8, cooked=secret, post_type=4)
    f.post(25, number=9, cooked=secret, post_type=5)
    f.tables["tags"] = [{"id": 1, "name": "rosier"}, {"id": 2, "name": "zzsecret-équipe"}]
    f.tables["topic_tags"] = [
        {"id": 1, "topic_id": 100, "tag_id": 1},
        {"id": 2, "topic_id": 100, "tag_id": 2},
    ]
    f.tables["tag_group_memberships"] = [
        {"id": 1, "tag_id": 1, "tag_group_id": 5}, {"id": 2, "tag_id": 2, "tag_group_id": 6},
    ]  # fmt: skip
    f.tables["tag_group_permissions"] = [
        {"id": 1, "tag_group_id": 5, "group_id": 0, "permission_type": 1},
        {"id": 2, "tag_group_id": 6, "group_id": 3, "permission_type": 1},
    ]
    f.tables["discourse_solved_solved_topics"] = [{"id": 1, "topic_id": 100, "answer_post_id": 2}]
    f.tables["topic_custom_fields"] = [
        {"id": 1, "topic_id": 100, "name": "accepted_answer_post_id", "value": "2"},
        {"id": 2, "topic_id": 101, "name": "secret_note", "value": "zzkey"},
    ]
    return f


@pytest.fixture
def write_dump(tmp_path):
    """Write a text as dump.sql, dump.sql.gz or a backup; returns its path."""

    def write(text, form="plain", name="dump.sql.gz"):
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        if form == "plain":
            path = tmp_path / "dump.sql"
            path.write_bytes(data)
            return path
        zipped = gzip.compress(data)
        if form == "gzip":
            path = tmp_path / "dump.sql.gz"
            path.write_bytes(zipped)
            return path
        path = tmp_path / "forum-2024.tar.gz"
        with tarfile.open(path, "w:gz") as tar:
            for member, content in (("uploads/photo.png", b"png"), (name, zipped)):
                info = tarfile.TarInfo(member)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        return path

    return write


def post_json(id, number=1, topic_id=100, **values):
    """A post as /t/ID.json and /posts.json give it to an anonymous reader."""
    return {
        "id": id, "name": "Alice", "username": "alice", "user_id": ALICE, "topic_id": topic_id,
        "post_number": number, "post_type": 1, "cooked": f"<p>Message {id}</p>",
        "created_at": "2024-05-06T07:08:09.500Z", "updated_at": "2024-05-06T07:08:09.500Z",
        "reply_to_post_number": None, "hidden": False, "user_deleted": False, "deleted_at": None,
        "actions_summary": [{"id": 2, "count": 4}], "accepted_answer": False,
    } | values  # fmt: skip


def topic_json(id, posts, **values):
    """A topic as /t/ID.json gives it to an anonymous reader."""
    return {
        "id": id, "title": f"Sujet {id}", "slug": f"sujet-{id}", "category_id": 1, "archetype": "regular",
        "visible": True, "deleted_at": None, "created_at": "2024-05-06T07:08:09.500Z",
        "last_posted_at": "2024-05-06T07:08:09.500Z", "views": 7, "like_count": 2, "closed": False,
        "archived": False, "pinned": False, "tags": ["rosier"],
        "post_stream": {"posts": posts, "stream": [post["id"] for post in posts]},
    } | values  # fmt: skip


def category_json(id, parent=None, **values):
    """A category as /site.json lists it."""
    return {
        "id": id, "name": f"Catégorie {id}", "slug": f"categorie-{id}", "color": "CBF5D2", "position": id,
        "description_text": "", "read_restricted": False, "parent_category_id": parent,
    } | values  # fmt: skip


@pytest.fixture
def make():
    """The builders of saved JSON, by name."""
    return {"post": post_json, "topic": topic_json, "category": category_json}


@pytest.fixture
def save_json(tmp_path):
    """Write objects (or raw text) as JSON files under a folder; returns it."""

    def save(files):
        root = tmp_path / "saved"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return root

    return save


@pytest.fixture
def shared():
    """The project's shared folder, beside the checkout; a public clone does not have it."""
    folder = Path(__file__).resolve().parents[4] / "shared"
    if not folder.is_dir():
        pytest.skip("no shared data beside this checkout")
    return folder
