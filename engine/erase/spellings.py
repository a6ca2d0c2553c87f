"""How a text may be written in a file: plain, in JSON, in HTML, in an address, in capitals. In lower-case bytes."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Iterator
from html.entities import codepoint2name
from urllib.parse import quote, quote_plus


def spellings(text: str, *, capitals: bool = True) -> frozenset[bytes]:
    """Every spelling, its ASCII letters in lower case: compare with bytes that were lowered the same way.

    `capitals`: also those of accented letters, which lowering bytes leaves alone.
    """
    found: set[bytes] = set()
    for cased in {text, text.lower(), text.upper(), text.title(), text.casefold()} if capitals else {text}:
        for form in ("NFC", "NFD"):
            found.update(_encoded(unicodedata.normalize(form, cased)))
    return frozenset(spelling.lower() for spelling in found if spelling)


def _encoded(text: str) -> Iterator[bytes]:
    in_html = html.escape(text, quote=True)
    for written in (text, html.escape(text, quote=False), in_html, in_html.replace("&#x27;", "&#39;")):
        yield written.encode("utf-8", "replace")
        yield json.dumps(written)[1:-1].encode()  # \u00e9
        yield json.dumps(written, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    yield "".join(f"&{codepoint2name[ord(c)]};" if ord(c) in codepoint2name else c for c in text).encode(
        "utf-8", "replace"
    )
    yield "".join(f"&#{ord(c)};" if ord(c) > 127 else c for c in in_html).encode()
    yield "".join(f"&#x{ord(c):x};" if ord(c) > 127 else c for c in in_html).encode()
    yield "".join(f"&#{ord(c)};" for c in text).encode()
    yield "".join(f"\\u{unit:04x}" for c in text for unit in _units(c)).encode()
    yield quote(text, safe="", errors="replace").encode()
    yield quote_plus(text, errors="replace").encode()
    yield "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "replace")).encode()
    yield text.encode("utf-16-le", "replace")
    yield text.encode("utf-16-be", "replace")
    yield text.encode("latin-1", "ignore") if text.isascii() or _in_latin(text) else b""


def _units(c: str) -> tuple[int, ...]:
    code = ord(c)
    return (code,) if code < 0x10000 else (0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF))


def _in_latin(text: str) -> bool:
    return all(ord(c) < 256 for c in text)
