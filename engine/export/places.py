"""Where each post stands in a static archive. Pages hold ranges of numbers, so that an address never changes.

Post 120 of topic 7 is at `t/7/3.html#post_120`, whatever is exported before or after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..store import ArchiveStore, exporting
from ..store.columns import Numbers

POSTS_A_PAGE = 50
_PATH = re.compile(r"/t/(?:[^/?#]*[^/\d?#][^/?#]*/)?(\d{1,12})(?:/(\d{1,9}))?(?:[?#].*)?")


def page_of(number: int) -> int:
    """The page of a topic on which a post of this number stands."""
    return max(0, number - 1) // POSTS_A_PAGE + 1


@dataclass(frozen=True, slots=True)
class Places:
    """The numbers of all held posts; both arrays (n,) rise together."""

    topics: Numbers
    numbers: Numbers
    accepted: Mapping[int, int]  # number of the answer by topic
    moved: Mapping[tuple[int, int], tuple[int, int]]  # (topic, number) where a post stood → where it stands

    @classmethod
    def of(cls, store: ArchiveStore) -> Places:
        """The places of the posts that the archive holds now."""
        return cls(*exporting.numbers(store), exporting.accepted(store), exporting.moved_to(store))

    def of_topic(self, topic_id: int) -> Numbers:
        """The numbers of the held posts of a topic, rising."""
        first, last = np.searchsorted(self.topics, [topic_id, topic_id + 1])
        return self.numbers[first:last]

    def pages(self, topic_id: int) -> tuple[int, ...]:
        """The pages of a topic; there are gaps when many posts are not held."""
        return tuple(np.unique(np.maximum(0, self.of_topic(topic_id) - 1) // POSTS_A_PAGE + 1).tolist())

    def quoted(self, topic_id: int, number: int | None) -> str | None:
        """The application's path of a place that is quoted, wherever it stands now; None when it is not held."""
        if number is None:
            return f"/t/{topic_id}" if len(self.of_topic(topic_id)) else None
        topic_id, number = self.moved.get((topic_id, number), (topic_id, number))
        return f"/t/{topic_id}/{number}" if number in self.of_topic(topic_id) else None

    def address(self, path: str) -> str | None:
        """Where a path of the application leads ("/t/slug/7/120") from the root; None when nothing is held there.

        A post that is not held is looked for where it would stand: the page of the next one, else of the last.
        """
        found = _PATH.fullmatch(path)
        if found is None:
            return None
        topic_id, number = int(found[1]), int(found[2] or 0)
        topic_id, number = self.moved.get((topic_id, number), (topic_id, number))
        held = self.of_topic(topic_id)
        if not len(held):
            return None
        at = min(int(np.searchsorted(held, number)), len(held) - 1)
        address = f"t/{topic_id}/{page_of(int(held[at]))}.html"
        return f"{address}#post_{number}" if held[at] == number else address
