"""The last message of a conversation as one search that stands alone: by a language model, or by rule.

Knows nothing about how the search is made nor about what was answered before: only what the person asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal

from ..errors import GenerationFailed, ModelUnavailable
from ..seams import Generate, Message
from . import followup, stream
from .citations import quotable
from .followup import Analyse, Leaning

TURNS = 3  # earlier messages that count
MIN_CHARS, MAX_CHARS = 3, 300
MODEL_TOKENS = 80  # asked of a model: pieces of a stream are about tokens
TURN_CHARS = 500  # of each message given to a model
# A rewriting takes its words from the conversation; an answer brings its own. Share of known words below which it goes.
KNOWN_SHARE = 0.7
# A small model likes to repeat the earlier question: share of the last message's own words below which it goes.
OWN_SHARE = 0.5
JOIN = " — "

_LABEL = re.compile(r"^\s*(?:(?:question|recherche|requête|réponse)(?:\s+\w+)?\s*:\s*)+", re.IGNORECASE)
_AROUND = " \t\"'«»“”„‹›`*-–•"  # quotation marks, bullets, emphasis


@dataclass(frozen=True, slots=True)
class Condensed:
    """The search of a message: itself ("same"), or rewritten by a model ("llm") or by rule ("rules").

    `carried` are the words taken from earlier messages, by rule.
    """

    text: str
    how: Literal["same", "llm", "rules"]
    carried: tuple[str, ...] = ()


def condense(
    message: str,
    history: Sequence[str],
    generate: Generate | None = None,
    *,
    analyse: Analyse,
    check: Callable[[], None] = lambda: None,
) -> Condensed:
    """A search of at most MAX_CHARS characters, or the message as it is when it stands alone.

    `history` holds the person's earlier messages, oldest first; the last TURNS count. A model that fails, answers or
    says too much is passed over in silence: the rules take its place. `check` stops all by raising.
    """
    message = message.strip()
    turns = [turn.strip() for turn in history[-TURNS:] if turn.strip()]
    same = Condensed(message, "same")
    if not message or not turns or len(message) > MAX_CHARS:
        return same
    earlier = _standing_alone(turns, analyse)
    leaning = followup.leaning(message, earlier, analyse=analyse)
    if leaning is Leaning.ALONE:
        return same
    if generate is not None:
        found = _rewritten(message, turns, generate, analyse, check)
        if found is not None:
            return same if found == message else Condensed(found, "llm")
    return _by_rule(message, earlier, analyse) if leaning is Leaning.LEANS else same


def _standing_alone(turns: Sequence[str], analyse: Analyse) -> str:
    """The last turn, completed by those before it."""
    earlier = ""
    for turn in turns:
        leans = followup.leaning(turn, earlier, analyse=analyse) is Leaning.LEANS
        earlier = _by_rule(turn, earlier, analyse).text if leans else turn
    return earlier


def _by_rule(message: str, earlier: str, analyse: Analyse) -> Condensed:
    said = followup.without_link(message)
    room = MAX_CHARS - len(said) - len(JOIN)
    carried: list[str] = []
    for word in followup.left_out(message, earlier, analyse=analyse):
        if len(" ".join([*carried, word])) > room:
            break
        carried.append(word)
    if not carried:
        return Condensed(message, "same")
    return Condensed(f"{' '.join(carried)}{JOIN}{said}", "rules", tuple(carried))


def _rewritten(
    message: str, turns: Sequence[str], generate: Generate, analyse: Analyse, check: Callable[[], None]
) -> str | None:
    """What the model makes of it, None when it is no rewriting."""
    lines = "\n".join(f"- {' '.join(quotable(turn).split())[:TURN_CHARS]}" for turn in (*turns, message))
    asked = Template(_prompt()).substitute(messages=lines)
    pieces: list[str] = []
    source = generate((Message("user", asked.strip()),))
    try:
        for piece in source:
            check()
            pieces += [piece] if piece else []
            if len(pieces) >= MODEL_TOKENS:
                break
    except (GenerationFailed, ModelUnavailable):
        return None
    finally:
        _close(source)
    found = _first_line(stream.without_thoughts("".join(pieces)))
    if not MIN_CHARS <= len(found) <= MAX_CHARS:
        return None
    known = {term for turn in (*turns, message) for term in analyse(turn)}
    terms = analyse(found)
    own = followup.own_terms(message, analyse=analyse)
    if not terms or sum(term in known for term in terms) < KNOWN_SHARE * len(terms):
        return None
    return found if len(own & set(terms)) >= OWN_SHARE * len(own) else None


def _first_line(text: str) -> str:
    line = next((line for line in quotable(text).splitlines() if line.strip(_AROUND)), "")
    return _LABEL.sub("", line.strip(_AROUND)).strip(_AROUND)


def _close(source: Iterator[str]) -> None:
    # The rest would be written for nobody.
    if isinstance(source, Generator):
        source.close()


@cache
def _prompt() -> str:
    return files(__package__).joinpath("prompts", "fr", "condense.md").read_text(encoding="utf-8")
