"""Binds each page to the session that was given it: whoever knows its id can neither drive it nor send it files.

NiceGUI finds the page of an event by an id that the event itself carries. Here every handler of its socket is wrapped,
whatever its name, so that an event of a later version is checked too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from .opened import Access, Visitor
from .roles import Role

VISITOR: Final = "archiviste.visitor"  # where the guard leaves it in a scope
_UNCHECKED: Final = "unchecked"


def bind(access: Access) -> None:
    """Check every event of the pages' sockets from now on."""
    from nicegui import core

    for event, handler in [*core.sio.handlers["/"].items()]:
        if event != "disconnect":  # nothing to protect, and what it cleans up must always be cleaned up
            core.sio.on(event, handler=_checked(access, getattr(handler, _UNCHECKED, handler)))


def is_owner(page_id: str, visitor: Visitor) -> bool:
    """Whether a page was given to this visitor's session; so it is when there is no such page."""
    from nicegui import Client

    client = Client.instances.get(page_id)
    return client is None or _is_same(client.request.scope.get(VISITOR), visitor)


def is_own_socket(query: bytes, visitor: Visitor) -> bool:
    """Whether a polling request goes on with a connection that this visitor's session began."""
    from nicegui import core

    known = (core.sio.environ.get(sid) for sid in parse_qs(query.decode("latin-1")).get("sid", []))
    return all(_is_same(_visitor(environ), visitor) for environ in known if environ is not None)


def _checked(access: Access, handler: Callable[..., Any]) -> Callable[..., Any]:
    from nicegui import core

    async def checked(sid: str, *arguments: Any) -> Any:
        visitor = _visitor(core.sio.get_environ(sid))
        if visitor is None or access.role(visitor) < Role.READER:
            return False
        if not all(is_owner(page_id, visitor) for page_id in _claimed(arguments)):
            return False
        result = handler(sid, *arguments)
        return await result if inspect.isawaitable(result) else result

    setattr(checked, _UNCHECKED, handler)
    return checked


def _claimed(arguments: tuple[Any, ...]) -> Iterator[str]:
    """The pages that an event says it comes from."""
    for one in arguments:
        if isinstance(one, Mapping):
            yield from (str(one["client_id"]),) if "client_id" in one else ()
            yield from parse_qs(str(one.get("QUERY_STRING", ""))).get("client_id", ())


def _visitor(environ: Mapping[str, Any] | None) -> Visitor | None:
    found = (environ or {}).get("asgi.scope", {}).get(VISITOR)
    return found if isinstance(found, Visitor) else None


def _is_same(one: Visitor | None, other: Visitor) -> bool:
    return one is not None and one.token == other.token
