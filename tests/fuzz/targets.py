"""What is fuzzed: each reader of somebody else's bytes, with what must hold whatever comes in.

A target returns when all is well and raises otherwise; Hypothesis (test_properties.py) and atheris (child.py) run the
same ones. Refusals that a reader documents are well.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType

from selectolax.lexbor import LexborHTMLParser

from app.components import post_html
from engine import ArchiveFormatError, Evidence, QuerySyntaxError
from engine.answer import citations, links
from engine.discourse import read
from engine.discourse.cooked import clean_html, parse
from engine.retrieve import query
from engine.sources import CookedText
from engine.values import PostId, PostNumber, TopicId

FORUM = "https://forum.exemple"
_INT64 = 1 << 63
_WHEN = datetime(2024, 5, 6, tzinfo=UTC)
_BLOCK = 512  # of a tar
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@cache
def _folder() -> Path:
    """A folder in memory where there is one: files are written thousands of times."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))


def _read(path: Path) -> None:
    """Everything that a source gives can be kept; a source is refused with ArchiveFormatError and nothing else."""
    try:
        for item in read(path).items:
            check_storable(item)
    except ArchiveFormatError as refusal:
        check_storable(refusal.details)


def check_storable(value: object) -> None:
    """SQLite and JSON take it: text is UTF-8, numbers have 64 bits, times can be counted."""
    match value:
        case str():
            value.encode("utf-8")
            assert "\x00" not in value
        case bool() | None | float():
            pass
        case int():
            assert -_INT64 <= value < _INT64, value
        case datetime():
            assert value.tzinfo is not None
            value.timestamp()
        case CookedText():
            for part in (value.text, *(quote.text for quote in value.quotes), *value.code, *value.spoilers):
                assert not _CONTROLS.search(part) and unicodedata.is_normalized("NFC", part)
            check_storable([(quote.author, quote.topic_id, quote.post_number) for quote in value.quotes])
            check_storable([(attachment.url, attachment.name) for attachment in value.attachments])
        case tuple() | list() | frozenset():
            for inner in value:
                check_storable(inner)
        case dict():
            check_storable(list(value.items()))
        case _ if dataclasses.is_dataclass(value):
            check_storable(
                [getattr(value, field.name) for field in dataclasses.fields(value) if field.name != "vector"]
            )
        case _:
            raise AssertionError(f"what is {type(value)}?")


def copy_text(data: bytes) -> None:
    """A dump in text form."""
    path = _folder() / "dump.sql"
    path.write_bytes(data)
    _read(path)


def gzipped(data: bytes) -> None:
    """A dump.sql.gz; what the bytes are worth is found out by reading them."""
    path = _folder() / "dump.sql.gz"
    path.write_bytes(data)
    _read(path)


def tar(data: bytes) -> None:
    """A backup, its headers' check sums made right so that what stands in them is read."""
    path = _folder() / "forum.tar"
    path.write_bytes(with_check_sums(data))
    _read(path)


def with_check_sums(data: bytes) -> bytes:
    """The tar with the sums that its headers should have."""
    blocks = bytearray(data)
    for start in range(0, len(blocks) - _BLOCK + 1, _BLOCK):
        if blocks[start + 257 : start + 262] == b"ustar":
            blocks[start + 148 : start + 156] = b" " * 8
            blocks[start + 148 : start + 156] = b"%06o\0 " % sum(blocks[start : start + _BLOCK])
    return bytes(blocks)


def topic_json(data: bytes) -> None:
    """A topic saved as /t/ID.json, beside an honest list of categories."""
    folder = _saved("t")
    (folder / "t" / "1.json").write_bytes(data)
    _read(folder)


def post_json(data: bytes) -> None:
    """A post saved as /posts.json lists it."""
    folder = _saved("posts")
    (folder / "posts" / "1.json").write_bytes(data)
    _read(folder)


def lists_json(data: bytes) -> None:
    """A list of categories, beside an honest topic."""
    folder = _saved("lists")
    (folder / "lists").mkdir(exist_ok=True)
    post = '{"id":5,"topic_id":1,"post_number":1,"post_type":1,"cooked":"x","created_at":"2024-01-01T00:00:00Z"}'
    (folder / "lists" / "1.json").write_text(
        '{"id":1,"category_id":1,"archetype":"regular","visible":true,"deleted_at":null,'
        f'"created_at":"2024-01-01T00:00:00Z","post_stream":{{"posts":[{post}],"stream":[5]}}}}'
    )
    (folder / "categories.json").write_bytes(data)
    _read(folder)


