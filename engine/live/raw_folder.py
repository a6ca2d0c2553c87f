"""The folder of raw JSON: `site.json`, `categories.json` and `t/ID.json`, which any import reads as a source.

A file is replaced whole or not at all, whatever happens meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from ..discourse.saved_json import BadJsonError, Record, identifier, load, record_at, records_at
from ..erase.items import eraser

FOLDER = "raw"


def topic_path(folder: Path, topic_id: int) -> Path:
    """Where the topic of that number is kept."""
    return folder / "t" / f"{topic_id}.json"


def write(path: Path, document: Mapping[str, object]) -> None:
    """Write one JSON object, on the disk before it takes the place of the one before; nothing that was erased."""
    erased = eraser(next((parent.parent for parent in path.parents if parent.name == FOLDER), path.parent))
    document = document if erased is None else erased.record(document)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    with beside.open("w", encoding="ascii") as file:  # escapes: a lone surrogate has no other form in a file
        file.write(json.dumps(document, separators=(",", ":")))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def posts_of(folder: Path, topic_id: int) -> dict[int, Record]:
    """The posts kept of a topic, by id; none when its file is not there or can't be read."""
    try:
        stream = record_at(load(topic_path(folder, topic_id)), "post_stream")
    except BadJsonError:
        return {}
    return {post_id: post for post in records_at(stream, "posts") if (post_id := identifier(post, "id")) is not None}
