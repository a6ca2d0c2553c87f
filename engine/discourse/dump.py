"""Reads a database dump of Discourse: the whole forum, of which only what is public comes out.

pg_dump writes tables in alphabetical order, `posts` before `topics` and `users`, and posts never fit in
memory: the file is read twice, first for the small tables, then for the posts; a third time, up to its first tables,
when the forum has computed vectors that can be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..errors import ArchiveFormatError
from ..sources import Flaw, Position, Post, PostMoved, Skipped, SkipReason, SourceItem
from ..values import PostId, PostNumber, TopicId
from . import dump_vectors, visibility
from .backup import open_dump
from .cooked import MAX_HTML_BYTES, clean_html, parse
from .copy_text import NULL, BadRow, Block, End, Row, rows, text
from .dump_tables import POSTS, REQUIRED, SMALL_TABLES, SmallTables, count, identifier, moment, number
from .polls import with_votes
from .withheld import Private, PrivatePlaces, withhold

MAX_FLAWS = 100  # named of one kind of row; more would only say the same, and every post is counted anyway


def read_dump(path: Path, *, check: Callable[[], None]) -> Iterator[SourceItem]:
    """Site, public categories and topics, then each post, public or Skipped, in the order of the file, then vectors.

    A topic may have no post. `accepted_post_id` may name a post that is not public.

    A dump that is cut gives what was whole before the cut, then one fatal Flaw. Since `topics` comes
    after `posts`, a cut in `posts` leaves every post without its topic, hence private: categories come
    out and nothing else. A cut in `users` leaves out the posts whose author is not known.

    Raises ArchiveFormatError when there is no table of posts, or a table lacks a column that decides
    what is public.
    """
    size = path.stat().st_size
    # 1. All that posts refer to.
    tables, private = SmallTables(), PrivatePlaces()
    fatal: Flaw | None = None
    for item in _read_small_tables(path, tables, private, total=2 * size, check=check):
        if isinstance(item, Flaw) and item.fatal:
            fatal = item
        else:
            yield item
    # 2. What is public of it.
    yield tables.site()
    yield from tables.public_categories()
    verdicts = tables.topic_verdicts()
    for topic_id in tables.topics:
        if verdicts[topic_id] is None:
            try:
                yield tables.topic(topic_id)
            except ValueError:
                verdicts[topic_id] = SkipReason.UNREADABLE
                yield Flaw("bad_row", f"topics, id {topic_id}")
    is_private = private.judge(verdicts)
    yield from tables.known_uploads()
    # 3. The posts.
    models, refused = dump_vectors.verdicts(tables.vector_models, tables.vectors)
    public: set[PostId] = set()
    for found in _read_posts(path, tables, verdicts, is_private, offset=size, cut=fatal is not None, check=check):
        if (models or tables.moved) and isinstance(found, Post):
            public.add(found.id)
        yield found
    yield from _moved(tables, verdicts, public)
    # 4. What the forum has computed of them.
    if fatal is None:
        yield from refused
        if models:
            yield from dump_vectors.read_vectors(path, models, public, check=check)
    yield Position(2 * size, 2 * size)
    if fatal is not None:
        yield fatal


def _read_small_tables(
    path: Path, tables: SmallTables, private: PrivatePlaces, *, total: int, check: Callable[[], None]
) -> Iterator[Flaw | Position]:
    """Fill `tables` and `private`; say what could not be read of them."""
    seen: set[str] = set()
    cut = False
    flaws: Counter[str] = Counter()
    answered: dict[int, int] = {}  # topic by post that is marked as the answer
    wanted = {**SMALL_TABLES, "posts": PrivatePlaces.COLUMNS}
    with open_dump(path) as dump:
        for item in rows(dump, wanted, position=lambda: Position(dump.position(), total), check=check):
            match item:
                case Block():
                    seen.add(item.table)
                    if lacking := REQUIRED.get(item.table, frozenset()).difference(item.columns):
                        where = f"{item.table}: {', '.join(sorted(lacking))}"
                        raise ArchiveFormatError(path=str(path), reason="missing_columns", where=where)
                case Row(table="posts"):
                    private.note(item)
                    if tables.accepted_posts:
                        _note_answer(item, tables.accepted_posts, answered)
                case BadRow(table="posts"):  # the second pass tells of it
                    continue
                case Row() | BadRow():
                    if not _added(tables, item):
                        flaws[item.table] += 1
                        if flaws[item.table] <= MAX_FLAWS:
                            code = item.code if isinstance(item, BadRow) else "bad_row"
                            yield Flaw(code, f"{item.table}:{item.number}")
                case Flaw():
                    cut = cut or item.fatal
                    yield item
                case Position():
                    yield item
    for table in REQUIRED:
        if table not in seen and (table == "posts" or not cut):
            raise ArchiveFormatError(path=str(path), reason=f"no_{table}_table")
    tables.settle(answered)


def _note_answer(row: Row, accepted: set[int], answered: dict[int, int]) -> None:
    try:
        post_id = int(row.fields[0])
        if post_id in accepted:
            answered[post_id] = int(row.fields[1])
    except ValueError:
        return  # the second pass tells of it


def _moved(tables: SmallTables, verdicts: Mapping[int, SkipReason | None], public: set[PostId]) -> Iterator[PostMoved]:
    """Where public posts once stood, as long as that was no private place."""
    for topic_id, place, post_id in tables.moved:
        was_public = verdicts.get(topic_id) in (None, SkipReason.DELETED_TOPIC)  # merged topics are often deleted
        if was_public and post_id in public and topic_id > 0 and place > 0:
            yield PostMoved(TopicId(topic_id), PostNumber(place), PostId(post_id))


def _added(tables: SmallTables, row: Row | BadRow) -> bool:
    if isinstance(row, BadRow):
        return False
    try:
        tables.add(row)
    except ValueError:
        return False
    return True


def _read_posts(
    path: Path,
    tables: SmallTables,
    verdicts: Mapping[int, SkipReason | None],
    is_private: Private,
    *,
    offset: int,
    cut: bool,
    check: Callable[[], None],
) -> Iterator[SourceItem]:
    flaws = 0
    with open_dump(path) as dump:
        for item in rows(dump, POSTS, position=lambda: Position(offset + dump.position(), 2 * offset), check=check):
            match item:
                case Row():
                    post = _read_post(item.fields, tables, verdicts, is_private, cut=cut)
                    flaw = post if isinstance(post, str) else ""
                    yield Skipped(SkipReason.UNREADABLE) if isinstance(post, str) else post
                case BadRow():
                    yield Skipped(SkipReason.UNREADABLE)
                    flaw = item.code
                case End("posts"):
                    return
                case Position():
                    yield item
                    continue
                case _:  # headers and flaws of the whole file: the first pass has told of them
                    continue
            if flaw:
                flaws += 1
                if flaws <= MAX_FLAWS:
                    yield Flaw(flaw, f"posts:{item.number}")


def _read_post(
    fields: tuple[bytes, ...],
    tables: SmallTables,
    verdicts: Mapping[int, SkipReason | None],
    is_private: Private,
    *,
    cut: bool,
) -> Post | Skipped | str:
    """One row as a public post, or skipped; the code of a flaw when a value is not what its column holds."""
    (
        id_,
        user,
        topic,
        place,
        type_,
        hidden,
        user_deleted,
        deleted_at,
        created,
        updated,
        reply_to,
        likes,
        html,
        version,
        last_version_at,
    ) = fields
    try:
        post_id, topic_id = PostId(identifier(id_)), TopicId(identifier(topic))
        if (reason := verdicts.get(topic_id, SkipReason.MISSING_TOPIC)) is not None:
            return Skipped(reason, None, post_id)
        reason = visibility.post_reason(
            post_type=number(type_),
            hidden=text(hidden),
            user_deleted=text(user_deleted),
            deleted_at=text(deleted_at),
        )
        if reason is not None:
            return Skipped(reason, topic_id, post_id)
        user_id = None if user == NULL else number(user)
        author = tables.users.get(user_id) if user_id is not None else ("", "")
        if author is None and cut:
            return Skipped(SkipReason.UNREADABLE, topic_id, post_id)
        username, display_name = author or ("", "")
        if len(html) > MAX_HTML_BYTES:
            return "post_too_long"
        cooked = withhold(clean_html(text(html) or ""), is_private)
        cooked = with_votes(cooked, tables.votes.get(post_id, {}))
        created_at = moment(created)
        return Post(
            id=post_id,
            topic_id=topic_id,
            post_number=PostNumber(identifier(place)),
            username=username,
            display_name=display_name,
            user_id=user_id,
            created_at=created_at,
            updated_at=created_at if updated == NULL else moment(updated),
            cooked=cooked,
            parts=parse(cooked),
            post_type=number(type_),
            reply_to=None if reply_to == NULL else PostNumber(number(reply_to)),
            likes=count(likes),
            revised_at=moment(last_version_at) if last_version_at != NULL and count(version) > 1 else None,
        )
    except ValueError:
        return "bad_row"
