"""What the readers of a forum's backup or saved pages give to the store, item by item.

Knows nothing about any file format, nor about SQLite.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from .values import Category, PostId, PostNumber, Topic, TopicId


@dataclass(frozen=True, slots=True)
class Site:
    """What a source says of the forum as a whole; None where it says nothing."""

    title: str | None = None
    base_url: str | None = None  # "https://forum.example", no trailing slash


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file or image that a post shows or links."""

    url: str
    name: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of somebody else inside a post; topic and number are None when the attribution is lost."""

    author: str
    text: str
    topic_id: TopicId | None = None
    post_number: PostNumber | None = None


@dataclass(frozen=True, slots=True)
class CookedText:
    """The parts of one post's HTML, each NFC, free of markup and of control characters.

    `text` holds the author's own words only; what others said is in `quotes`.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    code: tuple[str, ...] = ()
    spoilers: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """A public post, as read from a source. `cooked` is the source's HTML, control characters removed."""

    id: PostId
    topic_id: TopicId
    post_number: PostNumber
    username: str
    display_name: str
    user_id: int | None
    created_at: datetime
    updated_at: datetime
    cooked: str
    parts: CookedText
    post_type: int = 1
    reply_to: PostNumber | None = None
    likes: int = 0
    revised_at: datetime | None = None  # when its words were last edited for all to see


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the forum keeps, as its own table lists them, whoever may see it. Whether a public post shows it is
    for the archive to find: until then nothing of it is written anywhere."""

    url: str
    sha1: str = ""  # 40 hex digits; "" when the forum does not say
    name: str = ""  # as the member who sent it named it
    size: int = 0  # bytes, 0 when unknown
    original: str = ""  # url of the upload that this is a smaller copy of


@dataclass(frozen=True, slots=True)
class PostMoved:
    """A public post once stood somewhere else."""

    topic_id: TopicId
    number: PostNumber
    post_id: PostId


FORUM_MODEL = "discourse:bge-m3"
"""What names, in vectors.db and in the manifest, the vectors that the forum itself computed with bge-m3."""


def beside_forum_model(own: str) -> str:
    """The name of an index whose vectors are the forum's, and those of our own bge-m3 for the other posts."""
    return f"{FORUM_MODEL}+{own}"


@dataclass(frozen=True, slots=True, eq=False)
class PostVector:
    """One vector that stands for the whole of a public post: (1024,) float32 of norm 1, of FORUM_MODEL."""

    post_id: PostId
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorsRefused:
    """How many vectors of the source can't be used, and why: "definition" (nothing says what made them), "model",
    "dimensions", "prompt" (a text of the forum stands before each post), "unreadable"."""

    reason: str
    count: int


class SkipReason(StrEnum):
    """Why a post was left out of the archive; the words are those of `status --json`."""

    PRIVATE_MESSAGE = "private_message"
    RESTRICTED_CATEGORY = "restricted_category"
    UNLISTED_TOPIC = "unlisted_topic"
    DELETED_TOPIC = "deleted_topic"
    DELETED_POST = "deleted_post"
    HIDDEN = "hidden"
    USER_DELETED = "user_deleted"
    SMALL_ACTION = "small_action"
    WHISPER = "whisper"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_CATEGORY = "unknown_category"
    MISSING_TOPIC = "missing_topic"
    DUPLICATE = "duplicate"
    UNREADABLE = "unreadable"
    ERASED = "erased"  # by a moderator of the archive, see engine/erase


@dataclass(frozen=True, slots=True)
class Skipped:
    """One post (or file) left out. `topic_id` None when it is not known or must not be told."""

    reason: SkipReason
    topic_id: TopicId | None = None
    post_id: PostId | None = None


@dataclass(frozen=True, slots=True)
class TopicExtent:
    """What a source says it holds of one topic: the ids of every post it announces, seen or not."""

    topic_id: TopicId
    post_ids: frozenset[PostId]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something of a source that could not be read; reading went on after it.

    `code` is an i18n key, `where` names the file and place ("t/12.json", "posts, line 40 213").
    `fatal` means that what comes after could not be read at all (a truncated file).
    """

    code: str
    where: str
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """How far a source has been read: bytes (or files) done of total, for the progress bar."""

    done: int
    total: int


SourceItem = (
    Site | Category | Topic | Post | PostMoved | PostVector | VectorsRefused | Upload | Skipped | TopicExtent | Flaw
    | Position
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UploadsReport:
    """What an import or a sync did about images and files; `held` counts those of earlier ones too."""

    fetched: int
    held: int
    held_bytes: int
    absent: int  # the source does not have them
    no_room: int  # in the quota, or too large
    finished: bool  # False when the source ended, or stopped answering, before its last file


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one import did. `complete` is False when part of the source could not be read."""

    complete: bool
    read: int
    added: int
    changed: int
    unchanged: int
    removed: int
    kept_absent: int  # absent from the source, kept because removing so many needs a word of the user
    skipped: dict[str, int]
    missing: int  # announced by the source, not found in it
    flaws: tuple[Flaw, ...]
    took_s: float
    vectors: int = 0  # of public posts, computed by the forum and kept
    vectors_refused: dict[str, int] = field(default_factory=dict)
    uploads: UploadsReport | None = None  # None when the source says nothing of images and files


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one live sync did, and how its count stands: the public topics announce so many posts, `holes` of which were
    never served; the private ones among them are in `imported.skipped`, those of private topics too."""

    imported: ImportReport
    topics: int  # public, in all
    announced: int
    held: int  # posts in the archive
    holes: int
    topics_read: int
    departed: int  # topics that the forum does not show any more, removed
    kept_topics: int  # the same, kept because removing so many needs a word of the user
    troubled: int  # topics that the server failed to show, asked for again next time
    requests: int
    waited_s: float  # because the server asked for it or failed
    took_s: float
    uploads: UploadsReport | None = None
