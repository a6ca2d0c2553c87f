"""The whole erasure of a data folder: nothing of it is left anywhere, and nothing of it comes back."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from engine.archive import open_archive
from engine.erase import certificate as certificates
from engine.erase import erased, flow, places, plan, request
from engine.erase.items import without_erased
from engine.erase.request import Request
from engine.erase.scan import Sought, scan
from engine.errors import Cancelled, ErasureRefused, ModelUnavailable, StoreBusy
from engine.index import building
from engine.locks import writing
from engine.seams import Models
from engine.sources import Skipped, SkipReason
from engine.store import ArchiveStore, VectorStore
from engine.values import Mode
from tests.engine.erase.conftest import NAME, SAID, SECRET, forum
from tests.factories import WORD_MODELS, save, settings

ROOT = Path(__file__).parents[3]


def erase(data, models=WORD_MODELS, **asked):
    found = plan.look(settings(data), Request(**asked))
    return flow.erase(settings(data), flow.confirm(settings(data), found), models, word=lambda one: "certificat\n")


def found_in(data, *wanted):
    """The files whose very bytes hold one of these, in any case; read here without the code under test."""
    needles = [needle for said in wanted for needle in (said.lower().encode(), json.dumps(said.lower())[1:-1].encode())]
    hits = set()
    for path in data.rglob("*"):
        if path.is_file():
            held = path.read_bytes()
            held = gzip.decompress(held) if held[:2] == b"\x1f\x8b" else held
            held = held.lower().replace("Ë".encode(), "ë".encode())
            hits |= {
                path.relative_to(data).as_posix()
                for needle in needles
                if needle in held.replace(f"{NAME}2".encode(), b"")
            }
    return hits


def test_a_look_counts_and_changes_nothing(data):
    before = {path: path.read_bytes() for path in data.rglob("*.json")}
    found = plan.look(settings(data), Request(users=(f"@{NAME.upper()}",), posts=(11, 999)))
    counts = {name: n for name, n in found.counts.items() if n}
    assert counts == {
        "posts_by": 1, "posts_erased": 1, "posts_changed": 3, "quotes": 2, "mentions": 1, "links": 1, "words": 1,
        "quotes_of_posts": 2, "titles": 2, "vectors": counts["vectors"], "uploads": 1, "unknown": 1, "questions": 2,
        "rows": 1, "raw": 1, "files": 4, "generations": counts["generations"],
    }  # fmt: skip
    assert found and not (data / "erasures").exists()
    assert {path: path.read_bytes() for path in data.rglob("*.json")} == before


def test_nothing_is_left_of_a_name_and_of_a_message(data):
    assert {"archive.db", "app.db", "logs/archiviste.log"} <= found_in(data, NAME)
    done = erase(data, users=(NAME,), posts=(11,))
    assert found_in(data, NAME, SECRET, SAID[-40:]) == set()
    assert done.clean and done.left == () and done.agrees and done.generation and done.generations_removed
    assert done.files > 10 and done.names == 1 and done.fragments > 50
    assert not list(data.glob("erasures/pending*"))
    assert [folder.name for folder in (data / "indexes").iterdir() if folder.is_dir()] == [done.generation]
    with closing(ArchiveStore(data)) as store:
        assert set(store.posts([11, 12, 13, 21, 22, 31])) == {12, 13, 21, 22, 31}
        (alias,) = done.aliases
        assert store.posts([22])[22].username == alias and store.posts([21])[21].username == "chloé"
        assert "zo&euml;_plume2" in store.posts([21])[21].cooked
        assert store.topic(1).title == "[…]" and store.topic(2).title == f"Adieu {alias} et bonne route"
        assert store.topic(2).slug == f"adieu-{alias}-et-bonne-route"
        assert store.upload_urls() == ()
    with open_archive(settings(data), WORD_MODELS) as archive:
        assert archive.agreement()
        assert archive.search(f"auteur:{alias}").total == 1
        assert archive.search("cabane lavande", mode=Mode.BM25).total == 0


def test_an_encoder_that_fails_does_not_hide_that_all_was_erased(data):
    def away(texts, role):
        raise ModelUnavailable(role="embed", path="http://machine", reason="server_away")

    done = erase(data, Models(embed=away, embed_name=WORD_MODELS.embed_name), users=(NAME,), posts=(11,))
    assert done.agrees and not done.left and found_in(data, NAME, SECRET) == set()


def test_a_certificate_tells_no_name(data):
    done = erase(data, users=(NAME,), posts=(11,))
    assert certificates.saved(data) == (done,)
    path = certificates.text_of(data, done.token)
    assert path.read_text("utf-8") == "certificat\n" and NAME not in path.with_suffix(".json").read_text("utf-8")
    assert path.stat().st_mode & 0o077 == 0 and erased.path_of(data).stat().st_mode & 0o077 == 0
    assert NAME not in erased.path_of(data).read_text("utf-8")


def test_a_second_import_brings_nothing_back_and_changes_nothing(data):
    erase(data, users=(NAME,), posts=(11,))
    with closing(ArchiveStore(data)) as store:
        before = store.state()
    report = save(data, forum(), source="second")
    assert (report.added, report.changed, report.skipped) == (0, 0, {SkipReason.ERASED: 1})
    assert report.missing == 0
    assert found_in(data, NAME, SECRET) == set()
    with closing(ArchiveStore(data)) as store:
        assert store.state() == before


def test_items_come_out_without_what_was_erased(data):
    done = erase(data, users=(NAME,), posts=(11,))
    out = list(without_erased(data, forum()))
    assert Skipped(SkipReason.ERASED, 1, 11) in out
    assert NAME not in repr(out).replace(f"{NAME}2", "") and SECRET not in repr(out)
    assert done.aliases[0] in repr(out)
    assert list(without_erased(data / "nowhere", forum())) == forum()


def test_the_same_name_keeps_its_alias(data):
    assert erase(data, users=(NAME,)).aliases == erase(data, users=(NAME,), posts=(31,)).aliases


def test_all_posts_of_a_member(data):
    done = erase(data, users=(NAME,), with_posts=True)
    assert done.done["posts_erased"] == 2 and done.clean
    with closing(ArchiveStore(data)) as store:
        assert set(store.posts([11, 22, 21])) == {21}


def test_a_topic_goes_with_its_only_message(data):
    erase(data, posts=(31,))
    with closing(ArchiveStore(data)) as store:
        assert store.topic(3) is None and store.counts()[1] == 2


def test_patterns(data):
    done = erase(data, patterns=("grand pot de lavande", "/petit\\s+pign[a-z]*/"))
    assert done.clean and done.names == 2
    with closing(ArchiveStore(data)) as store:
        assert "saute sur le […]." in store.posts([31])[31].text and "sous le […]." in store.posts([11])[11].text
    save(data, forum(), source="second")
    assert found_in(data, "grand pot de lavande", "petit pignon") == set()


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "nothing"), ({"users": ("…",)}, "no_word"), ({"patterns": ("/(/",)}, "expression"),
        ({"patterns": ("/a*/",)}, "too_much"),
    ],
)  # fmt: skip
def test_what_can_not_be_understood_changes_nothing(data, asked, reason):
    with pytest.raises(ErasureRefused) as refused:
        plan.look(settings(data), Request(**asked))
    assert refused.value.details["reason"] == reason and not (data / "erasures").exists()


def test_backups_that_were_sent_are_told_or_deleted(data):
    place = data / "received" / "dump.sql.gz"
    place.parent.mkdir()
    place.write_bytes(gzip.compress(f"posts {NAME}".encode()))
    done = erase(data, users=(NAME,))
    assert done.kept == ("received/dump.sql.gz",) and done.clean
    assert [one.file for one in done.left] == ["received/dump.sql.gz!"]
    done = erase(data, users=(NAME,), backups=True)
    assert not place.exists() and done.kept == () and done.left == ()


def test_the_check_finds_what_was_forgotten(data):
    erase(data, users=(NAME,), posts=(11,))
    (data / "forgotten.json").write_text(json.dumps({"x": f"par {NAME}"}))
    (data / "forgotten.txt").write_text(SECRET.upper().replace("É", "é"))
    (data / "other.txt").write_text(f"{NAME}2")
    sought = Sought(names=(NAME,), fragments=(SECRET.lower()[:20],), excused=(f"{NAME}2",))
    assert [(hit.file, hit.names, hit.fragments) for hit in scan(data, sought).hits] == [
        ("forgotten.json", 1, 0), ("forgotten.txt", 0, 1),
    ]  # fmt: skip


# --- a crash at any moment ---


@pytest.mark.parametrize("step", ["archive", "index", "places", "certificate"])
def test_what_stopped_anywhere_is_ended_by_the_same_call(data, step, monkeypatch):
    module, name = {
        "archive": (flow.erasing, "apply"), "index": (building, "publish_anew"), "places": (places, "clean"),
        "certificate": (certificates, "save"),
    }[step]  # fmt: skip
    real = getattr(module, name)

    def half(*arguments, **options):
        if step == "index":
            real(*arguments, **options)
        raise Cancelled()

    token = flow.confirm(settings(data), plan.look(settings(data), Request(users=(NAME,), posts=(11,))))
    with monkeypatch.context() as broken:
        broken.setattr(module, name, half)
        with pytest.raises(Cancelled):
            flow.erase(settings(data), token, WORD_MODELS)
    assert request.waiting(data) == (token,)
    save(data, forum(), source="between")  # the list holds from the first moment
    done = flow.erase(settings(data), token, WORD_MODELS)
    assert done.clean and done.agrees and request.waiting(data) == ()
    assert found_in(data, NAME, SECRET) == set()
    assert flow.erase(settings(data), token, WORD_MODELS) is None


@pytest.mark.parametrize("after_s", [0.15, 0.6])
def test_kill_minus_nine(data, after_s):
    token = flow.confirm(settings(data), plan.look(settings(data), Request(users=(NAME,), posts=(11,))))
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from engine.erase import flow\n"
        "from tests.factories import WORD_MODELS, settings\n"
        "print('begun', flush=True)\n"
        f"flow.erase(settings(Path({str(data)!r})), {token!r}, WORD_MODELS)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    child.stdout.readline()
    time.sleep(after_s)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    done = flow.erase(settings(data), token, WORD_MODELS)
    assert done is None or done.clean
    assert found_in(data, NAME, SECRET) == set() and request.waiting(data) == ()


def test_one_at_a_time(data):
    token = flow.confirm(settings(data), plan.look(settings(data), Request(posts=(31,))))
    with writing(settings(data)), pytest.raises(StoreBusy):
        flow.erase(settings(data), token, WORD_MODELS)
    assert request.waiting(data) == (token,)


def test_an_open_archive_goes_on(data):
    """Readers of the old index and of the old file neither stop the erasure nor see what went."""
    with open_archive(settings(data), WORD_MODELS) as archive:
        assert archive.search("cabane lavande", mode=Mode.BM25).total
        assert erase(data, posts=(11,)).clean
        assert archive.search("cabane lavande", mode=Mode.BM25).total == 0
        assert archive.search("pignon", mode=Mode.BM25).total == 1


def test_an_older_archive_is_made_to_obey_again(data, filled):
    import shutil

    erase(data, users=(NAME,), posts=(11,))
    for name in ("archive.db", "vectors.db"):
        shutil.copyfile(filled / name, data / name)
    assert flow.reapply(settings(data))["posts_erased"] == 1
    with closing(ArchiveStore(data)) as store:
        assert 11 not in store.posts([11]) and NAME not in {post.username for post in store.posts([22]).values()}


def test_vectors_of_changed_texts_go(data):
    with closing(VectorStore(data)) as vectors:
        before = {row[0] for row in vectors.db.execute("SELECT key FROM passages WHERE post_id IN (11, 21, 22)")}
    erase(data, users=(NAME,), posts=(11,))
    with closing(VectorStore(data)) as vectors:
        held = {row[0] for row in vectors.db.execute("SELECT key FROM vectors UNION SELECT key FROM passages")}
    assert len(before) == 3 and before.isdisjoint(held)
    raw = (data / "vectors.db").read_bytes()
    assert not [key for key in before if key in raw]


def test_a_list_that_can_not_be_read_stops_an_import(data):
    erase(data, posts=(31,))
    erased.path_of(data).write_text("{", "utf-8")
    from engine.errors import StoreDamaged

    with pytest.raises(StoreDamaged):
        save(data, forum())
