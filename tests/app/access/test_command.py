"""The command `access`: passphrases from standard input or typed twice, sessions listed and ended."""

import io
import json
from datetime import timedelta

import pytest

from app import access_command, cli
from app.access import access_published
from app.access.keys import Keys
from app.access.passphrases import owner
from app.access.roles import Role
from app.shared_secret import read

PHRASE = "cadre selle guidon pompe"


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command in English; its status, and what it printed and said."""

    def command(*argv, typed=None, environ=None):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed or ""))
        status = cli.run(["--data", str(tmp_path), "--lang", "en", "access", *argv], environ or {})
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


def test_on_a_primary_each_change_is_published_and_a_replica_changes_nothing(run, tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "snapshots"
    secret.write_text("s" * 64)
    primary = {"ARCHIVISTE_SHARED_SECRET": str(secret), "ARCHIVISTE_SNAPSHOTS": str(folder)}

    def published():
        return access_published.read((folder / access_published.FILE).read_bytes(), read(secret))

    assert run("set", "reader", typed=PHRASE, environ=primary)[0] == 0
    before = published()
    assert owner(PHRASE, before.passphrases) is Role.READER
    assert run("revoke", environ=primary)[0] == 0
    assert published().epoch != before.epoch and published().version > before.version
    replica = {"ARCHIVISTE_SHARED_SECRET": str(secret), "ARCHIVISTE_REPLICA_OF": str(folder)}
    status, _printed, said = run("set", "reader", typed=PHRASE + "!", environ=replica)
    assert status == 1 and "replica" in said and published().version > before.version
    assert run("clear", environ=primary)[0] == 0 and published().passphrases == {}


@pytest.mark.parametrize(("text", "expected"), [(None, "openssl rand -hex 32"), ("court", "too short")])
def test_a_secret_that_cannot_be_used_is_told(run, tmp_path, text, expected):
    if text:
        (tmp_path / "secret").write_text(text)
    status, _printed, said = run("list", environ={"ARCHIVISTE_SHARED_SECRET": str(tmp_path / "secret")})
    assert status == 1 and expected in said and (text or "rien") not in said
