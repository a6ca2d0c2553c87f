"""All that a file says, where a raw look would miss it: what is packed in it, and the values of a SQLite database, which
the pages of the file may cut."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

_MAGIC = {
    b"\x1f\x8b": gzip.decompress,
    b"\x78\x9c": zlib.decompress,
    b"\x78\x01": zlib.decompress,
    b"\x78\xda": zlib.decompress,
}


def unpacked(data: bytes) -> Iterator[bytes]:
    """The bytes, and what they hold when they are a gzip, a zlib stream or a tar of such."""
    yield data
    unpack = _MAGIC.get(data[:2])
    if unpack is not None:
        try:
            data = unpack(data)
        except (OSError, EOFError, zlib.error):  # only looked like it
            return
        yield data
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                if member.isreg():
                    yield from unpacked(tar.extractfile(member).read())  # type: ignore[union-attr]


def texts(path: Path) -> Iterator[tuple[str, bytes]]:
    """The table and each text or blob of it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        db.text_factory = bytes
        tables = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        ).fetchall()
        for (name,) in tables:
            table = name.decode()
            for row in db.execute(f'SELECT * FROM "{table}"'):
                yield from ((table, value) for value in row if isinstance(value, bytes))
