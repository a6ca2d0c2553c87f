"""Signed sessions: what a token says holds for whoever has the secret, and for nobody else."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.roles import Role
from app.access.signing import MAX_CHARS, Claims, Signer
from app.shared_secret import Secret

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OURS, OTHER = Secret(b"a" * 64), Secret(b"b" * 64)
ROLES = st.sampled_from([Role.READER, Role.MODERATOR])


def signed(secret=OURS, role=Role.READER, print_="f" * 32):
    return Signer(secret).sign(role, print_, born=NOW, expires=NOW + timedelta(hours=1))


@given(ROLES, st.text("0123456789abcdef", min_size=1, max_size=32), st.integers(1, 10**7))
def test_what_was_signed_is_read_by_another_process(role, print_, lasts_s):
    token, claims = Signer(OURS).sign(role, print_, born=NOW, expires=NOW + timedelta(seconds=lasts_s))
    assert Signer(OURS).read(token) == claims == Claims.of(claims.written())
    assert (claims.role, claims.print, claims.expires - claims.born) == (role, print_, lasts_s)
    assert len(token) < MAX_CHARS and token.isascii() and not set(token) & set(' ",;\\')  # it is a cookie


def test_another_secret_reads_nothing():
    assert Signer(OTHER).read(signed()[0]) is None


@given(st.integers(0, 10**6), st.integers(0, 63))
def test_a_token_that_was_changed_anywhere_is_none(place, letter):
    token, claims = signed()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    place %= len(token)
    changed = token[:place] + alphabet[letter] + token[place + 1 :]
    # The last letter of base64 has bits that mean nothing: what is read is still what was signed, or nothing.
    assert Signer(OURS).read(changed) in (None, claims)
    assert Signer(OURS).read(token[:-4]) is None


@given(st.one_of(st.text(max_size=600), st.text("AZaz09-_.", max_size=200)))
def test_whatever_a_browser_sends_nothing_breaks(token):
    assert Signer(OURS).read(token) is None


def test_what_an_attacker_writes_is_not_unpacked():
    """itsdangerous packs long values; a bomb would have to be signed first."""
    assert Signer(OURS).read("." + base64.urlsafe_b64encode(b"x" * 300).decode() + ".sig") is None


def test_two_sessions_are_never_the_same():
    assert len({signed()[1].sid for _ in range(50)}) == 50


@pytest.mark.parametrize(
    "other", [(Role.MODERATOR, "hash", "1"), (Role.READER, "hash2", "1"), (Role.READER, "hash", "2")]
)
def test_the_fingerprint_changes_with_all_that_ends_sessions(other):
    signer = Signer(OURS)
    mine = signer.fingerprint(Role.READER, "hash", "1")
    assert signer.fingerprint(*other) != mine == Signer(OURS).fingerprint(Role.READER, "hash", "1")
    assert Signer(OTHER).fingerprint(Role.READER, "hash", "1") != mine
