"""A database dump gives what is public, and only that, whatever its layout and its damage."""

import gzip
import io
import tarfile
from collections import Counter
from datetime import UTC, datetime

import pytest

from engine.discourse import read
from engine.discourse.cooked import MAX_HTML_BYTES
from engine.discourse.dump import read_dump
from engine.discourse.dump_tables import POST_FIELDS, POSTS, SITE_SETTINGS, SMALL_TABLES, TOPIC_FIELDS
from engine.errors import ArchiveFormatError, Cancelled
from engine.sources import Flaw, Position, Post, PostMoved, Site, Skipped, SkipReason, Upload
from engine.values import Category, Topic

PUBLIC_POSTS = [1, 2, 3, 4]


def items(path, kind=object):
    return [item for item in read(path).items if isinstance(item, kind)]


@pytest.mark.parametrize("form", ["plain", "gzip", "tar"])
@pytest.mark.parametrize("dialect", ["new", "old"])
def test_both_dialects_in_every_form_give_the_same_public_posts(forum, write_dump, dialect, form):
    path = write_dump(forum.sql(dialect), form)
    assert read(path).kind == "dump"
    assert [post.id for post in items(path, Post)] == PUBLIC_POSTS
    assert items(path, Flaw) == []
    assert "zz" not in repr(items(path))


def test_each_private_post_is_counted_by_its_reason(forum, write_dump):
    skipped = items(write_dump(forum.sql()), Skipped)
    assert Counter(item.reason for item in skipped) == {
        SkipReason.RESTRICTED_CATEGORY: 2,
        SkipReason.PRIVATE_MESSAGE: 1,
        SkipReason.UNLISTED_TOPIC: 1,
        SkipReason.DELETED_TOPIC: 1,
        SkipReason.UNKNOWN_CATEGORY: 1,
        SkipReason.MISSING_TOPIC: 1,
        SkipReason.DELETED_POST: 1,
        SkipReason.HIDDEN: 1,
        SkipReason.USER_DELETED: 1,
        SkipReason.SMALL_ACTION: 1,
        SkipReason.WHISPER: 1,
        SkipReason.UNKNOWN_TYPE: 1,
    }


def test_the_topic_of_a_skipped_post_is_told_only_when_it_is_public(forum, write_dump):
    skipped = {item.post_id: item for item in items(write_dump(forum.sql()), Skipped)}
    assert skipped[10].topic_id is None
    assert skipped[20].topic_id == 100


def test_site_categories_topics_and_posts_come_in_that_order(forum, write_dump):
    order = [type(item) for item in items(write_dump(forum.sql())) if not isinstance(item, Position)]
    assert order[:6] == [Site, Category, Category, Topic, Topic, Topic]
    assert set(order[6:]) == {Post, Skipped}


def test_a_post_carries_all_that_the_archive_keeps(forum, write_dump):
    first, second, third, fourth = items(write_dump(forum.sql()), Post)
    assert first.cooked == "<p>Quand tailler\tles rosiers ?</p>\n<p>C:\\jardin</p>"
    assert first.parts.text == "Quand tailler les rosiers ?\nC:\\jardin"
    assert (first.username, first.display_name, first.user_id) == ("alice", "Alice", 10)
    assert first.created_at == datetime(2024, 5, 6, 7, 8, 9, 500_000, tzinfo=UTC)
    assert (second.reply_to, second.likes, second.display_name) == (1, 3, "")
    assert second.updated_at == datetime(2024, 5, 7, tzinfo=UTC)
    assert third.post_type == 2
    assert (fourth.username, fourth.user_id) == ("", None)


@pytest.mark.parametrize("dialect", ["new", "old"])
def test_topics_come_with_their_tags_and_their_accepted_answer(forum, write_dump, dialect):
    topics = {topic.id: topic for topic in items(write_dump(forum.sql(dialect)), Topic)}
    assert sorted(topics) == [100, 101, 116]
    assert topics[100].accepted_post_id == 2
    assert topics[100].tags == ("rosier",)  # the other one belongs to a group of tags of the staff
    assert topics[100].pinned and not topics[101].pinned
    assert (topics[101].category_id, topics[101].closed, topics[101].accepted_post_id) == (4, True, None)
    assert topics[116].expected_posts is None


