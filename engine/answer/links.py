"""Removes everything that looks like a link or markup from a text, and counts it.

Knows nothing about evidence. Well-formed `[[n]]` markers pass through; whether they are true is the
business of `citations.py`. What is left is plain text: no URL, address, path of the forum, HTML tag or
Markdown link, in whatever way a renderer may read it later.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

# Each round may bring to light what the round before made (a link inside a link). Honest text needs
# two or three; a text made to resist is reduced to its words instead of being peeled for ever.
MAX_ROUNDS = 12

# Top-level domains removed without a path, whatever their case.
PLAIN_TLDS = """
    com org net edu gov mil biz xyz app dev online store website space tech cloud email link click live
    invalid example localhost onion fr ca ch eu uk nl lu pt ru cn us tv cc ws tk pl ro gr cz dk fi jp kr
    br mx au nz za ai gg ly gl gd fm sh im ink icu vip loan рф
    """.split()
# Those that also begin a sentence after a forgotten space ("du cuir.Il faut"): never in capitalised form.
WORD_TLDS = """
    info name pro art mode top club shop site blog forum page world life news media paris bzh gal test
    local lan home internal co io me de es it be at se no la il je tu ne si ma sa ta as to is in ie pm
    re nc mq gp gf ga ml cf cm ci sn tn dz hu sk hr bg rs ee lv lt ua tr id th vn ph sg hk tw my
    """.split()


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without links, and how many were removed."""

    text: str
    removed: int


def clean(text: str) -> str:
    """The text in plain characters: no control, zero-width or bidi ones, no entity, no escape.

    Full-width forms become ASCII, so that nothing can hide from the patterns below. Idempotent.
    """
    for _ in range(MAX_ROUNDS):
        before = text
        text = text.translate(_LOOKALIKES) if not text.isascii() else text
        text = _CONTROL.sub("", text) if text.isascii() else "".join(filter(_is_plain, text))
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), _AMPERSANDS.sub("&", text))
        text = _ESCAPE.sub("", text)
        if text == before:
            return text
    return _ESCAPE.sub("", text.replace("&", " "))


def strip(text: str) -> Stripped:
    """The text without links and markup; link texts stay. Idempotent, linear in the text's length."""
    removed = 0
    for _ in range(MAX_ROUNDS):
        before = text
        text, found = _strip_once(text)
        removed += found
        if text == before:
            return Stripped(text, removed)
    return Stripped(" ".join(re.findall(r"\w+", text)), removed)


def _strip_once(text: str) -> tuple[str, int]:
    # Whatever is removed leaves a space: two halves of something never meet.
    text, tags = _TAG.subn(" ", clean(text))
    text = text.replace("<", "‹").replace(">", "›")
    text, definitions = _DEFINITION.subn(" ", text)
    text, codes = _BBCODE.subn(" ", text)
    text, inline = _INLINE.subn(r" \1 ", text)
    text, references = _REFERENCE.subn(r" \1 ", text)
    text, targets = _MARKER_TARGET.subn(r"\1 ", text)
    text = _BRACKET.sub(lambda found: _ROUND.get(found[0], found[0]), text)
    links = 0
    for pattern in _LINKS:
        text, found = pattern.subn(_closing_punctuation, text)
        links += found
    return _tidy(text), tags + definitions + codes + inline + references + targets + links


def _closing_punctuation(found: re.Match[str]) -> str:
    # "(voir https://x.fr)." keeps its ")." and loses the address only.
    link = found[0]
    ending = link[len(link.rstrip(".,;:!?…»”\"'’)")) :]
    opened_before = max(0, link.count(")") - link.count("("))
    return " " + ending.replace(")", "", ending.count(")") - opened_before)


