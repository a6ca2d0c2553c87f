"""The sources that somebody would make to harm, each written to a folder; nothing of them is kept in the repository."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO

from tests.fuzz.seeds import DUMP

HEADER = (
    b"COPY public.posts (id, user_id, topic_id, post_number, cooked, created_at, updated_at, reply_to_post_number,"
    b" deleted_at, like_count, post_type, hidden, user_deleted) FROM stdin;\n"
)
_BEFORE, _, _AFTER = DUMP.encode().partition(HEADER)
_MEGABYTE = b"a" * (1 << 20)


def _row(post_id: int, *cooked: bytes) -> Iterator[bytes]:
    yield b"%d\t10\t100\t%d\t<p>" % (post_id, post_id)
    yield from cooked
    yield b"</p>\t2024-05-06 07:08:09\t\\N\t\\N\t\\N\t0\t1\tf\tf\n"


def _dump(*rows: Iterator[bytes]) -> Iterator[bytes]:
    """A small forum with these rows of posts after its own, as text."""
    ours, _, rest = _AFTER.partition(b"\\.\n")
    yield _BEFORE + HEADER + ours
    for row in rows:
        yield from row
    yield b"\\.\n" + rest


def _write(path: Path, pieces: Iterator[bytes]) -> Path:
    with path.open("wb") as file:
        file.writelines(pieces)
    return path


def _pack(path: Path, pieces: Iterator[bytes]) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for piece in pieces:
            file.write(piece)
    return path


@contextmanager
def _tar(path: Path, mode: str = "w:gz") -> Iterator[Callable[..., None]]:
    with tarfile.open(path, mode) as tar:

        def add(name: str, content: bytes | IO[bytes] = b"", size: int | None = None, **values: object) -> None:
            member = tarfile.TarInfo(name)
            member.size = len(content) if isinstance(content, bytes) else size or 0
            for key, value in values.items():
                setattr(member, key, value)
            tar.addfile(member, io.BytesIO(content) if isinstance(content, bytes) else content)

        yield add


class _Zeros(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        return bytes(size)


def _honest() -> bytes:
    return gzip.compress(DUMP.encode())


def outside(folder: Path) -> Path:
    """Members that lead out of the folder, links and devices, before an honest dump."""
    with _tar(folder / "forum.tar.gz") as add:
        for name in ("../../../../tmp/evade", "/tmp/evade", "uploads/../../evade", "../dump.sql"):
            add(name, b"evade")
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
            add("dump.sql", type=kind, linkname="/etc/passwd", devmajor=1, devminor=8)
            add("uploads/default/original/1X/a.png", type=kind, linkname="/etc/passwd")
        add("dump.sql.gz", _honest())
    return folder / "forum.tar.gz"


def gzip_bomb(folder: Path) -> Path:
    """2 GB of zeros in 9 MB."""
    return _pack(folder / "dump.sql.gz", (bytes(1 << 20) for _ in range(2 << 10)))


def post_bomb(folder: Path) -> Path:
    """A dump of 1 GB in 5 MB whose posts are all the same letter."""
    rows = (_row(1000 + n, _MEGABYTE) for n in range(1 << 10))
    return _pack(folder / "dump.sql.gz", _dump(*rows))


def nested_bomb(folder: Path) -> Path:
    """A gzip of a gzip of zeros, in a backup."""
    inner = _pack(folder / "inner.gz", (bytes(1 << 20) for _ in range(1 << 10)))
    with _tar(folder / "forum.tar.gz") as add:
        add("dump.sql.gz", gzip.compress(inner.read_bytes()))
    inner.unlink()
    return folder / "forum.tar.gz"


def member_bomb(folder: Path) -> Path:
    """2 GB of zeros as a picture, in 9 MB, before the dump."""
    with _tar(folder / "forum.tar.gz") as add:
        add("uploads/bomb.png", _Zeros(), 2 << 30)
        add("dump.sql.gz", _honest())
    return folder / "forum.tar.gz"


def sparse(folder: Path) -> Path:
    """A dump that claims a hole of 8 TB."""
    with _tar(folder / "forum.tar", "w") as add:
        add("dump.sql", pax_headers={"GNU.sparse.size": str(8 << 40), "GNU.sparse.map": f"{8 << 40},0"})
    return folder / "forum.tar"


def long_name(folder: Path) -> Path:
    """A name of 600 MB before the dump, which tarfile would read into memory."""
    with gzip.open(folder / "forum.tar.gz", "wb", compresslevel=1) as file:
        header = tarfile.TarInfo("././@LongLink")
        header.type, header.size = tarfile.GNUTYPE_LONGNAME, 600 << 20
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        for _ in range(600):
            file.write(_MEGABYTE)
    return folder / "forum.tar.gz"


def chained_headers(folder: Path) -> Path:
    """100,000 attributes of attributes, each of which tarfile reads inside the one before."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 11
    block = header.tobuf(tarfile.PAX_FORMAT) + b"11 a=bcdef\n".ljust(512, b"\0")
    return _pack(folder / "forum.tar.gz", (block for _ in range(100_000)))