def test_the_site_says_its_title_and_address_and_no_other_setting(forum, write_dump):
    assert items(write_dump(forum.sql()), Site) == [Site("Le petit forum", "https://forum.exemple")]
    forum.tables["site_settings"] = []
    assert items(write_dump(forum.sql()), Site) == [Site(None, None)]


def test_only_public_categories_come_out(forum, write_dump):
    assert [(c.id, c.name, c.parent_id) for c in items(write_dump(forum.sql()), Category)] == [
        (1, "Jardin", None),
        (4, "Potager", 1),
    ]


def test_the_allowlist_names_no_private_column():
    assert SITE_SETTINGS == (b"title", b"force_hostname")
    assert TOPIC_FIELDS == (b"accepted_answer_post_id",)
    assert POST_FIELDS == (b"is_accepted_answer",)
    assert {table: set(columns) for table, columns in (POSTS | SMALL_TABLES).items()} == {
        "posts": {
            "id", "user_id", "topic_id", "post_number", "cooked", "created_at", "updated_at",
            "reply_to_post_number", "deleted_at", "like_count", "post_type", "hidden", "user_deleted", "version",
            "last_version_at",
        },
        "categories": {
            "id", "name", "slug", "parent_category_id", "read_restricted", "color", "position", "description",
        },
        "topics": {
            "id", "title", "slug", "category_id", "archetype", "visible", "deleted_at", "created_at",
            "last_posted_at", "views", "like_count", "closed", "archived", "pinned_at",
        },
        "users": {"id", "username", "name"},
        "tags": {"id", "name"},
        "topic_tags": {"topic_id", "tag_id"},
        "tag_group_memberships": {"tag_id", "tag_group_id"},
        "tag_group_permissions": {"tag_group_id", "group_id"},
        "site_settings": {"name", "value"},
        "topic_custom_fields": {"topic_id", "name", "value"},
        "post_custom_fields": {"post_id", "name", "value"},
        "discourse_solved_solved_topics": {"topic_id", "answer_post_id", "id"},
        "discourse_solved_topic_answers": {"solved_topic_id", "answer_post_id"},
        "moved_posts": {"old_topic_id", "old_post_number", "new_post_id"},
        "uploads": {"id", "url", "sha1", "original_filename", "filesize"},
        "optimized_images": {"upload_id", "url"},
        "polls": {"id", "post_id", "results", "status"},
        "poll_options": {"id", "poll_id", "digest", "anonymous_votes"},
        "poll_votes": {"poll_option_id"},
        "embedding_definitions": {
            "id", "display_name", "dimensions", "tokenizer_class", "embed_prompt", "search_prompt",
        },
        "ai_posts_embeddings": {"model_id"},
    }  # fmt: skip


def test_progress_goes_from_the_first_pass_to_the_end_of_the_second(forum, write_dump):
    for id in range(1000, 3000):
        forum.post(id, 100, id)
    positions = items(write_dump(forum.sql(), "gzip"), Position)
    assert len(positions) > 3
    assert [p.done for p in positions] == sorted(p.done for p in positions)
    assert positions[-1].done == positions[-1].total


def test_a_cancel_raised_by_the_check_ends_the_reading(forum, write_dump):
    for id in range(1000, 3000):
        forum.post(id, 100, id)

    def check():
        raise Cancelled

    source = read(write_dump(forum.sql()), check=check)
    with pytest.raises(Cancelled):
        list(source.items)


# --- damage ------------------------------------------------------------------------------------


def test_a_dump_cut_inside_posts_gives_its_categories_and_no_post(forum, write_dump):
    whole = forum.sql()
    path = write_dump(whole[: whole.index("Message 3")])
    found = items(path)
    assert [item.id for item in found if isinstance(item, Category)] == [1, 4]
    assert not [item for item in found if isinstance(item, Post | Topic)]
    assert {item.reason for item in found if isinstance(item, Skipped)} == {SkipReason.MISSING_TOPIC}
    assert found[-1] == Flaw("truncated", "posts:2", fatal=True)


