"""Each reader under atheris for a few seconds; longer by hand: python -m tests.fuzz.run --seconds 300."""

import importlib.util

import pytest

from tests.fuzz.run import fuzz
from tests.fuzz.targets import TARGETS

SECONDS = 2


@pytest.mark.skipif(
    not importlib.util.find_spec("atheris"), reason="atheris has no wheel here: Linux, Python 3.11 to 3.13"
)
@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_found_in_a_few_seconds(target, tmp_path):
    done = fuzz(target, SECONDS, tmp_path, only_written=True)
    assert not done.found
    assert done.executions > 20 and done.corpus >= done.seeds
