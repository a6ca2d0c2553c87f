"""A backup's images and files, from its tar to the data folder: what public posts show, and nothing else."""

import base64
import gzip
import hashlib
import io
import re
import tarfile
from contextlib import closing

import pytest

from engine import Models, import_archive, upload_keeping, verifying
from engine.discourse import upload_files
from engine.erase import flow, plan
from engine.erase.request import Request
from engine.errors import Cancelled, DiskFull
from engine.store import ArchiveStore, files
from tests.engine.discourse.conftest import forum, post_json, save_json, shared, topic_json  # noqa: F401
from tests.engine.discourse.test_shared_forums import generate
from tests.engine.discourse.test_upload_names import base62
from tests.factories import settings

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SHA1S = {name: hashlib.sha1(name.encode()).hexdigest() for name in ("roue", "plan", "rond", "secret", "perdu", "vieux")}
SHA256 = hashlib.sha256(PNG).hexdigest()


def url(name, extension="png"):
    return f"/uploads/default/original/1X/{SHA1S[name]}.{extension}"


def image(address):
    return f'<p>Voici <img src="{address}" alt="vue"></p>'


CONTENTS = {
    url("roue"): PNG, url("plan", "pdf"): b"%PDF", url("rond"): PNG + b"rond", url("secret"): b"zzsecret",
    "/uploads/default/12/vieux.png": b"vieux",
}  # fmt: skip


@pytest.fixture
def backup(forum, tmp_path):  # noqa: F811
    """A forum whose posts show files in every way that Discourse ever wrote, as a backup."""
    forum.post(40, number=20, cooked=image(url("roue")))
    forum.post(41, number=21, cooked=image(f"/uploads/default/optimized/1X/{SHA1S['rond']}_2_690x388.png"))
    short = f"/uploads/short-url/{base62(SHA1S['plan'])}.pdf"
    forum.post(42, number=22, cooked=f'<p><a class="attachment" href="{short}">Plan.pdf</a> (4 Octets)</p>')
    lost = f'<img src="/images/transparent.png" data-orig-src="upload://{base62(SHA1S["perdu"])}.png" alt="perdue">'
    forum.post(43, number=23, cooked=f"<p>{lost}</p>" + image("https://ailleurs.exemple/uploads/default/12/vieux.png"))
    forum.post(44, number=24, cooked=image("/uploads/default/_optimized/1a2/b3c/vieux_10x10.png"))
    forum.post(45, number=25, cooked=image(f"//cdn.exemple{url('roue')}"))
    forum.post(46, 112, cooked=image(url("secret")))  # in a private message
    forum.post(47, number=26, cooked=image(url("secret")), hidden=True)
    forum.tables["uploads"] = [
        {"id": n, "url": address, "original_filename": f"{name} à moi.{address[-3:]}", "filesize": len(CONTENTS[address]),
         "sha1": SHA1S[name]}
        for n, (name, address) in enumerate(zip(("roue", "plan", "rond", "secret", "vieux"), CONTENTS, strict=True), 1)
    ]  # fmt: skip
    forum.tables["uploads"].append({"id": 9, "url": url("perdu"), "sha1": SHA1S["perdu"], "filesize": 3})
    forum.tables["optimized_images"] = [
        {"id": 1, "upload_id": 5, "url": "/uploads/default/_optimized/1a2/b3c/vieux_10x10.png"},
    ]

    def write(order=lambda members: members):
        path = tmp_path / "forum.tar.gz"
        members = [("dump.sql.gz", gzip.compress(forum.sql().encode())), *((u[1:], c) for u, c in CONTENTS.items())]
        with tarfile.open(path, "w:gz") as tar:
            for name, content in order(members):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        return path

    return write


def shown(folder, post_id):
    with closing(ArchiveStore(folder)) as store:
        kept = files.of_post(store, post_id).values()
    return {file.name: (folder / "uploads" / file.stored).read_bytes() for file in kept}


