"""Passphrases: kept as Argon2id, told apart, refused when they are weak."""

import pytest

from app.access.passphrases import MAX_CHARS, hashed, owner
from app.access.roles import Role
from app.errors import PassphraseRefused

READER, MODERATOR = "cadre selle guidon pompe", "éclair pédale vernis âtre"


@pytest.fixture(scope="module")
def hashes():
    kept = hashed(READER)
    return {Role.READER: kept, Role.MODERATOR: hashed(MODERATOR, {Role.READER: kept})}


def test_each_opens_its_role(hashes):
    assert owner(READER, hashes) is Role.READER
    assert owner(MODERATOR, hashes) is Role.MODERATOR
    assert owner(f" {READER}\n", hashes) is Role.READER


@pytest.mark.parametrize("wrong", ["", READER.upper(), READER[:-1], READER + " x", "\x00", "\ud800" * 12, "é" * 60_000])
def test_nothing_else_opens_anything(hashes, wrong):
    assert owner(wrong, hashes) is Role.NOBODY


def test_two_ways_to_write_an_accent_are_one(hashes):
    assert owner("e\u0301clair pe\u0301dale vernis a\u0302tre", hashes) is Role.MODERATOR


def test_the_text_is_not_kept_and_the_same_text_is_not_kept_twice_alike(hashes):
    assert hashes[Role.READER].startswith("$argon2id$v=19$m=65536,t=3")
    assert READER not in hashes[Role.READER]
    assert hashed(READER) != hashes[Role.READER]


@pytest.mark.parametrize(
    ("phrase", "reason"),
    [
        ("", "short"),
        ("onze caract", "short"),
        ("      a      ", "short"),
        ("a" * (MAX_CHARS + 1), "long"),
        (READER, "same"),
    ],
)
def test_what_is_weak_is_refused(hashes, phrase, reason):
    with pytest.raises(PassphraseRefused) as refused:
        hashed(phrase, {Role.READER: hashes[Role.READER]})
    assert refused.value.details["reason"] == reason


def test_a_damaged_hash_opens_nothing():
    assert owner(READER, {Role.MODERATOR: "$argon2id$garbage", Role.READER: ""}) is Role.NOBODY
