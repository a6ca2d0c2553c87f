"""Quantities of French texts: « 1 200 € », 1200 euros, « douze cents », 3,5 = 3.5, « une dizaine », 1,2 m = 120 cm.

Knows nothing about dates nor model codes: the caller takes them out of the text first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..index.french import fold
from . import units

# Relative difference under which two values are the same: as written, after a change of unit, and between the unequal
# pieces of a calendar (30 days and a month, 14 or 15 days and a fortnight).
WRITTEN, CONVERTED, CALENDAR = 1e-9, 0.011, 0.08
# What is still meant by a number, as parts of it, from the least to the most.
EXACT, COLLECTIVE = (1.0, 1.0), (0.7, 1.3)
SLACK = {
    **dict.fromkeys(("environ", "pres de", "presque", "autour de", "a peu pres", "quasiment", "~", "≈"), (0.9, 1.1)),
    **dict.fromkeys(("plus de", "au moins", "au-dela de", "minimum"), (1.0, 1.25)),
    **dict.fromkeys(("moins de", "au plus", "jusqu'a", "maximum"), (0.8, 1.0)),
}

DIGITS = "un deux trois quatre cinq six sept huit neuf".split()
TEENS = "dix onze douze treize quatorze quinze seize".split()
TENS = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}
TENS |= {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
SMALL = {word: value for value, word in enumerate((*DIGITS, *TEENS), start=1)} | TENS | {"zero": 0, "une": 1}
LARGE = {"cent": 100, "mille": 1000, "million": 10**6, "milliard": 10**9}
GROUPS = {"dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40}
GROUPS |= {"cinquantaine": 50, "soixantaine": 60, "centaine": 100, "millier": 1000}
PARTS = {"demi": 1 / 2, "demie": 1 / 2, "moitie": 1 / 2, "tiers": 1 / 3, "quart": 1 / 4, "quarts": 1 / 4}
AFTER_CHARS = 40


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity of a text.

    `values` are the readings of its number ("1.200" has two); `kind` is what its unit measures, "" without unit;
    `worth` the unit in the base unit of that kind. `weak` marks a word that may be no number ("un", "neuf").
    `after` begins with what is counted.
    """

    start: int
    end: int
    text: str
    values: tuple[float, ...]
    kind: str = ""
    worth: float = 1.0
    slack: tuple[float, float] = EXACT
    weak: bool = False
    after: str = ""


def find(text: str) -> tuple[Figure, ...]:
    """The quantities of a text in order. A number without unit takes that of the range or list that it opens."""
    found: list[Figure] = []
    place = 0
    while match := _QUANTITY.search(text, place):
        figure = _figure(match)
        place = figure.end if figure else match.end()
        if figure:
            found.append(figure)
    for i in range(len(found) - 2, -1, -1):
        one, following = found[i], found[i + 1]
        if not one.kind and _LINK.fullmatch(text[one.end : following.start]):
            found[i] = replace(one, kind=following.kind, worth=following.worth, after=following.after)
    return tuple(found)


def tells(claimed: Figure, held: Iterable[Figure]) -> bool:
    """Whether one of the held quantities is the claimed one; where one side has no unit, its number is enough."""
    return any(_tells(claimed, figure) for figure in held)


def same_number(claimed: Figure, held: Figure) -> bool:
    """Whether both write the same number, whatever their units."""
    return any(_within(one, other, claimed.slack) for one in claimed.values for other in held.values)


def _tells(claimed: Figure, held: Figure) -> bool:
    if not claimed.kind or not held.kind:
        return same_number(claimed, held)
    if claimed.worth == held.worth:
        return claimed.kind == held.kind and same_number(claimed, held)
    tolerance = CALENDAR if claimed.kind == "time" and max(claimed.worth, held.worth) > units.DAY else CONVERTED
    return claimed.kind == held.kind and any(
        _within(one * claimed.worth, other * held.worth, claimed.slack, tolerance)
        for one in claimed.values
        for other in held.values
    )


def _within(claimed: float, held: float, slack: tuple[float, float], tolerance: float = WRITTEN) -> bool:
    low, high = claimed * slack[0], claimed * slack[1]
    return low <= held <= high or any(math.isclose(held, edge, rel_tol=tolerance) for edge in (low, high))


def _figure(match: re.Match[str]) -> Figure | None:
    if match["minutes"]:
        return _made(match, match.end(), (int(match["hours"]) * 60.0 + int(match["minutes"]),), kind="time", worth=60)
    if match["part"] or match["fraction"]:
        return _part(match)
    if match["digits"]:
        values, weak, slack = _readings(match["digits"]), False, EXACT
    else:
        values, weak, slack = _spoken(fold(match["word"]))
    kind, worth, end = _unit(match)
    if kind and (half := _AND_HALF.match(match.string, end)):
        values, end = tuple(value + 0.5 for value in values), half.end()
    if match["digits"] and not kind and _GLUED.match(match.string, end):
        return None
    if kind and fold(match[0]) == "neuf":
        weak = False
    return _made(match, end, values, kind=kind, worth=worth, slack=slack, weak=weak)


def _part(match: re.Match[str]) -> Figure | None:
    """A part, "3/4" or in words: of a unit ("demi-heure", "trois quarts d'heure"), or of something ("la moitié")."""
    if match["fraction"]:
        part = int(match["fraction"][0]) / int(match["fraction"][2:])
    else:
        part = PARTS[fold(match["part"])] * (SMALL[fold(match["times"])] if match["times"] else 1)
    kind, worth, end = _unit(match)
    if not kind:
        if (match["part"] or "").lower().startswith("demi"):
            return None  # "demi-tour"
        kind = "ratio"
    return _made(match, end, (part,), kind=kind, worth=worth)