def on_disk(folder):
    return sorted(path.read_bytes() for path in (folder / "uploads").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "order", [lambda members: members, lambda members: members[::-1]], ids=["dump first", "dump last"]
)
def test_every_way_of_showing_a_file_finds_it_and_private_ones_stay_out(backup, tmp_path, order):
    data = tmp_path / "data"
    report = import_archive(settings(data), backup(order)).uploads
    assert shown(data, 40) == {"roue à moi.png": PNG}
    assert shown(data, 41) == {"rond à moi.png": PNG + b"rond"}
    assert shown(data, 42) == {"plan à moi.pdf": b"%PDF"}
    assert shown(data, 43) == {}  # its image is lost, and what another site shows is not ours
    assert shown(data, 44) == {"vieux à moi.png": b"vieux"}
    assert shown(data, 45) == {"roue à moi.png": PNG}
    assert on_disk(data) == sorted([PNG, PNG + b"rond", b"%PDF", b"vieux"])
    assert b"zzsecret" not in b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert b"secret \xc3\xa0 moi" not in b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert (report.fetched, report.held, report.absent, report.no_room, report.finished) == (5, 5, 1, 0, True)
    assert report.held_bytes == sum(map(len, on_disk(data)))


def test_reading_it_again_opens_no_file_twice(backup, tmp_path, monkeypatch):
    data, path = tmp_path / "data", backup()
    import_archive(settings(data), path)
    monkeypatch.setattr(files, "write", lambda *_args, **_kw: pytest.fail("written twice"))
    report = import_archive(settings(data), path).uploads
    assert (report.fetched, report.held, report.absent) == (0, 5, 1)


def test_an_interrupted_import_goes_on_where_it_was(backup, tmp_path):
    data, path, seen = tmp_path / "data", backup(), []

    def stop(progress):
        if progress.stage == upload_keeping.STAGE and progress.done == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        import_archive(settings(data), path, on_progress=stop)
    assert len(on_disk(data)) == 2
    report = import_archive(settings(data), path, on_progress=seen.append).uploads
    assert (report.held, len(on_disk(data))) == (5, 4)
    assert seen[-1].done == seen[-1].total < 4


def test_the_newest_posts_come_first_when_room_is_short(backup, tmp_path, monkeypatch):
    monkeypatch.setattr(upload_keeping, "MEGABYTE", 1)
    data = tmp_path / "data"
    report = import_archive(settings(data, import_uploads_mb=len(PNG) + 7), backup()).uploads
    # 45 and 40 show one image, 44 the old one; no room is left for those of 41 and 42, nor for the lost one.
    assert on_disk(data) == sorted([PNG, b"vieux"])
    assert (report.held, report.no_room, report.absent) == (3, 3, 0)


def test_no_file_is_kept_when_none_is_wanted(backup, tmp_path):
    data = tmp_path / "data"
    assert import_archive(settings(data, import_uploads_mb=0), backup()).uploads is None
    assert not (data / "uploads").exists()


def test_a_file_larger_than_it_may_be_is_left_out(backup, tmp_path, monkeypatch):
    monkeypatch.setattr(upload_keeping, "MAX_FILE_BYTES", 20)
    data = tmp_path / "data"
    report = import_archive(settings(data), backup()).uploads
    assert on_disk(data) == sorted([b"%PDF", b"vieux"]) and report.no_room == 3


def test_a_disk_without_room_says_so_and_keeps_the_messages(backup, tmp_path, monkeypatch):
    def full(*_args, **_kw):
        raise OSError(28, "No space left on device")

    data = tmp_path / "data"
    monkeypatch.setattr(files, "write", full)
    with pytest.raises(DiskFull):
        import_archive(settings(data), backup())
    with closing(ArchiveStore(data)) as store:
        assert store.counts()[0] == 10


