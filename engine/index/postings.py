"""How a term's postings lie in Whoosh's files here: in blocks that numpy reads whole.

Whoosh walks postings one by one in Python. Read as arrays they are ten times faster and more, and a question's exact
scores are sums of arrays. The rest of Whoosh's codec is as it was; phrases still walk.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pickle import dumps
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh import fields, formats
from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3Codec, W3LeafMatcher, W3PerDocReader, W3PostingsWriter
from whoosh.util.numeric import byte_to_length, length_to_byte

BLOCK = 512  # postings; a larger block is faster to score and slower to look up one post in
LEVEL = 3  # of zlib
SHORT = 64  # bytes that zlib would not shorten
MOST = 65535  # occurrences of a term in one post that are counted
_SIZES = Struct("!II")  # of a block's packed numbers, and of its positions before packing


class Block(NamedTuple):
    """Postings of one term: (n,) document numbers, how often each holds the term, and its field's length in terms."""

    docs: NDArray[np.int64]
    counts: NDArray[np.uint16]
    lengths: NDArray[np.uint32]


class TermList(fields.FieldType):  # type: ignore[misc]
    """A Whoosh field whose value is already a list of terms; positions are kept for phrases."""

    def __init__(self) -> None:
        super().__init__(format=Places(), analyzer=None, scorable=True)

    def index(self, value: Sequence[str], **_kwargs: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        places: dict[str, list[int]] = {}
        for position, term in enumerate(value):
            places.setdefault(term, []).append(position)
        for term, positions in places.items():
            yield term.encode(), len(positions), float(len(positions)), array("I", positions).tobytes()


class Places(formats.Positions):  # type: ignore[misc]
    """Positions as an array of unsigned integers rather than a pickled list."""

    def encode(self, poslist: Iterable[int]) -> bytes:
        return array("I", poslist).tobytes()

    def decode_positions(self, valuestring: bytes) -> list[int]:
        return array("I", valuestring).tolist()

    def decode_frequency(self, valuestring: bytes) -> int:
        return len(valuestring) // array("I").itemsize


class BlockCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with the postings of this module. Segments name it, so its place is part of the index format."""

    def __init__(self) -> None:
        # Whoosh would pack a block as one: here positions are apart, to be read for phrases only.
        super().__init__(blocklimit=BLOCK, compression=0)

    def postings_writer(self, dbfile: Any, byteids: bool = False) -> _Writer:
        return _Writer(dbfile, blocklimit=BLOCK, byteids=byteids, compression=0, inlinelimit=0)

    def postings_reader(
        self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None
    ) -> BlockMatcher:
        return BlockMatcher(dbfile, *terminfo.extent(), format_, term=term, scorer=scorer)

    def per_document_reader(self, storage: Any, segment: Any) -> _PerDocReader:
        return _PerDocReader(storage, segment)


class _PerDocReader(W3PerDocReader):  # type: ignore[misc]
    def doc_field_length_reader(self, fieldname: str, default: int = 0) -> Any:
        # Asked once a posting while a segment is written: from a list, not from the file.
        length = super().doc_field_length_reader(fieldname, default)
        return [length(document) or default for document in range(self.doc_count_all())].__getitem__


class _Writer(W3PostingsWriter):  # type: ignore[misc]
    def add_posting(self, id_: int, weight: float, vbytes: bytes, length: int | None = None) -> None:
        # Called eighteen million times for a large forum: nothing more than this, the rest once a block.
        if len(self._ids) == BLOCK:
            self._write_block()
        self._ids.append(id_)
        self._weights.append(weight)
        self._values.append(vbytes)
        self._lengths.append(length or 0)

    def _new_block(self) -> None:
        super()._new_block()
        self._lengths = array("I")

    def _write_block(self, last: bool = False) -> None:
        """What Whoosh says of a block, as it says it; then numbers, then positions, each packed whole."""
        self._maxweight, self._minlength, self._maxlength = max(self._weights), min(self._lengths), max(self._lengths)
        self._terminfo.add_block(self)
        about = (len(self._ids), self._ids[-1], self._maxweight, 0)
        info = dumps((*about, length_to_byte(self._minlength), length_to_byte(self._maxlength)), 2)
        steps = np.diff(np.frombuffer(self._ids, np.uint32), prepend=np.uint32(0))
        counts = np.minimum(np.frombuffer(self._weights, np.float32), MOST).astype(np.uint16)
        numbers = _packed(steps.tobytes() + self._lengths.tobytes() + counts.tobytes())
        places = array("I", map(len, self._values)).tobytes() + b"".join(self._values)
        data = _SIZES.pack(len(numbers), len(places)) + numbers + _packed(places)
        if not self._blockcount:
            self._postfile.write(WHOOSH3_HEADER_MAGIC)
        self._postfile.write_int((len(info) + len(data)) * (-1 if last else 1))
        self._postfile.write(info)
        self._postfile.write(data)
        self._blockcount += 1
        self._new_block()


class BlockMatcher(W3LeafMatcher):  # type: ignore[misc]
    """Postings of one term, block by block or, as Whoosh does, one by one."""

    _i: int  # where in the block

    def blocks(self) -> Iterator[Block]:
        """The blocks from here to the end."""
        while not self._atend:
            yield self._block()
            self._next_block()

    def skip_to(self, targetid: int) -> None:
        if targetid <= self.id():
            return
        self._skip_to_block(lambda: targetid > self.block_max_id())
        if self.is_active() and self.id() < targetid:
            self._i = bisect_left(self._ids, targetid, self._i)

    def _read_data(self) -> None:
        held = bytes(self._postfile.get(self._dataoffset, self._nextoffset - self._dataoffset))
        numbers, places = _SIZES.unpack_from(held)
        start = _SIZES.size
        self._data = held[start : start + numbers], held[start + numbers :], places

    def _block(self) -> Block:
        if self._data is None:
            self._read_data()
        n = self._blocklength
        numbers = _unpacked(self._data[0], 10 * n)
        return Block(
            np.cumsum(np.frombuffer(numbers, np.uint32, n), dtype=np.int64),
            np.frombuffer(numbers, np.uint16, n, 8 * n),
            np.frombuffer(numbers, np.uint32, n, 4 * n),
        )

    def _read_ids(self) -> None:
        self._ids = self._block().docs.tolist()

    def _read_weights(self) -> None:
        self._weights = self._block().counts.tolist()

    def _read_values(self) -> None:
        if self._data is None:
            self._read_data()
        places, n = _unpacked(*self._data[1:]), self._blocklength
        ends = list(accumulate(array("I", places[: 4 * n]), initial=4 * n))
        self._values = [places[start:end] for start, end in pairwise(ends)]


def kept_length(terms: int) -> int:
    """The length of a field as Whoosh keeps it, in a byte: long ones are rounded."""
    return int(byte_to_length(length_to_byte(terms)))


def _packed(raw: bytes) -> bytes:
    """Compressed where that is shorter; most terms are rare and their few bytes stay as they are."""
    if len(raw) < SHORT:
        return raw
    packed = zlib.compress(raw, LEVEL)
    return packed if len(packed) < len(raw) else raw


def _unpacked(packed: bytes, size: int) -> bytes:
    """The `size` bytes that were packed."""
    return packed if len(packed) == size else zlib.decompress(packed)
