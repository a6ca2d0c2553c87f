"""The messages sent to the language model: role, quoted evidence, question, within a token budget.

Posts enter as quoted data: markers, links and angle brackets are gone from them, so that nothing in a
post can close its quotation or pass for a citation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from string import Template

from ..seams import Message
from ..values import ContextPost, Evidence, Role, Zone
from .citations import quotable
from .sentences import shorten, split

PROMPT_VERSION = 2  # raise when a prompt changes its meaning
FILES = ("system.md", "evidence.md", "question.md", "question_weak.md")
QUESTIONS = {Zone.NORMAL: "question.md", Zone.WEAK: "question_weak.md"}

QUESTION_CHARS = 1000  # a longer question is cut: it would push the evidence out
CONTEXT_CHARS = 280  # of each post around a cited one
ROLES = {
    Role.OPENING: "premier message du sujet",
    Role.PARENT: "message auquel il répond",
    Role.BEFORE: "message d’avant",
    Role.AFTER: "message d’après",
}
# What is dropped first when room lacks: neighbours say less than the message answered.
DROP_ORDER = (Role.AFTER, Role.BEFORE, Role.OPENING, Role.PARENT)

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages for `Generate`, and the evidence that they really hold (possibly none)."""

    messages: tuple[Message, ...]
    evidence: tuple[Evidence, ...]


def build(
    question: str, evidence: Sequence[Evidence], *, budget_tokens: int, count: Count, zone: Zone = Zone.NORMAL
) -> Prompt:
    """The largest prompt of at most `budget_tokens`, counted by the model's own tokenizer.

    Evidence of the weak zone is asked about in other words: what is near, perhaps, and no conclusion.
    Context goes first, from the last evidence up; then whole evidence from the bottom; a single one
    that is still too long is cut at a sentence. No evidence in the result means that nothing fits.
    """

    def fits(held: Sequence[Evidence]) -> bool:
        return sum(count(message.content) for message in _messages(question, held, zone)) <= budget_tokens

    held = _largest(_reductions(evidence), fits)
    if not held and evidence:
        held = _largest(_cuts(evidence[0]), fits)
    return Prompt(_messages(question, held, zone), held)


def texts() -> tuple[str, ...]:
    """The instructions, without what is put into them: words that no answer repeats."""
    return tuple(re.sub(r"\$\w+", "\n", _read(name)) for name in ("system.md", "evidence.md"))


@cache
def prompt_fingerprint() -> str:
    """Sixteen hex digits that change with the version or any word of the prompts."""
    digest = hashlib.sha256(str(PROMPT_VERSION).encode())
    for name in FILES:
        digest.update(b"\0" + _read(name).encode())
    return digest.hexdigest()[:16]


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("prompts", "fr", name).read_text(encoding="utf-8")


def _messages(question: str, evidence: Sequence[Evidence], zone: Zone) -> tuple[Message, ...]:
    # Template fills all its places at once: a "$question" inside a post stays three words of a post.
    extracts = "\n\n".join(_block(item) for item in evidence)
    quoted = Template(_read("evidence.md")).substitute(extracts=extracts)
    asked = Template(_read(QUESTIONS[zone])).substitute(question=_inline(question, QUESTION_CHARS))
    return (
        Message("system", _read("system.md").strip()),
        Message("user", f"{quoted.strip()}\n\n{asked.strip()}"),
    )


def _block(item: Evidence) -> str:
    lines = [
        f'<extrait numéro="{item.n}">',
        f"Sujet\u00a0: {_inline(item.title)}",
        f"Auteur\u00a0: {_inline(item.author)}, le {item.created_at.date().isoformat()}",
        f"Message\u00a0: {quotable(item.text)}",
    ]
    if item.context:
        lines.append("Autour de ce message (pour le comprendre, à ne pas citer)\u00a0:")
        lines += [f"- {_around(post)}" for post in item.context]
    return "\n".join([*lines, "</extrait>"])


def _around(post: ContextPost) -> str:
    return f"{ROLES[post.role]}, de {_inline(post.author)}\u00a0: {_inline(post.text, CONTEXT_CHARS)}"


def _inline(text: str, limit: int | None = None) -> str:
    line = " ".join(quotable(text).split())
    return line if limit is None or len(line) <= limit else shorten(line, limit - 1) + "…"


def _reductions(evidence: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """The evidence, then ever less of it, down to its first item alone."""
    held = list(evidence)
    steps = [tuple(held)]
    for index in reversed(range(len(held))):
        for role in DROP_ORDER:
            left = tuple(post for post in held[index].context if post.role is not role)
            if len(left) < len(held[index].context):
                held[index] = replace(held[index], context=left)
                steps.append(tuple(held))
    steps += [tuple(held[:size]) for size in range(len(held) - 1, 0, -1)]
    return steps


def _cuts(item: Evidence) -> list[tuple[Evidence, ...]]:
    """The item without context, shortened by one more sentence each time."""
    ends = [sentence.end for sentence in split(item.text)]
    return [(replace(item, context=(), text=item.text[:end]),) for end in reversed(ends[:-1])]


def _largest(steps: Sequence[tuple[Evidence, ...]], fits: Callable[[Sequence[Evidence]], bool]) -> tuple[Evidence, ...]:
    """The first step that fits, found by halving: each step is smaller than the one before."""
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if fits(steps[middle]):
            high = middle
        else:
            low = middle + 1
    return steps[low] if low < len(steps) else ()