def test_a_backup_cut_in_its_files_keeps_what_is_whole(backup, tmp_path, monkeypatch):
    path, data, find = backup(), tmp_path / "data", upload_files.find

    def cut(*args, **kw):
        found = find(*args, **kw)
        yield next(found)
        raise upload_files.UploadsCutError("truncated")

    monkeypatch.setattr(upload_files, "find", cut)
    report = import_archive(settings(data), path).uploads
    assert not report.finished and report.held == 2 and on_disk(data) == [PNG]
    assert verifying.verify(settings(data), path).missing_files == 1  # what can still be read
    monkeypatch.setattr(upload_files, "find", find)
    assert import_archive(settings(data), path).uploads.held == 5


def test_a_post_that_became_private_takes_its_file_along(backup, forum, tmp_path):  # noqa: F811
    data = tmp_path / "data"
    import_archive(settings(data), backup())
    forum.tables["posts"][-7]["hidden"] = True
    assert forum.tables["posts"][-7]["id"] == 41
    import_archive(settings(data), backup())
    assert PNG + b"rond" not in on_disk(data)


def test_files_beside_saved_pages_are_kept(save_json, tmp_path):  # noqa: F811
    folder = save_json({"t/100.json": topic_json(100, [post_json(1, cooked=image(url("roue"))), post_json(2, 2)])})
    place = folder / url("roue")[1:]
    place.parent.mkdir(parents=True)
    place.write_bytes(PNG)
    (place.parent / "autre.png").write_bytes(b"nobody shows it")
    data = tmp_path / "data"
    report = import_archive(settings(data), folder).uploads
    assert report.held == 1 and on_disk(data) == [PNG] and list(shown(data, 1).values()) == [PNG]


def test_the_files_of_an_erased_post_go_and_no_later_import_brings_them_back(backup, tmp_path):
    chosen, path = settings(tmp_path / "data"), backup()
    import_archive(chosen, path)
    flow.erase(chosen, flow.confirm(chosen, plan.look(chosen, Request(posts=(41,)))), Models())
    assert PNG + b"rond" not in on_disk(chosen.data)
    report = import_archive(chosen, path)
    assert PNG + b"rond" not in on_disk(chosen.data) and report.skipped["erased"] == 1
    found = verifying.verify(chosen, path)  # what was erased is left out, not missing
    assert found.whole and found.skipped["erased"] == 1 and (found.missing, found.missing_files) == (0, 0)


def test_files_that_were_never_kept_are_missing_for_a_verification(backup, tmp_path):
    data, path = tmp_path / "data", backup()
    import_archive(settings(data, import_uploads_mb=0), path)
    found = verifying.verify(settings(data), path)
    assert (found.files, found.missing_files, found.missing, found.whole) == (0, 5, 0, False)
    import_archive(settings(data), path)
    found = verifying.verify(settings(data), path)
    assert (found.files, found.missing_files, found.whole) == (5, 0, True)


@pytest.mark.shared
@pytest.mark.parametrize("dialect", ["new", "old"])
def test_a_generated_backup_keeps_what_its_public_posts_show_and_no_secret(shared, tmp_path, dialect):  # noqa: F811
    truth = generate(shared, tmp_path / "forum", "--dialect", dialect, "--tar")
    data, path = tmp_path / "data", next((tmp_path / "forum").glob("*.tar.gz"))
    report = import_archive(settings(data), path)
    with closing(ArchiveStore(data)) as store:
        cooked = "".join(text for (text,) in store.rows("SELECT cooked FROM posts"))
    wanted = set(re.findall(r"/uploads/default/original/1X/([0-9a-f]{40})", cooked))
    assert {hashlib.sha1(content).hexdigest() for content in on_disk(data)} == wanted
    assert len(wanted) == report.uploads.held
    raw = b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert not [secret for secret in truth["secrets"] if secret["token"].encode() in raw]
    assert verifying.verify(settings(data), path).whole