def _tidy(text: str) -> str:
    text = re.sub(r"[ \t\v\f]+", " ", text)
    text = re.sub(r"\(\s*+\)", "", text)
    text = re.sub(r"(?<=\() | (?=[),.](?:\s|$))", "", text)
    text = text.replace("]](", "]] (")  # glued, it would be a Markdown link
    text = re.sub(r" ?\n ?", "\n", text)
    text = re.sub(r"(?m)^[-*•] ?$", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _is_plain(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in _HIDDEN


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LOOKALIKES = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)} | {
    ord(char): "." for char in "\u2024\u3002\uff61"
}
_LOOKALIKES |= {0x2028: "\n", 0x2029: "\n", 0x85: "\n"}
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*+38|#x0*+26);)++", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
_ESCAPE = re.compile(r"(?<!\\)\\++(?=[!-/:-@\[-`{-~])")

_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*+>")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\[\]\n]++\]:[ \t]*+\S++[ \t]*+(?:[\"'(][^\n]*+)?$", re.MULTILINE)
_BBCODE = re.compile(r"\[/?(?:url|img|email|link|quote|media|youtube)(?:=[^\[\]\n]*+)?\]", re.IGNORECASE)
_INLINE = re.compile(r"!?\[([^\[\]]*+)\]\((?:[^()\n]|\([^()\n]*+\))*+\)")
_REFERENCE = re.compile(r"!?\[([^\[\]]*[^\[\]0-9\s][^\[\]]*)\] ?\[[^\[\]]*+\](?!\])")
_MARKER_TARGET = re.compile(r"(\[\[[0-9]++\]\])\([^()\s]*+\)")
_BRACKET = re.compile(r"\[\[[0-9]++\]\]|[\[\]]")
_ROUND = {"[": "(", "]": ")"}

_REST = r"[^\s\[\]]*+"
_HOST = r"(?<![\w.\-])[.\-]*+(?:[\w\-]++\.++)+"
_CASED = "|".join([*WORD_TLDS, *map(str.upper, WORD_TLDS)])
_LINKS = (
    re.compile(rf"[a-z0-9+.\-]{{0,30}}+:[/\\]{{2}}{_REST}", re.IGNORECASE),
    re.compile(rf"(?<!\w)(?:https?|javascript|vbscript):{_REST}", re.IGNORECASE),
    re.compile(
        r"(?<!\w)(?:data|mailto|tel|sms|ftps?|sftp|file|blob|about|view-source|magnet|intent|wss?|skype"
        rf"|callto|irc|ssh|git|xmpp|steam|tg|whatsapp):(?=\S){_REST}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w)www[0-9]{{0,3}}\.{_REST}", re.IGNORECASE),
    re.compile(rf"[\w.+%\-]{{1,64}}+@(?=\w){_REST}"),
    re.compile(
        r"(?<![0-9])(?<![0-9]\.)[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\.?[0-9])"
        rf"(?::[0-9]++)?(?:[/?#]{_REST})?"
    ),
    re.compile(rf"(?<!\w)localhost(?=[:/])(?::[0-9]++)?{_REST}", re.IGNORECASE),
    # A host with a path or a port, whatever its last label.
    re.compile(rf"{_HOST}(?:xn--[\w\-]++|[^\W\d_]{{2,}}+)\.?(?::[0-9]++|/){_REST}"),
    re.compile(
        rf"{_HOST}(?:xn--[\w\-]++|{'|'.join(PLAIN_TLDS)}|(?-i:{_CASED}))(?![\w\-])(?:[?#]{_REST})?",
        re.IGNORECASE,
    ),
    # Paths: of Discourse anywhere, others where a word starts.
    re.compile(rf"/(?:t|p|u|c|g|tag|tags|user|users|uploads|session|raw)/[\w%\-]{_REST}"),
    re.compile(rf"(?<![\w/])t/[\w%\-]++/[0-9]{_REST}"),
    re.compile(rf"(?<!\w)/(?:/|[\w%.~\-]++/){_REST}"),
    re.compile(rf"\\\\{_REST}"),
)
