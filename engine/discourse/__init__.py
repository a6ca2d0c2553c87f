"""Reads what Discourse gives — a backup, saved topics, saved posts — as public values only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from ..errors import ArchiveFormatError
from ..sources import SourceItem
from . import backup, post_files, saved_json, topic_json
from .dump import read_dump

__all__ = ["Source", "read"]

_PROBES = 20  # files looked at to tell what a folder holds; some may be broken

Kind = Literal["dump", "topics", "posts"]


@dataclass(frozen=True, slots=True)
class Source:
    """A recognised source. `items` is read once, lazily; it may raise ArchiveFormatError too.

    What the absence of a post means depends on `kind`, and only after a read without a flaw:
    "dump" is the whole forum, "topics" is whole for each topic that has a TopicExtent, "posts" never
    implies anything of what it lacks.
    """

    kind: Kind
    path: Path
    items: Iterator[SourceItem]

    @property
    def whole_forum(self) -> bool:
        """Whether a post that is not in this source is not public on the forum any more."""
        return self.kind == "dump"


def read(path: Path, *, check: Callable[[], None] = lambda: None) -> Source:
    """The source at `path`, recognised by its content: a backup (or a folder around it) or saved JSON.

    `check` is called every few hundred rows or at each file; what it raises ends the reading.
    Raises ArchiveFormatError with a `reason`: not_found, unreadable_file, empty_folder,
    no_topics_or_posts, several_backups, not_a_dump, pg_custom_format, unreadable_gzip, unreadable_tar,
    tar_without_dump, truncated_dump, corrupt_dump; while reading: no_posts_table (or another needed
    table), missing_columns (with `where`).
    """
    try:
        if not path.exists():
            raise ArchiveFormatError(path=str(path), reason="not_found")
        if path.is_dir():
            return _read_folder(path, check)
        with path.open("rb") as file:
            begins_as_json = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    except OSError as error:
        raise ArchiveFormatError(path=str(path), reason="unreadable_file") from error
    if begins_as_json:
        found = _saved(saved_json.SavedFolder(path.parent, (path.name,), _lists_beside(path)), check)
        if found is None:
            raise ArchiveFormatError(path=str(path), reason="no_topics_or_posts")
        return Source(found[0], path, found[1])
    backup.recognise(path, check=check)
    return Source("dump", path, read_dump(path, check=check))


def _read_folder(path: Path, check: Callable[[], None]) -> Source:
    """A folder of saved JSON, or one that holds a backup at its top."""
    backups = [file for name in backup.DUMP_NAMES if (file := path / name).is_file()]
    backups = backups[:1] or sorted(file for file in path.glob("*.tar.gz") if file.is_file())
    if len(backups) > 1:
        raise ArchiveFormatError(path=str(path), reason="several_backups")
    if backups:
        backup.recognise(backups[0], check=check)
        return Source("dump", backups[0], read_dump(backups[0], check=check))
    folder = saved_json.find(path, check=check)
    found = _saved(folder, check)
    if found is not None:
        return Source(found[0], path, found[1])
    empty = not folder.files and not folder.lists and next(path.iterdir(), None) is None
    raise ArchiveFormatError(path=str(path), reason="empty_folder" if empty else "no_topics_or_posts")


def _saved(folder: saved_json.SavedFolder, check: Callable[[], None]) -> tuple[Kind, Iterator[SourceItem]] | None:
    """What the JSON files are; folders named as the tools name them go first, content decides."""
    named_t, named_posts = _inside(folder, "t"), _inside(folder, "posts")
    if _any(folder, named_t, topic_json.is_topic):
        return "topics", topic_json.read_folder(folder, named_t, check=check)
    if _any(folder, named_posts, post_files.is_post):
        return "posts", post_files.read_folder(folder, named_posts, check=check)
    if _any(folder, folder.files, topic_json.is_topic):
        return "topics", topic_json.read_folder(folder, folder.files, check=check)
    if _any(folder, folder.files, post_files.is_post):
        return "posts", post_files.read_folder(folder, folder.files, check=check)
    return None


def _inside(folder: saved_json.SavedFolder, name: str) -> Sequence[str]:
    if folder.root.name == name:
        return folder.files
    return [file for file in folder.files if name in PurePosixPath(file).parts[:-1]]


def _any(folder: saved_json.SavedFolder, files: Sequence[str], looks: Callable[[saved_json.Record], bool]) -> bool:
    for name in files[:_PROBES]:
        try:
            if looks(saved_json.load(folder.root / name)):
                return True
        except saved_json.BadJsonError:
            continue
    return False


def _lists_beside(path: Path) -> tuple[Path, ...]:
    folders = (path.parent, path.parent.parent) if path.parent.name == "t" else (path.parent,)
    return tuple(found for folder in folders for name in saved_json.LIST_NAMES if (found := folder / name).is_file())