def many_members(folder: Path) -> Path:
    """100,000 empty files before the dump."""
    block = tarfile.TarInfo("uploads/a.png").tobuf(tarfile.USTAR_FORMAT)
    dump = tarfile.TarInfo("dump.sql.gz")
    dump.size = len(_honest())
    end = dump.tobuf(tarfile.USTAR_FORMAT) + _honest().ljust(-(-dump.size // 512) * 512, b"\0") + bytes(1024)
    return _write(folder / "forum.tar", iter([block * 100_000, end]))


def long_post(folder: Path) -> Path:
    """A post of 100 MB between honest ones."""
    return _pack(folder / "dump.sql.gz", _dump(_row(50, *([_MEGABYTE] * 100)), _row(51, b"Apres le long message")))


def long_line(folder: Path) -> Path:
    """A line of 600 MB that no line end ends."""
    return _write(folder / "dump.sql", iter([next(_dump()), b"60\t10\t100\t9\t<p>", *([_MEGABYTE] * 600)]))


def columns(folder: Path) -> Path:
    """A row of a million columns, and a table that announces a million."""
    header = b"COPY public.tags (" + b", ".join(b"c%d" % n for n in range(1_000_000)) + b") FROM stdin;\n1\n\\.\n"
    return _write(folder / "dump.sql", iter([header, *_dump(iter([b"1\t" * 1_000_000 + b"\n"]), _row(51, b"Apres"))]))


def numbers(folder: Path) -> Path:
    """Numbers that no database holds, dates that no calendar has."""
    long = b"9" * 400
    rows = [
        b"70\t%s\t100\t5\t<p>x</p>\t2024-05-06 07:08:09\t\\N\t\\N\t\\N\t%s\t1\tf\tf\n" % (long, long),
        b"71\t10\t100\t6\t<p>x</p>\t2024-05-06 07:08:09\t\\N\t%s\t\\N\t0\t1\tf\tf\n" % long,
        b"72\t10\t100\t7\t<p>x</p>\t0000-99-99\t\\N\t\\N\t\\N\t0\t1\tf\tf\n",
        b"73\t10\t%s\t7\t<p>x</p>\t2024-05-06 07:08:09\t\\N\t\\N\t\\N\t0\t1\tf\tf\n" % (b"9" * 6000),
    ]
    text = b"".join(_dump(iter(rows), _row(51, b"Apres")))
    text = text.replace(
        b"100\tLes rosiers",
        b"102\tx\tx\t%s\tregular\tt\t\\N\t\\N\t\\N\t7\t2\tf\tf\t\\N\n100\tLes rosiers" % (b"9" * 6000),
    )
    return _write(folder / "dump.sql", iter([text]))


def bytes_of_all_kinds(folder: Path) -> Path:
    """NUL bytes, bytes that are no UTF-8, halves of characters and controls, in posts, titles and names."""
    bad = b"\0\xff\xfe\xed\xa0\x80\xc3 \\000 \\xff \x1b[31m \xe2\x80\xae fin"
    text = b"".join(_dump(_row(51, bad), _row(52, b"Apres"))).replace(b"Les rosiers", b"Les rosiers " + bad)
    return _write(folder / "dump.sql", iter([text.replace(b"alice\tAlice", b"alice\tAlice" + bad)]))


def deep_html(folder: Path) -> Path:
    """Posts of elements inside elements by the hundred thousand, and all that makes a parser look back."""
    kinds = (
        b"<div>" * 100_000, b"<b>" * 50_000 + b"<p>" * 50_000, b"<blockquote>" * 60_000 + b"x" + b"</blockquote>" * 60_000,
        b"<aside class=quote>" * 19_000, b"<div>" * 40_000 + b"</x>" * 33_000, b"<b></p>" * 9_900, b"&x " * 400_000,
        b"<p " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">", b"[quote]" * 120_000 + b"[/quote]" * 120_000,
        b"<table><tr><td>" * 6_000, "e\u0301\u0323".encode() * 100 + "\u0301\u0323".encode() * 400_000, b"mot. " * 300_000,
        b"<svg><math><mi>" * 6_000, b"<a href=x><i>" * 9_000, b"&lt;!-- s" * 200_000, b"a" * 1_500_000, b"<" * 1_500_000,
    )  # fmt: skip
    return _write(
        folder / "dump.sql", _dump(*(_row(100 + n, kind) for n, kind in enumerate(kinds)), _row(51, b"Apres"))
    )


def long_title(folder: Path) -> Path:
    """A title and a name of 10 MB."""
    text = (
        b"".join(_dump())
        .replace(b"Les rosiers", b"Les rosiers " * 900_000)
        .replace(b"alice\tAlice", b"alice\t" + b"A" * 10_000_000)
    )
    return _write(folder / "dump.sql", iter([text]))


def truncated(folder: Path) -> Path:
    """A backup that stops in the middle of its dump."""
    with _tar(folder / "whole.tar", "w") as add:
        add("dump.sql.gz", gzip.compress(b"".join(_dump(*(_row(1000 + n, b"%d" % n * 50) for n in range(3000))))))
    whole = (folder / "whole.tar").read_bytes()
    (folder / "whole.tar").unlink()
    return _write(folder / "forum.tar", iter([whole[: len(whole) // 2]]))


def _topics(folder: Path, *bad: tuple[str, bytes]) -> Path:
    topic = {
        "id": 1, "title": "Un", "slug": "un", "category_id": None, "archetype": "regular", "visible": True, "deleted_at": None,
        "created_at": "2024-05-06T07:08:09Z",
    }  # fmt: skip
    for number in (901, 909):
        post = {
            "id": number, "topic_id": number, "post_number": 1, "post_type": 1, "username": "alice", "cooked": "<p>Apres</p>",
            "created_at": "2024-05-06T07:08:09Z", "hidden": False, "user_deleted": False, "deleted_at": None,
        }  # fmt: skip
        stream = {"posts": [post], "stream": [number]}
        (folder / f"{number}.json").write_text(json.dumps(topic | {"id": number, "post_stream": stream}))
    for name, content in bad:
        (folder / name).write_bytes(content)
    return folder


def deep_json(folder: Path) -> Path:
    """JSON nested a million times, inside an object and bare."""
    deep = b"[" * 1_000_000
    return _topics(
        folder,
        ("5.json", b'{"id":' + deep),
        ("6.json", b'{"a":' * 500_000),
        ("7.json", b'{"id":' + b"9" * 1_000_000 + b"}"),
    )


def swelling_json(folder: Path) -> Path:
    """200 MB of the smallest values there are, which take twenty times as much in memory."""
    return _topics(folder, ("5.json", b'{"id":[' + b"{}," * (70 << 20) + b"{}]}"))


def odd_json(folder: Path) -> Path:
    """Halves of characters, other encodings, repeated keys, NaN, names of files that are no UTF-8, links."""
    lone = b'{"id":5,"title":"\\ud800","post_stream":{"posts":[],"stream":[]},"created_at":"2024-05-06T07:08:09Z","archetype":"regular","visible":true,"deleted_at":null,"slug":"\\udfff","tags":["\\ud801"]}'  # fmt: skip
    _topics(folder, ("5.json", lone), ("6.json", "{}".encode("utf-16")), ("7.json", b'{"id":NaN,"id":1e999,"id":Infinity}'),
            ("8.json", b"\xff\xfe{\xd8\x00"))  # fmt: skip
    (folder / "site.json").write_bytes(b'{"base_url":"https://forum.exemple","title":"\\ud800"}')
    name = bytes(folder) + b"/1\xff\xfe.json"
    with open(name, "wb") as file:  # noqa: PTH123 - a name of bytes
        file.write(b"{")
    (folder / "10.json").symlink_to("/etc/passwd")
    (folder / "11.json").symlink_to(folder / "11.json")
    return folder


def named_in_bytes(folder: Path) -> Path:
    """An honest dump whose name is no UTF-8."""
    path = Path(str(folder), b"dump-\xff.sql".decode("utf-8", "surrogateescape"))
    return _write(path, _dump())


SOURCES: Mapping[str, Callable[[Path], Path]] = MappingProxyType({
    made.__name__: made
    for made in (
        outside, gzip_bomb, post_bomb, nested_bomb, member_bomb, sparse, long_name, chained_headers, many_members, long_post,
        long_line, columns, numbers, bytes_of_all_kinds, deep_html, long_title, truncated, deep_json, swelling_json, odd_json,
        named_in_bytes,
    )
})  # fmt: skip
