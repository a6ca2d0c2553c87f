"""The descent through /posts.json: every public post, or those that are new, found by their ids.

`before` means "up to and with" on older servers and "below" on newer ones; some answer with the 50 newest posts, the
oldest ones with those of the 50 ids below, so that a page may be empty in the middle. A step that is right for all:
go on below the lowest id of the page, or 49 ids lower when that is further down.
"""

from __future__ import annotations

from ..discourse import public_json
from ..discourse.api import Forum, Gone
from ..discourse.json_post import reason_of
from ..discourse.saved_json import Record, identifier, identifiers, record_at, records_at, string
from ..store.sync_state import SyncState
from ..store.sync_values import NewPost, Walk
from .lists import Lists
from .steps import Steps

PAGE = 50  # posts of a page, or ids it looks at
OVERLAP = 50  # ids below the last newest one that are looked at again: some become public a moment after higher ones

YOUNGER_BY = 1000  # ids; no moderator deletes so many of the newest posts, a forum set up anew has forgotten them


def find_new_posts(forum: Forum, state: SyncState, lists: Lists, steps: Steps) -> None:
    """Go down from the newest post to those seen before (to 1 the first time), and keep what is public.

    A descent that was interrupted ends first; what came above it meanwhile is then walked too.
    """
    while (walk := state.walk()) is not None:
        _descend(walk, forum, state, lists, steps)
    newest = _newest(forum, state, lists)
    if newest is not None:
        _descend(newest, forum, state, lists, steps)


def _descend(walk: Walk, forum: Forum, state: SyncState, lists: Lists, steps: Steps) -> None:
    steps.begin("sync_posts", walk.top - walk.floor, done=walk.top - walk.before)
    while not walk.ended:
        posts = _page(forum, walk.before)
        lowest = min([walk.before - PAGE + 1, *(post_id for post_id in posts if post_id < walk.before)])
        walk = Walk(walk.top, max(lowest, 1), walk.floor)
        state.stepped(_new(posts, state, lists), walk)
        steps.step(walk.top - walk.before, items=len(posts))


def _newest(forum: Forum, state: SyncState, lists: Lists) -> Walk | None:
    """A descent from the newest post; None when there is nothing above what was seen."""
    posts = _page(forum, None)
    # The oldest servers look below the newest id of all, private posts too: the page may well be empty.
    top = max(posts, default=0) or _newest_of_latest_topic(forum)
    seen = state.number("seen")
    if seen - top > max(seen // 2, YOUNGER_BY):
        raise forum.unavailable("younger")
    floor = max(seen - OVERLAP, 0)
    if not top:
        return None
    walk = Walk(top, min(posts, default=top + 1), min(floor, top))
    state.stepped(_new(posts, state, lists), walk)
    return None if walk.ended else walk


def _newest_of_latest_topic(forum: Forum) -> int:
    latest = forum.get("/latest.json")
    topics = [] if isinstance(latest, Gone) else records_at(record_at(latest, "topic_list"), "topics")
    if not topics:
        return 0
    last = max(topics, key=lambda topic: string(topic, "last_posted_at"))
    topic = forum.get(f"/t/{identifier(last, 'id') or 0}.json")
    return 0 if isinstance(topic, Gone) else max(identifiers(record_at(topic, "post_stream"), "stream"), default=0)


def _page(forum: Forum, before: int | None) -> dict[int, Record]:
    """The posts of one page by id."""
    answer = forum.get("/posts.json", [("before", before)] if before is not None else [])
    if isinstance(answer, Gone) or not isinstance(answer.get("latest_posts"), list):
        raise forum.unavailable("blocked", path="/posts.json")
    return {post_id: post for post in records_at(answer, "latest_posts") if (post_id := identifier(post, "id"))}


def _new(posts: dict[int, Record], state: SyncState, lists: Lists) -> list[NewPost]:
    """What is public of a page and not held where it stands: a key may show its owner more than the public sees."""
    kept, seen = [], state.number("seen")
    for post_id, record in posts.items():
        topic_id = identifier(record, "topic_id")
        if topic_id is None or state.owner(post_id) == topic_id or reason_of(record) is not None:
            continue
        topic = state.topic(topic_id)
        if topic is not None and topic.gone and post_id <= seen:
            continue  # nobody has written there since it was refused
        if "category_id" not in record:  # old servers: the topic itself will tell
            kept.append(NewPost(post_id, topic_id, {}))
        elif lists.verdict(identifier(record, "category_id")) is None:
            kept.append(NewPost(post_id, topic_id, public_json.post(record)))
    return kept
