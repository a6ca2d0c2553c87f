"""The look before an erasure: what a request stands for in this archive, and how much there is. Changes nothing."""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field

from ..errors import ErasureRefused
from ..progress import OnProgress, Progress
from ..settings import Settings
from ..store import ArchiveStore, VectorStore, erasing
from ..store.erasing import HeldPost
from . import erased as erase_list
from . import patterns, places, quotes
from .erased import Erased, Scope, Term, folded
from .files import Cleaner
from .fragments import SIZE, Fragments
from .items import Eraser
from .redact import Tally, terms_of
from .request import Pending, Request, new_token

STAGE = "erase_look"
ALIAS = "anon"  # as Discourse names a member whom it made anonymous
NAME_CHARS = 100
_REPORTED = 1000  # posts


@dataclass(frozen=True, slots=True)
class Plan:
    """A request, the list as it will be, and the counts by place."""

    pending: Pending
    erased: Erased
    counts: dict[str, int]

    def __bool__(self) -> bool:
        """Whether there is anything to erase now; the list takes what is asked for in any case."""
        return any(count for name, count in self.counts.items() if name not in ("unknown", "backups", "shared"))


@dataclass(slots=True)
class _Found:
    terms: list[Term] = field(default_factory=list)
    members: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    attributed: list[str] = field(default_factory=list)
    posts: set[int] = field(default_factory=set)
    held: dict[int, HeldPost] = field(default_factory=dict)
    quotes: set[str] = field(default_factory=set)
    titles: dict[int, str] = field(default_factory=dict)  # topic → title that goes


