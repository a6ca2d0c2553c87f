"""The frozen values that pass between rooms: posts, queries, rankings, evidence, answers.

Knows nothing about SQLite, Whoosh, Chroma or any model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, NewType

from .progress import OnProgress as OnProgress
from .progress import Progress as Progress
from .verdicts import AbstentionReason as AbstentionReason
from .verdicts import ClaimCheck as ClaimCheck
from .verdicts import Declined as Declined
from .verdicts import Zone as Zone

PostId = NewType("PostId", int)
TopicId = NewType("TopicId", int)
PostNumber = NewType("PostNumber", int)
CategoryId = NewType("CategoryId", int)


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
    """The share of one ranking in a fused score, its term of the formula in `retrieve/fusion.py`; ranks from 1."""

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
    matched: tuple[str, ...] = ()  # terms of the query, as analysed, that the title or the post holds


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
    corrections: tuple[tuple[str, str], ...] = ()  # (typed, read) words: no post holds the first
    suggestion: str | None = None  # a whole search that may have been meant


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
    digest: str = ""


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
    digest: str = ""  # changes when the post is edited


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
    digest: str = ""  # of the post as it was read


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer. `text` holds `[[n]]` markers of `citations` only, and no other link."""

    question: str
    zone: Zone
    answerer: Literal["extractive", "llm", "remote"]
    text: str
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    removed_links: int = 0
    truncated: bool = False
    notices: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    checks: tuple[ClaimCheck, ...] = ()  # one a sentence of `text` that claims something
    dropped: tuple[str, ...] = ()  # sentences left out of `text` because no cited post supports them
    search: str = ""  # what was searched, when the question leaned on earlier ones

    @property
    def unsupported(self) -> tuple[ClaimCheck, ...]:
        """The sentences of `text` that their sources don't support."""
        return tuple(check for check in self.checks if not check.supported)


@dataclass(frozen=True, slots=True)
class Abstention:
    """A deliberate non-answer: its reason, and the passages that were looked at."""

    question: str
    zone: Zone
    answerer: Literal["extractive", "llm", "remote"]
    reason: AbstentionReason
    evidence: tuple[Evidence, ...] = ()
    removed_links: int = 0
    notices: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    category: str = ""  # of the archive, where the question may be asked; empty when none imposes itself
    search: str = ""  # what was searched, when the question leaned on earlier ones


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """First event of an answer being written: what it may cite."""

    evidence: tuple[Evidence, ...]
    search: str = ""  # what was searched, when the question leaned on earlier ones


@dataclass(frozen=True, slots=True)
class Queued:
    """The language model answers others first: `ahead` questions; 0 once its turn has come, after a wait or a load."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer being written; plain text, markers not yet verified."""

    text: str


AnswerEvent = EvidenceFound | Queued | Piece | Answer | Abstention | Declined


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
