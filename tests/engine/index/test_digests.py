"""Digests: what came, what changed, what went."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.index.digests import Digests

states = st.dictionaries(st.integers(-(2**62), 2**62), st.integers(0, 2**64 - 1), max_size=30)


def of(state):
    return Digests.of(sorted(state.items()))


@given(states, states)
def test_the_difference_turns_one_state_into_the_other(old, new):
    since = of(new).since(of(old))
    result = {i: old[i] for i in old if i not in set(since.outdated.tolist())}
    result |= {i: new[i] for i in since.fresh.tolist()}
    assert result == new
    assert len(since) == sum(old.get(i) != new.get(i) for i in old.keys() | new.keys())
    assert (of(old).state == of(new).state) == (old == new)


@given(states, st.sets(st.integers(-(2**62), 2**62)))
def test_some_of_them(state, chosen):
    found = of(state).among(np.array(sorted(chosen), np.int64))
    assert found.ids.tolist() == sorted(state.keys() & chosen)


def test_they_are_read_back_and_anything_else_is_nothing(tmp_path):
    held = of({3: 7, -1: 2**64 - 1})
    held.save(tmp_path / "held.npy")
    read = Digests.load(tmp_path / "held.npy")
    assert read is not None and read.state == held.state
    whole = (tmp_path / "held.npy").read_bytes()
    for damaged in (b"", whole[:20], whole[:-3], b"rien" * 90):
        (tmp_path / "held.npy").write_bytes(damaged)
        assert Digests.load(tmp_path / "held.npy") is None
    np.save(tmp_path / "other.npy", np.zeros(4))
    assert Digests.load(tmp_path / "other.npy") is None
    assert Digests.load(tmp_path / "nowhere.npy") is None
