"""Addresses of the pages for browsing, and what their lists are sorted by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from engine import Category
from engine.store.browsing import TopicOrder
from engine.store.members import MemberOrder

from .i18n import N_
from .search_place import Place

PATH: Final = "/parcourir"
TOPICS, TAGS, MEMBERS, DAY = "/sujets", "/etiquettes", "/auteurs", "/ce-jour-la"
TOPIC_ORDERS: Final[Mapping[str, TopicOrder]] = {
    "activite": TopicOrder.ACTIVE, "date": TopicOrder.CREATED, "messages": TopicOrder.POSTS,
    "vues": TopicOrder.VIEWS, "likes": TopicOrder.LIKES,
}  # fmt: skip
TOPIC_ORDER_NAMES: Final[Mapping[str, str]] = {
    "activite": N_("Latest activity"), "date": N_("Newest"), "messages": N_("Most messages"),
    "vues": N_("Most viewed"), "likes": N_("Most liked"),
}  # fmt: skip
MEMBER_ORDERS: Final[Mapping[str, MemberOrder]] = {
    "messages": MemberOrder.POSTS, "nom": MemberOrder.NAME, "recent": MemberOrder.LATEST,
}  # fmt: skip
MEMBER_ORDER_NAMES: Final[Mapping[str, str]] = {
    "messages": N_("Most messages"), "nom": N_("By name"), "recent": N_("Latest activity"),
}  # fmt: skip
_LEAP_YEAR: Final = 2024  # has every day


def category_path(category: Category) -> str:
    """Where a category is browsed; as on a Discourse."""
    return f"/c/{quote(category.slug or '-', safe='')}/{category.id}"


def tag_path(tag: str) -> str:
    """Where the topics of a tag are."""
    return f"/etiquette/{quote(tag, safe='')}"


def member_path(username: str) -> str:
    """Where a member's posts by year are."""
    return f"/u/{quote(username, safe='')}"


def day_path(day: date) -> str:
    """Where a day of every year is."""
    return f"{DAY}/{day:%m-%d}"


def read_day(said: str) -> date | None:
    """The day that MM-DD names, in a year that has every day; None when there is no such day."""
    try:
        return date.fromisoformat(f"{_LEAP_YEAR}-{said}") if len(said) == 5 else None
    except ValueError:
        return None


def same_day(day: date) -> date:
    """The day in the year that `read_day` gives."""
    return day.replace(year=_LEAP_YEAR)


def beside(day: date, days: int) -> date:
    """The day so many days before or after, whatever the year."""
    return same_day(day + timedelta(days=days))


def posts_between(first: date, end: date, *, more: str = "") -> str:
    """The address of a search of the posts from `first` to the day before `end`, oldest first."""
    query = f"{more} après:{first.isoformat()} avant:{end.isoformat()}".strip()
    return Place(query=query, order="ancien").address


def posts_by(username: str) -> str:
    """The address of a search of a member's posts, newest first."""
    return Place(query=f'auteur:"{username}"', order="date").address


def listed(path: str, *, order: str, usual: str, page: int) -> str:
    """The address of a page of a list; what is usual is left out."""
    parts: dict[str, str | int] = {}
    if order != usual:
        parts["tri"] = order
    if page > 1:
        parts["page"] = page
    return f"{path}?{urlencode(parts)}" if parts else path