def test_a_dump_cut_before_users_leaves_out_posts_whose_author_is_not_known(forum, write_dump):
    whole = forum.sql()
    cut = whole[: whole.index("\n110\t", whole.index("COPY public.topics")) + 1]
    found = items(write_dump(cut))
    assert [item.id for item in found if isinstance(item, Topic)] == [100, 101]
    assert [item.id for item in found if isinstance(item, Post)] == [4]  # it never had an author
    assert Skipped(SkipReason.UNREADABLE, 100, 1) in found
    assert found[-1] == Flaw("truncated", "topics:2", fatal=True)


def test_a_dump_cut_inside_users_keeps_the_posts_of_known_authors(forum, write_dump):
    whole = forum.sql()
    cut = whole[: whole.index("\n12\t", whole.index("COPY public.users"))]
    found = items(write_dump(cut))
    assert [item.id for item in found if isinstance(item, Post)] == [1, 4]  # 4 never had an author
    assert Skipped(SkipReason.UNREADABLE, 100, 2) in found
    assert found[-1] == Flaw("truncated", "users:1", fatal=True)


@pytest.mark.parametrize("form", ["gzip", "tar"])
def test_a_truncated_archive_ends_with_one_fatal_flaw(forum, write_dump, form):
    for id in range(1000, 9000):
        forum.post(id, 100, id, f"<p>{id * 7919 % 10007} rosiers {id * 104729 % 1299709}</p>")
    path = write_dump(forum.sql(), form)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    flaws = items(path, Flaw)
    assert [(flaw.code, flaw.fatal) for flaw in flaws] == [("truncated", True)]
    assert flaws[0].where.startswith("posts:")


def test_a_corrupt_gzip_ends_with_one_fatal_flaw(forum, write_dump):
    for id in range(1000, 9000):
        forum.post(id, 100, id, f"<p>{id * 7919 % 10007} rosiers {id * 104729 % 1299709}</p>")
    path = write_dump(forum.sql(), "gzip")
    data = bytearray(path.read_bytes())
    middle = len(data) * 2 // 3
    data[middle : middle + 200] = b"\xff" * 200
    path.write_bytes(data)
    flaws = [flaw for flaw in items(path, Flaw) if flaw.fatal]
    assert len(flaws) == 1 and flaws[0].code in ("corrupt", "truncated")


def test_bad_rows_are_told_one_by_one_and_the_others_are_kept(forum, write_dump):
    whole = forum.sql()
    lines = whole.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("COPY public.posts"))
    lines[at + 1 : at + 1] = ["x", "douze" + lines[at + 1][1:]]
    path = write_dump("\n".join(lines))
    assert items(path, Flaw) == [Flaw("bad_row", "posts:1"), Flaw("bad_row", "posts:2")]
    assert [post.id for post in items(path, Post)] == PUBLIC_POSTS
    assert items(path, Skipped).count(Skipped(SkipReason.UNREADABLE)) == 2


@pytest.mark.parametrize(
    "values",
    [
        {"id": "0"}, {"id": "-4"}, {"id": str(2**63)}, {"topic_id": None}, {"number": "x"},
        {"post_type": "un"}, {"created_at": "hier"}, {"created_at": None}, {"created_at": "infinity"},
        {"created_at": "0044-03-15 12:00:00 BC"}, {"user_id": "alice"}, {"like_count": "beaucoup"},
    ],
)  # fmt: skip
def test_a_value_of_another_kind_makes_a_post_unreadable(forum, write_dump, values):
    forum.post(**({"id": 50} | values))
    path = write_dump(forum.sql())
    assert [post.id for post in items(path, Post)] == PUBLIC_POSTS
    assert Skipped(SkipReason.UNREADABLE) in items(path, Skipped)
    assert [flaw.fatal for flaw in items(path, Flaw)] == [False]


@pytest.mark.parametrize("values", [
    {"user_id": 1 << 63}, {"like_count": 10**30}, {"reply_to_post_number": 10**30}, {"id": 10**30}, {"topic_id": 10**5000},
])  # fmt: skip
def test_a_number_that_no_database_holds_makes_a_post_unreadable(forum, write_dump, values):
    forum.post(50, number=20)
    forum.tables["posts"][-1].update(
        {name: f"{value:d}" if value < 10**4000 else "9" * 5001 for name, value in values.items()}
    )
    found = items(write_dump(forum.sql()), Flaw)
    assert found == [Flaw("bad_row", f"posts:{len(forum.tables['posts'])}")]


