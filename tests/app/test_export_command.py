"""The command `export`: what it writes, what it prints, its exit status, and the job that it is."""

import json

import pytest

from app import cli, i18n
from app.i18n import gettext as _
from tests.factories import forum, save


@pytest.fixture
def run(tmp_path, capsys):
    """Runs a command on a small forum; (exit status, stdout, stderr)."""
    save(tmp_path / "data", forum())

    def run(*arguments):
        status = cli.run(["--data", str(tmp_path / "data"), *map(str, arguments)], {})
        i18n.use("fr")
        return status, *capsys.readouterr()

    return run


def test_pages_are_the_default(run, tmp_path):
    status, out, noted = run("export", tmp_path / "sorti")
    assert status == 0
    assert str(tmp_path / "sorti" / "index.html") in out
    assert _("Writing the pages") in noted
    assert "Régler des freins" in (tmp_path / "sorti" / "t" / "1" / "1.html").read_text("utf-8")


def test_json_is_read_back_by_import(run, tmp_path):
    status, out, _noted = run("export", tmp_path / "sorti", "--format", "json", "--json")
    assert status == 0
    assert json.loads(out) == {"folder": str(tmp_path / "sorti"), "format": "json", "posts": 12}
    status, out, _noted = run("import", tmp_path / "sorti")
    assert status == 0
    _status, out, _noted = run("status", "--json")
    assert json.loads(out)["posts"] == 12


def test_a_folder_that_holds_something_is_refused_with_a_sentence(run, tmp_path):
    (tmp_path / "sorti").mkdir()
    (tmp_path / "sorti" / "à garder.txt").write_text("x")
    status, out, noted = run("export", tmp_path / "sorti")
    assert (status, out) == (1, "")
    assert str(tmp_path / "sorti") in noted
    assert [path.name for path in (tmp_path / "sorti").iterdir()] == ["à garder.txt"]


def test_it_is_a_job_like_others(run, tmp_path):
    run("export", tmp_path / "sorti", "--format", "json")
    _status, out, _noted = run("jobs")
    assert _("Export of the archive") in out and str(tmp_path / "sorti") in out
