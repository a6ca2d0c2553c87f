"""Images and files come from the data folder's uploads only, only when a held message shows them."""

import io
from dataclasses import replace

import pytest

from app.components.post_images import file_named, surroundings
from engine.sources import Attachment, CookedText, PostMoved
from engine.store import ArchiveStore, files
from engine.store.files import Kept
from tests.factories import SITE, post, save, topic

FORUM = "https://forum.exemple"
SHA = "1c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
OTHER = "2c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
PNG = b"\x89PNG\r\n\x1a\n"
PICTURES = {
    "png": PNG, "jpg": b"\xff\xd8\xff\xe0", "gif": b"GIF89a", "webp": b"RIFF\1\0\0\0WEBPVP8 ",
    "avif": b"\0\0\0\x20ftypavif",
}  # fmt: skip
PAGES = {
    "roue.svg": b"<svg onload=alert(1)>", "roue.png": b"<html><script>alert(1)</script>", "plan.pdf": b"%PDF-1.7",
    "note.html": b"<script>", "vide": b"", "bizarre.p/df": b"x", "archive.tar.gz": b"\x1f\x8b",
}  # fmt: skip


def url(name):
    return f"{FORUM}/uploads/default/original/1X/{name}"


@pytest.fixture
def folder(tmp_path):
    """A data folder where a message shows a picture, an SVG, and a picture that was never fetched."""
    shown = tuple(Attachment(url(name), "x") for name in (f"{SHA}.png", f"{SHA}.svg", f"{OTHER}.png"))
    kept = tuple(Attachment(f"/kept/{name}", "x") for name in (*PICTURES, *PAGES))
    items = [SITE, topic(1), topic(2), replace(post(11), parts=CookedText("mots", attachments=shown + kept))]
    save(tmp_path, [*items, post(12, number=2), post(21, topic_id=2, number=3), PostMoved(9, 4, 21)])
    place = tmp_path / "uploads/default/original/1X"
    place.mkdir(parents=True)
    (place / f"{SHA}.png").write_bytes(PNG)
    (place / f"{SHA}.svg").write_bytes(b"<svg/>")
    return tmp_path


@pytest.fixture
def store(folder):
    opened = ArchiveStore(folder)
    for name, content in (PICTURES | PAGES).items():
        stored, size = files.write(folder, io.BytesIO(content), max_bytes=100)
        files.record(opened, [Kept(f"/kept/{name}", stored, size, name)])
    yield opened
    opened.close()


@pytest.fixture
def around(store, folder):
    return surroundings(store, folder, FORUM, 11)


@pytest.fixture
def served(store, folder):
    return lambda post_id, name: file_named(store, folder, FORUM, post_id, name)


def test_an_image_that_is_there_has_our_address(around):
    assert around.image(url(f"{SHA}.png")) == f"/uploads/11/{SHA}.png"
    assert around.image(f"/uploads/default/original/1X/{SHA}.png") == f"/uploads/11/{SHA}.png"


@pytest.mark.parametrize("extension", PICTURES)
def test_a_picture_of_a_backup_is_known_by_its_first_bytes(around, served, extension):
    address = around.image(f"/kept/{extension}")
    assert address.startswith("/uploads/11/") and address.endswith(f".{extension}")
    assert served(11, address.rpartition("/")[2]).media_type == f"image/{extension.replace('jpg', 'jpeg')}"
    assert served(12, address.rpartition("/")[2]) is None


@pytest.mark.parametrize("name", PAGES)
def test_anything_else_is_a_file_to_save_whatever_its_name_says(around, served, name):
    assert around.image(f"/kept/{name}") is None
    found = served(11, around.file(f"/kept/{name}").rpartition("/")[2])
    assert found.media_type == "" and found.name == name
    assert found.served_as.partition(".")[2] in ("svg", "png", "pdf", "html", "bin", "gz")


def test_what_is_absent_foreign_or_runs_has_none(around):
    assert around.image(url(f"{OTHER}.png")) is None
    assert around.image(url(f"{SHA}.svg")) is None
    assert around.image(f"https://ailleurs.exemple/uploads/default/original/1X/{SHA}.png") is None
    assert around.image("javascript:alert(1)") is None and around.file("/kept/other") is None


def test_only_the_message_that_shows_an_image_serves_it(served, folder):
    assert served(11, f"{SHA}.png").path == folder / f"uploads/default/original/1X/{SHA}.png"
    assert served(12, f"{SHA}.png") is None
    assert served(999, f"{SHA}.png") is None


@pytest.mark.parametrize("name", ["../../archive.db", "..", "archive.db", f"{OTHER}.png", "", "a/b.png"])
def test_nothing_else_of_the_disk_is_served(served, name):
    assert served(11, name) is None


def test_a_link_out_of_the_folder_is_not_followed(served, folder):
    picture = folder / f"uploads/default/original/1X/{SHA}.png"
    picture.unlink()
    picture.symlink_to(folder / "archive.db")
    assert served(11, f"{SHA}.png") is None


def test_a_quoted_place_is_a_path_only_when_it_is_held(around):
    assert around.quoted(1, 2) == "/t/sujet/1/2" and around.quoted(2, None) == "/t/sujet/2"
    assert around.quoted(1, 99) is None and around.quoted(404, 1) is None and around.quoted(404, None) is None
    assert around.quoted(9, 4) == "/t/sujet/2/3"  # it was moved
