"""Plain HTML elements for our own sheet: texts are inserted as text, attributes as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nicegui import Client, ui
from nicegui.elements.mixins.text_element import TextElement

Attribute = str | int | bool
E = TypeVar("E", bound=ui.element)


def box(tag: str = "div", classes: str = "", **attributes: Attribute) -> ui.element:
    """An element that holds others; `aria_label` stands for aria-label."""
    return _dressed(ui.element(tag), classes, attributes)


def text(said: str, tag: str = "span", classes: str = "", **attributes: Attribute) -> TextElement:
    """An element that holds a text."""
    return _dressed(TextElement(tag=tag, text=said), classes, attributes)


def link(said: str, target: str, classes: str = "", **attributes: Attribute) -> ui.link:
    """A link to one of our pages."""
    return _dressed(ui.link(said, target), classes, attributes)


def outside_link(said: str, target: str, classes: str = "") -> ui.link:
    """A link that leaves the application, in another tab."""
    return _dressed(ui.link(said, target, new_tab=True), classes, {"rel": "noopener noreferrer nofollow"})


def button(said: str, on_click: Callable[[], Any], classes: str = "button", **attributes: Attribute) -> TextElement:
    """A button; it submits no form."""
    element = _dressed(TextElement(tag="button", text=said), classes, {"type": "button", **attributes})
    element.on("click", lambda _event: on_click(), args=[])
    return element


def has_page(path: str) -> bool:
    """Whether a page of ours is registered at this address."""
    return path in Client.page_routes.values()


def _dressed(element: E, classes: str, attributes: dict[str, Attribute]) -> E:
    if classes:
        element.classes(classes)
    for name, value in attributes.items():
        # As a value, never through a props string that would be parsed: texts of the archive come here.
        element.props[name.rstrip("_").replace("_", "-")] = value
    return element
