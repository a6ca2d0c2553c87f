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
from ..sources import Flaw, Position, Post, Skipped, SkipReason, SourceItem
from ..values import PostId, PostNumber, TopicId
from . import dump_vectors, visibility
from .backup import open_dump
from .cooked import clean_html, parse
from .copy_text import NULL, BadRow, Block, End, Row, rows, text
from .dump_tables import POSTS, REQUIRED, SMALL_TABLES, SmallTables, count, identifier, moment, number

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
    tables = SmallTables()
    fatal: Flaw | None = None
    for item in _read_small_tables(path, tables, total=2 * size, check=check):
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
    # 3. The posts.
    models, refused = dump_vectors.verdicts(tables.vector_models, tables.vectors)
    public: set[PostId] = set()
    for found in _read_posts(path, tables, verdicts, offset=size, cut=fatal is not None, check=check):
        if models and isinstance(found, Post):
            public.add(found.id)
        yield found
    # 4. What the forum has computed of them.
    if fatal is None:
        yield from refused
        if models:
            yield from dump_vectors.read_vectors(path, models, public, check=check)
    yield Position(2 * size, 2 * size)
    if fatal is not None:
        yield fatal


def _read_small_tables(
    path: Path, tables: SmallTables, *, total: int, check: Callable[[], None]
) -> Iterator[Flaw | Position]:
    """Fill `tables`; say what could not be read of them."""
    seen: set[str] = set()
    cut = False
    flaws: Counter[str] = Counter()
    with open_dump(path) as dump:
        for item in rows(dump, SMALL_TABLES, position=lambda: Position(dump.position(), total), check=check):
            match item:
                case Block():
                    seen.add(item.table)
                    if lacking := REQUIRED.get(item.table, frozenset()).difference(item.columns):
                        where = f"{item.table}: {', '.join(sorted(lacking))}"
                        raise ArchiveFormatError(path=str(path), reason="missing_columns", where=where)
                case Row() | BadRow():
                    if not _added(tables, item):
                        flaws[item.table] += 1
                        if flaws[item.table] <= MAX_FLAWS:
                            yield Flaw("bad_row", f"{item.table}:{item.number}")
                case Flaw():
                    cut = cut or item.fatal
                    yield item
                case Position():
                    yield item
    for table in REQUIRED:
        if table not in seen and (table == "posts" or not cut):
            raise ArchiveFormatError(path=str(path), reason=f"no_{table}_table")


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
                    post = _read_post(item.fields, tables, verdicts, cut=cut)
                    yield post or Skipped(SkipReason.UNREADABLE)
                    good = post is not None
                case BadRow():
                    yield Skipped(SkipReason.UNREADABLE)
                    good = False
                case End("posts"):
                    return
                case Position():
                    yield item
                    continue
                case _:  # headers and flaws of the whole file: the first pass has told of them
                    continue
            if not good:
                flaws += 1
                if flaws <= MAX_FLAWS:
                    yield Flaw("bad_row", f"posts:{item.number}")


def _read_post(
    fields: tuple[bytes, ...], tables: SmallTables, verdicts: Mapping[int, SkipReason | None], *, cut: bool
) -> Post | Skipped | None:
    """One row as a public post, or skipped; None when a value is not what its column holds."""
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
        cooked = clean_html(text(html) or "")
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
        )
    except ValueError:
        return None
