"""Dates of French texts, however they are written: « 12 mars 2014 », 12/03/2014, 2014-03-12, « années 80 », 80's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

# Abbreviations and full names, accented or not, in the order of the year.
MONTHS = (
    *("janv(?:ier)?", "f[ée]vr?(?:ier)?", "mars", "avr(?:il)?", "mai", "juin", "juil(?:let)?", "ao[ûu]t"),
    *("sept(?:embre)?", "oct(?:obre)?", "nov(?:embre)?", "d[ée]c(?:embre)?"),
)
NAMES = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
# A month without a day or a year is a date only after one of these ("mars" is a planet, "mai" a first name).
BEFORE_A_MONTH = (
    r"en|de|d'|depuis|d[èe]s|jusqu'en|jusqu'[àa]|d[ée]but|fin|courant|mi|mois de|avant|apr[èe]s|pour|et|ou|[àa]"
)
DECADES = {"soixante": 60, "soixante-dix": 70, "quatre-vingt": 80, "quatre-vingts": 80, "quatre-vingt-dix": 90}
YEARS = (1900, 2099)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is told: None is a part that the text leaves out. `decade` is its first year."""

    start: int
    end: int
    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    decade: int | None = None


def spelled(day: date) -> str:
    """A day as French writes it: 1er mars 2014."""
    return f"{day.day}{'er' if day.day == 1 else ''} {NAMES[day.month - 1]} {day.year}"


def find(text: str) -> tuple[Date, ...]:
    """The dates of a text in order, none over another. A lone year is one; a lone fraction ("3/4") is not."""
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    found: list[Date] = []
    taken: set[int] = set()
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            told = _date(match)
            if told is not None and taken.isdisjoint(range(told.start, told.end)):
                taken.update(range(told.start, told.end))
                found.append(told)
    return tuple(sorted(found, key=lambda told: told.start))


def tells(claimed: Date, held: Iterable[Date], *, years: Iterable[int] = ()) -> bool:
    """Whether one of the held dates tells all that the claimed one does.

    `years` are those in which the texts were written: they complete a date that leaves its year out.
    """
    written = tuple(years)
    for told in held:
        completed = (told, *(replace(told, year=year) for year in written)) if _lacks_year(told) else (told,)
        if any(_covers(one, claimed) for one in completed):
            return True
    return False


def _covers(held: Date, claimed: Date) -> bool:
    if claimed.decade is not None:
        return claimed.decade == held.decade or (held.year is not None and held.year // 10 * 10 == claimed.decade)
    parts = ((claimed.year, held.year), (claimed.month, held.month), (claimed.day, held.day))
    return all(wanted is None or wanted == told for wanted, told in parts)


def _lacks_year(told: Date) -> bool:
    return told.year is None and told.decade is None


def _date(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    start = match.start("date") if parts.get("date") else match.start()
    told = Date(start, match.end(), match.string[start : match.end()])
    if parts.get("decade"):
        word = parts["decade"].lower()
        last = DECADES.get(word) if not word.isdigit() else int(word)
        century = parts.get("century") or ("20" if last is not None and last < 30 else "19")
        return None if last is None else replace(told, decade=int(century) * 100 + last)
    month = _month(parts.get("month"))
    day = int(parts["day"]) if parts.get("day") else None
    year = _year(parts.get("year"))
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return replace(told, year=year, month=month, day=day) if month or year else None


def _month(said: str | None) -> int | None:
    if not said:
        return None
    if said.isdigit():
        return int(said)
    return next(n for n, name in enumerate(MONTHS, start=1) if re.fullmatch(name, said.rstrip("."), re.IGNORECASE))


def _year(said: str | None) -> int | None:
    if not said:
        return None
    year = int(said.lstrip("'"))
    if year < 100:
        return year + (2000 if year < 50 else 1900)
    return year if YEARS[0] <= year <= YEARS[1] else None


_MONTH = rf"(?P<month>(?:{'|'.join(MONTHS)})(?:\.|\b))"
_DAY = r"(?<![\d.,])(?P<day>\d{1,2})"
_YEAR = r"(?P<year>(?:19|20)\d{2}|'\d{2})(?![\d\w])"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d-])(?P<year>(?:19|20)\d{2})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])",
        _DAY + r"(?P<mark>[/.-])(?P<month>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d{2}|\d{2})(?![\d.,/-]\d|\d|\w)",
        # Without a year, a day is told from a fraction by its zeros or by the word before it.
        r"(?<![\d/.,])(?P<day>\d{2})/(?P<month>0[1-9]|1[0-2])(?![\d/]|\w)",
        r"\b(?:le|du|au|depuis le)\s(?P<date>(?P<day>\d{1,2})/(?P<month>\d{1,2}))(?![\d/]|\w)",
        _DAY + rf"(?:\s?er)?\s+{_MONTH}(?:\s+{_YEAR})?",
        rf"\b{_MONTH}\s+{_YEAR}",
        rf"\b(?:{BEFORE_A_MONTH})[\s-]*(?P<date>{_MONTH})(?!\w)",
        rf"\bann[ée]es\s+(?P<century>19|20)?'?(?P<decade>\d0|{'|'.join(sorted(DECADES, key=len, reverse=True))})(?!\w)",
        r"(?<![\w'])'?(?P<century>19|20)?(?P<decade>\d0)'?s(?!\w)",
        r"(?<![\w.,/-])(?P<year>(?:19|20)\d{2})(?![\w/]|[.,-]\d)(?!\s?(?:%|€|\$|[km]?m\b|k?g\b|euros?\b))",
    )
)
