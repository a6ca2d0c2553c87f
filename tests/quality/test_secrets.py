"""The smallest generated forum in both layouts: not one of its private posts comes out; 20,000 by hand (secrets.py)."""

import gzip
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.quality import secrets

MAKER = Path(__file__).resolve().parents[3] / "shared" / "tools" / "make_forum.py"
POSTS = "3000"  # the least that it makes


@pytest.mark.shared
@pytest.mark.parametrize("dialect", ["new", "old"])
def test_nothing_private_comes_out(dialect, tmp_path):
    if not MAKER.is_file():
        pytest.skip("no shared tools beside this checkout")
    forum = tmp_path / "forum"
    command = [sys.executable, str(MAKER), "--posts", POSTS, "--dialect", dialect, "--tar", "--out", str(forum)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for check in secrets.check_forum(forum, tmp_path / "data", pages=1, tokens_searched=10):
        assert check.looked_at and not check.leaks, check


def test_a_leak_is_seen_wherever_it_is_packed(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"un zzsecret000001 ici"))
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.execute("CREATE TABLE posts (text)")
        db.execute("INSERT INTO posts VALUES (?)", ("x" * 4000 + "zzsecret000002" + "y" * 9000,))
        db.commit()
    found = secrets.check_files("files", tmp_path)
    assert {leak.rpartition(" ")[2] for leak in found.leaks} == {"zzsecret000001", "zzsecret000002"}
    asked = secrets.Check("page")
    asked.look("/chercher", "zzsecret000003 et zzsecret000004", asked=["zzsecret000003"])
    assert asked.leaks == ["/chercher: zzsecret000004"]