def test_a_category_of_endless_digits_makes_a_topic_private(forum, write_dump):
    forum.topic(200)
    forum.tables["topics"][-1]["category_id"] = "9" * 5000
    forum.post(60, 200)
    assert [post.id for post in items(write_dump(forum.sql()), Post)] == PUBLIC_POSTS


def test_a_post_longer_than_any_post_is_told_and_passed_over(forum, write_dump):
    forum.post(50, number=20, cooked="a" * (MAX_HTML_BYTES + 1))
    forum.post(51, number=21, cooked="a" * 1000)
    path = write_dump(forum.sql())
    assert items(path, Flaw) == [Flaw("post_too_long", "posts:18")]
    assert items(path, Post)[-1].id == 51


def test_a_row_of_a_million_columns_is_bad(forum, write_dump):
    whole = forum.sql().replace(
        "\\.\n\n\nCOPY public.site_settings", "x\t" * 1_000_000 + "\n\\.\n\n\nCOPY public.site_settings"
    )
    assert [flaw.code for flaw in items(write_dump(whole), Flaw)] == ["bad_row"]


@pytest.mark.parametrize("form", ["gzip", "tar"])
def test_a_bomb_is_given_up_once_it_unpacks_to_more_than_a_backup_holds(forum, write_dump, monkeypatch, form):
    monkeypatch.setattr("engine.discourse.backup.RATIO_FLOOR_BYTES", 100_000)
    forum.post(50, number=20, cooked="a" * 1_900_000)
    found = items(write_dump(forum.sql(), form), Flaw)
    assert (found[-1].code, found[-1].fatal) == ("swollen", True)


def test_a_member_that_claims_more_than_a_backup_holds_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.discourse.backup.RATIO_FLOOR_BYTES", 100_000)
    path = tmp_path / "forum.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in ("uploads/a.png", "dump.sql"):
            member = tarfile.TarInfo(name)
            member.size = 3_000_000
            tar.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(ArchiveFormatError) as refused:
        read(path)
    assert refused.value.details["reason"] == "swollen_dump"


def test_attributes_of_attributes_without_end_are_refused(tmp_path):
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 11
    path = tmp_path / "forum.tar"
    path.write_bytes((header.tobuf(tarfile.PAX_FORMAT) + b"11 a=bcdef\n".ljust(512, b"\0")) * 20_000)
    with pytest.raises(ArchiveFormatError) as refused:
        read(path)
    assert refused.value.details["reason"] == "unreadable_tar"


def test_a_flood_of_bad_rows_is_counted_but_not_named_without_end(forum, write_dump):
    whole = forum.sql().replace(
        "\\.\n\n\nCOPY public.site_settings", "x\n" * 5000 + "\\.\n\n\nCOPY public.site_settings"
    )
    path = write_dump(whole)
    assert len(items(path, Flaw)) == 100
    assert Counter(item.reason for item in items(path, Skipped))[SkipReason.UNREADABLE] == 5000


def test_a_topic_whose_dates_are_unreadable_hides_its_posts(forum, write_dump):
    forum.topic(200, created_at="jamais")
    forum.post(60, 200)
    path = write_dump(forum.sql())
    assert items(path, Flaw) == [Flaw("bad_row", "topics, id 200")]
    assert Skipped(SkipReason.UNREADABLE, None, 60) in items(path, Skipped)


def test_bad_utf8_nul_and_control_characters_do_not_stop_a_post(forum, write_dump):
    forum.post(50, cooked="<p>caf\udce9 \x01noir\x00 \u202eserré\u200b</p>")
    post = items(write_dump(forum.sql()), Post)[-1]
    assert post.parts.text == "caf\ufffd noir serré"
    assert post.cooked == "<p>caf\ufffd noir serré</p>"


@pytest.mark.parametrize("form", ["plain", "tar"])
def test_a_line_that_is_too_long_is_passed_over_and_counted(forum, write_dump, monkeypatch, form):
    monkeypatch.setattr("engine.discourse.backup.MAX_LINE_BYTES", 2000)
    forum.post(50, cooked="<p>" + "a" * 30_000 + "</p>")
    forum.post(51, number=20)
    path = write_dump(forum.sql(), form)
    assert items(path, Flaw) == [Flaw("line_too_long", "posts:18")]
    assert [post.id for post in items(path, Post)] == [*PUBLIC_POSTS, 51]
    assert Counter(item.reason for item in items(path, Skipped))[SkipReason.UNREADABLE] == 1


