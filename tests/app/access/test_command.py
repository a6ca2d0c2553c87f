"""The command `access`: passphrases from standard input or typed twice, sessions listed and ended."""

import io
import json
from datetime import timedelta

import pytest

from app import access_command, cli
from app.access.keys import Keys
from app.access.passphrases import owner
from app.access.roles import Role

PHRASE = "cadre selle guidon pompe"


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command in English; its status, and what it printed and said."""

    def command(*argv, typed=None):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed or ""))
        status = cli.run(["--data", str(tmp_path), "--lang", "en", "access", *argv], {})
        return (status, *capsys.readouterr())

    return command


@pytest.fixture
def keys(tmp_path):
    opened = Keys(tmp_path)
    yield opened
    opened.close()


def test_a_passphrase_is_read_from_standard_input_and_not_shown(run, keys):
    status, printed, said = run("set", "reader", typed=f"{PHRASE}\n")
    assert status == 0 and owner(PHRASE, keys.passphrases()) is Role.READER
    assert PHRASE not in printed + said
    assert "archiviste access set moderator" in printed


@pytest.mark.parametrize(("typed", "expected"), [("court\n", "too short"), ("", "too short"), ("a" * 300, "too long")])
def test_a_bad_one_changes_nothing(run, keys, typed, expected):
    status, _printed, said = run("set", "reader", typed=typed)
    assert status == 1 and expected in said and keys.passphrases() == {}


def test_both_can_not_be_the_same(run):
    run("set", "reader", typed=PHRASE)
    status, _printed, said = run("set", "moderator", typed=PHRASE)
    assert status == 1 and "different passphrases" in said


@pytest.mark.parametrize(("again", "status"), [(PHRASE, 0), (PHRASE + "!", 1)])
def test_in_a_terminal_it_is_typed_twice(keys, tmp_path, monkeypatch, again, status):
    typed = iter([PHRASE, again])
    monkeypatch.setattr(access_command, "getpass", lambda _prompt: next(typed))
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    assert cli.run(["--data", str(tmp_path), "access", "set", "reader"], {}) == status
    assert bool(keys.passphrases()) is (status == 0)


def test_sessions_are_listed_and_ended(run, keys):
    keys.set_passphrase(Role.READER, "hash")
    token = keys.open_session(Role.READER, "hash", timedelta(days=1), address="192.0.2.7")
    _status, printed, _said = run("list", "--json")
    document = json.loads(printed)
    assert document["passphrases"] == ["reader"]
    assert [(one["role"], one["address"]) for one in document["sessions"]] == [("reader", "192.0.2.7")]
    assert token not in printed
    assert "192.0.2.7" in run()[1]
    assert run("revoke")[1] == "1 session ended.\n"
    assert keys.sessions() == ()


def test_clearing_forgets_the_passphrases(run, keys):
    run("set", "reader", typed=PHRASE)
    assert run("clear")[0] == 0 and keys.passphrases() == {}


@pytest.mark.parametrize("argv", [("set",), ("set", "nobody"), ("tell",)])
def test_wrong_usage_exits_with_2(run, argv):
    with pytest.raises(SystemExit) as ended:
        run(*argv)
    assert ended.value.code == 2
