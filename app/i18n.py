"""The language of the screen: sentences from the .po catalogue, numbers, dates and durations.

Knows nothing about what the sentences say. Modules import `gettext as _`, with English msgids.
"""

from __future__ import annotations

import gettext as catalogues
import io
from datetime import datetime
from functools import cache
from typing import Final

from babel.dates import format_date, format_skeleton
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from .resources import resource

LANGUAGES: Final = ("fr", "en")
DEFAULT: Final = "fr"
NBSP: Final = "\u00a0"

_current = DEFAULT  # the one language of this process, chosen at start


def use(language: str) -> None:
    """Make this the language of every later call; an unknown one is the default."""
    global _current
    _current = language if language in LANGUAGES else DEFAULT


def language() -> str:
    """The language in use."""
    return _current


def gettext(message: str) -> str:
    """The sentence in the language in use."""
    return _catalogue(_current).gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """The sentence in the form that the language in use wants for `n`."""
    return _catalogue(_current).ngettext(singular, plural, n)


def N_(message: str) -> str:
    """The message itself: marks for extraction what is translated later, where it is shown."""
    return message


def number(value: float) -> str:
    """A whole number: « 425 000 »."""
    return format_decimal(round(value), locale=_current)


def decimal(value: float, digits: int = 1) -> str:
    """A number with at most so many decimals: « 37,4 »."""
    return format_decimal(value, format=f"#,##0.{'#' * digits}", locale=_current)


def fixed(value: float, digits: int) -> str:
    """A number with exactly so many decimals: « 0,850 »."""
    return format_decimal(value, format="#,##0." + "0" * digits if digits else "#,##0", locale=_current)


def percent(share: float, digits: int = 0) -> str:
    """A share from 0 to 1: « 37,4 % »."""
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    suffix = f"{NBSP}%" if _current == "fr" else "%"
    return format_percent(share, format=pattern + suffix, locale=_current)


def size(count: float) -> str:
    """An amount of bytes, in thousands as disks and downloads count: « 2,5 Go », « 471 Mo », « 12 ko »."""
    units = ("o", "ko", "Mo", "Go") if _current == "fr" else ("B", "kB", "MB", "GB")
    rank = 0
    while count >= 999.5 and rank < len(units) - 1:
        count, rank = count / 1000, rank + 1
    return f"{decimal(count) if rank > 2 or 0 < count < 10 else number(count)}{NBSP}{units[rank]}"


def date_long(moment: datetime) -> str:
    """The day, local time: « 29 novembre 2026 »."""
    return _ordinal(format_date(moment.astimezone(), format="long", locale=_current))


def date_short(moment: datetime) -> str:
    """The day, local time: « 29 nov. 2026 »."""
    return _ordinal(format_date(moment.astimezone(), format="medium", locale=_current))


def month(moment: datetime) -> str:
    """The month, local time: « novembre 2026 »."""
    return format_skeleton("yMMMM", moment.astimezone(), locale=_current)


def day_month(moment: datetime) -> str:
    """The day of any year, local time: « 14 mars », « 1er mai »."""
    return _ordinal(format_skeleton("MMMMd", moment.astimezone(), locale=_current))


def duration(seconds: float) -> str:
    """A length of time to the useful precision: « 0,4 s », « 20 s », « 3 min 20 s », « 2 h 05 min »."""
    if seconds < 10:
        return f"{decimal(max(seconds, 0))}{NBSP}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{NBSP}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}{NBSP}min{NBSP}{rest}{NBSP}s" if rest else f"{minutes}{NBSP}min"
    hours, minutes = divmod(minutes, 60)
    return f"{number(hours)}{NBSP}h{NBSP}{minutes:02}{NBSP}min"


def _ordinal(date: str) -> str:
    """The date as French writes it: the first of a month is « 1er », the other days are plain numbers."""
    return date.replace("1 ", "1er ", 1) if _current == "fr" and date.startswith("1 ") else date


@cache
def _catalogue(chosen: str) -> catalogues.NullTranslations:
    if chosen == "en":  # the msgids
        return catalogues.NullTranslations()
    # The .po itself is read, so that no compiled file can be older than its source.
    with resource("i18n", chosen, "LC_MESSAGES", "archiviste.po").open("rb") as source:
        entries = read_po(source, locale=chosen)
    compiled = io.BytesIO()
    write_mo(compiled, entries)
    compiled.seek(0)
    return catalogues.GNUTranslations(compiled)
