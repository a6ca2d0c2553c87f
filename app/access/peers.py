"""Who is at the other end: the address behind trusted proxies, and whether it named this server.

Stops DNS rebinding (a foreign name that resolves to us sends its own name as Host) and pages of other sites (their
Origin, or what the browser says in Sec-Fetch-Site). Knows nothing about roles.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.types import Scope

from ..settings import LOOPBACK

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Header = tuple[bytes, bytes]

# Nothing else is a Host: it is written again in the headers of our answers.
_HOST: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9.-]+)|\[(?P<number>[0-9A-Fa-f:.]+)\])(?::(?P<port>[0-9]{1,5}))?")
_SAFE: Final = ("GET", "HEAD")
# A proxy's own words. They are read here and nowhere else: what comes from anybody is dropped before the pages see it.
FORWARDED: Final = (
    b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-port",
    b"x-forwarded-prefix", b"x-real-ip",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody who asks: their address, the Host that they named, whether their browser speaks HTTPS."""

    address: str
    host: str
    secure: bool

    @property
    def origin(self) -> str:
        """The origin of the pages that they read."""
        return f"{'https' if self.secure else 'http'}://{self.host}".lower()


@dataclass(frozen=True, slots=True)
class Doors:
    """Under which names this server is reached, and which proxies may speak for others.

    `hosts` are names that the installation chose; `own` tells this machine's addresses on the network.
    """

    port: int
    hosts: Collection[str] = ()
    proxies: Sequence[Network] = ()
    own: Callable[[], Collection[str]] = tuple

    def peer(self, scope: Scope) -> Peer | None:
        """Who sent this request or opened this websocket; None when it is not meant for this server."""
        headers: list[Header] = [(name.lower(), value) for name, value in scope["headers"]]
        direct = scope["client"][0] if scope.get("client") else ""
        address, secure = direct, scope.get("scheme") in ("https", "wss")
        proxied = self._is_proxy(direct)
        if proxied:
            address = self._behind(direct, _listed(headers, b"x-forwarded-for"))
            secure = _listed(headers, b"x-forwarded-proto")[-1:] == ["https"]
        named = _values(headers, b"host")
        if len(named) != 1 or not self._is_ours(named[0], secure=secure, any_port=proxied):
            return None
        peer = Peer(address, named[0], secure)
        return peer if _is_same_place(scope, headers, peer) else None

    def _is_proxy(self, address: str) -> bool:
        parsed = _address(address)
        return parsed is not None and any(parsed in network for network in self.proxies)

    def _behind(self, direct: str, forwarded: Sequence[str]) -> str:
        """The last address that no proxy of ours wrote of itself: what stands before it can be invented."""
        for address in reversed(forwarded):
            if _address(address) is None:
                return direct
            if not self._is_proxy(address):
                return address
        return direct

    def _is_ours(self, host: str, *, secure: bool, any_port: bool) -> bool:
        written = _HOST.fullmatch(host)
        if written is None:
            return False
        name = (written["number"] or written["name"]).lower()
        port = int(written["port"] or (443 if secure else 80))
        if name in self.hosts:
            return any_port or port == self.port
        return port == self.port and (name in LOOPBACK or name in self.own())


def networks(written: Iterable[str]) -> tuple[Network, ...]:
    """Addresses or networks (192.168.1.0/24) as such. Raises ValueError."""
    return tuple(ipaddress.ip_network(one, strict=False) for one in written)


def without_forwarded(headers: Iterable[Header]) -> list[Header]:
    """The headers that the pages may see."""
    return [(name, value) for name, value in headers if name.lower() not in FORWARDED]


def _is_same_place(scope: Scope, headers: Sequence[Header], peer: Peer) -> bool:
    """Whether no page of another site is behind this, as far as browsers say so: they do for all that matters."""
    if any(origin.lower() != peer.origin for origin in _values(headers, b"origin")):
        return False
    if not set(_values(headers, b"sec-fetch-site")) & {"cross-site", "same-site"}:
        return True
    # A link that somebody follows, never what another page fetches, frames or sends.
    mode, target = _values(headers, b"sec-fetch-mode"), _values(headers, b"sec-fetch-dest")
    return (
        scope["type"] == "http" and scope["method"] in _SAFE and mode == ["navigate"] and target in ([], ["document"])
    )


def _values(headers: Iterable[Header], wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in headers if name == wanted]


def _listed(headers: Iterable[Header], wanted: bytes) -> list[str]:
    return [one.strip() for value in _values(headers, wanted) for one in value.split(",") if one.strip()]


def _address(written: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(written)
    except ValueError:
        return None
