"""Kept files: by the hash of their content, as long as a held post shows them, and no longer."""

import hashlib
import io
from dataclasses import replace

import pytest

from engine.sources import Attachment, CookedText
from engine.store import ArchiveStore, files
from engine.store.files import FileTooLarge, Kept
from tests.factories import SITE, post, save, topic


def showing(post_id, *urls, **values):
    return replace(post(post_id, **values), parts=CookedText("mots", attachments=tuple(Attachment(u, u) for u in urls)))


@pytest.fixture
def store(tmp_path):
    save(tmp_path, [SITE, topic(1), showing(11, "/a", "/b"), showing(12, "/a", number=2), showing(13, "/c", number=3)])
    opened = ArchiveStore(tmp_path)
    yield opened
    opened.close()


def keep(store, tmp_path, content, *urls):
    stored, size = files.write(tmp_path, io.BytesIO(content), max_bytes=1000)
    files.record(store, [Kept(url, stored, size, url[1:]) for url in urls])
    return tmp_path / "uploads" / stored


def test_a_file_stands_under_the_hash_of_its_content_once(store, tmp_path):
    path = keep(store, tmp_path, b"image", "/a", "/b")
    assert path.read_bytes() == b"image" and path.name == hashlib.sha256(b"image").hexdigest()
    assert keep(store, tmp_path, b"image", "/c") == path
    assert [p for p in (tmp_path / "uploads").rglob("*") if p.is_file()] == [path]
    assert files.disk_bytes(store) == len(b"image")
    assert files.of_post(store, 11).keys() == {"/a", "/b"} and files.of_post(store, 12).keys() == {"/a"}
    assert files.of_post(store, 999) == {}


def test_what_is_too_large_leaves_nothing(store, tmp_path):
    with pytest.raises(FileTooLarge):
        files.write(tmp_path, io.BytesIO(b"x" * 1001), max_bytes=1000)
    assert not [p for p in (tmp_path / "uploads").rglob("*") if p.is_file()]


def test_a_file_goes_with_the_last_post_that_shows_it(store, tmp_path):
    first, second = keep(store, tmp_path, b"one", "/a"), keep(store, tmp_path, b"two", "/c")
    save(tmp_path, [SITE, topic(1), showing(12, "/a", number=2), showing(13, "/c", number=3)], accept_removals=True)
    assert first.exists()  # message 11 went, 12 still shows it
    save(tmp_path, [SITE, topic(1), showing(13, "/c", number=3)], accept_removals=True)
    assert not first.exists() and second.exists()
    assert files.kept(store).keys() == {"/c"}


def test_an_edit_that_drops_an_image_lets_its_file_go(store, tmp_path):
    path = keep(store, tmp_path, b"three", "/c")
    save(tmp_path, [SITE, topic(1), showing(13, number=3, edited=1)], whole_forum=False)
    assert not path.exists() and files.kept(store) == {}


def test_a_content_that_another_address_shows_stays(store, tmp_path):
    path = keep(store, tmp_path, b"one", "/a", "/c")
    save(tmp_path, [SITE, topic(1), showing(13, "/c", number=3)], accept_removals=True)
    assert path.exists() and files.kept(store).keys() == {"/c"}


def test_what_a_killed_import_left_is_swept_and_what_went_is_not_present(store, tmp_path):
    path = keep(store, tmp_path, b"one", "/a")
    files.write(tmp_path, io.BytesIO(b"orphan"), max_bytes=1000)
    (path.parent.parent / ".part").write_bytes(b"half")
    files.sweep(store)
    assert [p for p in (tmp_path / "uploads").rglob("*") if p.is_file()] == [path]
    assert files.present(tmp_path, files.kept(store)).keys() == {"/a"}
    path.write_bytes(b"cut")
    path.unlink()
    assert files.present(tmp_path, files.kept(store)) == {}
