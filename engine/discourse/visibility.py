"""The one rule of what is public: default deny.

| of      | what               | public when exactly  | otherwise                                |
|---------|--------------------|----------------------|------------------------------------------|
| category| itself             | in the list, read_restricted false | UNKNOWN_CATEGORY, RESTRICTED_CATEGORY |
| category| every ancestor     | the same, without a cycle | the same; a cycle counts as restricted |
| topic   | deleted_at         | null                 | DELETED_TOPIC                            |
| topic   | archetype          | "regular"            | PRIVATE_MESSAGE                          |
| topic   | visible            | true                 | UNLISTED_TOPIC                           |
| topic   | category           | public               | the category's reason                    |
| topic   | itself             | known                | MISSING_TOPIC                            |
| post    | deleted_at         | null                 | DELETED_POST                             |
| post    | post_type          | 1 (post), 2 (a moderator's) | 3 SMALL_ACTION, 4 WHISPER, UNKNOWN_TYPE |
| post    | hidden, cooked_hidden | false             | HIDDEN                                   |
| post    | user_deleted       | false                | USER_DELETED                             |

Flags come as they stand in a source: JSON booleans, or PostgreSQL's "t" and "f". Anything else — absent,
null, a number, a word — is read as the private value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..sources import SkipReason

_PUBLIC_TYPES = (1, 2)
_NOISE = {3: SkipReason.SMALL_ACTION, 4: SkipReason.WHISPER}

Verdicts = Mapping[int, SkipReason | None]
"""Category id → None when public, else the reason."""


@dataclass(frozen=True, slots=True)
class CategoryFacts:
    """What a source says of who may read a category; `parent_id` None for a category at the top."""

    read_restricted: object
    parent_id: int | None


def category_verdicts(facts: Mapping[int, CategoryFacts]) -> dict[int, SkipReason | None]:
    """The verdict on each category: it and all those above it must be known and open."""
    verdicts: dict[int, SkipReason | None] = {}
    for start in facts:
        path: list[int] = []
        verdict: SkipReason | None = None
        current: int | None = start
        while current is not None:
            if current in verdicts:
                verdict = verdicts[current]
                break
            if current not in facts:
                verdict = SkipReason.UNKNOWN_CATEGORY
                break
            path.append(current)
            if not is_false(facts[current].read_restricted) or len(path) > len(facts):
                verdict = SkipReason.RESTRICTED_CATEGORY
                break
            current = facts[current].parent_id
        verdicts.update(dict.fromkeys(path, verdict))
    return verdicts


def category_reason(category_id: int | None, verdicts: Verdicts) -> SkipReason | None:
    """Why what stands in this category is private; None when it is public."""
    if category_id is None:
        return SkipReason.UNKNOWN_CATEGORY
    return verdicts.get(category_id, SkipReason.UNKNOWN_CATEGORY)


def topic_reason(
    *,
    archetype: object,
    visible: object,
    deleted_at: object,
    category_id: int | None,
    verdicts: Verdicts | None,
) -> SkipReason | None:
    """Why a topic is private; None when it is public.

    `verdicts` None means that no list of categories came with topics that were served to the public:
    the category then says nothing.
    """
    if deleted_at is not None:
        return SkipReason.DELETED_TOPIC
    if archetype != "regular":
        return SkipReason.PRIVATE_MESSAGE
    if not is_true(visible):
        return SkipReason.UNLISTED_TOPIC
    return None if verdicts is None else category_reason(category_id, verdicts)


def post_reason(
    *,
    post_type: object,
    hidden: object,
    user_deleted: object,
    deleted_at: object,
    cooked_hidden: object = False,
) -> SkipReason | None:
    """Why a post of a public topic is private; None when it is public."""
    if deleted_at is not None:
        return SkipReason.DELETED_POST
    if type(post_type) is not int:  # True == 1
        return SkipReason.UNKNOWN_TYPE
    if post_type not in _PUBLIC_TYPES:
        return _NOISE.get(post_type, SkipReason.UNKNOWN_TYPE)
    if not is_false(hidden) or not is_false(cooked_hidden):
        return SkipReason.HIDDEN
    if not is_false(user_deleted):
        return SkipReason.USER_DELETED
    return None


def is_true(flag: object) -> bool:
    """Whether a flag is exactly true, as JSON or as PostgreSQL writes it."""
    return flag is True or (isinstance(flag, str) and flag == "t")


def is_false(flag: object) -> bool:
    """Whether a flag is exactly false, as JSON or as PostgreSQL writes it."""
    return flag is False or (isinstance(flag, str) and flag == "f")
