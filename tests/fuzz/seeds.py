"""Where fuzzing begins: small sources of every kind, written here or cut from the shared data, which are not copied."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared"  # beside the checkout; a public clone does not have it
ROWS = 4  # of each table of a generated forum
FILES = 12

DUMP = """--
-- PostgreSQL database dump
--

\\restrict 0123abcd
COPY public.categories (id, name, slug, read_restricted, parent_category_id, "position", color, description) FROM stdin;
1\tJardin\tjardin\tf\t\\N\t1\tCBF5D2\t<p>Tout</p>
2\tÉquipe\tequipe\tt\t1\t2\t\\N\t\\N
\\.

COPY public.posts (id, user_id, topic_id, post_number, cooked, created_at, updated_at, reply_to_post_number, deleted_at, \
like_count, post_type, hidden, user_deleted) FROM stdin;
1\t10\t100\t1\t<p>Quand tailler\\tles rosiers ?</p>\\n<p>C:\\\\jardin \\303\\251 \\x41</p>\t2024-05-06 07:08:09.5\t2024-05-06 07:08:09\t\\N\t\\N\t3\t1\tf\tf
2\t-1\t100\t2\t<aside class="quote" data-username="x" data-post="1" data-topic="100"></aside>\t2024-05-06 07:08:09\t\\N\t1\t\\N\t0\t2\tf\tf
3\t10\t101\t1\tzz\t2024-05-06 07:08:09\t\\N\t1\t2024-05-06 07:08:09\t0\t4\tt\tt
\\.

COPY public.site_settings (id, name, data_type, value) FROM stdin;
1\ttitle\t1\tLe forum
2\tforce_hostname\t1\tforum.exemple
\\.

COPY public.tags (id, name) FROM stdin;
1\trosier
\\.

COPY public.topic_custom_fields (id, topic_id, name, value) FROM stdin;
1\t100\taccepted_answer_post_id\t2
\\.

COPY public.topic_tags (id, topic_id, tag_id) FROM stdin;
1\t100\t1
\\.

COPY public.topics (id, title, slug, category_id, archetype, visible, deleted_at, created_at, last_posted_at, views, \
like_count, closed, archived, pinned_at) FROM stdin;
100\tLes rosiers\tles-rosiers\t1\tregular\tt\t\\N\t2024-05-06 07:08:09\t2024-05-06 07:08:09\t7\t2\tf\tf\t\\N
101\tPrivé\tprive\t\\N\tprivate_message\tt\t\\N\t2024-05-06 07:08:09\t\\N\t7\t2\tf\tf\t\\N
\\.

COPY public.users (id, username, name) FROM stdin;
10\talice\tAlice
-1\tsystem\t\\N
\\.

