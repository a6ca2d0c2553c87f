"""From a bundle in dist/: a .tar.gz, the bill of materials, the checksums; of the standard one, a Debian package too.

python packaging/linux/make.py [--flavour complet] [--deb-version 0.1.0~test]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from email.utils import formatdate
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import contents  # noqa: E402

DIST = ROOT / "dist"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}
BOM_TOOL = ROOT / "build" / "bom" / "bin" / "cyclonedx-py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flavour", choices=("standard", "complet"), default="standard")
    parser.add_argument("--deb-version", default=contents.version(), help="another version for the package")
    parser.add_argument("--only-deb", action="store_true", help="make the package and nothing else")
    given = parser.parse_args()
    machine = platform.machine()
    if given.only_deb:
        package(given.deb_version, ARCHITECTURE[machine])
        return 0
    standard = given.flavour == "standard"
    folder = DIST if standard else DIST / given.flavour
    stem = f"archiviste-{'' if standard else f'{given.flavour}-'}{contents.version()}-linux-{machine}"
    made = [archive(folder / "archiviste", folder / f"{stem}.tar.gz")]
    if standard:
        made.append(package(given.deb_version, ARCHITECTURE[machine]))
    if BOM_TOOL.exists():
        made.append(bill_of_materials(folder / f"{stem}.cdx.json"))
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in made)
    (folder / "SHA256SUMS").write_text(sums)
    for path in made:
        print(f"{path}: {path.stat().st_size / 1e6:.0f} MB")
    return 0


def archive(bundle: Path, path: Path) -> Path:
    """A bundle as it is: unpacked anywhere, it runs."""

    def nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        return member

    with tarfile.open(path, "w:gz", compresslevel=6) as tar:
        tar.add(bundle, f"archiviste-{contents.version()}", filter=nobodys)
    return path


def package(version: str, architecture: str) -> Path:
    """The Debian package, made of a tree by dpkg-deb."""
    tree = ROOT / "build" / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    share = tree / "usr" / "share"
    shutil.copytree(DIST / "archiviste", tree / "usr" / "lib" / "archiviste", symlinks=True)
    (tree / "usr" / "bin").mkdir(parents=True)
    (tree / "usr" / "bin" / "archiviste").symlink_to("../lib/archiviste/archiviste")
    put(HERE / "archiviste.desktop", share / "applications" / "archiviste.desktop")
    put(ROOT / "assets" / "icons" / "archiviste.svg", share / "icons/hicolor/scalable/apps/archiviste.svg")
    put(HERE.parent / "icons" / "archiviste.png", share / "icons/hicolor/256x256/apps/archiviste.png")
    put(HERE / "copyright", share / "doc" / "archiviste" / "copyright")
    put(HERE / "lintian-overrides", share / "lintian" / "overrides" / "archiviste")
    put(ROOT / "CHANGELOG.md", share / "doc" / "archiviste" / "CHANGELOG.md")
    compress(changelog(version).encode(), share / "doc" / "archiviste" / "changelog.gz")
    compress((HERE / "archiviste.1").read_bytes(), share / "man" / "man1" / "archiviste.1.gz")
    normal_modes(tree)
    control(tree, version, architecture)
    path = DIST / f"archiviste_{version}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(tree), str(path)], check=True)
    return path


def changelog(version: str) -> str:
    """The one entry that Debian's tools want; ours is CHANGELOG.md."""
    return (
        f"archiviste ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- The Archiviste authors <archiviste@example.org>  {formatdate(stamp())}\n"
    )


def stamp() -> float:
    """When this version was made: the date of its changelog."""
    return (ROOT / "CHANGELOG.md").stat().st_mtime


def control(tree: Path, version: str, architecture: str) -> None:
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    folder = tree / "DEBIAN"
    folder.mkdir()
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)
    (folder / "md5sums").write_text(sums)
    (folder / "control").write_text(
        (HERE / "control")
        .read_text("utf-8")
        .format(
            version=version,
            architecture=architecture,
            size=sum(path.stat().st_size for path in files) // 1024,
            glibc=oldest_glibc(files),
        ),
        "utf-8",
    )


def oldest_glibc(files: list[Path]) -> str:
    """The version of the C library that these files ask for; the window's bridge aside, all of them need it."""
    binaries = [str(path) for path in files if re.search(r"\.so(\.|$)", path.name) or os.access(path, os.X_OK)]
    dump = subprocess.run(["objdump", "-T", *binaries], capture_output=True, text=True, check=False).stdout
    found = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", dump)}
    return ".".join(map(str, max(found)))


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def compress(content: bytes, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, 9, mtime=0))


def normal_modes(tree: Path) -> None:
    """Folders and programs 755, everything else 644: libraries need no x."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path == tree / "usr/lib/archiviste/archiviste" else 0o644)


def bill_of_materials(path: Path) -> Path:
    """CycloneDX: every library of the environment that the bundle was made in, with its version and licence."""
    subprocess.run(
        [str(BOM_TOOL), "environment", "--pyproject", str(ROOT / "pyproject.toml"), "--output-format", "JSON",
         "--output-file", str(path), sys.executable],
        check=True,
    )  # fmt: skip
    return path


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit(main())