def _saved(name: str) -> Path:
    folder = _folder() / f"saved-{name}"
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "site.json").write_text('{"categories":[{"id":1,"name":"Un","slug":"un","read_restricted":false}]}')
    return folder


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if data[:1] == b"\xed" else "replace")


def cooked(data: bytes) -> None:
    """The HTML of a post, as it is read for searching."""
    try:
        source = _text(data)
    except UnicodeDecodeError:
        return
    check_storable(parse(source))
    assert parse(clean_html(source)) == parse(source)
    check_storable(clean_html(source))


_SCHEMES = ("http://", "https://", "mailto:", "/")
_ATTRIBUTES = frozenset(
    "href src alt width height loading class target rel role tabindex aria-label align colspan rowspan start".split()
)
_ELEMENTS = post_html._WRITTEN | {"html", "head", "body", "-text"}


def shown(data: bytes) -> None:
    """The HTML of a post, as it is shown: whatever another parser sees in it is harmless."""
    try:
        source = _text(data)
    except UnicodeDecodeError:
        return
    safe = post_html.clean(source, base_url=FORUM, image_of=lambda url: "/uploads/1/a.png" if "upload" in url else None)
    safe.encode("utf-8")
    for node in LexborHTMLParser(safe).root.traverse(include_text=False):
        assert node.tag in _ELEMENTS, node.tag
        for name, value in node.attributes.items():
            assert name in _ATTRIBUTES, name
            if name == "href":
                assert (value or "").lower().startswith(_SCHEMES) or not value, value
            if name == "src":
                assert value == "/uploads/1/a.png", value


def searched(data: bytes) -> None:
    """What somebody types to search: understood or refused, and written again it means the same."""
    typed = data.decode("utf-8", "replace")
    try:
        found = query.parse(typed)
    except QuerySyntaxError:
        return
    written = query.format_query(found)
    if len(written) <= query.MAX_CHARS:
        assert query.parse(written) == found, written


def cited(data: bytes) -> None:
    """What a language model writes about two posts: it cites them or nobody, and no other link is left."""
    parts = data.decode("utf-8", "replace").split("\x1e", 2)
    answer, texts = parts[0], [*parts[1:], "Les plaquettes neuves crient.", "Le cuir se graisse."][:2]
    evidence = [_evidence(n, text) for n, text in enumerate(texts, 1)]
    resolved = citations.resolve(answer, evidence)
    assert set(resolved.cited) <= {1, 2}
    assert citations.resolve(resolved.text, evidence).text == resolved.text
    assert not links.strip(resolved.text).removed, resolved.text
    assert "://" not in resolved.text and "](" not in resolved.text
    for citation in citations.citations(resolved, evidence):
        assert citation.quote in texts[citation.n - 1]
    for text in texts:
        assert not citations.markers(citations.defang(text)) and not citations.markers(citations.quotable(text))
    sentences = citations.cited_sentences(resolved.text)
    assert citations.without(resolved.text, sentences).count("[[") <= resolved.text.count("[[")


def _evidence(n: int, text: str) -> Evidence:
    return Evidence(
        n=n, post_id=PostId(n), topic_id=TopicId(1), post_number=PostNumber(n), url=f"{FORUM}/t/un/1/{n}",
        path=f"/t/un/1/{n}", title="Un", category="", author="alice", created_at=_WHEN, text=text,
    )  # fmt: skip


TARGETS: Mapping[str, Callable[[bytes], None]] = MappingProxyType({
    "copy": copy_text, "gzip": gzipped, "tar": tar, "topic": topic_json, "post": post_json, "lists": lists_json,
    "cooked": cooked, "shown": shown, "query": searched, "citations": cited,
})  # fmt: skip
LONGEST = MappingProxyType({"copy": 1 << 16, "gzip": 1 << 14, "tar": 1 << 16, "topic": 1 << 15, "lists": 1 << 14})
OTHERS_LONGEST = 1 << 13
