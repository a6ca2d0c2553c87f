"""The Debian package on this very machine: installed, run, upgraded with the data kept, removed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.frozen.bundle import ROOT

DIST = ROOT / "dist"
USER = "archiviste-essai"


@pytest.fixture
def person():
    """An ordinary person of this machine, with a home of their own."""
    home = Path("/home/Zoé Essai")
    subprocess.run(["useradd", "--create-home", "--home-dir", str(home), USER], check=True)
    yield home
    subprocess.run(["userdel", "--remove", USER], check=True, capture_output=True)
    subprocess.run(["rm", "-rf", str(home)], check=True)


def test_the_package_is_installed_run_upgraded_and_removed(person):
    new = next(DIST.glob("archiviste_*[0-9]_amd64.deb"))
    version = new.name.split("_")[1]
    old = DIST / f"archiviste_{version}~essai_amd64.deb"
    if not old.exists():
        subprocess.run(
            [ROOT / ".venv-package/bin/python", ROOT / "packaging/linux/make.py", "--only-deb", "--deb-version", f"{version}~essai"],
            check=True,
        )  # fmt: skip
    try:
        _apt("install", str(old))
        _as(person, "archiviste", "demo")
        before = json.loads(
            _as(person, "archiviste", "--data", f"{person}/.local/share/Archiviste/demo", "status", "--json")
        )
        _apt("install", str(new))
        assert _installed() == version
        after = json.loads(
            _as(person, "archiviste", "--data", f"{person}/.local/share/Archiviste/demo", "status", "--json")
        )
        assert (after["posts"], after["dense"]) == (before["posts"], before["dense"])
        assert after["posts"] > 300
    finally:
        _apt("remove", "archiviste")
    assert _installed() == ""
    assert not Path("/usr/lib/archiviste").exists()
    assert not Path("/usr/bin/archiviste").is_symlink()
    assert (person / ".local/share/Archiviste/demo/archive.db").exists()  # what is theirs stays


def test_lintian_finds_no_error():
    new = next(DIST.glob("archiviste_*[0-9]_amd64.deb"))
    done = subprocess.run(["lintian", "--fail-on", "error", str(new)], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0


def _apt(*arguments):
    subprocess.run(
        ["apt-get", "-y", "-qq", "--no-install-recommends", *arguments], check=True, stdout=sys.stderr,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip


def _as(home, *command):
    return subprocess.run(
        ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, check=True, capture_output=True, text=True, cwd="/",
    ).stdout  # fmt: skip


def _installed():
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "archiviste"], capture_output=True, text=True)
    return asked.stdout if asked.returncode == 0 else ""
