"""Citation markers: which `[[n]]` of an answer are true, and what they quote.

The one home of the marker's grammar and of the rule that a link exists only if the evidence holds it.
Nothing here ever adds a citation that the text did not make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..values import Citation, Evidence
from . import links
from .sentences import shorten, split

QUOTE_CHARS = 240
# Words shorter than this say nothing of what a sentence is about.
WORD_CHARS = 3
# A number of more digits is nobody's evidence (and int() refuses very long ones).
NUMBER_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Resolved:
    """An answer whose every `[[n]]` is in the evidence and which holds no other link.

    `cited` gives the numbers in order of first use.
    """

    text: str
    cited: tuple[int, ...]
    removed_links: int
    invalid_markers: int


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer: its span, the end of the markers after it, its words, and the numbers that it cites."""

    start: int
    end: int
    stop: int
    text: str
    cited: tuple[int, ...]


def defang(text: str) -> str:
    """The text of a post with nothing in it that could pass for a marker: `[[3]]` becomes `(3)`."""
    text = _MARKER.sub(lambda found: f"({found[1].strip()})", links.clean(text))
    # No double bracket may stay at all: removing a tag from "[[<b>3]]" would make a marker.
    return _OPENING.sub(lambda run: "(" * len(run[0]), _CLOSING.sub(lambda run: ")" * len(run[0]), text))


def quotable(text: str) -> str:
    """The words of a post as they may be shown to a model or in an answer: no marker, link or markup."""
    return links.strip(defang(text)).text


def resolve(text: str, evidence: Sequence[Evidence]) -> Resolved:
    """The text with only the markers that the evidence knows, and without any other link.

    `[[1, 2]]` counts as two markers. Idempotent; never raises.
    """
    known = frozenset(item.n for item in evidence)
    removed = invalid = 0
    while True:
        before = text
        text, unknown = _known_markers(links.clean(text), known)
        stripped = links.strip(text)
        text, removed, invalid = stripped.text, removed + stripped.removed, invalid + unknown
        if text == before:
            return Resolved(text, markers(text), removed, invalid)


def markers(text: str) -> tuple[int, ...]:
    """The numbers of the text's well-formed markers, each once, in order of first use."""
    return tuple(dict.fromkeys(int(found[1]) for found in _EXACT.finditer(text)))


def without_markers(text: str) -> str:
    """The text as a reader without links sees it."""
    return _HIDDEN.sub("", text)


def citations(resolved: Resolved, evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """The citations of a resolved answer, in order of first use.

    A quote is an exact slice of the post, the sentence nearest in words to what cites it.
    """
    by_number = {item.n: item for item in reversed(evidence)}
    claims = _claims(resolved.text)
    return tuple(
        Citation(
            n=n,
            post_id=item.post_id,
            topic_id=item.topic_id,
            post_number=item.post_number,
            url=item.url,
            path=item.path,
            quote=_nearest(item.text, claims.get(n, "")),
            digest=item.digest,
        )
        for n, item in ((n, by_number[n]) for n in resolved.cited)
    )


def _known_markers(text: str, known: frozenset[int]) -> tuple[str, int]:
    unknown = 0

    def keep(found: re.Match[str]) -> str:
        nonlocal unknown
        numbers = [part for part in _SEPARATOR.split(found[1].strip()) if part]
        valid = [int(part) for part in numbers if part.isdecimal() and len(part) <= NUMBER_DIGITS]
        kept = [n for n in valid if n in known]
        unknown += len(numbers) - len(kept)
        return "".join(f"[[{n}]]" for n in kept) or " "

    return _MARKER.sub(keep, text), unknown


def cited_sentences(text: str) -> tuple[CitedSentence, ...]:
    """The sentences of a resolved answer, each with the numbers of the markers that speak of it.

    "… du cuir. [[1]] Ensuite": a leading marker speaks of what stands before it, and is in no sentence's span.
    """
    found: list[CitedSentence] = []
    for sentence in split(text):
        start = sentence.start
        if found and (leading := _LEADING.match(sentence.text)):
            start += leading.end()
            cited = tuple(dict.fromkeys((*found[-1].cited, *markers(leading[0]))))
            found[-1] = replace(found[-1], cited=cited, stop=start)
        if body := text[start : sentence.end]:
            found.append(CitedSentence(start, sentence.end, sentence.end, without_markers(body), markers(body)))
    return tuple(found)


def without(text: str, sentences: Iterable[CitedSentence]) -> str:
    """The text without these sentences of it and the markers that speak of them."""
    for sentence in sorted(sentences, key=lambda sentence: -sentence.start):
        text = f"{text[: sentence.start].rstrip(' ')} {text[sentence.stop :].lstrip(' ')}"
    return _EMPTY_ITEM.sub("", re.sub(r" *\n *", "\n", text)).strip()


def _claims(text: str) -> dict[int, str]:
    """For each number, the sentences that carry its marker."""
    claims: dict[int, str] = {}
    for sentence in cited_sentences(text):
        for n in sentence.cited:
            claims[n] = f"{claims.get(n, '')} {sentence.text}"
    return claims


def _nearest(text: str, claim: str) -> str:
    wanted = _words(claim)
    sentences = split(text)
    if not sentences:
        return ""
    best = max(sentences, key=lambda sentence: (len(wanted & _words(sentence.text)), -sentence.start))
    return shorten(best.text, QUOTE_CHARS)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.casefold()) if len(word) >= WORD_CHARS)


# Digits with what may separate them ("1, 2", "1 et 2", "1-3"): read by `_known_markers`.
_MARKER = re.compile(r"\[\[((?=[^\[\]]*[0-9])[0-9et\s,;&–—-]*+)\]\]")
_HIDDEN = re.compile(r" ?" + _MARKER.pattern)
_SEPARATOR = re.compile(r"\s*+(?:[,;&]|(?<![^\s0-9])et(?![^\s0-9]))\s*+|\s++")
_EXACT = re.compile(r"\[\[([0-9]{1,6})\]\]")
_LEADING = re.compile(r"(?:\[\[[0-9]++\]\][\s.,;]*+)++")
# What is left of a line of a list, or of a line, once its sentence is gone.
_EMPTY_ITEM = re.compile(r"(?m)^(?:[-*•–]|\d{1,2}[.)])?[ ]*$\n?")
_OPENING = re.compile(r"\[{2,}")
_CLOSING = re.compile(r"\]{2,}")
