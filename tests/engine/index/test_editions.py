"""Editions: a reader sees one row of each post, that of its generation, whatever updates came since."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IndexDamaged
from engine.index.editions import EDITIONS, GONE, Editions, keys_of

ids = st.lists(st.integers(1, 12), unique=True).map(sorted)


def array(values):
    return np.array(values, np.int64)


@given(st.lists(st.tuples(ids, ids), max_size=8))
def test_each_generation_sees_one_row_of_each_post_that_it_holds(updates):
    rows, editions = {key * EDITIONS for key in range(1, 6)}, Editions.none()
    generations = [(editions, set(range(1, 6)))]
    for edition, (fresh, removed) in enumerate(updates, 1):
        held = generations[-1][1]
        removed = [post for post in removed if post in held and post not in fresh]
        rows |= set(keys_of(array(fresh), edition).tolist())  # nothing leaves: readers of all generations are at work
        editions = editions.changed(array(fresh), array(removed), edition)
        generations.append((editions, (held | set(fresh)) - set(removed)))
    for seen, held in generations:
        posts, standing = seen.standing(array(sorted(rows)))
        assert sorted(posts[standing].tolist()) == sorted(held)


def test_what_is_not_named_has_its_first_edition_and_what_is_gone_has_none(tmp_path):
    editions = Editions.none().changed(array([4, 9]), array([2]), 3)
    assert editions.of(array([1, 2, 4, 9, 10])).tolist() == [0, GONE, 3, 3, 0]
    editions.save(tmp_path / "e.npy")
    again = Editions.load(tmp_path / "e.npy")
    assert again.ids.tolist() == [2, 4, 9] and again.numbers.tolist() == [GONE, 3, 3]
    (tmp_path / "e.npy").write_bytes(b"rien")
    with pytest.raises(IndexDamaged):
        Editions.load(tmp_path / "e.npy")
