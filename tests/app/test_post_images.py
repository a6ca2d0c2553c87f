"""Images come from the data folder's uploads only, only when a held message shows them."""

from dataclasses import replace

import pytest

from app.components.post_images import image_file, images_of
from engine.sources import Attachment, CookedText
from engine.store import ArchiveStore
from tests.factories import SITE, post, save, topic

FORUM = "https://forum.exemple"
SHA = "1c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
OTHER = "2c2a247ebb45bc3a930e83d0e900d19c741e8ca6"


def url(name):
    return f"{FORUM}/uploads/default/original/1X/{name}"


@pytest.fixture
def folder(tmp_path):
    """A data folder where a message shows a picture, an SVG, and a picture that was never fetched."""
    shown = tuple(Attachment(url(name), "x") for name in (f"{SHA}.png", f"{SHA}.svg", f"{OTHER}.png"))
    items = [SITE, topic(1), replace(post(11), parts=CookedText("mots", attachments=shown)), post(12, number=2)]
    save(tmp_path, items)
    place = tmp_path / "uploads/default/original/1X"
    place.mkdir(parents=True)
    (place / f"{SHA}.png").write_bytes(b"png")
    (place / f"{SHA}.svg").write_bytes(b"<svg/>")
    return tmp_path


@pytest.fixture
def served(folder):
    store = ArchiveStore(folder)
    yield lambda post_id, name: image_file(store, folder, FORUM, post_id, name)
    store.close()


def test_an_image_that_is_there_has_our_address(folder):
    image_of = images_of(folder, FORUM, 11)
    assert image_of(url(f"{SHA}.png")) == f"/uploads/11/{SHA}.png"
    assert image_of(f"/uploads/default/original/1X/{SHA}.png") == f"/uploads/11/{SHA}.png"


def test_what_is_absent_foreign_or_runs_has_none(folder):
    image_of = images_of(folder, FORUM, 11)
    assert image_of(url(f"{OTHER}.png")) is None
    assert image_of(url(f"{SHA}.svg")) is None
    assert image_of(f"https://ailleurs.exemple/uploads/default/original/1X/{SHA}.png") is None
    assert image_of("javascript:alert(1)") is None


def test_only_the_message_that_shows_an_image_serves_it(served, folder):
    assert served(11, f"{SHA}.png") == folder / f"uploads/default/original/1X/{SHA}.png"
    assert served(12, f"{SHA}.png") is None
    assert served(999, f"{SHA}.png") is None


@pytest.mark.parametrize("name", ["../../archive.db", "..", "archive.db", f"{SHA}.svg", f"{OTHER}.png", "", "a/b.png"])
def test_nothing_else_of_the_disk_is_served(served, name):
    assert served(11, name) is None


def test_a_link_out_of_the_folder_is_not_followed(served, folder):
    picture = folder / f"uploads/default/original/1X/{SHA}.png"
    picture.unlink()
    picture.symlink_to(folder / "archive.db")
    assert served(11, f"{SHA}.png") is None
