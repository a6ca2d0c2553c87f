"""The README says what the code does."""

import re

from tests.readme import README, ROOT, rendered


def test_the_generated_parts_are_current():
    assert rendered(README.read_text()) == README.read_text(), "run `make docs`"


def test_every_target_named_exists():
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z0-9-]+)`", README.read_text() + (ROOT / "CONTRIBUTING.md").read_text()))
    assert named <= targets


def test_links_to_files_lead_somewhere():
    for name in (
        "README.md", "CONTRIBUTING.md", "docs/guide.md", "docs/plusieurs-machines.md", "packaging/compose/README.md"
    ):  # fmt: skip
        page = ROOT / name
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), (name, target)
