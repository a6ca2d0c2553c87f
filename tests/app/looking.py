"""What a reader sees of the page that a visitor is on, and clicks on what holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from nicegui import ElementFilter, ui
from nicegui.element import Element
from nicegui.testing import User

DEADLINE_S = 20.0


async def arrive(user: User, address: str) -> None:
    """Open the page at an address and wait until nothing of it is still being read."""
    await user.open(address)
    async with asyncio.timeout(DEADLINE_S):
        while any(element.props.get("aria-busy") == "true" for element in shown(user)):
            await asyncio.sleep(0.02)


def shown(user: User) -> Iterator[Element]:
    """The visible elements, in the order in which they were made."""
    with user:
        yield from [element for element in ElementFilter() if _is_visible(element)]


def seen(user: User) -> list[str]:
    """The visible texts."""
    return [element.text for element in shown(user) if getattr(element, "text", "")]


def links(user: User, said: str, kind: str = "") -> list[str]:
    """Addresses of the visible links (of this class) that say this, themselves or by what they hold."""
    return [
        str(element.props["href"])
        for element in shown(user)
        if isinstance(element, ui.link) and (not kind or kind in element.classes)
        if said in [element.text, *(getattr(part, "text", "") for part in element.descendants())]
    ]


def button(user: User, said: str) -> Element:
    """The first visible button that says this."""
    return next(element for element in shown(user) if element.tag == "button" and getattr(element, "text", "") == said)


def trigger(element: Element, event: str, args: object = None) -> None:
    """Let an event happen to an element, as the browser reports it."""
    (listener,) = [one for one in element._event_listeners.values() if one.type == event and one.handler is not None]
    element._handle_event({"listener_id": listener.id, "args": args})


def _is_visible(element: Element) -> bool:
    here: Element | None = element
    while here is not None:
        if not here.visible:
            return False
        here = here.parent_slot.parent if here.parent_slot is not None else None
    return True
