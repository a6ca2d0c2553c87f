"""A primary and its replicas: who comes in at one is in at all, and whoever is sent away is away from all."""

import json
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from app.access import access_published, shared_keys
from app.access.access_published import FILE, Published
from app.access.keys import Keys
from app.access.roles import Role
from app.access.shared_keys import SharedKeys, open_keys
from app.errors import AccessElsewhere, AccessFileRefused
from app.settings import AppSettings
from app.shared_secret import Secret
from engine import SettingsError, StoreError

SECRET, OTHER = Secret(b"a" * 64), Secret(b"b" * 64)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "snapshots"


@pytest.fixture
def primary(tmp_path, folder):
    with closing(SharedKeys(tmp_path / "primary", SECRET, folder=folder)) as keys:
        keys.set_passphrase(Role.READER, "hash-r")
        keys.set_passphrase(Role.MODERATOR, "hash-m")
        yield keys


@pytest.fixture
def replica(tmp_path, folder, primary):
    with closing(SharedKeys(tmp_path / "replica", SECRET, replica=True)) as keys:
        keys.take((folder / FILE).read_bytes())
        yield keys


def entered(keys, role=Role.READER, kept="hash-r", *, now=NOW):
    """What a session is known by, opened there."""
    token = keys.open_session(role, kept, HOUR, address="192.0.2.7", now=now)
    return keys.known(token)


def hear(replica, folder):
    replica.take((folder / FILE).read_bytes())


def test_a_session_of_one_holds_at_the_other(primary, replica):
    for here, there in ((primary, replica), (replica, primary)):
        found = there.find(entered(here, Role.MODERATOR, "hash-m"), now=NOW)
        assert (found.role, found.expires_at) == (Role.MODERATOR, NOW + HOUR)
        assert there.find(entered(here), now=NOW + HOUR) is None


def test_the_passphrases_open_at_a_replica(primary, replica):
    assert replica.passphrases() == primary.passphrases() == {Role.READER: "hash-r", Role.MODERATOR: "hash-m"}


@pytest.mark.parametrize("minutes", [-5, 5])
def test_a_replica_whose_clock_is_minutes_off_takes_part(primary, replica, folder, minutes):
    off = NOW + timedelta(minutes=minutes)
    of_primary, of_replica = entered(primary), entered(replica, now=off)
    assert replica.find(of_primary, now=off) and primary.find(of_replica, now=NOW)
    primary.end_all()  # of no clock: nothing is compared with a time
    hear(replica, folder)
    for known in (of_primary, of_replica):
        assert primary.find(known, now=NOW) is None and replica.find(known, now=off) is None


# --- ends -------------------------------------------------------------------------------------


def test_a_new_passphrase_ends_the_sessions_of_its_role(primary, replica, folder):
    reader, moderator = entered(replica), entered(replica, Role.MODERATOR, "hash-m")
    primary.set_passphrase(Role.READER, "hash-new")
    assert primary.find(reader, now=NOW) is None and primary.find(moderator, now=NOW)
    hear(replica, folder)
    assert replica.find(reader, now=NOW) is None and replica.find(moderator, now=NOW)
    assert replica.open_session(Role.READER, "hash-r", HOUR, address="") is None
    assert replica.find(entered(replica, kept="hash-new"), now=NOW)


def test_all_are_ended_and_those_who_come_after_are_not(primary, replica, folder):
    before = [entered(primary), entered(replica), entered(primary, Role.MODERATOR, "hash-m")]
    assert primary.end_all() == 2  # those that it saw; the third was never here
    hear(replica, folder)
    after = entered(replica)
    for keys in (primary, replica):
        assert [keys.find(known, now=NOW) for known in before] == [None] * 3
        assert keys.find(after, now=NOW)


def test_leaving_on_the_primary_is_leaving_everywhere(primary, replica, folder):
    mine, other = entered(replica), entered(replica)
    primary.leave(mine)
    hear(replica, folder)
    for keys in (primary, replica):
        assert keys.find(mine, now=NOW) is None and keys.find(other, now=NOW)


def test_leaving_on_a_replica_ends_it_there_and_survives_what_the_primary_tells(primary, replica, folder, tmp_path):
    mine = entered(replica)
    replica.leave(mine)
    primary.set_passphrase(Role.MODERATOR, "hash-m2")
    hear(replica, folder)
    assert replica.find(mine, now=NOW) is None
    with closing(SharedKeys(tmp_path / "replica", SECRET, replica=True)) as again:
        assert again.find(mine, now=NOW) is None


def test_a_moderator_ends_one_that_was_opened_elsewhere(primary, replica, folder):
    now = datetime.now(UTC)
    mine, other = entered(replica, now=now), entered(replica, now=now)
    assert primary.sessions() == ()
    for known in (mine, other):
        primary.saw(primary.find(known), known, address="192.0.2.9")
    assert [session.address for session in primary.sessions()] == ["192.0.2.9"] * 2
    primary.end(primary.find(mine).id)
    hear(replica, folder)
    assert primary.find(mine) is None and replica.find(mine) is None
    assert replica.find(other) and len(primary.sessions()) == 1


