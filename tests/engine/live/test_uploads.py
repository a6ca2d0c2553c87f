"""Images and files: those of the forum itself, within their quota, always below `uploads/`."""

import io
from contextlib import closing

import pytest

from engine.discourse.address import address
from engine.discourse.api import Key
from engine.live import uploads
from engine.live.uploads import local_path
from engine.store import ArchiveStore, files
from tests.discourse_server import API_KEY, NOT_FOUND, page

SHA = "0123456789abcdef0123456789abcdef01234567"
PLACE = f"default/original/1X/{SHA}.png"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (f"/uploads/{PLACE}", PLACE),
        (f"https://forum.exemple/uploads/{PLACE}", PLACE),
        (f"//forum.exemple/uploads/{PLACE}?v=1#x", PLACE),
        (f"/uploads/default/optimized/2X/0/01/{SHA}_2_690x388.jpeg", f"default/optimized/2X/0/01/{SHA}_2_690x388.jpeg"),
        ("/uploads/forum/123/0123456789abcdef.zip", "forum/123/0123456789abcdef.zip"),
        ("/uploads/short-url/kgX5eEwHl6JQ5xjrhW5wyCnvsFB.pdf", "short-url/kgX5eEwHl6JQ5xjrhW5wyCnvsFB.pdf"),
        (f"/uploads/../{SHA}.png", None),
        (f"/uploads/a/../../{SHA}.png", None),
        (f"/uploads/a/%2e%2e/%2e%2e/{SHA}.png", None),
        (f"/uploads/a%2f..%2f..%2f{SHA}.png", None),
        (f"/uploads/a\\..\\{SHA}.png", None),
        (f"/uploads/C:/{SHA}.png", None),
        (f"/uploads/con/{SHA}.png", None),
        (f"/uploads/a/.{SHA}.png", None),
        (f"/uploads/a/{SHA}", None),
        (f"/uploads/a/{SHA}.png/", None),
        (f"/uploads/{SHA}.png", None),
        ("/uploads/a/" + "b/" * 20 + f"{SHA}.png", None),
        (f"/secure-uploads/original/1X/{SHA}.png", None),
        (f"https://ailleurs.exemple/uploads/{PLACE}", None),
        (f"https://forum.exemple.ailleurs.exemple/uploads/{PLACE}", None),
        (f"https://forum.exemple@ailleurs.exemple/uploads/{PLACE}", None),
        (f"http://forum.exemple/uploads/{PLACE}", None),
        ("https://[/uploads/x", None),
        ("upload://abc.png", None),
        ("", None),
    ],
)
def test_where_a_file_goes(url, path):
    assert local_path(url, address("https://forum.exemple")) == path


def test_a_forum_in_a_folder_has_its_files_there():
    where = address("https://exemple.org/forum")
    assert local_path(f"/forum/uploads/{PLACE}", where) == PLACE
    assert local_path(f"https://exemple.org/forum/uploads/{PLACE}", where) == PLACE


@pytest.fixture
def image(forum):
    """Have a post show an image of so many bytes."""

    def add(post_id, size, number=0):
        path = f"/uploads/default/original/1X/{post_id:038x}{number:02}.png"
        forum.uploads[path] = b"x" * size
        forum.posts[post_id]["cooked"] += f'<p><img src="{path}"></p>'
        return path

    return add


def held(folder):
    return sorted(str(path.relative_to(folder)) for path in (folder / "uploads").rglob("*") if path.is_file())


def test_nothing_is_fetched_unless_there_is_room_for_it(forum, sync, image):
    image(200, 10)
    assert sync().uploads is None
    assert not (sync.folder / "uploads").exists()


def test_files_are_fetched_once_without_the_key_and_never_executable(forum, sync, image):
    path = image(200, 10)
    report = sync(sync_uploads_mb=1, key=Key(api_key=API_KEY)).uploads
    assert (report.fetched, report.held, report.held_bytes, report.finished) == (1, 1, 10, True)
    (asked,) = [asked for asked in forum.asked if asked.path == path]
    assert "api-key" not in asked.headers
    kept = sync.folder / path.lstrip("/")
    assert kept.read_bytes() == b"x" * 10
    assert kept.stat().st_mode & 0o111 == 0
    assert sync(sync_uploads_mb=1).uploads.fetched == 0


def test_the_quota_holds_with_the_newest_first(forum, sync, image):
    paths = [image(id, 400_000) for id in (1, 60, 200, 220)]
    report = sync(sync_uploads_mb=1).uploads
    assert (report.fetched, report.no_room, report.held_bytes) == (2, 2, 800_000)
    assert held(sync.folder) == sorted(path.lstrip("/") for path in paths[2:])
    assert sync(sync_uploads_mb=2).uploads.fetched == 2


def test_a_file_that_is_too_large_does_not_keep_smaller_ones_away(forum, sync, image, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 1000)
    image(220, 1001)
    small = image(1, 1000)
    report = sync(sync_uploads_mb=1).uploads
    assert (report.fetched, report.no_room) == (1, 1)
    assert held(sync.folder) == [small.lstrip("/")]


def test_a_file_that_is_not_there_is_asked_for_once(forum, sync, image):
    path = image(200, 10)
    forum.fail(path, *[NOT_FOUND] * 9)
    assert sync(sync_uploads_mb=1).uploads.absent == 1
    assert sync(sync_uploads_mb=1).uploads.absent == 1
    assert [asked.path for asked in forum.asked].count(path) == 1


def test_files_that_no_post_shows_any_more_go(forum, sync, image):
    image(200, 10)
    sync(sync_uploads_mb=1)
    forum.delete(200)
    report = sync(sync_uploads_mb=1).uploads
    assert (report.held, held(sync.folder)) == (0, [])


def test_a_server_that_fails_leaves_them_for_later(forum, sync, image):
    path = image(200, 10)
    forum.fail(path, *[page(500)] * 7)
    report = sync(sync_uploads_mb=1)
    assert (report.uploads.finished, report.uploads.fetched, report.held) == (False, 0, 51)
    assert held(sync.folder) == []
    assert sync(sync_uploads_mb=1).uploads.fetched == 1


def test_what_a_backup_brought_is_not_fetched_again(forum, sync, image):
    path, other = image(200, 10), image(220, 20)
    sync()
    with closing(ArchiveStore(sync.folder)) as store:
        stored, size = files.write(sync.folder, io.BytesIO(b"x" * 10), max_bytes=100)
        files.record(store, [files.Kept(path, stored, size, "roue.png")])
    assert sync(sync_uploads_mb=1).uploads.fetched == 1
    assert [asked.path for asked in forum.asked if asked.path in (path, other)] == [other]
    assert (sync.folder / "uploads" / stored).exists()
