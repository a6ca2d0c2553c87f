"""Where a search stands: the address of a page of results carries its words, mode, order, grouping and number. Pure.

The words of addresses stay when those of the screen change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from engine import Mode
from engine.exploring import Order

from .i18n import N_

PATH: Final = "/chercher"
MODES: Final[Mapping[str, Mode]] = {"mixte": Mode.HYBRID, "exact": Mode.BM25, "sens": Mode.DENSE}
ORDERS: Final[Mapping[str, Order]] = {
    "pertinence": Order.RELEVANCE, "date": Order.NEWEST, "ancien": Order.OLDEST, "likes": Order.LIKES,
}  # fmt: skip
MODE_NAMES: Final[Mapping[str, str]] = {"mixte": N_("Mixed"), "exact": N_("Exact words"), "sens": N_("Meaning")}
ORDER_NAMES: Final[Mapping[str, str]] = {
    "pertinence": N_("Most relevant"), "date": N_("Newest"), "ancien": N_("Oldest"), "likes": N_("Most liked"),
}  # fmt: skip
BY_TOPIC: Final = "sujet"


@dataclass(frozen=True, slots=True)
class Place:
    """A page of results."""

    query: str = ""
    mode: str = "mixte"
    order: str = "pertinence"
    grouped: bool = False
    page: int = 1

    @property
    def address(self) -> str:
        """What leads there; what is usual is left out."""
        parts: dict[str, str | int] = {"q": self.query, **self.choices}
        if self.page > 1:
            parts["page"] = self.page
        return f"{PATH}?{urlencode(parts)}"

    @property
    def choices(self) -> dict[str, str]:
        """What was chosen besides the words, as the address says it."""
        found = {"mode": self.mode, "tri": self.order, "groupe": BY_TOPIC if self.grouped else ""}
        usual = {"mode": "mixte", "tri": "pertinence", "groupe": ""}
        return {name: value for name, value in found.items() if value != usual[name]}


def read(query: str, *, mode: str, order: str, group: str, page: str) -> Place:
    """The place that an address names; what it can't mean is as usual."""
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 8 else 1
    return Place(
        query=query,
        mode=mode if mode in MODES else "mixte",
        order=order if order in ORDERS else "pertinence",
        grouped=group == BY_TOPIC,
        page=max(1, number),
    )
