"""Every reader holds what its target asks, for sources that Hypothesis bends: pieces of honest ones, and any bytes."""

import gzip
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import seeds, targets

FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
NASTY = (
    b"", b"\\N", b"\\.", b"-1", b"0", b"9" * 30, b"9" * 5000, b"\xff\xfe", b"\x00", b"\xed\xa0\x80", b"\\x", b"\\777", b"\t", b"\n",
    b"t", b"f", b"0000-99-99", b"9999-12-31 23:59:59", b"<b>" * 50, "e\u0301\u202e".encode(), b"NaN", b"1e999", b"[", b'{"id":',
    b"null", b"true", b'"\\ud800"', b"&#x110000;", b"[[1]]", b"](", b"https:", b"//",
)  # fmt: skip


@st.composite
def bent(draw, honest, cut):
    """An honest source whose pieces are replaced, repeated, moved or lost in a few places."""
    pieces = re.split(cut, draw(st.sampled_from(honest)))
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(pieces) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                pieces[at] = draw(st.sampled_from(NASTY) | st.binary(max_size=12))
            case 1:
                pieces.insert(at, pieces[draw(st.integers(0, len(pieces) - 1))])
            case 2 if len(pieces) > 1:
                del pieces[at]
            case _:
                pieces = pieces[: at + 1]
    return b"".join(pieces)


def written(name):
    return list(seeds.written(name))


COPY = bent(written("copy"), rb"([\t\n])")
JSON = rb"([{}\[\],:\"])"


@FEW
@given(COPY)
def test_a_dump_in_text_form(data):
    targets.copy_text(data)


@FEW
@given(COPY, st.integers(0, 40), st.integers(0, 200))
def test_a_dump_that_is_packed_then_cut_or_changed(data, cut, at):
    packed = bytearray(gzip.compress(data, mtime=0))
    if cut % 2:
        packed[at % len(packed)] ^= 1 << cut % 8
    targets.gzipped(bytes(packed[: len(packed) - cut]))


@FEW
@given(
    COPY,
    st.lists(st.tuples(st.integers(0, 1535), st.binary(min_size=1, max_size=12)), max_size=4),
    st.integers(0, 3000),
)
def test_a_tar_whose_headers_say_anything(data, changes, cut):
    packed = bytearray(seeds.backup(data))
    for at, replaced in changes:
        packed[at : at + len(replaced)] = replaced
    targets.tar(bytes(packed[: len(packed) - cut]))


@pytest.mark.parametrize("name", ["topic", "post", "lists"])
def test_saved_json(name):
    @FEW
    @given(bent(written(name), JSON))
    def holds(data):
        targets.TARGETS[name](data)

    holds()


@pytest.mark.parametrize("name", ["cooked", "shown"])
def test_the_html_of_a_post(name):
    @MANY
    @given(bent(written(name), rb"([<>\"= &\[\]])"))
    def holds(data):
        targets.TARGETS[name](data)

    holds()


@pytest.mark.parametrize("name", ["query", "citations"])
def test_what_people_and_models_write(name):
    @MANY
    @given(bent(written(name), rb"([\[\]\":\s()/-])"))
    def holds(data):
        targets.TARGETS[name](data)

    holds()
