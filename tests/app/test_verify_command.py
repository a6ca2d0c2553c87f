"""`archiviste verify` on a generated backup: whole after an import, and what is said when something is missing."""

import json
from contextlib import closing

import pytest

from app import cli
from engine import import_archive
from engine.store import ArchiveStore
from tests.engine.discourse.conftest import forum, write_dump  # noqa: F401
from tests.factories import settings


@pytest.fixture
def archive(forum, write_dump, tmp_path):  # noqa: F811
    data, path = tmp_path / "data", write_dump(forum.sql(), "gzip")
    import_archive(settings(data), path)
    return data, path


def run(capsys, data, *arguments):
    status = cli.run(["--data", str(data), "verify", *map(str, arguments)], {})
    said = capsys.readouterr()
    assert "zzsecret" not in said.out + said.err
    return status, said.out


def lose(data):
    with closing(ArchiveStore(data)) as store:
        store.db.execute("DELETE FROM posts WHERE id = 2")


def test_nothing_is_missing_after_an_import(capsys, archive):
    for sources in ([archive[1]], []):
        status, said = run(capsys, archive[0], *sources)
        assert status == 0 and "4" in said and "/t/100" not in said


def test_a_missing_message_ends_with_one_and_names_its_topic(capsys, archive):
    lose(archive[0])
    for sources in ([archive[1]], []):
        status, said = run(capsys, archive[0], *sources)
        assert status == 1 and "/t/100 Sujet 100" in said and "/t/101" not in said


def test_the_document_holds_every_topic(capsys, archive):
    lose(archive[0])
    status, said = run(capsys, archive[0], archive[1], "--json")
    document = json.loads(said)
    (found,) = document["verifications"]
    assert status == 1 and not document["whole"]
    assert (found["expected"], found["held"], found["missing"], found["edited"], found["private"]) == (4, 3, 1, 0, 0)
    assert found["skipped"]["private_message"] == 1
    assert [(topic["topic_id"], topic["missing"]) for topic in found["topics"]] == [(100, 1), (101, 0), (116, 0)]


def test_a_source_that_is_none_is_told(capsys, archive, tmp_path):
    assert run(capsys, archive[0], tmp_path / "absent.tar.gz")[0] == 1
