"""Files of a backup come out as streams, by name; what is dangerous in an archive is passed over."""

import io
import os
import tarfile

import pytest

from engine.discourse import upload_files
from engine.discourse.upload_files import UploadsCutError, find, has_files

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 50
DUMP = b"--\n-- PostgreSQL database dump\n--\n"


def member(name, content=b"", **values):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in values.items():
        setattr(info, key, value)
    return info, io.BytesIO(content)


@pytest.fixture
def backup(tmp_path):
    def write(*members, mode="w:gz"):
        path = tmp_path / "forum.tar.gz"
        with tarfile.open(path, mode) as tar:
            for info, content in (member("dump.sql", DUMP), *members):
                tar.addfile(info, content)
        return path

    return write


def read(path, *wanted):
    return {found.place: found.stream.read() for found in find(path, set(wanted), check=lambda: None)}


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_only_what_is_asked_for_comes_out(backup, mode):
    path = backup(
        member("uploads/default/a.png", PNG), member("uploads/default/b.png", b"b"), member("./uploads/default/c d.png", b"c"),
        mode=mode,
    )  # fmt: skip
    assert has_files(path)
    assert read(path, "default/a.png", "default/c d.png", "default/absent.png") == {
        "default/a.png": PNG, "default/c d.png": b"c",
    }  # fmt: skip


def test_links_devices_and_paths_that_lead_out_are_passed_over(backup):
    link = {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}
    path = backup(
        member("uploads/default/link.png", **link),
        member("uploads/default/hard.png", type=tarfile.LNKTYPE, linkname="dump.sql"),
        member("uploads/default/device.png", type=tarfile.CHRTYPE),
        member("uploads/default/fifo.png", type=tarfile.FIFOTYPE),
        member("uploads/../default/out.png", b"no"),
        member("/uploads/default/root.png", b"no"),
        member("../uploads/default/up.png", b"no"),
        member("other/uploads/default/deep.png", b"no"),
        member("uploads/default/good.png", PNG),
    )
    names = ("link", "hard", "device", "fifo", "out", "root", "up", "deep", "good")
    assert read(path, *(f"default/{name}.png" for name in names)) == {"default/good.png": PNG}


def test_a_member_twice_comes_out_once(backup):
    path = backup(member("uploads/default/a.png", b"first"), member("uploads/default/a.png", b"second"))
    assert read(path, "default/a.png") == {"default/a.png": b"first"}


def test_a_backup_that_claims_more_than_any_backup_holds_is_given_up(backup, monkeypatch):
    monkeypatch.setattr(upload_files, "RATIO_FLOOR_BYTES", 50_000)
    monkeypatch.setattr(upload_files, "MAX_RATIO", 10)
    path = backup(
        member("uploads/default/a.png", PNG), member("bombe", b"\0" * 3_000_000), member("uploads/default/z.png", PNG)
    )
    found = []
    with pytest.raises(UploadsCutError, match="too_large"):
        found.extend(f.place for f in find(path, {"default/a.png", "default/z.png"}, check=lambda: None))
    assert not found or found == ["default/a.png"]


def test_what_is_asked_for_before_a_bomb_is_enough(backup, monkeypatch):
    monkeypatch.setattr(upload_files, "RATIO_FLOOR_BYTES", 50_000)
    monkeypatch.setattr(upload_files, "MAX_RATIO", 10)
    path = backup(member("uploads/default/a.png", PNG), member("bombe", b"\0" * 3_000_000))
    assert read(path, "default/a.png") == {"default/a.png": PNG}


def test_a_name_of_millions_of_characters_is_refused_unread(tmp_path):
    path = tmp_path / "forum.tar"
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as tar:
        for info, content in (
            member("dump.sql", DUMP),
            member("n" * (2 << 20), b""),
            member("uploads/default/a.png", PNG),
        ):
            tar.addfile(info, content)
    with pytest.raises(UploadsCutError, match="truncated"):
        read(path, "default/a.png")


def test_a_backup_cut_in_the_middle_gives_what_is_whole(backup):
    path = backup(member("uploads/default/a.png", PNG), member("uploads/default/b.png", os.urandom(200_000)))
    path.write_bytes(path.read_bytes()[:-150_000])
    found = {}
    with pytest.raises(UploadsCutError):
        for each in find(path, {"default/a.png", "default/b.png"}, check=lambda: None):
            found[each.place] = each.stream.read()
    assert found == {"default/a.png": PNG}


def test_the_folder_beside_saved_pages_is_read_without_following_links(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    place = tmp_path / "uploads/default"
    place.mkdir(parents=True)
    (place / "a.png").write_bytes(PNG)
    (place / "link.png").symlink_to(tmp_path / "secret")
    (tmp_path / "uploads/folder").symlink_to(tmp_path)
    wanted = ("default/a.png", "default/link.png", "folder/secret", "default/absent.png")
    for source in (tmp_path, tmp_path / "t"):
        assert has_files(source) and read(source, *wanted) == {"default/a.png": PNG}
    assert not has_files(tmp_path / "secret" / "x")
