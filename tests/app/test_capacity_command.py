"""The command `capacity`: what it prints for people and for programs, and what it refuses."""

import json

import pytest

from app import cli, i18n
from app.capacity import points
from app.i18n import gettext as _
from engine import build_index, build_settings
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command; (exit status, stdout, stderr)."""

    def run(*arguments):
        i18n.use("fr")
        try:
            status = cli.run(["--data", str(tmp_path / "data"), "capacity", *map(str, arguments)], {})
        except SystemExit as stopped:
            status = stopped.code
        return status, *capsys.readouterr()

    yield run
    i18n.use("fr")


def test_one_five_and_twenty_millions_are_told_by_default(run, tmp_path):
    status, out, _err = run()
    assert status == 0
    for posts in ("1\u202f000\u202f000", "5\u202f000\u202f000", "20\u202f000\u202f000"):
        assert out.count(f"{posts} messages – ") == 2  # with each engine
    assert _("extrapolated") in out and _("not measured") in out
    assert not list(tmp_path.glob("data/*.db")), "nothing is made of an archive that was not asked for"


def test_a_program_gets_every_figure_with_how_it_is_known(run):
    status, out, _err = run(
        "--posts", 391_421, 5_000_000, "--encoder", "server", "--rate", "800", "--cores", 8, "--json"
    )
    told = json.loads(out)
    assert status == 0
    local = [one for one in told["forecasts"] if one["engine"] == "local"]
    assert [one["posts"] for one in local] == [391_421, 5_000_000]
    for one in local:
        assert one["dimensions"] == 1024
        assert one["figures"]["encode_s"]["known"] == "chosen"
        assert one["figures"]["encode_s"]["value"] == pytest.approx(one["passages"] / 800, rel=1e-3)
        for figure in one["figures"].values():
            assert (figure["value"] is None) == (figure["known"] == "unknown")
    assert local[0]["figures"]["reader_bytes"]["known"] == "measured"
    assert local[1]["figures"]["reader_bytes"]["known"] == "extrapolated"
    assert local[1]["figures"]["reader_bytes"]["measured_at"][-1] >= 391_421
    assert len(told["measured"]) == len(points.measured()) and told["here"] is None


def test_more_memory_holds_more(run):
    limits = [json.loads(run("--memory", gb, "--json")[1])["local_engine"]["limits"]["memory"] for gb in (8, 64)]
    assert 0 < limits[0]["posts"] < limits[1]["posts"]


def test_the_archive_at_hand_is_measured_and_comes_first(run, tmp_path):
    save(tmp_path / "data", forum())
    build_index(build_settings(tmp_path / "data"), WORD_MODELS)
    _status, out, _err = run("--here", "--json")
    told = json.loads(out)
    assert told["forecasts"][0]["posts"] == told["here"]["posts"] == 12
    held = told["here"]["figures"]
    assert held["archive_bytes"] >= (tmp_path / "data" / "archive.db").stat().st_size
    folders = tmp_path.glob("data/indexes/*/*/")
    assert held["words_bytes"] > 0 and held["graph_bytes"] > 0 and list(folders)
    _status, out, _err = run("--here")
    assert _("The archive at hand, measured now") in out


def test_an_archive_without_index_has_databases_only(run, tmp_path):
    save(tmp_path / "data", forum())
    told = json.loads(run("--here", "--json")[1])
    assert set(told["here"]["figures"]) <= {"archive_bytes", "vectors_db_bytes"}


@pytest.mark.parametrize(
    "wrong",
    [("--posts", "0"), ("--posts", "1e6"), ("--rate", "nan"), ("--rate", "-1"), ("--cores", "0"), ("--encoder", "x")],
)
def test_what_means_nothing_is_wrong_usage(run, wrong):
    status, out, err = run(*wrong)
    assert (status, out) == (2, "") and err