def test_forgetting_the_passphrases_closes_every_door(primary, replica, folder):
    mine = entered(replica)
    primary.clear()
    hear(replica, folder)
    assert replica.passphrases() == {} and replica.find(mine, now=NOW) is None


def test_too_many_ends_to_remember_end_all(primary, monkeypatch):
    monkeypatch.setattr(shared_keys, "MAX_ENDED", 3)
    sessions = [entered(primary, now=datetime.now(UTC)) for _ in range(6)]
    for known in sessions[:4]:
        primary.leave(known)
    assert [primary.find(known) for known in sessions] == [None] * 6
    assert primary.held().ended == {}


def test_ends_are_forgotten_once_they_would_have_come_by_themselves(primary):
    old, new = entered(primary, now=NOW - timedelta(days=3)), entered(primary, now=datetime.now(UTC))
    primary.leave(old)
    primary.leave(new)
    assert list(primary.held().ended) == [new.split(".")[1]]


def test_a_replica_changes_nothing_of_access(replica):
    for change in (
        lambda: replica.set_passphrase(Role.READER, "x"), replica.clear, replica.end_all, lambda: replica.end(1),
    ):  # fmt: skip
        with pytest.raises(AccessElsewhere):
            change()


def test_before_it_heard_from_its_primary_a_replica_opens_to_nobody(tmp_path):
    with closing(Keys(tmp_path)) as alone:
        alone.set_passphrase(Role.READER, "hash-r")  # of a time when it was no replica
    with closing(SharedKeys(tmp_path, SECRET, replica=True)) as keys:
        assert keys.passphrases() == {} and keys.held().version == 0


# --- access.json ------------------------------------------------------------------------------


def test_it_is_rewritten_at_each_change_and_only_then(primary, folder):
    def version():
        return access_published.read((folder / FILE).read_bytes(), SECRET).version

    seen = [version()]
    mine = entered(primary)
    assert version() == seen[0]
    for change in (
        lambda: primary.set_passphrase(Role.READER, "h2"), lambda: primary.leave(mine), primary.end_all, primary.clear,
    ):  # fmt: skip
        change()
        seen.append(version())
    primary.publish()
    assert seen == sorted(set(seen)) and version() == seen[-1]
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_nothing_of_it_can_be_read_without_the_secret(primary, folder):
    primary.leave(mine := entered(primary))
    content = (folder / FILE).read_bytes()
    for word in (b"hash-r", b"hash-m", b"reader", mine.split(".")[1].encode(), b"a" * 64):
        assert word not in content
    assert set(json.loads(content)) == {"kind", "format", "secret", "sealed"}


def damaged(content, *, how):
    document = json.loads(content)
    sealed = document["sealed"]
    match how:
        case "cut":
            return content[: len(content) // 2]
        case "empty":
            return b""
        case "not json":
            return b"<html>502 Bad Gateway</html>"
        case "a list":
            return b"[1, 2]"
        case "deep":
            return b"[" * 100_000
        case "large":
            return b" " * (access_published.MOST_BYTES + 1)
        case "sealed cut":
            document["sealed"] = sealed[:-8]
        case "sealed changed":
            document["sealed"] = sealed[:40] + ("A" if sealed[40] != "A" else "B") + sealed[41:]
        case "sealed with another secret":
            document["sealed"] = json.loads(access_published.sealed(Published(2**60), OTHER))["sealed"]
        case "other kind":
            document["kind"] = "archiviste-snapshot"
        case "no seal":
            del document["sealed"]
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "how",
    ["cut", "empty", "not json", "a list", "deep", "large", "sealed cut", "sealed changed", "sealed with another secret",
     "other kind", "no seal"],
)  # fmt: skip
def test_what_is_cut_or_forged_is_refused_and_what_was_held_holds(primary, replica, folder, how):
    mine, held = entered(replica), replica.held()
    primary.set_passphrase(Role.READER, "hash-new")
    with pytest.raises(AccessFileRefused) as refused:
        replica.take(damaged((folder / FILE).read_bytes(), how=how))
    assert refused.value.details["reason"] == "damaged"
    assert replica.held() == held and replica.find(mine, now=NOW)
    hear(replica, folder)  # the next look finds it whole
    assert replica.find(mine, now=NOW) is None


def test_one_that_another_secret_sealed_is_refused_and_says_so(replica, tmp_path):
    with closing(SharedKeys(tmp_path / "p2", OTHER, folder=tmp_path / "s2")) as stranger:
        stranger.set_passphrase(Role.READER, "hash-r")
        theirs = entered(stranger)
        token = stranger.open_session(Role.READER, "hash-r", HOUR, address="")
        with pytest.raises(AccessFileRefused) as refused:
            hear(replica, tmp_path / "s2")
    assert refused.value.details["reason"] == "secret"
    assert replica.known(token) is None and replica.find(theirs, now=NOW) is None


