"""What an archive is about: the titles of topics that make good first questions."""

from __future__ import annotations

import re
from typing import Final

from .archive import ArchiveStore

_LOOKED_AT: Final = 400  # titles; the best ones come first
_FEWEST, _MOST = 15, 110  # characters of a title that reads as a question
_SPACES: Final = re.compile(r"\s+")
_LABEL: Final = re.compile(r"^(?:\[[^\]]*\]|\([^)]*\))\s*")  # "[Résolu] …"


def asked_titles(store: ArchiveStore, limit: int) -> tuple[str, ...]:
    """At most so many titles that are questions and got a reply: solved and liked ones first, of many categories."""
    return _titles(store, "rtrim(title) LIKE '%?'", limit)


def other_titles(store: ArchiveStore, limit: int) -> tuple[str, ...]:
    """The same with titles that are no questions."""
    return _titles(store, "rtrim(title) NOT LIKE '%?' AND NOT pinned", limit)


def _titles(store: ArchiveStore, condition: str, limit: int) -> tuple[str, ...]:
    rows = store.rows(
        f"""SELECT title, category_id FROM topics t WHERE {condition} AND length(title) BETWEEN ? AND ?
              AND EXISTS (SELECT 1 FROM posts p WHERE p.topic_id = t.id AND p.post_number > 1)
            ORDER BY accepted_post_id IS NULL, likes DESC, views DESC, id LIMIT ?""",
        (_FEWEST, _MOST, _LOOKED_AT),
    )
    chosen: dict[str, str] = {}
    categories: set[object] = set()
    # One a category, then whatever is left in the same order.
    for spread in (True, False):
        for title, category in rows:
            said = _LABEL.sub("", _SPACES.sub(" ", title).strip())
            if len(chosen) < limit and len(said) >= _FEWEST and not (spread and category in categories):
                chosen.setdefault(said.casefold(), said)
                categories.add(category)
    return tuple(chosen.values())