--
-- PostgreSQL database dump complete
--
"""
POSTS = (
    "<p>Quand tailler les <b>rosiers</b> ?</p><ul><li>un</li></ul><pre><code class='lang-c'>int a;</code></pre>",
    '<aside class="quote" data-username="bob" data-post="3" data-topic="12"><div class="title"><img class="avatar">bob:'
    '</div><blockquote><p>mots</p></blockquote></aside><p>réponse @alice <a class="mention" href="/u/alice">@alice</a></p>',
    '<div class="lightbox-wrapper"><a class="lightbox" href="/uploads/a.png"><img src="/uploads/b.png" alt="photo" '
    'width="10" height="20"><div class="meta"><span>1</span></div></a></div><span class="spoiler">fin</span>',
    '<aside class="onebox"><header><a href="https://x.fr">x</a></header><article><h3><a>Titre</a></h3></article></aside>'
    '<details><summary>Voir</summary>plus</details><div class="poll"><ul><li>oui</li></ul></div>',
    "<table><thead><tr><th align=left>a</th></tr></thead><tbody><tr><td>b<td>c</table>[quote=\"x, post:1, topic:2\"]y[/quote]"
    "&amp;eacute; $rsquo; [b:0a1b2c3d]z[/b:0a1b2c3d]<!-- s:) --><script>a</script><svg><style><a id=\"</style><img src=1>\">",
)  # fmt: skip
QUERIES = (
    'frein "à disque" -vélo -"pneu neuf" auteur:alice @bob #atelier', "catégorie:\"Mon atelier\" étiquette:pneu titre:frein",
    "avant:2015 après:2014-03 before:21/03/2015 after:3/2014", "«deux mots» C++ prix:dix F-GABC : \" - @ # auteur:\"\"",
)  # fmt: skip
ANSWERS = (
    "Les plaquettes crient [[1]]. Le cuir se graisse [[2, 1]]. [[3]]", "[voir](https://x.fr/t/1) http://a.b [[1]](y) <b>[[2]]</b>",
    "1. un [[1]]\n2. deux [[1-2]] &#91;[1]] \\[[1]]\x1eUn texte. [[1]] Deux.\x1eDu cuir [[2]]", "[[ 1 et 2 ]] www.x.fr /t/un/1/2 a@b.fr",
)  # fmt: skip


def of(target: str) -> Iterator[bytes]:
    """The seeds of a target: what is written here, then what is cut from the shared data."""
    yield from written(target)
    match target:
        case "copy":
            yield from _generated()
        case "gzip":
            yield from (gzip.compress(dump, mtime=0) for dump in _generated())
        case "tar":
            yield from map(backup, _generated())
        case "topic":
            yield from _shared_json("t/*.json")
        case "post":
            yield from _shared_json("posts/*/*.json")
        case "lists":
            yield from _shared_json("*.json")
        case "cooked" | "shown":
            for topic in _shared_json("t/*.json"):
                yield from (post["cooked"].encode() for post in json.loads(topic)["post_stream"]["posts"][:8])


def written(target: str) -> Iterator[bytes]:
    """The seeds of a target that need nothing but this module."""
    match target:
        case "copy":
            yield DUMP.encode()
        case "gzip":
            yield gzip.compress(DUMP.encode(), mtime=0)
        case "tar":
            yield backup(DUMP.encode())
        case "topic":
            yield json.dumps(_topic()).encode()
        case "post":
            yield json.dumps(_topic()["post_stream"]["posts"][0] | {"topic_title": "Un", "topic_slug": "un"}).encode()
        case "lists":
            yield b'{"category_list":{"categories":[{"id":1,"read_restricted":false,"subcategory_list":[{"id":2}]}]}}'
        case "cooked" | "shown":
            yield from (post.encode() for post in POSTS)
        case "query":
            yield from (text.encode() for text in QUERIES)
        case "citations":
            yield from (text.encode() for text in ANSWERS)


def _generated() -> Iterator[bytes]:
    """The beginnings of the tables of a generated forum, in both layouts."""
    maker = SHARED / "tools" / "make_forum.py"
    if not maker.is_file():
        return
    for dialect in ("new", "old"):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(maker), "--posts", "3000", "--dialect", dialect, "--out", folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with gzip.open(Path(folder) / "dump.sql.gz") as lines:
                yield b"".join(_shortened(lines))


def _shortened(lines: Iterator[bytes]) -> Iterator[bytes]:
    left: int | None = None
    for line in lines:
        if line.startswith(b"COPY "):
            left = ROWS
            yield line
        elif line.startswith(b"\\."):
            left = None
            yield line
        elif left is None or (left := left - 1) >= 0:
            yield line


def backup(dump: bytes) -> bytes:
    """A backup as Discourse packs it, without the outer compression."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in (
            ("uploads/é" + "x" * 120 + ".png", b"png"),
            ("dump.sql.gz", gzip.compress(dump, mtime=0)),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _topic() -> dict:
    post = {
        "id": 5, "topic_id": 1, "post_number": 1, "post_type": 1, "username": "alice", "name": "Alice", "user_id": 10,
        "cooked": POSTS[1], "created_at": "2024-05-06T07:08:09.500Z", "updated_at": "2024-05-06T07:08:09Z", "hidden": False,
        "reply_to_post_number": None, "actions_summary": [{"id": 2, "count": 4}], "accepted_answer": True, "category_id": 1,
    }  # fmt: skip
    return {
        "id": 1, "title": "Un", "slug": "un", "category_id": 1, "archetype": "regular", "visible": True, "deleted_at": None,
        "created_at": "2024-05-06T07:08:09Z", "last_posted_at": None, "views": 3, "like_count": 1, "tags": ["a", {"name": "b"}],
        "accepted_answer": {"post_number": 1}, "post_stream": {"posts": [post], "stream": [5, 6]},
    }  # fmt: skip


def _shared_json(pattern: str) -> Iterator[bytes]:
    found = sorted((SHARED / "data" / "discourse-json").glob(pattern), key=lambda path: path.stat().st_size)
    for path in islice(found, FILES):
        yield path.read_bytes()