def test_one_of_a_newer_version_is_refused(replica, folder):
    content = json.loads((folder / FILE).read_bytes()) | {"format": 2}
    with pytest.raises(AccessFileRefused) as refused:
        replica.take(json.dumps(content).encode())
    assert refused.value.details["reason"] == "newer"


def test_one_that_was_rolled_back_is_refused_and_revives_nobody(primary, replica, folder):
    old, mine = (folder / FILE).read_bytes(), entered(replica)
    primary.leave(mine)
    hear(replica, folder)
    with pytest.raises(AccessFileRefused) as refused:
        replica.take(old)
    assert refused.value.details["reason"] == "older"
    assert replica.find(mine, now=NOW) is None
    hear(replica, folder)


def test_a_primary_puts_right_what_does_not_belong_there(primary, replica, folder):
    whole = (folder / FILE).read_bytes()
    primary.set_passphrase(Role.READER, "hash-new")
    for content in (whole, whole[:50], access_published.sealed(Published(1), OTHER), None):
        (folder / FILE).unlink() if content is None else (folder / FILE).write_bytes(content)
        primary.publish()
        hear(replica, folder)
        assert replica.passphrases()[Role.READER] == "hash-new"


def test_a_change_holds_on_the_primary_even_where_it_cannot_be_published(primary, replica, folder):
    mine = entered(replica)
    (folder / FILE).unlink()
    folder.rmdir()
    folder.write_text("no folder any more")
    primary.leave(mine)
    assert primary.find(mine, now=NOW) is None
    with pytest.raises(StoreError) as refused:
        primary.publish()
    assert refused.value.details["path"] == str(folder)
    folder.unlink()
    primary.publish()  # what a server does every few seconds
    hear(replica, folder)
    assert replica.find(mine, now=NOW) is None


def test_a_primary_restored_from_a_backup_goes_on_from_what_it_had_published(primary, replica, folder, tmp_path):
    mine, other = entered(replica), entered(replica)
    primary.end_all()
    again = entered(primary)
    primary.leave(again)
    future = access_published.read((folder / FILE).read_bytes(), SECRET)
    access_published.write(
        folder, Published(2**50, future.epoch, future.passphrases, future.ended), SECRET
    )  # by a clock that was ahead
    hear(replica, folder)
    with closing(SharedKeys(tmp_path / "restored", SECRET, folder=folder)) as restored:
        restored.set_passphrase(Role.READER, "hash-r")
        restored.set_passphrase(Role.MODERATOR, "hash-m")
    # Whoever it was who wrote first, nobody who was sent away is back.
    access_published.write(folder, replica.held(), SECRET)
    with closing(SharedKeys(tmp_path / "restored", SECRET, folder=folder)) as restored:
        restored.publish()
        hear(replica, folder)
        for known in (mine, other, again):
            assert restored.find(known, now=NOW) is None and replica.find(known, now=NOW) is None
        assert replica.find(entered(restored), now=NOW)


def test_two_processes_of_the_primary_publish_in_the_order_of_their_changes(primary, folder, tmp_path):
    with closing(SharedKeys(tmp_path / "primary", SECRET, folder=folder)) as command:
        for n in range(5):
            (command if n % 2 else primary).set_passphrase(Role.READER, f"hash-{n}")
            told = access_published.read((folder / FILE).read_bytes(), SECRET)
            assert told == primary.held() == command.held() and told.passphrases[Role.READER] == f"hash-{n}"


# --- the setting ------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "reason"), [(None, "secret_file"), ("trop court", "secret_short")])
def test_a_secret_that_cannot_be_used_is_told(tmp_path, text, reason):
    path = tmp_path / "secret"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SettingsError) as refused:
        open_keys(AppSettings(shared_secret=path), tmp_path)
    assert refused.value.details["reason"] == reason


def test_sessions_of_the_other_kind_open_nothing(tmp_path):
    path = tmp_path / "secret"
    path.write_text("s" * 64)
    with closing(Keys(tmp_path)) as alone, closing(open_keys(AppSettings(shared_secret=path), tmp_path)) as shared:
        alone.set_passphrase(Role.READER, "hash-r")
        opaque = alone.open_session(Role.READER, "hash-r", HOUR, address="")
        signed = shared.open_session(Role.READER, "hash-r", HOUR, address="")
        assert shared.known(opaque) is None and shared.find(shared.known(signed))
        assert alone.find(alone.known(signed)) is None and alone.find(alone.known(opaque))
        assert [len(keys.sessions()) for keys in (alone, shared)] == [1, 1]


def test_a_look_at_a_session_takes_no_time(primary):
    known = entered(primary, now=datetime.now(UTC))
    began = time.perf_counter()
    for _ in range(1000):
        primary.find(known)
    assert time.perf_counter() - began < 1.0  # a message of a websocket asks; measured: 0.03
