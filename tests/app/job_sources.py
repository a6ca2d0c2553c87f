"""Small sources for the tests of the jobs: folders of saved topics, and a wait with a deadline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
AT = "2014-03-01T12:00:00.000Z"


def topics(folder: Path, *, posts: int, first_topic: int = 1, a_topic: int = 5) -> Path:
    """A folder of saved topics with so many posts, each long enough to have a vector of its own."""
    folder.mkdir(parents=True)
    for n in range(0, posts, a_topic):
        topic = first_topic + n // a_topic
        held = [_post(topic, number) for number in range(1, min(a_topic, posts - n) + 1)]
        document = {
            "id": topic, "title": f"Accord {topic}", "slug": "accord", "archetype": "regular", "visible": True,
            "deleted_at": None, "category_id": None, "created_at": AT, "last_posted_at": AT,
            "post_stream": {"posts": held, "stream": [post["id"] for post in held]},
        }  # fmt: skip
        (folder / f"{topic}.json").write_text(json.dumps(document), "utf-8")
    return folder


def _post(topic: int, number: int) -> dict[str, object]:
    return {
        "id": topic * 100 + number, "post_number": number, "post_type": 1, "hidden": False, "user_deleted": False,
        "deleted_at": None, "username": "alice", "name": "Alice", "created_at": AT, "updated_at": AT,
        "cooked": f"<p>La mandoline {topic} du luthier {number} sonne mieux avec des cordes neuves.</p>",
    }  # fmt: skip


def until(true: Callable[[], T], *, within_s: float = 60.0, every_s: float = 0.05) -> T:
    """What the condition gives once it holds; fails after the deadline."""
    deadline = time.monotonic() + within_s
    while not (found := true()):
        assert time.monotonic() < deadline, "too late"
        time.sleep(every_s)
    return found
