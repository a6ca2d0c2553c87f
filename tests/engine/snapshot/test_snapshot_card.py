"""The card of a snapshot: what is written is what is read, and no text makes a file land elsewhere."""

import json
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import SnapshotUnusable
from engine.snapshot import Card, File
from engine.snapshot import card as cards

pytestmark = pytest.mark.several

HASH = "a" * 64
CARD = Card(
    "1796048565398-96280e31", 1796048565398, "2026-11-30T14:22:45+00:00", "0.1", "g", "f", "s", "", "Forum", 12, 4,
    {"archive.db": 3}, (File("archive.db", 10, HASH), File("uploads/kept/é\udcff", 1, HASH)), "https://x.example",
)  # fmt: skip


def changed(**values):
    return json.dumps({**json.loads(cards.written(CARD)), **values}).encode()


def refused(text, **more):
    with pytest.raises(SnapshotUnusable) as error:
        cards.read(text, place="source", **more)
    return error.value.details["reason"]


def test_what_is_written_is_what_is_read():
    assert cards.read(cards.written(CARD), place="") == CARD


@given(st.binary() | st.recursive(st.none() | st.integers() | st.text(), lambda deeper: st.lists(deeper) | st.dictionaries(
    st.sampled_from(["kind", "format", "files", "name", "path"]), deeper)).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_other_text_is_damaged(text):
    assert refused(text) in ("damaged", "newer")


@given(st.text(max_size=30) | st.lists(st.sampled_from(["..", ".", "a", "", "/", "\\", "C:", " ", "a."])).map("/".join))
def test_an_accepted_path_stays_below_its_folder(path):
    try:
        read = cards.read(changed(files=[{"path": path, "size": 1, "sha256": HASH}]), place="")
    except SnapshotUnusable:
        return
    (file,) = read.files
    folder = Path("/x/y")
    assert (folder / file.path).resolve().is_relative_to(folder) and file.path != "."
    assert not PureWindowsPath(file.path).drive and ".." not in PureWindowsPath(file.path).parts


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a\\..\\x", "C:x", "", "a//b", "a/./b", "a\nb"])
def test_a_path_that_leads_elsewhere_is_refused(path):
    assert refused(changed(files=[{"path": path, "size": 1, "sha256": HASH}])) == "unsafe"


def test_what_a_newer_version_made_is_told():
    assert refused(changed(format=2)) == "newer"
    assert refused(cards.written(CARD), schemas={"archive.db": 2}) == "newer"
    assert cards.read(cards.written(CARD), place="", schemas={"archive.db": 3}) == CARD


@pytest.mark.parametrize("values", [
    {"kind": "archiviste-backup"}, {"name": "access"}, {"serial": "x"}, {"files": 3}, {"schemas": []},
    {"files": [{"path": "a", "size": -1, "sha256": HASH}]}, {"files": [{"path": "a", "size": 1, "sha256": "../x"}]},
    {"files": [{"path": "a", "size": 1, "sha256": HASH}] * 2},
])  # fmt: skip
def test_what_can_not_be_is_damaged(values):
    assert refused(changed(**values)) == "damaged"
