"""The frozen values that pass between rooms: posts, queries, rankings, evidence, answers.

Knows nothing about SQLite, Whoosh, Chroma or any model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, NewType

import numpy as np
from numpy.typing import NDArray

PostId = NewType("PostId", int)
TopicId = NewType("TopicId", int)
PostNumber = NewType("PostNumber", int)
CategoryId = NewType("CategoryId", int)


# --- what an archive is made of ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Site:
    """What a source says of the forum as a whole; None where it says nothing."""

    title: str | None = None
    base_url: str | None = None  # "https://forum.example", no trailing slash


@dataclass(frozen=True, slots=True)
class Category:
    """A public category."""

    id: CategoryId
    name: str
    slug: str
    parent_id: CategoryId | None = None
    color: str = ""  # six hex digits
    position: int = 0
    description: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """A public topic. `expected_posts` is the source's own count of public posts, None if unknown."""

    id: TopicId
    title: str
    slug: str
    category_id: CategoryId | None
    created_at: datetime
    last_posted_at: datetime
    tags: tuple[str, ...] = ()
    views: int = 0
    likes: int = 0
    closed: bool = False
    archived: bool = False
    pinned: bool = False
    accepted_post_id: PostId | None = None
    expected_posts: int | None = None


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


SourceItem = Site | Category | Topic | Post | Skipped | TopicExtent | Flaw | Position


# --- searching --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed search. Words rank; every other field is a condition that a post must meet."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    before: date | None = None  # strictly before that day
    after: date | None = None  # that day or later

    @property
    def text(self) -> str:
        """The words and phrases in their order of kind: what the dense leg embeds."""
        return " ".join((*self.words, *self.phrases))

    @property
    def has_filters(self) -> bool:
        """Whether a post must meet a condition that the store can answer alone."""
        return bool(self.authors or self.categories or self.tags or self.before or self.after)


class Mode(StrEnum):
    """Which legs a search uses."""

    HYBRID = "hybrid"
    BM25 = "bm25"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ordered list of distinct posts, best first; scores are the leg's own and not comparable."""

    name: str
    post_ids: tuple[PostId, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """The share of one ranking in a fused score: weight / (k + rank), ranks from 1."""

    ranking: str
    rank: int
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class FusedPost:
    """A post with its fused score, which is exactly the sum of its contributions' shares."""

    post_id: PostId
    score: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result, ready to show."""

    rank: int
    post_id: PostId
    topic_id: TopicId
    post_number: PostNumber
    url: str  # on the forum, or a path when the forum's address is unknown
    path: str  # /t/slug/topic_id/post_number
    title: str
    category: str
    author: str
    created_at: datetime
    score: float
    excerpt: str
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search. `total` counts the posts ranked; `notices` are i18n codes for the screen."""

    query: Query
    text: str
    mode: Mode
    total: int
    hits: tuple[Hit, ...]
    took_ms: float
    notices: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


# --- answering --------------------------------------------------------------------------------


class Role(StrEnum):
    """Why a post stands in the context of an evidence."""

    OPENING = "opening"
    PARENT = "parent"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class ContextPost:
    """A post shown around a cited one; it is read with it but never cited in its place."""

    role: Role
    post_id: PostId
    post_number: PostNumber
    author: str
    created_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A numbered post that an answer may cite, with what was said around it."""

    n: int
    post_id: PostId
    topic_id: TopicId
    post_number: PostNumber
    url: str
    path: str
    title: str
    category: str
    author: str
    created_at: datetime
    text: str
    context: tuple[ContextPost, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A verified link from the answer to a post of the evidence; `quote` is verbatim from that post."""

    n: int
    post_id: PostId
    topic_id: TopicId
    post_number: PostNumber
    url: str
    path: str
    quote: str


class Zone(StrEnum):
    """How well the evidence can answer; empty never reaches a model."""

    EMPTY = "empty"
    WEAK = "weak"
    NORMAL = "normal"


class AbstentionReason(StrEnum):
    """Why no answer was written."""

    NO_EVIDENCE = "no_evidence"
    NO_MATCH = "no_match"  # evidence, but no sentence of it speaks of the question
    NO_CITATION = "no_citation"  # the model cited nothing of the evidence
    QUESTION_EMPTY = "question_empty"


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer. `text` holds `[[n]]` markers of `citations` only, and no other link."""

    question: str
    zone: Zone
    answerer: Literal["extractive", "llm"]
    text: str
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    removed_links: int = 0
    truncated: bool = False
    notices: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abstention:
    """A deliberate non-answer: its reason, and the passages that were looked at."""

    question: str
    zone: Zone
    answerer: Literal["extractive", "llm"]
    reason: AbstentionReason
    evidence: tuple[Evidence, ...] = ()
    removed_links: int = 0
    notices: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """First event of an answer being written: what it may cite."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer being written; plain text, markers not yet verified."""

    text: str


AnswerEvent = EvidenceFound | Piece | Answer | Abstention


# --- models -----------------------------------------------------------------------------------

TextRole = Literal["query", "passage"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message for a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


Embed = Callable[[Sequence[str], TextRole], Vectors]  # (n, d) float32, rows of norm 1
Rerank = Callable[[str, Sequence[str]], Sequence[float]]  # one score a text, in input order
Generate = Callable[[Sequence[Message]], Iterator[str]]  # closing the iterator stops generation


@dataclass(frozen=True, slots=True)
class Models:
    """The three seams; None means that the machine has no such model, an ordinary state."""

    embed: Embed | None = None
    embed_name: str | None = None  # what names these vectors in vectors.db and in the manifest
    rerank: Rerank | None = None
    generate: Generate | None = None
    count: Callable[[str], int] | None = None  # tokens of a text for the model behind `generate`
    close: Callable[[], None] = lambda: None  # gives back the memory and the process of a language model


# --- states -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a long work stands; `rate` in items a second, `left_s` None while it can't be told."""

    stage: str
    done: int
    total: int
    rate: float = 0.0
    left_s: float | None = None


OnProgress = Callable[[Progress], None]


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


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an archive, the document of `status --json`."""

    title: str
    base_url: str
    posts: int
    topics: int
    categories: int
    skipped: dict[str, int]
    lexical_posts: int
    dense_posts: int
    dense_coverage: float  # 0 to 1, of the posts long enough to have a vector
    dense_model: str | None
    generation: str | None
