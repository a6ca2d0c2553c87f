"""The files of a graph hold vectors and nothing of the memory of the process that wrote them."""

import struct

import numpy as np
import pytest

from engine.errors import IndexDamaged
from engine.index import blanks, chroma

DIMENSIONS = 512


def untidy():
    """Memory that was used and given back, as in a process that has read a forum."""
    for _ in range(3):
        held = [np.full(size, 0x41, np.uint8) for size in (150_000, 218_800, 300_000, 600_000) for _ in range(20)]
        del held


@pytest.mark.parametrize("count", [1, 9, 100, 255])
def test_what_holds_no_vector_is_zero(tmp_path, count):
    rows = np.random.default_rng(1).normal(size=(count, DIMENSIONS)).astype(np.float32)
    untidy()
    chroma.build(tmp_path / "graph", count, [([*range(count)], rows)])
    untidy()
    opened = chroma.open_collection(tmp_path / "graph")
    assert opened.nearest(rows[0] / np.linalg.norm(rows[0]), 1)[0][0] == 0  # a reader writes nothing either
    opened.close()
    (header,) = (tmp_path / "graph").rglob("header.bin")
    _version, _offset, room, held, size = struct.unpack_from("<i4Q", header.read_bytes())
    data = header.with_name("data_level0.bin").read_bytes()
    assert held <= count and len(data) in (room * size, held * size)
    assert not data[held * size :].strip(b"\0")
    assert not header.with_name("length.bin").read_bytes()[held * 4 :].strip(b"\0")


def test_a_header_of_another_kind_is_refused_rather_than_left(tmp_path):
    for content in (b"short", struct.pack("<i4Q", 2, 0, 100, 0, 1676)):
        (tmp_path / "header.bin").write_bytes(content)
        with pytest.raises(IndexDamaged):
            blanks.clear(tmp_path)
