"""This machine on its network: the addresses at which others reach it, and a picture of one to scan."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Collection
from typing import Final

import psutil
import segno

from ..settings import EVERYWHERE, AppSettings, listed

FRESH_S: Final = 10.0  # a laptop that changes networks is known under its new address soon
_VIRTUAL: Final = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "vEthernet", "cni", "flannel", "podman")

_known: tuple[float, frozenset[str]] | None = None


def own_addresses() -> Collection[str]:
    """Every address of this machine, as browsers write it in a Host."""
    global _known
    now = time.monotonic()
    if _known is None or now - _known[0] > FRESH_S:
        found = {address for addresses in _interfaces().values() for address in addresses}
        _known = (now, frozenset(found))
    return _known[1]


def lan_addresses() -> tuple[str, ...]:
    """The IPv4 addresses to give to others, those of real networks only."""
    up = {name for name, state in psutil.net_if_stats().items() if state.isup}
    found = [
        ipaddress.ip_address(address)
        for name, addresses in _interfaces().items()
        if name in up and not name.startswith(_VIRTUAL)
        for address in addresses
    ]
    usable = [one for one in found if one.version == 4 and not one.is_loopback and not one.is_link_local]
    return tuple(str(one) for one in sorted(usable, key=lambda one: (not one.is_private, int(one))))


def addresses(app: AppSettings) -> tuple[str, ...]:
    """Where to reach the server: first under the names that were chosen, then at its addresses."""
    scheme = "https" if app.certificate else "http"
    if app.trusted_proxies:  # people come through a proxy, which is the one to have a certificate
        named = tuple(f"https://{host}" for host in listed(app.hosts))
    else:
        named = tuple(f"{scheme}://{_in_url(host)}:{app.port}" for host in listed(app.hosts))
    numbers = lan_addresses() if app.host == EVERYWHERE else (app.host,)
    return (*named, *(f"{scheme}://{_in_url(number)}:{app.port}" for number in numbers or ("127.0.0.1",)))


def address_here(app: AppSettings) -> str:
    """Where this machine itself reaches the server."""
    scheme = "https" if app.certificate else "http"
    return f"{scheme}://{_in_url('127.0.0.1' if app.host == EVERYWHERE else app.host)}:{app.port}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def picture(address: str) -> str:
    """A QR code of an address, as a data: URI."""
    return str(segno.make(address, micro=False).svg_data_uri(scale=5, border=2, light="#fff"))


def _interfaces() -> dict[str, list[str]]:
    families = (socket.AF_INET, socket.AF_INET6)
    return {
        # An address of a link says after a % on which one.
        name: [one.address.partition("%")[0] for one in addresses if one.family in families]
        for name, addresses in psutil.net_if_addrs().items()
    }
