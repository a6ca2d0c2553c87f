"""Text without markup: control characters, double-escaped entities, whitespace.

Knows nothing about HTML elements; `cooked.py` walks those and leaves two marks in the text for this
module: BREAK where the author broke a line, BLOCK where a block element begins or ends.
"""

from __future__ import annotations

import html
import re
import unicodedata

BREAK = "\n"
MAX_LINE_CHARS = 1000  # of a title or a name; Discourse's own limits are below 300
BLOCK = "\v"  # a control character, hence never part of a cleaned text

# C0 but tab and newline, DEL, C1, soft hyphen, zero-width space, word joiners, byte order mark, bidi
# controls (they make a text read differently from what it says), noncharacters.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    r"\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # JSON can hold a lone one; SQLite and UTF-8 cannot
# A quick look before the work: nearly all posts have nothing to clean.
_SUSPECT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff-\uffff]"
)
_SUSPECT_BUT_BLOCK = re.compile(_SUSPECT.pattern.replace(r"\x0b", r"\x0c"))

# Entities that a migration escaped twice. Markup's own (lt, gt) are left: "&lt;b&gt;" is how members
# write about HTML.
_ENTITY = re.compile(r"&(?!lt;|gt;|LT;|GT;)(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{2,7}|#[xX][0-9a-fA-F]{2,6});")
_DOLLAR_ENTITY = re.compile(r"\$(rsquo|lsquo|rdquo|ldquo|laquo|raquo|hellip|nbsp|eacute|egrave|agrave);")
# What may be combining marks in a row: neither letters nor spaces, so that plain text never gets to the slow look.
_MARKS = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MOST_MARKS = 30  # on one letter; Unicode's own limit for text that is safe to normalise (UAX #15, "Stream-Safe")
_JOINER = "\u034f"  # combines with nothing and shows nothing: what that annex puts after so many
_PHPBB_SMILEY = re.compile(r"<!--[ \t]?[sS][^<>]{0,40}-->|<!--[ \t]?[mewl][ \t]?-->")


def remove_controls(text: str) -> str:
    """`text` without control characters and lone surrogates; every kind of line end becomes a newline."""
    if _SUSPECT.search(text) is None:
        return text
    text = _LINE_END.sub("\n", text)
    return _CONTROL.sub("", _SURROGATE.sub("\ufffd", text))


def repair(marked: str) -> str:
    """`marked` with double-escaped entities read once more, phpBB's smiley comments and controls gone.

    BLOCK marks are kept. Controls are looked for again because entities can hide them ("&#x202e;").
    """
    if "&" in marked:
        marked = _ENTITY.sub(_read_entity, marked)
    if "<!--" in marked:
        marked = _PHPBB_SMILEY.sub("", marked)
    if _SUSPECT_BUT_BLOCK.search(marked) is None:
        return marked
    return BLOCK.join(map(remove_controls, marked.split(BLOCK)))


def lay_out(marked: str) -> str:
    """NFC text of `marked`: blocks on their own lines, spaces collapsed, at most one blank line.

    Every Unicode space becomes an ordinary one, so that quoted words are found whatever their spacing.
    """
    blocks = []
    for block in marked.split(BLOCK):
        lines: list[str] = []
        for line in block.split(BREAK):
            words = line.split()
            if words:
                lines.append(" ".join(words))
            elif lines and lines[-1]:
                lines.append("")
        if lines and not lines[-1]:
            lines.pop()
        if lines:
            blocks.append("\n".join(lines))
    return nfc("\n".join(blocks))


def verbatim(marked: str) -> str:
    """NFC text of a code block: its own lines and indentation, without blank lines at either end."""
    text = remove_controls(marked.replace(BLOCK, "\n"))
    return nfc(text.strip("\n").rstrip())


def nfc(text: str) -> str:
    """The text in normal form C. Marks by the thousand on one letter are cut into groups first: the time that sorting
    them takes grows with the square of their number."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKS.sub(_in_groups, text))


def _in_groups(found: re.Match[str]) -> str:
    pieces: list[str] = []
    marks = 0
    for char in found[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks > _MOST_MARKS:
            pieces.append(_JOINER)
            marks = 1
        pieces.append(char)
    return "".join(pieces)


def one_line(text: str) -> str:
    """NFC text of a title or a name, on one line, with the scars of migrations repaired; a longer one is cut."""
    text = repair(text[:MAX_LINE_CHARS].replace(BLOCK, ""))
    if "$" in text:
        text = _DOLLAR_ENTITY.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return nfc(" ".join(text.split()))


def _read_entity(match: re.Match[str]) -> str:
    character = html.unescape(match[0])
    # "&copy_me;" and the like come back longer or unchanged; "&#60;" must not become markup either.
    return match[0] if character in "<>" else character
