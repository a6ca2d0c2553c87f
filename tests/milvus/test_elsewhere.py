"""Each fault of what is elsewhere, through the command line, as people meet it."""

import re

import pytest

from app import i18n
from tests.faults.catalogue import Fault, happen
from tests.faults.elsewhere import FAULTS


@pytest.mark.parametrize("one", [pytest.param(fault, id=fault.run.__name__) for fault in FAULTS])
def test_a_fault_keeps_the_messages_and_says_what_to_do(one: Fault, demo_data, tmp_path):
    i18n.use("fr")
    seen = happen(one, demo_data, tmp_path)
    assert seen.before == seen.after
    told = "\n".join(seen.said)
    assert "Traceback" not in told and seen.said
    for expected in one.expected:
        assert re.search(expected, told), told
