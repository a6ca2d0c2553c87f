"""What the user reads of a search engine elsewhere: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, IndexAway, SettingsError

from .i18n import N_

ENGINE_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    IndexAway: N_(
        "The search engine does not answer: {url}. Your archive is intact, and what was published before stays. Check"
        " that it is running, then start again."
    ),
})  # fmt: skip

ENGINE_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (IndexAway, "lost"): N_(
        "The search engine no longer holds this archive’s index: {url}. Your archive is intact. Build the index again."
    ),
    (IndexAway, "refused"): N_(
        "The search engine refuses what it is asked: {url}. Your archive is intact. Details are in the log."
    ),
    (IndexAway, "library"): N_(
        "This installation can’t speak to a search engine elsewhere. Install the missing part: pip install"
        " archiviste[milvus]; or remove “index_url” from your settings."
    ),
    (SettingsError, "engine_url"): N_(
        "The setting “{key}” must be an address as http://192.168.1.20:19530, without a password in it, or the name of"
        " a file that ends in .db; “{value}” is not."
    ),
})  # fmt: skip

_TITLES_ONLY: Final = N_(
    "The search engine does not answer: only the titles of the topics are searched. The search will be whole again as"
    " soon as it answers."
)
ENGINE_NOTICES: Final[Mapping[str, str]] = MappingProxyType({
    "engine_away": _TITLES_ONLY,
    "engine_lost": N_(
        "The search engine no longer holds this archive’s index: only the titles of the topics are searched. Build the"
        " index again."
    ),
    "engine_refused": N_(
        "The search engine refused this search: only the titles of the topics are searched. Details are in the log."
    ),
    "engine_library": N_(
        "This installation can’t speak to the search engine: only the titles of the topics are searched."
    ),
    "engine_meaning": N_(
        "The search engine can’t search by meaning now: results come from exact words only."
    ),
})  # fmt: skip
