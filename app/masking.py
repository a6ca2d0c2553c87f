"""What could say who somebody is, taken out of a text before it is kept: e-mail, telephone, IP address, long number."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

MASK: Final = "[…]"  # the same in every language, and no word for a search

_BETWEEN = r"[\s.\-/()]*"
_PATTERNS: Final = (
    re.compile(r"[^\s@<>(),;:«»\"]+@[^\s@<>(),;:«»\"]+\.\w{2,}"),  # an e-mail
    re.compile(rf"(?<!\w)(?:\+|00)[1-9](?:{_BETWEEN}\d){{7,14}}(?!\w)"),  # a telephone, with its country's code
    re.compile(rf"(?<!\w)0[1-9](?:{_BETWEEN}\d{{2}}){{4}}(?!\w)"),  # a French one
    re.compile(r"(?<!\w)\d{9,}(?!\w)"),  # a number of a customer, an account, a person
)
# Version 4, then what may be version 6: the library decides.
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w)(?!\.\d)|(?<![\w:.])[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[\w.:]*")


def masked(text: str) -> str:
    """The text with each of these replaced by MASK; masking twice changes nothing more."""
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    return _ADDRESS.sub(_address, text)


def _address(found: re.Match[str]) -> str:
    written = found[0].rstrip(".")
    try:
        ipaddress.ip_address(written)
    except ValueError:  # a time, a version of a program
        return found[0]
    return MASK + found[0][len(written) :]
