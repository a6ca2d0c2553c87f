"""Where the data folder is: free disk, a drive of the network, a folder that something synchronises, who may write."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from ..index.room import SPARE_BYTES
from .findings import Finding, Repair, error, ok, warning

# SQLite's journals and the locks of this program need a file system of this computer.
NETWORK = frozenset({
    *("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "afs", "ncpfs", "9p", "drvfs", "davfs", "webdav"),
    *("ceph", "glusterfs", "lustre", "beegfs", "sshfs", "vboxsf", "prl_fs", "vmhgfs"),
})  # fmt: skip
NETWORK_FUSE = frozenset({
    *("sshfs", "davfs", "davfs2", "rclone", "s3fs", "gcsfuse", "goofys", "curlftpfs", "smbnetfs", "glusterfs", "ceph"),
    *("google-drive-ocamlfuse", "onedriver", "gvfsd-fuse", "kio-fuse", "vmhgfs-fuse", "juicefs"),
})  # fmt: skip

# How the folders are called that these services keep alike on several computers: whole names, then their beginnings.
SYNCED = {
    "icloud drive": "iCloud Drive", "iclouddrive": "iCloud Drive", "mobile documents": "iCloud Drive",
    "com~apple~clouddocs": "iCloud Drive", "my drive": "Google Drive", "mon drive": "Google Drive",
    "proton drive": "Proton Drive", "box sync": "Box", "seafile": "Seafile", "drivefs": "Google Drive",
}  # fmt: skip
SYNCED_BEGINNINGS = {
    "onedrive": "OneDrive", "dropbox": "Dropbox", "google drive": "Google Drive", "googledrive": "Google Drive",
    "nextcloud": "Nextcloud", "owncloud": "ownCloud", "pcloud": "pCloud", "kdrive": "kDrive", "megasync": "MEGA",
    "protondrive": "Proton Drive", "icloud": "iCloud Drive", "syncthing": "Syncthing", "tresorit": "Tresorit",
}  # fmt: skip
# What they leave in the folder at whose top they work (not ".dropbox": under Linux that one is beside it).
MARKERS = {
    ".dropbox.cache": "Dropbox", ".stfolder": "Syncthing", ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud", ".sync_*.db": "Nextcloud", "._sync_*.db": "Nextcloud",
    ".tmp.drivedownload": "Google Drive", ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
}  # fmt: skip


def disk(data: Path, needed: int) -> Finding:
    """Whether the disk could hold an index that is built anew beside the one in use."""
    free = shutil.disk_usage(data).free
    needed += SPARE_BYTES
    if free < SPARE_BYTES:
        return error("disk", "full", free=free, needed=needed)
    found = warning if free < needed else ok
    return found("disk", "short" if free < needed else "enough", free=free, needed=needed)


def drive(data: Path) -> Finding:
    """Whether the folder is on a drive of the network or in a synchronised folder."""
    real = data.resolve()
    if (kind := _network(real)) is not None:
        return warning("drive", "network", path=str(data), kind=kind)
    if (service := _synced(real) or _synced(data)) is not None:
        return warning("drive", "synced", path=str(data), service=service)
    return ok("drive", "local", path=str(data))


def folder(data: Path) -> Finding:
    """Whether this process may write there, and strangers may not."""
    if not os.access(data, os.W_OK | os.X_OK):
        return error("folder", "unwritable", path=str(data))
    if os.name == "posix" and data.stat().st_mode & stat.S_IWOTH:
        return warning("folder", "open", Repair.PROTECT, path=str(data))
    return ok("folder", "private", path=str(data))


def protect(data: Path) -> None:
    """Take from strangers the right to write into the folder. Raises OSError where it is not ours."""
    data.chmod(stat.S_IMODE(data.stat().st_mode) & ~stat.S_IWOTH)


def size(paths: Iterable[Path]) -> int:
    """Bytes of the files in these folders; what has just gone counts for nothing."""
    total = 0
    for path in paths:
        for parent, _folders, names in os.walk(path):
            for name in names:
                try:
                    total += (Path(parent) / name).stat().st_size
                except OSError:
                    continue
    return total


def _network(real: Path) -> str | None:
    if str(real).startswith(("\\\\", "//")):
        return "UNC"
    best = None
    for partition in psutil.disk_partitions(all=True):
        point = Path(partition.mountpoint)
        if real.is_relative_to(point) and (best is None or len(point.parts) >= len(Path(best.mountpoint).parts)):
            best = partition
    if best is None:
        return None
    kind = best.fstype.lower()
    remote = kind in NETWORK or kind.removeprefix("fuse.") in NETWORK_FUSE or "remote" in best.opts.split(",")
    return kind if remote else None


def _synced(path: Path) -> str | None:
    """The service that the names of the folders above tell of, or what it left in one of them."""
    for part in path.parts:
        name = part.lower()
        if name in SYNCED:
            return SYNCED[name]
        for beginning, service in SYNCED_BEGINNINGS.items():
            if name.startswith(beginning):
                return service
    for above in (path, *path.parents):
        with suppress(OSError):  # a folder above that we may not list
            for marker, service in MARKERS.items():
                if next(above.glob(marker), None) is not None:
                    return service
    return None
