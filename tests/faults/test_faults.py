"""Each fault of the catalogue: the messages are the same after it, and what was seen says in French what to do."""

import re

import pytest

from app import i18n

from .catalogue import FAULTS, Fault, happen
from .ground import can_mount


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")
    yield
    i18n.use("fr")


def _cases():
    """Where nobody may mount (a desk), the faults of disks are left to the machine that checks the repository."""
    for fault in FAULTS:
        marks = [pytest.mark.skipif(fault.mounts and not can_mount(), reason="a disk is mounted: Linux, as root")]
        yield pytest.param(fault, id=fault.run.__name__, marks=marks)


@pytest.mark.parametrize("one", [*_cases()])
def test_a_fault_keeps_the_messages_and_says_what_to_do(one: Fault, demo_data, tmp_path):
    seen = happen(one, demo_data, tmp_path)
    assert seen.before == seen.after
    told = "\n".join(seen.said)
    assert "Traceback" not in told and seen.said
    for expected in one.expected:
        assert re.search(expected, told), told
