"""What a path is, told by its content; what it is not, told by a reason."""

import gzip
import io
import tarfile

import pytest

from engine.discourse import read
from engine.errors import ArchiveFormatError
from engine.sources import Post


def reason(path):
    with pytest.raises(ArchiveFormatError) as refused:
        read(path)
    assert refused.value.details["path"] == str(path)
    return refused.value.details["reason"]


def test_a_path_that_does_not_exist(tmp_path):
    assert reason(tmp_path / "absent") == "not_found"


def test_an_empty_folder_and_one_that_holds_something_else(tmp_path):
    assert reason(tmp_path) == "empty_folder"
    (tmp_path / "notes.txt").write_text("rien")
    assert reason(tmp_path) == "no_topics_or_posts"
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "broken.json").write_text("{")
    assert reason(tmp_path) == "no_topics_or_posts"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "not_a_dump"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, "not_a_dump"),
        (b"PK\x03\x04 a zip", "not_a_dump"),
        (b"PGDMP\x01\x0e", "pg_custom_format"),
        (b"\x1f\x8b\x08 not gzip at all", "unreadable_gzip"),
        (b"\x1f\x8b", "unreadable_gzip"),
        (gzip.compress(b"une liste de courses"), "not_a_dump"),
        (gzip.compress(b"-- PostgreSQL database dump")[:12], "unreadable_gzip"),
        (b'{"name": "x"}', "no_topics_or_posts"),
        (b'{"name"', "no_topics_or_posts"),
    ],
)
def test_a_file_that_is_something_else(tmp_path, content, expected):
    path = tmp_path / "backup.tar.gz"
    path.write_bytes(content)
    assert reason(path) == expected


def test_a_tar_without_a_dump(tmp_path):
    path = tmp_path / "backup.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        info = tarfile.TarInfo("uploads/photo.png")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"png"))
    assert reason(path) == "tar_without_dump"


def test_a_tar_cut_before_its_dump(tmp_path):
    path = tmp_path / "backup.tar"
    with tarfile.open(path, "w") as tar:
        info = tarfile.TarInfo("uploads/photo.png")
        info.size = 100_000
        tar.addfile(info, io.BytesIO(b"p" * 100_000))
    path.write_bytes(path.read_bytes()[:5_000])
    assert reason(path) in ("unreadable_tar", "tar_without_dump")


def test_a_dump_is_known_by_its_content_and_not_by_its_name(forum, tmp_path):
    path = tmp_path / "sauvegarde.bin"
    path.write_bytes(gzip.compress(forum.sql().encode()))
    assert read(path).kind == "dump"


def test_a_folder_around_a_backup_is_that_backup(forum, write_dump, tmp_path):
    write_dump(forum.sql(), "tar")
    assert read(tmp_path).kind == "dump"
    (tmp_path / "autre.tar.gz").write_bytes(b"")
    assert reason(tmp_path) == "several_backups"


def test_a_single_saved_topic_is_read_with_the_lists_beside_its_folder(save_json, make):
    root = save_json({
        "t/100.json": make["topic"](100, [make["post"](1)]),
        "site.json": {"categories": [make["category"](1)]},
    })  # fmt: skip
    source = read(root / "t" / "100.json")
    assert source.kind == "topics"
    assert [item.id for item in source.items if isinstance(item, Post)] == [1]


def test_topics_go_before_posts_when_a_folder_holds_both(save_json, make):
    root = save_json({
        "posts/2024-05-May/1.json": make["post"](1),
        "t/100.json": make["topic"](100, [make["post"](2)]),
    })  # fmt: skip
    assert read(root).kind == "topics"
    assert read(root / "posts").kind == "posts"


def test_kinds_that_are_the_whole_forum(forum, write_dump, save_json, make):
    assert read(write_dump(forum.sql())).whole_forum
    assert not read(save_json({"100.json": make["topic"](100, [])})).whole_forum
