"""Sessions in app.db: they end by time, by a wish, by a new passphrase; what is on the disk opens nothing."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from app.access.keys import Keys, digest
from app.access.roles import Role

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def keys(tmp_path):
    with closing(Keys(tmp_path)) as opened:
        opened.set_passphrase(Role.READER, "hash-r")
        opened.set_passphrase(Role.MODERATOR, "hash-m")
        yield opened


def opened(keys, role=Role.READER, kept="hash-r", *, now=NOW, lasts=HOUR):
    return keys.open_session(role, kept, lasts, address="192.0.2.7", now=now)


def test_a_session_holds_until_its_end_and_not_a_second_longer(keys):
    token = digest(opened(keys))
    found = keys.find(token, now=NOW + HOUR - timedelta(seconds=1))
    assert (found.role, found.address, found.expires_at) == (Role.READER, "192.0.2.7", NOW + HOUR)
    assert keys.find(token, now=NOW + HOUR) is None


def test_the_token_is_not_on_the_disk(keys, tmp_path):
    token = opened(keys)
    keys.close()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(token) >= 43 and token.encode() not in written
    assert digest(token).encode() in written


def test_what_is_on_the_disk_is_no_token(keys):
    assert keys.find(digest(digest(opened(keys))), now=NOW) is None


def test_tokens_differ(keys):
    assert len({opened(keys) for _ in range(50)}) == 50


def test_one_session_is_ended_and_the_others_go_on(keys):
    one, other = (digest(opened(keys)) for _ in range(2))
    keys.end(keys.find(one, now=NOW).id)
    assert keys.find(one, now=NOW) is None and keys.find(other, now=NOW) is not None


def test_all_are_ended(keys):
    opened(keys), opened(keys, Role.MODERATOR, "hash-m")
    assert keys.end_all() == 2
    assert keys.sessions(now=NOW) == ()


def test_a_new_passphrase_ends_the_sessions_of_its_role_only(keys):
    reader, moderator = digest(opened(keys)), digest(opened(keys, Role.MODERATOR, "hash-m"))
    keys.set_passphrase(Role.READER, "hash-new")
    assert keys.find(reader, now=NOW) is None and keys.find(moderator, now=NOW).role is Role.MODERATOR


def test_a_passphrase_that_was_changed_meanwhile_opens_nothing(keys):
    keys.set_passphrase(Role.READER, "hash-new")
    assert opened(keys) is None
    assert keys.sessions(now=NOW) == ()


def test_another_process_sees_it_at_once(keys, tmp_path):
    token = digest(opened(keys))
    with closing(Keys(tmp_path)) as other:
        other.end_all()
    assert keys.find(token, now=NOW) is None


def test_those_that_ended_are_forgotten(keys):
    opened(keys)
    opened(keys, now=NOW + 2 * HOUR)
    assert [session.created_at for session in keys.sessions(now=NOW)] == [NOW + 2 * HOUR]


def test_a_clock_that_goes_back_gives_a_session_no_second_life(keys):
    token = digest(opened(keys))
    assert keys.find(token, now=NOW - 2 * HOUR) is not None  # a clock put right
    assert keys.find(token, now=NOW - timedelta(days=300)) is None
    assert keys.sessions(now=NOW - timedelta(days=300)) == ()


def test_when_it_was_last_used_is_kept(keys):
    token = digest(opened(keys))
    keys.saw(keys.find(token, now=NOW), token, now=NOW + timedelta(minutes=9))
    assert keys.sessions(now=NOW)[0].seen_at == NOW + timedelta(minutes=9)


def test_clearing_forgets_everything(keys):
    opened(keys)
    keys.clear()
    assert keys.passphrases() == {} and keys.sessions(now=NOW) == ()
