"""Reads topics of a live forum one by one, and keeps what is public of them in the raw folder."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..discourse import public_json
from ..discourse.api import Forum, Gone
from ..discourse.json_post import reason_of
from ..discourse.saved_json import Record, identifier, identifiers, record_at, records_at
from ..errors import ForumUnavailable
from ..store.sync_state import SyncState
from ..store.sync_values import HeldTopic
from . import raw_folder
from .lists import Lists, still_open

CHUNK = 20  # posts that Discourse gives at a time
ASKED_POSTS = 5  # of those that left a topic: enough to learn where they went
MAX_WHOLE = 2  # times that one sync reads a topic whole: caches may tell of a post in two places
MAX_TROUBLED = 5  # topics in a row that the server can't show; then something is wrong with all of it
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Served:
    """A topic as it was served: the ids it announces in their order, and the posts that came or were at hand."""

    record: Record
    announced: tuple[int, ...]
    posts: Mapping[int, Record]


class Topics:
    """The reading of topics during one sync.

    A topic that the forum refuses counts as gone only once the forum has shown something else afterwards: a login
    that is suddenly required, or a wall in front of the server, refuses everything and removes nothing.
    """

    def __init__(self, forum: Forum, state: SyncState, lists: Lists, folder: Path) -> None:
        self._forum, self._state, self._lists, self._folder = forum, state, lists, folder
        self._refused: dict[int, Gone] = {}
        self._whole: Counter[int] = Counter()  # how often topics were read whole in this sync
        self._troubled_in_a_row = 0
        self.read = self.posts = 0
        self.troubled: list[int] = []

    def refresh(self, topic_id: int, *, whole: bool) -> None:
        """Read a topic: `whole`, or only the posts of it that are not held. Raises ForumUnavailable."""
        try:
            self._refresh(topic_id, whole=whole)
            self._troubled_in_a_row = 0
        except ForumUnavailable as error:
            # One topic that makes the server fail must not keep all others away.
            self._troubled_in_a_row += 1
            if error.details["reason"] not in ("failing", "garbled") or self._troubled_in_a_row > MAX_TROUBLED:
                raise
            still_open(self._forum)
            _log.warning("topic %d is passed over: %s", topic_id, error)
            self.troubled.append(topic_id)

    def follow(self) -> int | None:
        """Read one of the topics that posts moved to, or from; how many remain, None when there was none."""
        wanted = self._state.wanted()
        for topic_id in wanted:
            if self._whole[topic_id] >= MAX_WHOLE:
                self._state.unwant(topic_id)
            elif topic_id not in self._refused and topic_id not in self.troubled:
                self.refresh(topic_id, whole=True)
                return len(wanted) - 1
        return None

    def conclude(self) -> bool:
        """Believe the refusals so far, if the forum still shows itself; whether there were any.

        Raises ForumUnavailable when it does not.
        """
        if not self._refused:
            return False
        still_open(self._forum)
        self._believe()
        return True

    # --- reading ---

    def _refresh(self, topic_id: int, *, whole: bool) -> None:
        held = self._state.announced(topic_id)
        at_hand: dict[int, Record] = {}
        if not whole:
            at_hand = raw_folder.posts_of(self._folder, topic_id)
            at_hand |= {id_: post for post in self._state.new_posts(topic_id) if (id_ := identifier(post, "id"))}
        else:
            self._whole[topic_id] += 1
        elsewhere = frozenset() if whole else frozenset(id_ for id_, served in held.items() if served)
        served = self._fetch(topic_id, at_hand, elsewhere)
        if isinstance(served, Gone):
            self._refused[topic_id] = served
            return
        moved_to = self._find(topic_id, held.keys() - set(served.announced))
        self._keep(topic_id, served, held, elsewhere, whole=whole, moved_to=moved_to)
        self.read += 1
        self.posts += len(served.posts)
        self._believe()

    def _fetch(self, topic_id: int, at_hand: Mapping[int, Record], elsewhere: Container[int]) -> _Served | Gone:
        """The topic and the posts of it that are neither at hand nor held elsewhere."""
        page = self._forum.get(f"/t/{topic_id}.json")
        if isinstance(page, Gone):
            return page
        told = identifier(page, "id")
        if told is not None and told != topic_id:
            return Gone(301, "moved", topic_id=told)
        stream = record_at(page, "post_stream")
        if told is None or not stream:
            raise self._forum.unavailable("garbled", path=f"/t/{topic_id}.json")
        came = _by_id(records_at(stream, "posts"))
        announced = tuple(dict.fromkeys([*identifiers(stream, "stream"), *came]))
        category = identifier(page, "category_id")
        self._lists.verdict(category)  # asks about a category that no list names
        if public_json.topic_reason(page, self._lists.verdicts) is not None:
            return _Served(page, announced, {})
        posts = {id_: at_hand[id_] for id_ in announced if id_ in at_hand and "post_type" in at_hand[id_]} | came
        missing = [id_ for id_ in announced if id_ not in posts and id_ not in elsewhere]
        for start in range(0, len(missing), CHUNK):
            chunk = missing[start : start + CHUNK]
            answer = self._forum.get(f"/t/{topic_id}/posts.json", [("post_ids[]", id_) for id_ in chunk])
            if isinstance(answer, Gone):
                return answer
            more = _by_id(records_at(record_at(answer, "post_stream"), "posts"))
            posts |= {id_: more[id_] for id_ in chunk if id_ in more}
        return _Served(page, announced, posts)

    def _keep(
        self,
        topic_id: int,
        served: _Served,
        held: Mapping[int, bool],
        elsewhere: Container[int],
        *,
        whole: bool,
        moved_to: Iterable[int],
    ) -> None:
        """Write what is public of the topic, then remember it."""
        before = self._state.topic(topic_id)
        partly = before is not None and not before.gone and not whole
        checked_at = before.checked_at if before is not None and partly else int(self._forum.clock.time())
        category = identifier(served.record, "category_id")
        reason = public_json.topic_reason(served.record, self._lists.verdicts)
        path = raw_folder.topic_path(self._folder, topic_id)
        if reason is not None:
            ids = tuple(dict.fromkeys([*served.announced, *held]))
            raw_folder.write(path, public_json.private_topic(served.record, ids))
            announced = dict.fromkeys(ids, True)
            skipped = Counter({reason.value: len(ids)})
        else:
            posts = [served.posts[id_] for id_ in served.announced if id_ in served.posts]
            raw_folder.write(
                path,
                public_json.topic(served.record, posts, served.announced, public_tags=self._lists.public_tags),
            )
            announced = {id_: id_ in served.posts or id_ in elsewhere for id_ in served.announced}
            skipped = Counter(why.value for post in posts if (why := reason_of(post)) is not None)
        topic = HeldTopic(topic_id, checked_at, category, reason.value if reason else "", skipped)
        self._state.save(topic, announced, whole=whole, want=moved_to)

    # --- what is not there any more ---

    def _believe(self) -> None:
        """The forum has just shown something: what it refused before is gone."""
        while self._refused:
            topic_id, gone = next(iter(self._refused.items()))
            if gone.topic_id is not None:
                moved_to = {gone.topic_id}
            else:
                moved_to = self._find(topic_id, self._state.announced(topic_id))
            self._state.left(topic_id, str(gone.status), at=int(self._forum.clock.time()), want=moved_to)
            del self._refused[topic_id]

    def _find(self, topic_id: int, post_ids: Iterable[int]) -> set[int]:
        """Ask a few posts that left a topic where they are now: moderators move posts, and merge topics."""
        lost = sorted(id_ for id_ in post_ids if self._state.owner(id_) == topic_id)
        asked = {lost[n * (len(lost) - 1) // (ASKED_POSTS - 1)] for n in range(ASKED_POSTS)} if lost else set()
        found = set()
        for post_id in sorted(asked):
            post = self._forum.get(f"/posts/{post_id}.json")
            now_in = None if isinstance(post, Gone) else identifier(post, "topic_id")
            if now_in is not None and now_in != topic_id:
                found.add(now_in)
        return found


def _by_id(posts: Iterable[Record]) -> dict[int, Record]:
    return {post_id: post for post in posts if (post_id := identifier(post, "id")) is not None}