def test_a_line_that_never_ends_is_where_the_file_is_cut(forum, write_dump, monkeypatch):
    monkeypatch.setattr("engine.discourse.backup.MAX_LINE_BYTES", 2000)
    whole = forum.sql()
    path = write_dump(
        whole[: whole.index("COPY public.users")] + "COPY public.users (id, username) FROM stdin;\n" + "1" * 9000
    )
    assert items(path, Flaw) == [Flaw("truncated", "users:0", fatal=True)]


def test_lines_ending_as_on_windows_are_read(forum, write_dump):
    assert [p.id for p in items(write_dump(forum.sql().replace("\n", "\r\n")), Post)] == PUBLIC_POSTS


def test_a_flag_that_is_neither_t_nor_f_is_private(forum, write_dump):
    forum.post(50, hidden="false")
    forum.post(51, user_deleted=None)
    forum.topic(200, visible="yes")
    forum.post(52, 200)
    assert [post.id for post in items(write_dump(forum.sql()), Post)] == PUBLIC_POSTS


# --- what is no dump ----------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["posts", "topics", "categories", "users"])
def test_a_dump_without_a_needed_table_is_refused(forum, write_dump, table):
    source = read(write_dump(forum.sql(without=[table])))
    with pytest.raises(ArchiveFormatError) as refused:
        list(source.items)
    assert refused.value.details["reason"] == f"no_{table}_table"


def test_a_table_without_a_column_that_decides_is_refused(forum, write_dump):
    source = read(write_dump(forum.sql().replace("hidden, user_deleted", "cache, user_deleted")))
    with pytest.raises(ArchiveFormatError) as refused:
        list(source.items)
    assert refused.value.details["reason"] == "missing_columns"
    assert refused.value.details["where"] == "posts: hidden"


