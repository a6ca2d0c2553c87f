"""The second look: what is held is read again a part at a time, and what is not public any more goes.

Deletions, edits, moves and renamed topics leave no new post behind; only reading again finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ..discourse import public_json
from ..discourse.api import Forum
from ..store.removal import REMOVAL_FLOOR, REMOVAL_LIMIT
from ..store.sync_state import SyncState
from ..store.sync_values import HeldTopic
from .lists import Lists
from .raw_folder import topic_path, write
from .steps import Steps
from .topics import Topics


def follow_categories(
    state: SyncState, lists: Lists, folder: Path, *, now: int, accept_all: bool, check: Callable[[], None]
) -> int:
    """Shut the topics of categories that are not public any more, have those of opened ones read.

    Returns how many topics were kept because closing so many needs a word of the user.
    """
    state.want(i for i, category in state.gone_from_categories().items() if lists.verdict(category) is None)
    by_category = state.by_category()
    shut = {category: reason for category in by_category if (reason := lists.verdict(category)) is not None}
    going = sum(len(by_category[category]) for category in shut)
    if not accept_all and _too_many(going, sum(map(len, by_category.values()))):
        return going
    for category, reason in shut.items():
        for topic_id in by_category[category]:
            check()
            ids = state.announced(topic_id)
            write(topic_path(folder, topic_id), public_json.closed_topic(topic_id, category, ids))
            state.save(HeldTopic(topic_id, now, category, reason.value, {reason.value: len(ids)}), ids)
    return 0


def read_again(forum: Forum, state: SyncState, topics: Topics, steps: Steps, *, since: int, budget: int) -> None:
    """Read held topics again, the one that waits longest first, until `budget` requests are spent in this sync.

    `since` is when the sync began, `spent` remembered across interruptions; the topic under way is always finished.
    """
    waiting = state.unchecked_since(since)
    spent = state.number("spent")
    steps.begin("sync_recheck", len(waiting))
    for done, topic_id in enumerate(waiting):
        if spent >= budget:
            break
        topic = state.topic(topic_id)
        if topic is None or topic.gone or topic.checked_at >= since:
            continue
        before = forum.requests
        posts = topics.posts
        topics.refresh(topic_id, whole=True)
        while topics.follow() is not None:
            pass
        spent += forum.requests - before
        state.tell(spent=spent)
        allowed = round((done + 1) * budget / max(spent, 1))  # topics, at the requests they have cost so far
        steps.step(done + 1, items=topics.posts - posts, total=min(len(waiting), max(done + 1, allowed)))


def let_go(
    state: SyncState, folder: Path, *, now: float, accept_all: bool, check: Callable[[], None]
) -> tuple[int, int]:
    """Remove what the forum does not show any more: (topics removed, topics kept for want of consent)."""
    leaving = state.leaving()
    if not accept_all and _too_many(len(leaving), state.totals().topics + len(leaving)):
        state.stay(leaving)
        return 0, len(leaving)
    when = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    for topic_id in leaving:
        check()
        gone = public_json.departed_topic(topic_id, state.announced(topic_id), when=when)
        write(topic_path(folder, topic_id), gone)
        state.removed(topic_id)
    return len(leaving), 0


def _too_many(going: int, of: int) -> bool:
    """Most of an archive, which may be the only copy of a forum, does not go without a word of the user."""
    return going > max(REMOVAL_FLOOR, REMOVAL_LIMIT * of)
