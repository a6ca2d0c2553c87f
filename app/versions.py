"""What the application is made of: its version, and the libraries that it ships with their versions and licences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Final

from engine.settings import INDEX_FORMAT
from engine.store.schema import ARCHIVE, VECTORS

from .schema import APP

NAME: Final = "archiviste"
_REQUIRED: Final = re.compile(r"[A-Za-z0-9._-]+")
_CLASSIFIER: Final = "License :: OSI Approved :: "
_LONGEST: Final = 40  # characters: beyond it, the older field holds the text of the licence


@dataclass(frozen=True, slots=True)
class Library:
    """A library that is installed here. `licence` is "" when it does not say."""

    name: str
    version: str
    licence: str


def own() -> str:
    """The version of the application, "" in a folder that was never installed."""
    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return ""


def formats() -> str:
    """The formats of the data that this version writes; an older folder is brought to them when it is opened."""
    return f"archive.db {len(ARCHIVE)}, vectors.db {len(VECTORS)}, app.db {len(APP)}, index {INDEX_FORMAT}"


@cache
def libraries() -> tuple[Library, ...]:
    """The libraries that the application asks for and that are here, in alphabetical order. Reads the disk."""
    return tuple(sorted(_libraries(), key=lambda library: library.name.casefold()))


def modules() -> frozenset[str]:
    """The names under which Python imports those libraries. Reads the disk."""
    ours = {_canonical(library.name) for library in libraries()}
    found = metadata.packages_distributions().items()
    return frozenset(name for name, owners in found if ours.intersection(map(_canonical, owners)))


def _libraries() -> Iterator[Library]:
    try:
        wanted = metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        return
    for line in wanted:
        found = _REQUIRED.match(line)
        # What only developers install is no part of the application.
        if found is None or re.search(r"extra\s*==\s*['\"](dev|bench|packaging)['\"]", line):
            continue
        try:
            told = metadata.metadata(found[0])
        except metadata.PackageNotFoundError:  # an option that is not installed
            continue
        yield Library(told["Name"], told["Version"], _licence(told))


def _canonical(name: str) -> str:
    """The one spelling of a library's name: case and separators don't count (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _licence(told: metadata.PackageMetadata) -> str:
    """The short name of a licence: an SPDX expression, a short field, or classifiers."""
    expression, field = (
        " ".join(" ".join(told.get_all(name) or ()).split()) for name in ("License-Expression", "License")
    )
    if expression:
        return expression
    if field and len(field) <= _LONGEST and field.upper() != "UNKNOWN":
        return field
    named = (each for each in told.get_all("Classifier") or () if each.startswith(_CLASSIFIER))
    return ", ".join(each.removeprefix(_CLASSIFIER) for each in named)