def _unit(match: re.Match[str]) -> tuple[str, float, int]:
    unit = _UNIT.match(match.string, match.end())
    return (*units.read(unit[1]), unit.end()) if unit else ("", 1.0, match.end())


def _made(
    match: re.Match[str],
    end: int,
    values: tuple[float, ...],
    *,
    kind: str,
    worth: float,
    slack: tuple[float, float] = EXACT,
    weak: bool = False,
) -> Figure:
    text, start = match.string, match.start()
    before = fold(text[max(0, start - 14) : start]).rstrip()
    if all(map(_is_round, values)):
        slack = next((found for words, found in SLACK.items() if before.endswith(words)), slack)
    return Figure(start, end, text[start:end], values, kind, worth, slack, weak, text[end : end + AFTER_CHARS])


def _is_round(value: float) -> bool:
    """Whether a number may be a rough one: "environ 300" is, "environ 317" is not."""
    return value >= 10 and value % 5 == 0 and value == float(f"{value:.1e}")


def _readings(digits: str) -> tuple[float, ...]:
    """What digits may be worth: a comma or a dot before three of them separates thousands or decimals."""
    plain = re.sub(_SPACE, "", digits)
    readings = [float(plain.replace(",", "."))]
    if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain):
        readings.append(readings[0] * 1000)
    return tuple(readings)


def _spoken(said: str) -> tuple[tuple[float, ...], bool, tuple[float, float]]:
    words = [word if word == "trois" else word.removesuffix("s") for word in re.split(r"[\s-]+", said)]
    group = next((GROUPS[word] for word in words if word in GROUPS), None)
    number = _spelled([word for word in words if word not in GROUPS])
    if group is not None:
        # "Des centaines", "plusieurs dizaines" tell no number.
        return (float(max(number, 1) * group),), not number and said.endswith("s"), COLLECTIVE
    return (float(number),), said in ("un", "une", "neuf"), EXACT


def _spelled(words: Sequence[str]) -> int:
    """The number that these words spell, plurals dropped: quatre-vingt-douze mille deux cent."""
    total = current = 0
    for word in words:
        if word == "vingt" and current % 100 == 4:
            current += 76
        elif word == "cent":
            current = max(current, 1) * 100
        elif word in LARGE:
            total, current = total + max(current, 1) * LARGE[word], 0
        else:
            current += SMALL.get(word, 0)  # "et" adds nothing
    return total + current


_SPACE = r"[ \u00a0\u202f]"
_JOIN = r"[ \u00a0\u202f-]"
_UNDER_TEN = "|".join(("une", *DIGITS))
_UNDER_TWENTY = rf"dix{_JOIN}(?:sept|huit|neuf)|{'|'.join(TEENS)}|{_UNDER_TEN}"
_UNDER_HUNDRED = (
    rf"(?:quatre{_JOIN}vingts?|{'|'.join(TENS)})(?:{_JOIN}et{_JOIN}(?:une|un|onze)\b|{_JOIN}(?:{_UNDER_TWENTY})\b)?"
    rf"|{_UNDER_TWENTY}"
)
_UNDER_THOUSAND = rf"(?:(?:{_UNDER_HUNDRED}){_JOIN})?cents?\b(?:{_JOIN}(?:{_UNDER_HUNDRED})\b)?|{_UNDER_HUNDRED}"
_SPELLED = (
    rf"(?:(?:{_UNDER_THOUSAND}){_JOIN})?(?:mille|millions?|milliards?)\b(?:{_JOIN}(?:{_UNDER_THOUSAND})\b)?"
    rf"|{_UNDER_THOUSAND}|zéro"
)
_GROUP = rf"(?:(?:{_UNDER_HUNDRED}){_JOIN})?(?:{'|'.join(GROUPS)})s?"
_DIGITS = rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)?"
# Not inside a word or a decimal, but after the sign of a product: 700x28.
_START = r"(?:(?<![\w.,])|(?<=\d[xX×*]))"
_QUANTITY = re.compile(
    rf"{_START}(?:(?P<hours>\d{{1,2}})(?:{_SPACE}?h{_SPACE}?|:|{_SPACE}heures?{_SPACE})(?P<minutes>[0-5]\d)(?![\d:]|[.,]\d)"
    r"|(?P<fraction>[1-9]/[1-9]\d?)(?![\d/])"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?:(?P<times>une?|deux|trois){_SPACE})?(?P<part>demie?|moitié|tiers|quarts?)(?!\w)"
    rf"|(?P<word>{_GROUP}|{_SPELLED})(?!\w))",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"(?:[ \u00a0\u202f-]?|{_SPACE}d['’])({units.PATTERN})", re.IGNORECASE)
_AND_HALF = re.compile(rf"{_SPACE}et{_SPACE}demie?\b", re.IGNORECASE)
# Letters stuck to a number that are no unit belong to a code or an ordinal.
_GLUED = re.compile(r"(?![xX×*]\d)\w")
_LINK = re.compile(rf"{_SPACE}*(?:(?:à|a|ou|et|voire|puis|contre)(?:{_SPACE}de)?|[-–/x×*]){_SPACE}*", re.IGNORECASE)