def test_a_tar_is_read_past_dangerous_members_without_extracting_any(forum, write_dump, tmp_path):
    dump = gzip.compress(forum.sql().encode())
    path = tmp_path / "forum.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, kind in (
            ("/etc/dump.sql", tarfile.REGTYPE),
            ("../dump.sql", tarfile.REGTYPE),
            ("a/../../dump.sql", tarfile.REGTYPE),
            ("dump.sql", tarfile.SYMTYPE),
            ("dump.sql.gz", tarfile.LNKTYPE),
            ("dump.sql", tarfile.DIRTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        info = tarfile.TarInfo("./dump.sql.gz")
        info.size = len(dump)
        tar.addfile(info, io.BytesIO(dump))
    before = sorted(tmp_path.rglob("*"))
    assert [post.id for post in items(path, Post)] == PUBLIC_POSTS
    assert sorted(tmp_path.rglob("*")) == before


def test_an_uncompressed_tar_with_a_plain_dump_is_read(forum, tmp_path):
    data = forum.sql().encode()
    path = tmp_path / "forum.tar"
    with tarfile.open(path, "w") as tar:
        info = tarfile.TarInfo("dump.sql")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    assert [post.id for post in items(path, Post)] == PUBLIC_POSTS


# --- what a forum of any age tells ---


def answers(found):
    return {item.id: item.accepted_post_id for item in found if isinstance(item, Topic)}


def test_an_answer_marked_by_the_first_versions_of_the_plugin(forum, write_dump):
    forum.tables["topic_custom_fields"] = forum.tables["discourse_solved_solved_topics"] = []
    forum.tables["post_custom_fields"] = [
        {"id": 1, "post_id": 2, "name": "is_accepted_answer", "value": "true"},
        {"id": 2, "post_id": 4, "name": "is_accepted_answer", "value": "false"},
        {"id": 3, "post_id": 4, "name": "zzsecret", "value": "true"},
    ]
    assert answers(read_dump(write_dump(forum.sql()), check=lambda: None)) == {100: 2, 101: None, 116: None}


def test_an_answer_in_a_table_of_answers(forum, write_dump):
    forum.tables["topic_custom_fields"] = []
    forum.tables["discourse_solved_solved_topics"] = [{"id": 8, "topic_id": 100, "answer_post_id": None}]
    forum.tables["discourse_solved_topic_answers"] = [
        {"id": 1, "solved_topic_id": 8, "answer_post_id": 3}, {"id": 2, "solved_topic_id": 8, "answer_post_id": 2},
        {"id": 3, "solved_topic_id": 404, "answer_post_id": 2},
    ]  # fmt: skip
    found = list(read_dump(write_dump(forum.sql()), check=lambda: None))
    assert answers(found)[100] == 3 and not [item for item in found if isinstance(item, Flaw)]


def test_the_last_revision_is_told_when_there_was_one(forum, write_dump):
    edited = "2024-06-01 10:00:00"
    forum.tables["posts"][0] |= {"version": 3, "last_version_at": edited}
    forum.tables["posts"][1] |= {"version": 1, "last_version_at": edited}
    posts = {item.id: item for item in read_dump(write_dump(forum.sql()), check=lambda: None) if isinstance(item, Post)}
    assert str(posts[1].revised_at) == f"{edited}+00:00" and posts[2].revised_at is None and posts[3].revised_at is None


def test_quotes_of_private_posts_leave_with_their_words(forum, write_dump):
    def quoting(topic, post):
        return f'<aside class="quote" data-topic="{topic}" data-post="{post}"><blockquote>zzsecret</blockquote></aside>'

    private = [(110, 1), (111, 1), (112, 1), (113, 1), (114, 1), (115, 1), (100, 4), (100, 5), (100, 6), (100, 8)]
    forum.post(30, number=10, cooked="<p>Voici</p>" + "".join(quoting(*place) for place in private))
    forum.post(31, number=11, cooked=quoting(100, 1).replace("zzsecret", "public") + quoting(404, 1).replace("zz", ""))
    found = list(read_dump(write_dump(forum.sql()), check=lambda: None))
    posts = {item.id: item.cooked for item in found if isinstance(item, Post)}
    assert "zzsecret" not in repr(found)
    assert posts[30] == "<p>Voici</p>" + '<aside class="quote withheld"></aside>' * len(private)
    assert "public" in posts[31] and "secret" in posts[31]  # the second topic is not in the dump: nothing says private


def test_places_that_posts_left_are_told_for_public_ones(forum, write_dump):
    def moved(n, old_topic, old_number, post_id):
        return {"id": n, "old_topic_id": old_topic, "old_post_number": old_number, "new_post_id": post_id}

    forum.tables["moved_posts"] = [
        moved(1, 101, 5, 2), moved(2, 114, 1, 3), moved(3, 404, 1, 3), moved(4, 112, 1, 2), moved(5, 110, 1, 2),
        moved(6, 100, 9, 21), moved(7, None, 1, 2),
    ]  # fmt: skip
    found = read_dump(write_dump(forum.sql()), check=lambda: None)
    assert [item for item in found if isinstance(item, PostMoved)] == [
        PostMoved(101, 5, 2), PostMoved(114, 1, 3), PostMoved(404, 1, 3),
    ]  # fmt: skip


def test_the_files_of_the_forum_are_told_with_their_smaller_copies(forum, write_dump):
    forum.tables["uploads"] = [
        {
            "id": 5,
            "url": "/uploads/default/1/a.png",
            "sha1": "AB" * 20,
            "original_filename": "Ma roue.png",
            "filesize": 9,
        },
        {"id": 6, "url": "//seau.exemple/b.pdf", "sha1": None, "original_filename": None, "filesize": None},
    ]
    forum.tables["optimized_images"] = [
        {"id": 1, "upload_id": 5, "url": "/uploads/default/_optimized/a_1.png"}, {"id": 2, "upload_id": 404, "url": "/x"},
    ]  # fmt: skip
    found = read_dump(write_dump(forum.sql()), check=lambda: None)
    assert [item for item in found if isinstance(item, Upload)] == [
        Upload("/uploads/default/1/a.png", "ab" * 20, "Ma roue.png", 9),
        Upload("//seau.exemple/b.pdf"),
        Upload("/uploads/default/_optimized/a_1.png", original="/uploads/default/1/a.png"),
    ]
