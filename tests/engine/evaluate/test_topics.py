"""Topic grain from the vectors of posts."""

import numpy as np
import pytest

from engine.evaluate.topics import TopicVectors
from engine.index.dense import unit
from engine.index.passages import Passage
from engine.store import VectorStore


@pytest.fixture
def stored(tmp_path):
    """Fills a vector store from (post, window) → vector, and closes it."""
    vectors = VectorStore(tmp_path)

    def fill(rows):
        passages = [Passage(post, n, f"{post}-{n}") for post, n in rows]
        vectors.set_passages(passages)
        if rows:
            vectors.put("m", [p.key for p in passages], np.array(list(rows.values()), np.float32))
        return vectors

    yield fill
    vectors.close()


def topics_of(post_ids):
    return {post: post // 10 for post in post_ids if post < 90}


def test_a_topic_is_the_mean_of_its_posts_and_a_post_the_mean_of_its_windows(stored):
    # topic 1: post 11 has two windows towards x, post 12 one towards y; both posts weigh the same
    vectors = stored({(11, 0): (1, 0), (11, 1): (1, 0), (12, 0): (0, 1), (21, 0): (1, 0), (91, 0): (0, 1)})
    found = TopicVectors(vectors, "m", topics_of)
    assert found.topic_ids == [1, 2]  # the topic of 91 has left the store
    np.testing.assert_allclose(found._rows, [[2**-0.5, 2**-0.5], [1, 0]], atol=1e-6)
    assert found.rank(np.array([1, 0], np.float32), limit=5) == (2, 1)
    assert found.rank(np.array([0, 1], np.float32), limit=1) == (1,)


def test_equal_topics_come_in_the_order_of_their_ids(stored):
    vectors = stored({(31, 0): (1, 0), (11, 0): (1, 0), (21, 0): (1, 0)})
    assert TopicVectors(vectors, "m", topics_of).rank(np.array([1, 0], np.float32), limit=3) == (1, 2, 3)


def test_no_vector_gives_no_topic(stored):
    found = TopicVectors(stored({}), "m", topics_of)
    assert found.rank(np.array([1, 0], np.float32), limit=3) == ()


def test_a_row_of_zeros_stays():
    assert unit(np.zeros((1, 2), np.float32)).tolist() == [[0, 0]]
