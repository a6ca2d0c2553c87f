"""An export is whole or absent, goes nowhere it should not, and shows nothing that left the archive meanwhile."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.export_words import look
from engine import Cancelled, DiskFull, ExportRefused, build_settings
from engine.export import export
from engine.export.target import SUFFIX
from engine.store import ArchiveStore
from tests.factories import forum, post, save, topic

FORMATS = ("json", "html")


@pytest.fixture
def data(tmp_path):
    save(tmp_path / "data", forum())
    return tmp_path / "data"


def made(data, folder, format_, **options):
    return export(build_settings(data), folder, format_, look=look(data) if format_ == "html" else None, **options)


def said(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("format_", FORMATS)
def test_it_says_what_it_holds_and_how_far_it_is(data, tmp_path, format_):
    heard = []
    found = made(data, tmp_path / "sorti", format_, on_progress=heard.append)
    assert (found.posts, found.topics, found.files) == (12, 4, 0)
    assert found.size == sum(path.stat().st_size for path in found.folder.rglob("*") if path.is_file())
    assert (heard[-1].done, heard[-1].total, heard[-1].left_s) == (12, 12, 0.0)


@pytest.mark.parametrize("format_", FORMATS)
def test_one_that_is_stopped_leaves_nothing(data, tmp_path, format_):
    calls = iter(range(3))

    def check():
        if next(calls, None) is None:
            raise Cancelled

    with pytest.raises(Cancelled):
        made(data, tmp_path / "sorti", format_, check=check)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_what_a_killed_one_left_goes_first(data, tmp_path):
    left = tmp_path / f"sorti{SUFFIX}" / "t"
    left.mkdir(parents=True)
    (left / "99.json").write_text("{}")
    made(data, tmp_path / "sorti", "json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "sorti"]
    assert not (tmp_path / "sorti" / "t" / "99.json").exists()


def test_it_takes_the_place_of_an_empty_folder_only(data, tmp_path):
    folder = tmp_path / "sorti"
    folder.mkdir()
    made(data, folder, "json")
    before = said(folder)
    for reason, place in (("not_empty", folder), ("not_a_folder", folder / "site.json"), ("not_empty", data)):
        with pytest.raises(ExportRefused) as refused:
            made(data, place, "html")
        assert refused.value.details["reason"] == reason
    assert said(folder) == before


def test_a_link_is_no_place_for_it(data, tmp_path):
    (tmp_path / "ailleurs").mkdir()
    (tmp_path / "sorti").symlink_to(tmp_path / "ailleurs", target_is_directory=True)
    with pytest.raises(ExportRefused):
        made(data, tmp_path / "sorti", "json")


@pytest.mark.parametrize("format_", FORMATS)
def test_a_disk_without_room_is_told_before_anything_is_written(data, tmp_path, format_, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(100, 99, 1))
    with pytest.raises(DiskFull) as full:
        made(data, tmp_path / "sorti", format_)
    assert full.value.details["reason"] == "export" and full.value.details["free_mb"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_disk_that_fills_up_leaves_nothing(data, tmp_path, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DiskFull):
        made(data, tmp_path / "sorti", "html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


@pytest.mark.parametrize("format_", FORMATS)
def test_what_left_the_archive_meanwhile_is_not_exported(data, tmp_path, format_):
    other = ArchiveStore(data)
    gone = iter([True])

    def check():
        if next(gone, False):
            other.db.execute("DELETE FROM posts WHERE id = 12")

    found = made(data, tmp_path / "sorti", format_, check=check)
    other.close()
    assert found.posts == 11
    assert "poncer les patins" not in said(found.folder)


def test_a_name_that_was_erased_meanwhile_is_not_exported(data, tmp_path):
    other = ArchiveStore(data)
    gone = iter([True])

    def check():
        if next(gone, False):
            other.db.execute("UPDATE posts SET username = 'anonyme' WHERE username = 'chloé'")
            other.db.execute("DELETE FROM users WHERE username = 'chloé'")

    found = made(data, tmp_path / "sorti", "json", check=check)
    other.close()
    assert "chloé" not in said(found.folder).lower()


def test_what_was_added_meanwhile_waits_for_the_next_one(data, tmp_path):
    calls = []

    def check():
        if not calls:
            save(data, [topic(9, "Nouveau", category=3), post(99, "Venu pendant", topic_id=9)], whole_forum=False)
        calls.append(1)

    found = made(data, tmp_path / "sorti", "json", check=check)
    assert found.posts == 12 and "Venu pendant" not in said(found.folder)


def test_an_archive_that_never_rests_is_not_exported(data, tmp_path):
    other = ArchiveStore(data)

    def check():
        other.db.execute("UPDATE posts SET cooked = cooked || ' ' WHERE id = 12")

    with pytest.raises(ExportRefused) as refused:
        made(data, tmp_path / "sorti", "json", check=check)
    other.close()
    assert refused.value.details["reason"] == "changing"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_an_empty_archive_gives_an_index_and_a_search(tmp_path):
    found = made(tmp_path / "data", tmp_path / "sorti", "html")
    assert found.posts == 0 and (found.folder / "index.html").is_file() and (found.folder / "search.html").is_file()


def test_files_are_given_under_names_that_run_nothing(data, tmp_path):
    """A picture under its own ending, a document as it is, what a browser would run with another ending."""
    held = {
        "photo.png": b"\x89PNG\r\n\x1a\n",
        "mode.pdf": b"%PDF",
        "trace.svg": b"<svg onload='x()'>",
        "p.html": b"<p>",
    }
    base, links = "/uploads/default/original/1X/", []
    for n, (name, content) in enumerate(held.items()):
        url = f"{base}{n:040x}.{name.partition('.')[2]}"
        path = data / url.removeprefix("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        links.append(f'<img src="{url}">' if name == "photo.png" else f'<a class="attachment" href="{url}">{name}</a>')
    from engine.discourse import cooked

    html = f"<p>{' '.join(links)}</p>"
    save(data, [replace(post(77, topic_id=4, number=9), cooked=html, parts=cooked.parse(html))], whole_forum=False)
    folder = made(data, tmp_path / "sorti", "html").folder
    assert sorted(path.suffix for path in (folder / "uploads").iterdir()) == [".bin", ".bin", ".pdf", ".png"]
    page = (folder / "t" / "4" / "1.html").read_text("utf-8")
    assert page.count('="../../uploads/') == 5 and '="/uploads' not in page  # a picture and the link that enlarges it
