"""Rules on intent: a question is caught by a verb near its object, or by a whole expression, never by a topic.

Patterns are words of everyday spelling: `bombe` (also its plural), `fabriqu*` (all that begins so), `mon *` (any word),
`@` (the name of a member), `faux billet` (words in a row). Knows nothing about files nor about what a rule is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..index.french import fold
from . import rough_words

WITHIN_WORDS = 6  # between a verb and its object, when a rule does not say
BEFORE_WORDS = 4  # how far before a verb or an object a word of `unless_before` still speaks of it
ASKED_WORDS = 2  # between "peux-tu" and the verb: "peux-tu me le traduire"
MASK = "-"  # in place of the words of an exception, which keep their room
# What may stand before an order inside a sentence, and after one anywhere.
ORDER_FOLLOWS = frozenset(rough_words.words("et puis alors ensuite donc maintenant , ."))
ORDER_PRECEDES = frozenset(rough_words.words("moi nous"))
QUESTION_PRECEDES = frozenset(rough_words.words("tu vous"))  # "faites-vous" orders nothing

SMALL_WORDS = frozenset("a au aux d de des du l la le les un une".split())

_PART = re.compile(r"[^\W_]+\*?|@|\*")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One intent that is turned away, and the sentence that says so.

    Caught are an `orders`, `asked` or `verbs` within so many words of one of `objects` (and of one of `about`, when
    there are any), or one of `phrases`.
    """

    id: str
    reason: str
    orders: tuple[str, ...] = ()  # where a sentence begins, or before "moi": "traduis", not "il traduit"
    asked: tuple[str, ...] = ()  # after one of Rules.asking: "peux-tu traduire"
    verbs: tuple[str, ...] = ()  # anywhere
    objects: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()  # words in a row that count for nothing: "bombe de peinture"
    unless_before: tuple[str, ...] = ()  # before a verb or an object these make it harmless: "éviter"
    within: int = WITHIN_WORDS
    after: bool = False  # whether an object only counts after its verb: "quitter mon mari"
    must_catch: tuple[str, ...] = ()
    must_pass: tuple[str, ...] = ()
    off: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules in the order in which they are tried, and what they share."""

    rules: tuple[Rule, ...]
    asking: tuple[str, ...] = ()  # what asks somebody to do something: "peux-tu", "aide-moi à"
    polite: tuple[str, ...] = ()  # what changes nothing: "bonjour", "s'il te plaît"
    sms: Mapping[str, str] = field(default_factory=dict)


def caught(rules: Rules, text: str, *, names: rough_words.Names = lambda words: ()) -> Rule | None:
    """The first rule that catches the text, if any; `names` tells the members' names among its words."""
    line = _Line.of(rough_words.words(text, sms=rules.sms, names=names)).without(rules.polite)
    return next((rule for rule in rules.rules if not rule.off and _catches(rule, line, rules.asking)), None)


def says_something(pattern: str) -> bool:
    """Whether a pattern holds at least one word."""
    return any(part.strip("*@") for part in _PART.findall(fold(pattern)))


@dataclass(frozen=True, slots=True)
class _Line:
    """Rough words, each between two spaces."""

    text: str

    @classmethod
    def of(cls, words: Iterable[str]) -> _Line:
        return cls(f" {' '.join(words)} ")

    @property
    def words(self) -> Sequence[str]:
        return self.text.split()

    def without(self, patterns: tuple[str, ...]) -> _Line:
        covered = self._covered(patterns)
        return _Line.of(word for n, word in enumerate(self.words) if n not in covered) if covered else self

    def masked(self, patterns: tuple[str, ...]) -> _Line:
        # A search made of several messages is written without its small words: "bombe peinture".
        covered = self._covered(patterns, loose=True)
        return _Line.of(MASK if n in covered else word for n, word in enumerate(self.words)) if covered else self

    def find(self, patterns: tuple[str, ...], *, loose: bool = False) -> Iterator[range]:
        """The positions of the words of each pattern found; its small words may lack when it is `loose`."""
        for match in _compiled(patterns, loose).finditer(self.text):
            start = self.text.count(" ", 0, match.start()) - 1
            yield range(start, start + match[1].count(" ") + 1)

    def _covered(self, patterns: tuple[str, ...], *, loose: bool = False) -> frozenset[int]:
        return frozenset(n for found in self.find(patterns, loose=loose) for n in found)


def _catches(rule: Rule, line: _Line, asking: tuple[str, ...]) -> bool:
    line = line.masked(rule.exceptions)
    harmless = [found.stop for found in line.find(rule.unless_before)]

    def meant(found: range) -> bool:
        return not any(0 <= found.start - end < BEFORE_WORDS for end in harmless)

    if any(meant(found) for found in line.find(rule.phrases)):
        return True
    objects = [found for found in line.find(rule.objects) if meant(found)]
    if rule.about and objects:
        persons = list(line.find(rule.about))
        objects = [found for found in objects if any(_gap(found, other) <= rule.within for other in persons)]
    if not objects:
        return False
    verbs = (found for found in _verbs(rule, line, asking) if meant(found))
    return any(
        0 <= _gap(verb, found) <= rule.within and not (rule.after and found.start < verb.start)
        for verb in verbs
        for found in objects
    )


def _verbs(rule: Rule, line: _Line, asking: tuple[str, ...]) -> Iterator[range]:
    yield from line.find(rule.verbs)
    words = [word.removesuffix(rough_words.NAME) for word in line.words]
    for found in line.find(rule.orders):
        before, after = words[: found.start][-1:], words[found.stop :][:1]
        begins = not before or before[0] in ORDER_FOLLOWS
        if (begins and QUESTION_PRECEDES.isdisjoint(after)) or not ORDER_PRECEDES.isdisjoint(after):
            yield found
    if rule.asked:
        openings = [found.stop for found in line.find(asking)]
        yield from (
            found for found in line.find(rule.asked) if any(0 <= found.start - end <= ASKED_WORDS for end in openings)
        )


def _gap(one: range, other: range) -> int:
    """Words between the two; negative when they overlap."""
    return max(other.start - one.stop, one.start - other.stop)


@cache
def _compiled(patterns: tuple[str, ...], loose: bool) -> re.Pattern[str]:
    """Finds the longest pattern at each word, also where it overlaps another."""
    if not patterns:
        return _NEVER
    # Longest first: of two patterns that begin at one word, the expression says more than the word.
    rough = sorted(
        {_rough(pattern, loose) for pattern in patterns}, key=lambda found: (-found.count(" "), -len(found), found)
    )
    return re.compile(rf"(?<= )(?=({'|'.join(rough)}) )")


def _rough(pattern: str, loose: bool) -> str:
    first, *others = _PART.findall(fold(pattern))
    parts = [_rough_part(first)]
    for part in others:
        parts.append(f"(?: {_rough_part(part)})?" if loose and part in SMALL_WORDS else f" {_rough_part(part)}")
    return "".join(parts)


def _rough_part(part: str) -> str:
    if part == "@":
        return f"[^ ]+{rough_words.NAME}"
    if part == "*":
        return r"[^ ]*\w[^ ]*"
    if not part.endswith("*"):
        return re.escape(rough_words.rough(part)) + f"{rough_words.NAME}?"
    start = part[:-1]
    if start.endswith("c"):  # hard or soft: what follows decides
        return re.escape(rough_words.rough(start[:-1], whole=False)) + "[ks][^ ]*"
    return re.escape(rough_words.rough(start, whole=False)) + "[^ ]*"
