"""What a live sync remembers, as values: topics that were read, posts that were found, where the descent stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HeldTopic:
    """A topic that was read. `gone` says why it is not public ("" when it is): a SkipReason, or an HTTP status."""

    id: int
    checked_at: int  # seconds since 1970 when the forum was last asked for the whole of it; 0 is never
    category_id: int | None
    gone: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)  # its private posts, by reason


@dataclass(frozen=True, slots=True)
class NewPost:
    """A post that the walk found, kept until its topic is read."""

    id: int
    topic_id: int
    record: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Walk:
    """The descent through post ids: those above `floor` and below `before` are to be seen; `top` is the newest."""

    top: int
    before: int
    floor: int

    @property
    def ended(self) -> bool:
        return self.before <= self.floor + 1


@dataclass(frozen=True, slots=True)
class Totals:
    """Of the topics that are public: how many, the posts that they announce, and those that were never served."""

    topics: int
    announced: int
    holes: int
