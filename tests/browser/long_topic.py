"""A topic of 2,700 messages, as the longest ones of the reference forum, with the shapes that messages take."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

from engine import build_index, build_settings
from engine.discourse import cooked
from tests.factories import FREINS, SITE, WORD_MODELS, post, save, topic

LONG = 2_700
OPENED = 1_900  # where most of the tests begin
_SHA = "1c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
_SHAPES = {
    OPENED: '<p>La fin : <span class="spoiler">le vélo était rouge</span>.</p>',
    OPENED
    + 1: f'<p><a class="lightbox" href="https://forum.exemple/uploads/default/original/1X/{_SHA}.png"><img src="x.png" '
    'alt="Une roue" width="690" height="430"></a></p>',
    OPENED
    + 2: '<aside class="quote" data-username="bruno" data-post="12" data-topic="7"><div class="title">bruno:</div>'
    "<blockquote><p>Je disais ceci.</p></blockquote></aside><p>Tout à fait.</p>",
}


def build(folder: Path) -> Path:
    """The archive in this folder, a message a day from March 2014 on, each seventh by Bruno; one has an image."""
    items = [SITE, FREINS, replace(topic(7, "Le grand fil", category=2), slug="le-grand-fil")]
    for n in range(1, LONG + 1):
        said = post(
            1000 + n, f"Message de rang {n}, bien long.", topic_id=7, number=n, day=n,
            reply_to=20 if n == 40 else None, by="alice" if n % 7 else "bruno",
        )  # fmt: skip
        if html := _SHAPES.get(n):
            said = replace(said, cooked=html, parts=cooked.parse(html))
        items.append(said)
    save(folder, items)
    build_index(build_settings(folder), WORD_MODELS)
    place = folder / "uploads/default/original/1X"
    place.mkdir(parents=True)
    (place / f"{_SHA}.png").write_bytes(_picture(900, 560))
    return folder


def _picture(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x99" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
