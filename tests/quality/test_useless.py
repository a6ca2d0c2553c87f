"""A bad vector leg can't sink a good keyword leg: random vectors on a real collection, with the defaults."""

import pytest

from tests.quality.collections import COLLECTIONS
from tests.quality.useless import measure

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("name", ["cnil"])
def test_random_vectors_cost_less_than_a_tenth_of_the_keywords_mrr(tmp_path, name):
    if not COLLECTIONS[name].present:
        pytest.skip("../shared/data is not there")
    words, both = measure(COLLECTIONS[name], tmp_path)
    assert words > 0.5
    assert both >= 0.9 * words
