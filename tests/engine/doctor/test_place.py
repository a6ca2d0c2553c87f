"""Where the data folder is: a synchronised folder, a network drive, a full disk, rights."""

import os
import shutil
import stat
from collections import namedtuple
from pathlib import Path

import psutil
import pytest

from engine.doctor import place
from engine.doctor.findings import Level, Repair

Partition = namedtuple("Partition", "device mountpoint fstype opts")
Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("OneDrive", "OneDrive"), ("OneDrive - Club de vélo", "OneDrive"), ("Dropbox (Perso)", "Dropbox"),
        ("Google Drive", "Google Drive"), ("Mon Drive", "Google Drive"), ("GoogleDrive-alice@exemple.fr", "Google Drive"),
        ("iCloudDrive", "iCloud Drive"), ("com~apple~CloudDocs", "iCloud Drive"), ("Nextcloud2", "Nextcloud"),
        ("pCloudDrive", "pCloud"), ("kDrive", "kDrive"), ("MEGAsync", "MEGA"),
    ],
)  # fmt: skip
def test_a_synchronised_folder_is_known_by_its_name(tmp_path, name, service):
    data = tmp_path / name / "forum" / "Archiviste"
    data.mkdir(parents=True)
    found = place.drive(data)
    assert (found.state, found.level, found.figures["service"]) == ("synced", Level.WARNING, service)


@pytest.mark.parametrize(
    ("marker", "service"),
    [(".dropbox.cache", "Dropbox"), (".stfolder", "Syncthing"), (".sync_5a0b1c.db", "Nextcloud")],
)
def test_or_by_what_the_service_leaves_at_its_top(tmp_path, marker, service):
    (tmp_path / "mes fichiers").mkdir()
    (tmp_path / "mes fichiers" / marker).touch()
    data = tmp_path / "mes fichiers" / "archive"
    data.mkdir()
    assert place.drive(data).figures["service"] == service


@pytest.mark.parametrize("name", ["mes synchros", "box", "drive", "Documents", "one", ".dropbox"])
def test_another_folder_is_of_this_computer(tmp_path, name):
    data = tmp_path / name / "archive"
    data.mkdir(parents=True)
    assert (place.drive(data).state, place.drive(data).level) == ("local", Level.OK)


def test_a_link_leads_to_where_the_folder_is(tmp_path):
    (tmp_path / "Dropbox" / "archive").mkdir(parents=True)
    (tmp_path / "archive").symlink_to(tmp_path / "Dropbox" / "archive", target_is_directory=True)
    assert place.drive(tmp_path / "archive").state == "synced"


@pytest.mark.parametrize(
    ("kind", "options", "remote"),
    [
        ("nfs4", "rw", True), ("cifs", "rw", True), ("fuse.sshfs", "rw", True), ("fuse.rclone", "rw", True),
        ("9p", "rw", True), ("smbfs", "rw", True), ("NTFS", "rw,remote", True), ("ext4", "rw", False),
        ("fuseblk", "rw", False), ("fuse.mergerfs", "rw", False), ("apfs", "rw", False), ("NTFS", "rw,fixed", False),
    ],
)  # fmt: skip
def test_the_nearest_mount_says_whether_the_drive_is_of_the_network(tmp_path, monkeypatch, kind, options, remote):
    data = tmp_path / "mnt" / "archive"
    data.mkdir(parents=True)
    mounts = [Partition("a", "/", "ext4", "rw"), Partition("b", str(tmp_path / "mnt"), kind, options),
              Partition("c", str(tmp_path / "mn"), "nfs", "rw")]  # fmt: skip
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: mounts)
    assert (place.drive(data).state == "network") is remote


def test_this_machines_own_mounts_can_be_read(tmp_path):
    assert place.drive(tmp_path).state == "local"


@pytest.mark.parametrize(
    ("free", "state", "level"),
    [(50e9, "enough", Level.OK), (500e6, "short", Level.WARNING), (50e6, "full", Level.ERROR)],
)
def test_the_disk_must_hold_an_index_built_anew(tmp_path, monkeypatch, free, state, level):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100e9, 0, int(free)))
    found = place.disk(tmp_path, 600_000_000)
    assert (found.state, found.level, found.figures["free"]) == (state, level, int(free))


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_folder_where_anybody_may_write_is_told_and_protected(tmp_path):
    tmp_path.chmod(0o777)
    found = place.folder(tmp_path)
    assert (found.state, found.level, found.repair) == ("open", Level.WARNING, Repair.PROTECT)
    place.protect(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o775
    assert place.folder(tmp_path).state == "private"


def test_a_folder_where_we_may_not_write_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    assert place.folder(tmp_path).level is Level.ERROR


def test_sizes_add_up(tmp_path):
    for name in ("a/x", "a/b/y", "c/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(10))
    assert place.size([tmp_path / "a", tmp_path / "c", Path("nowhere")]) == 30
