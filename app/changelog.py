"""What changed from version to version: CHANGELOG.md, which ships with the application, as values for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from .resources import resource

FILE: Final = "CHANGELOG.md"  # in the format of Keep a Changelog, in English
_VERSION, _SECTION, _ITEM, _CONTINUED = "## ", "### ", "* ", "  "


@dataclass(frozen=True, slots=True)
class Section:
    """Changes of one kind. `changes` are sentences in which `code` may stand between backticks."""

    title: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """One version, with its date if it is out."""

    title: str
    sections: tuple[Section, ...]


@cache
def read() -> tuple[Version, ...]:
    """The versions, newest first; none where the file is not there. Reads the disk."""
    path = resource(FILE)
    return tuple(parse(path.read_text("utf-8").splitlines())) if path.exists() else ()


def parse(lines: Iterable[str]) -> Iterator[Version]:
    """The versions of such a file; what stands outside of lists is left out."""
    title, sections, name, changes = "", list[Section](), "", list[str]()
    for line in [*lines, _VERSION]:
        if line.startswith((_VERSION, _SECTION)) and changes:
            sections.append(Section(name, tuple(changes)))
            changes = []
        if line.startswith(_VERSION):
            if sections:
                yield Version(title, tuple(sections))
            title, sections = line.removeprefix(_VERSION).strip("[] "), []
        elif line.startswith(_SECTION):
            name = line.removeprefix(_SECTION).strip()
        elif line.startswith(_ITEM):
            changes.append(line.removeprefix(_ITEM).strip())
        elif line.startswith(_CONTINUED) and changes:
            changes[-1] += f" {line.strip()}"
