"""How often a passphrase may be tried: from one address, and from all of them together. Kept in memory.

An attempt counts as a failure from its start, so that a thousand at once are no better than one after the other.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FREE: Final = 5  # attempts without a wait: people mistype
LONGEST_S: Final = 900.0  # each further failure doubles the wait, up to this
FORGET_S: Final = 3600.0  # without an attempt
BURST: Final = 60  # failures of all addresses together before everybody waits…
REFILL_S: Final = 2.0  # …for one more to be allowed: 43,200 a day at most, whatever the number of addresses
MAX_ADDRESSES: Final = 10_000


@dataclass(slots=True)
class _Tries:
    failures: int = 0
    until: float = 0.0
    last: float = 0.0


class Throttle:
    """The attempts of the last hour; `clock` gives seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: OrderedDict[str, _Tries] = OrderedDict()  # the address seen longest ago comes first
        self._tokens, self._filled_at = float(BURST), clock()

    def take(self, address: str) -> float:
        """Seconds to wait before an attempt from this address; 0 when it may be made now, and then it is counted."""
        now, key = self._clock(), _group(address)
        self._refill(now)
        tries = self._tries.get(key)
        if tries is None or now - tries.last > FORGET_S:
            tries = _Tries()
        if now < tries.until:
            return tries.until - now
        if self._tokens < 1:
            return (1 - self._tokens) * REFILL_S
        self._tokens -= 1
        tries.failures, tries.last = tries.failures + 1, now
        if tries.failures >= FREE:
            # The exponent is bounded as well: 2.0**2000 is no float.
            tries.until = now + min(2.0 ** min(tries.failures - FREE + 1, 32), LONGEST_S)
        self._tries[key] = tries
        self._tries.move_to_end(key)
        if len(self._tries) > MAX_ADDRESSES:
            self._tries.popitem(last=False)
        return 0.0

    def give_back(self, address: str) -> None:
        """The attempt was right: it does not count. Earlier failures still do, else knowing one would hide many."""
        tries = self._tries.get(_group(address))
        if tries is not None and tries.failures:
            tries.failures -= 1
            tries.until = 0.0
            self._tokens = min(self._tokens + 1, float(BURST))

    def _refill(self, now: float) -> None:
        self._tokens = min(self._tokens + (now - self._filled_at) / REFILL_S, float(BURST))
        self._filled_at = now


def _group(address: str) -> str:
    """Who is behind an address: a machine in IPv4, a network of 2⁶⁴ addresses that one machine may use in IPv6."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