def look(
    settings: Settings,
    request: Request,
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """What would be erased. Raises ErasureRefused for a request that can't be understood."""
    data = settings.data
    if not request:
        raise ErasureRefused(reason="nothing")
    held = erase_list.load(data).keyed()
    with closing(ArchiveStore(data)) as store, closing(VectorStore(data)) as vectors:
        report = _Report(store, on_progress, check)
        found = _Found()
        _members(store, request, held, found)
        fragments = _texts(store, request, held, found, report)
        asked = held.with_more(
            terms=found.terms, members=found.members, posts=found.posts | set(request.posts),
            places={(post.topic_id, post.number) for post in found.held.values()}
            | erasing.earlier_places(store, found.held),
            topics=found.titles, quotes=found.quotes, words=request.words,
        )  # fmt: skip
        names = [name for name, _, _ in erasing.members(store)]
        eraser = Eraser(asked, names)
        counts, excused = _count(store, vectors, eraser, found, report)
        counts["unknown"] = len(set(request.posts) - found.held.keys())
        counts["shared"] = fragments.shared
        titles = Fragments(found.titles.values())
        for text in erasing.other_texts(store, without_titles_of=found.titles) if titles else ():
            titles.spare(text)
        for post in erasing.posts(store) if titles else ():
            titles.spare(post.text)
        sought = fragments.all()
        cleaner = Cleaner(eraser, frozenset(sought), SIZE)
        counts |= places.count(settings, cleaner, check=check)
    pending = Pending(
        new_token(), request, int(time.time()), names=tuple(found.names), attributed_names=tuple(found.attributed),
        fragments=sought + titles.all(), excused=tuple(sorted(excused)), counts=counts,
    )  # fmt: skip
    return Plan(pending, asked, counts)


def _members(store: ArchiveStore, request: Request, held: Erased, found: _Found) -> None:
    """The names of the request, with the displayed names and the numbers that the archive knows for them."""
    members = erasing.members(store)
    taken = {name for name, _, _ in members} | {term.alias for term in held.terms}
    known = {term.hash: term.alias for term in held.terms}
    for asked in request.users:
        name = " ".join(asked.strip().removeprefix("@").split())
        if not name or len(name) > NAME_CHARS:
            raise ErasureRefused(reason="no_word", value=asked)
        alias = known.get(held.hash(folded(name))) or _alias(taken)
        _name(name, alias, "attributed" if request.attributed else "words", held, found)
        for username, shown, number in members:
            if folded(username) != folded(name):
                continue
            if shown and folded(shown) != folded(name):
                # One word alone, « Marie », is also the name of others.
                alone = request.attributed or len(shown.split()) < 2
                _name(shown, alias, "attributed" if alone else "words", held, found)
            if number is not None and number > 0:
                found.members[held.hash_of_member(number)] = alias


def _name(name: str, alias: str, scope: Scope, held: Erased, found: _Found) -> None:
    terms = terms_of(name, held, alias, attributed=scope == "attributed")
    if not terms:
        raise ErasureRefused(reason="no_word", value=name)
    found.terms += terms
    (found.attributed if scope == "attributed" else found.names).append(name)


def _texts(store: ArchiveStore, request: Request, held: Erased, found: _Found, report: _Report) -> Fragments:
    """What the patterns stand for, and what only the erased posts say."""
    expressions = {pattern: patterns.compiled(pattern) for pattern in request.patterns}
    texts = {pattern for pattern, expression in expressions.items() if expression is None}
    searched = [expression for expression in expressions.values() if expression is not None]
    names = {folded(name.strip().removeprefix("@")) for name in request.users} if request.with_posts else set()
    wanted = set(request.posts)
    if wanted or names or searched:
        for post in report.posts():
            if post.id in wanted or folded(post.username) in names:
                found.held[post.id] = post
            for expression in searched:
                patterns.literals(expression, (post.text, post.code, post.spoilers, post.cooked), texts)
        opened = {post.topic_id for post in found.held.values() if post.number == 1}
        for topic in erasing.topics(store):
            for expression in searched:
                patterns.literals(expression, (topic.title,), texts)
            if topic.id in opened:
                found.titles[topic.id] = topic.title
    found.posts |= found.held.keys()
    for text in sorted(texts):
        found.terms += terms_of(text, held, request.words.gap, is_name=False)
        found.names.append(text)
    fragments = Fragments(text for post in found.held.values() for text in (post.text, post.code, post.spoilers))
    if fragments:
        for text in erasing.other_texts(store, without_titles_of=found.titles):
            fragments.spare(text)
        for post in report.posts():
            if post.id not in found.held:
                for text in (post.text, post.code, post.spoilers):
                    fragments.spare(text)
        for post in report.posts():
            if post.id not in found.held and any(mark in post.cooked for mark in quotes.MARKS):
                for said in quotes.said_in(post.cooked):
                    if fragments.stand_in(said):
                        found.quotes.add(held.hash(said))
    return fragments


def _count(
    store: ArchiveStore, vectors: VectorStore, eraser: Eraser, found: _Found, report: _Report
) -> tuple[dict[str, int], set[str]]:
    counts: Counter[str] = Counter()
    tally: Tally = Counter()
    titles: set[int] = set()
    changed: set[int] = set(found.held)
    names = [name.lower() for name in found.names]
    holding = re.compile("|".join(rf"\w*{re.escape(name)}\w*" for name in names)) if names else None
    excused = {
        name.lower() for name, _, _ in erasing.members(store)
        if any(part in name.lower() and part != name.lower() for part in names)
    }  # fmt: skip
    retitled = {}
    for topic in erasing.topics(store):
        fresh = eraser.title(topic.id, topic.title, topic.slug)
        if fresh != (topic.title, topic.slug):
            titles.add(topic.id)
            retitled[topic.id] = fresh[0] != topic.title
    for post in report.posts():
        if post.id in found.held:
            continue
        counts["posts_by"] += eraser.redactor.name(post.username) is not None
        fresh_html = eraser.html(post.cooked, tally)
        texts = (post.text, post.code, post.spoilers)
        if fresh_html != post.cooked or any(eraser.text(text) != text for text in texts):
            counts["posts_changed"] += 1
        if any(eraser.text(text) != text for text in texts) or retitled.get(post.topic_id):
            changed.add(post.id)
        if holding is not None:
            said = f"{post.text}\n{post.cooked}".lower()
            if any(name in said for name in names):
                excused |= {word for word in holding.findall(said) if word not in names}
    counts["posts_erased"] = len(found.held)
    counts["titles"] = len(titles)
    counts["vectors"] = erasing.passages_of(vectors, changed)
    counts["uploads"] = erasing.uploads_only_of(store, found.held)
    for kind in ("quotes", "mentions", "links", "words", "quotes_of_posts"):
        counts[kind] = tally[kind]
    return dict(counts), excused


def _alias(taken: set[str]) -> str:
    while True:
        alias = f"{ALIAS}{secrets.randbelow(900_000) + 100_000}"
        if alias not in taken:
            taken.add(alias)
            return alias


class _Report:
    """Reads all posts, some times over, and says how far it is."""

    def __init__(self, store: ArchiveStore, tell: OnProgress, check: Callable[[], None]) -> None:
        self._store, self._tell, self._check = store, tell, check
        self._total = store.counts()[0]

    def posts(self) -> Iterable[HeldPost]:
        for n, post in enumerate(erasing.posts(self._store)):
            if n % _REPORTED == 0:
                self._check()
                self._tell(Progress(STAGE, n, self._total))
            yield post
