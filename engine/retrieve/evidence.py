"""From ranked posts to numbered evidence: the post, its neighbours, its parent, the opening post, the title.

Small is searched, large is read: context belongs here, not in the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..index.french import Analyser
from ..settings import Settings
from ..store.archive import ArchiveStore, PostRow
from ..values import ContextPost, Evidence, FusedPost, PostId, Role, TopicId
from .excerpt import best_window

CONSIDERED = 50  # ranked posts looked at; lower ones are not evidence however much room is left
LONG_TOPIC_CAP = 2
EVIDENCE_CHARS = 2400  # of a cited post; a longer one is read around what was asked
CONTEXT_CHARS = 500  # of each post around it


def gather(
    question: str,
    ranked: Sequence[FusedPost],
    *,
    store: ArchiveStore,
    analyser: Analyser,
    settings: Settings,
    count: Callable[[str], int] = lambda text: len(text) // 4 + 1,
) -> tuple[Evidence, ...]:
    """Evidence numbered from 1 in rank order, within the settings' number and token budget.

    One post a topic, two of a long one. Posts that left the store are not evidence. `count` counts tokens.
    """
    terms = set(analyser.words(question))
    rows = store.posts(fused.post_id for fused in ranked[:CONSIDERED])
    chosen = _choose((rows[f.post_id] for f in ranked[:CONSIDERED] if f.post_id in rows), store, settings)
    cited = {row.id for row in chosen}
    base_url = store.meta("base_url")
    evidence: list[Evidence] = []
    spent = 0
    for row in chosen:
        text = _clip(row.text or row.code, terms, analyser, EVIDENCE_CHARS)
        cost = count(row.title) + count(text)
        if evidence and spent + cost > settings.evidence_tokens:
            break
        spent += cost
        context: list[ContextPost] = []
        for near in _around(row, cited, store, settings):
            shown = _context(near, row, terms, analyser)
            price = count(shown.text)
            if spent + price <= settings.evidence_tokens:
                spent += price
                context.append(shown)
        found = Evidence(
            n=len(evidence) + 1, post_id=row.id, topic_id=row.topic_id, post_number=row.post_number,
            url=base_url + row.path, path=row.path, title=row.title, category=row.category, author=row.username,
            created_at=row.created_at, text=text, context=tuple(context), digest=row.digest,
        )  # fmt: skip
        evidence.append(found)
    return tuple(evidence)


def _choose(rows: Iterable[PostRow], store: ArchiveStore, settings: Settings) -> list[PostRow]:
    chosen: list[PostRow] = []
    taken: dict[TopicId, int] = {}
    readable = [row for row in rows if row.text.strip() or row.code.strip()]  # an image alone proves nothing
    for row in _answers_first(readable):
        held = taken.get(row.topic_id, 0)
        cap = LONG_TOPIC_CAP if held and store.topic_size(row.topic_id) >= settings.long_topic_posts else 1
        if held < cap:
            taken[row.topic_id] = held + 1
            chosen.append(row)
        if len(chosen) == settings.evidence_max:
            break
    return chosen


def _answers_first(rows: Sequence[PostRow]) -> Iterator[PostRow]:
    """The rows in their order, except that a post that asks gives its place to the best ranked reply after it.

    A question of the archive looks most like the question asked, but the words that answer follow it; it is read
    with them anyway, as a neighbour.
    """
    moved: set[PostId] = set()
    for i, row in enumerate(rows):
        if row.id in moved:
            continue
        if _asks(row):
            for later in rows[i + 1 :]:
                follows = later.topic_id == row.topic_id and later.post_number > row.post_number
                if follows and later.id not in moved and not _asks(later):
                    moved.add(later.id)
                    yield later
                    break
        yield row


def _asks(row: PostRow) -> bool:
    return "?" in row.text or (row.post_number == 1 and "?" in row.title)


def _around(row: PostRow, cited: set[PostId], store: ArchiveStore, settings: Settings) -> list[tuple[Role, PostRow]]:
    """What is read with a post, most useful first: parent, opening post, neighbours from the nearest on."""
    found: list[tuple[Role, PostRow]] = []
    if row.reply_to and (parent := store.post_at(row.topic_id, row.reply_to)):
        found.append((Role.PARENT, parent))
    if opening := store.post_at(row.topic_id, 1):
        found.append((Role.OPENING, opening))
    n = settings.evidence_neighbours
    near = store.window(row.topic_id, row.post_number, before=n, after=n) if n else ()
    by_distance = sorted(near, key=lambda post: abs(post.post_number - row.post_number))
    found += [(Role.BEFORE if p.post_number < row.post_number else Role.AFTER, p) for p in by_distance]
    kept: dict[PostId, tuple[Role, PostRow]] = {}
    for role, post in found:
        if post.id != row.id and post.id not in cited and post.text.strip():
            kept.setdefault(post.id, (role, post))
    return list(kept.values())


def _context(near: tuple[Role, PostRow], row: PostRow, terms: set[str], analyser: Analyser) -> ContextPost:
    role, post = near
    return ContextPost(
        role=role, post_id=post.id, post_number=post.post_number, author=post.username,
        created_at=post.created_at, text=_clip(post.text, terms, analyser, CONTEXT_CHARS), digest=post.digest,
    )  # fmt: skip


def _clip(text: str, terms: set[str], analyser: Analyser, chars: int) -> str:
    start, end = best_window(text, terms, analyser.words, chars=chars)
    return text[start:end].strip()
