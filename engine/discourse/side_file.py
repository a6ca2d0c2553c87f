"""What stands beside topics that Archiviste exported and that Discourse's JSON has no place for: `archive.json`.

{"archiviste_export": 1,                  the version of this file; another one is not read
 "exported_at": "2026-11-30T10:00:00+00:00", "topics": 12, "posts": 340,
 "uncategorised": [7],                    topics that stand in no category, though the archive has categories
 "announced": {"7": 25},                  public posts that the forum announced of a topic that misses some
 "moved": [[7, 3, 120]],                  topic and number where the public post 120 once stood
 "uploads": [{"url": "/uploads/…", "sha1": "", "name": "vélo.png", "size": 1024, "original": ""}]}
                                          the files of `uploads/`, with the addresses that posts show them under
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..sources import PostMoved, Upload
from ..values import PostId, PostNumber, TopicId
from .saved_json import BadJsonError, Record, identifiers, integer, load, record_at, records_at, string

NAME = "archive.json"
MARK = "archiviste_export"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SideFile:
    """What it tells; nothing of a folder that has none, or one that can't be read."""

    uncategorised: frozenset[int] = frozenset()
    announced: Mapping[int, int] = field(default_factory=dict)
    moved: tuple[PostMoved, ...] = ()
    uploads: tuple[Upload, ...] = ()

    def expected(self, topic_id: int, found: int) -> int:
        """How many posts the forum announced of a topic, of which the folder holds so many."""
        return max(found, self.announced.get(topic_id, 0))


def read(root: Path) -> SideFile:
    """The side file of a folder of topics, or of the folder around its `t`."""
    places = (root, root.parent) if root.name == "t" else (root,)
    for place in places:
        try:
            record = load(place / NAME)
        except BadJsonError:
            continue
        if integer(record, MARK) == VERSION:
            counts = record_at(record, "announced")
            announced = {
                int(key): count
                for key in counts
                if key.isascii() and key.isdigit() and len(key) < 19 and (count := integer(counts, key)) is not None
            }
            loose = frozenset(identifiers(record, "uncategorised"))
            return SideFile(loose, announced, tuple(_moved(record)), tuple(_uploads(record)))
    return SideFile()


def written(upload: Upload) -> Record:
    """An upload as the side file holds it."""
    return {name: getattr(upload, name) for name in ("url", "sha1", "name", "size", "original")}


def _moved(record: Record) -> Iterator[PostMoved]:
    rows = record.get("moved")
    for row in rows if isinstance(rows, list) else ():
        ids = identifiers({"row": row}, "row")
        if len(ids) == 3:
            yield PostMoved(TopicId(ids[0]), PostNumber(ids[1]), PostId(ids[2]))


def _uploads(record: Record) -> Iterator[Upload]:
    for one in records_at(record, "uploads"):
        url, sha1, name, original = (string(one, key) for key in ("url", "sha1", "name", "original"))
        if url:
            yield Upload(url, sha1, name, max(0, integer(one, "size") or 0), original)
