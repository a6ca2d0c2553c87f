"""Default deny: each flag that is not exactly the public value makes a post private."""

import pytest

from engine.discourse.visibility import CategoryFacts, category_verdicts, post_reason, topic_reason
from engine.sources import SkipReason

PUBLIC_POST = {"post_type": 1, "hidden": False, "user_deleted": False, "deleted_at": None}
PUBLIC_TOPIC = {
    "archetype": "regular",
    "visible": True,
    "deleted_at": None,
    "category_id": 1,
    "verdicts": {1: None},
}


@pytest.mark.parametrize("false", [False, "f"])
@pytest.mark.parametrize("type_", [1, 2])
def test_an_ordinary_post_and_a_moderators_are_public(false, type_):
    post = {"post_type": type_, "hidden": false, "user_deleted": false, "deleted_at": None}
    assert post_reason(**post) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"post_type": 3}, SkipReason.SMALL_ACTION),
        ({"post_type": 4}, SkipReason.WHISPER),
        *(({"post_type": odd}, SkipReason.UNKNOWN_TYPE) for odd in (0, 5, -1, None, True, "1", 1.0)),
        *(({"hidden": odd}, SkipReason.HIDDEN) for odd in (True, "t", None, 0, "", "false", "F", [])),
        *(({"cooked_hidden": odd}, SkipReason.HIDDEN) for odd in (True, None, 1)),
        *(({"user_deleted": odd}, SkipReason.USER_DELETED) for odd in (True, "t", None, 0, "no")),
        *(({"deleted_at": odd}, SkipReason.DELETED_POST) for odd in ("2024-01-01", "", False, 0)),
    ],
)
def test_any_other_value_makes_a_post_private(change, reason):
    assert post_reason(**(PUBLIC_POST | change)) is reason


def test_an_ordinary_topic_is_public():
    assert topic_reason(**PUBLIC_TOPIC) is None
    assert topic_reason(**(PUBLIC_TOPIC | {"visible": "t"})) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        *(({"archetype": odd}, SkipReason.PRIVATE_MESSAGE) for odd in ("private_message", "banner", None, "", 1)),
        *(({"visible": odd}, SkipReason.UNLISTED_TOPIC) for odd in (False, "f", None, 1, "true")),
        *(({"deleted_at": odd}, SkipReason.DELETED_TOPIC) for odd in ("2024-01-01", "", False)),
        ({"category_id": None}, SkipReason.UNKNOWN_CATEGORY),
        ({"category_id": 2}, SkipReason.UNKNOWN_CATEGORY),
        ({"verdicts": {1: SkipReason.RESTRICTED_CATEGORY}}, SkipReason.RESTRICTED_CATEGORY),
    ],
)
def test_any_other_value_makes_a_topic_private(change, reason):
    assert topic_reason(**(PUBLIC_TOPIC | change)) is reason


def test_without_any_list_of_categories_the_category_says_nothing():
    assert topic_reason(**(PUBLIC_TOPIC | {"category_id": 77, "verdicts": None})) is None


def test_a_category_is_public_when_it_and_all_its_ancestors_are():
    verdicts = category_verdicts({
        1: CategoryFacts("f", None),
        2: CategoryFacts("f", 1),
        3: CategoryFacts("f", 2),
        10: CategoryFacts("t", None),
        11: CategoryFacts("f", 10),
        12: CategoryFacts("f", 11),
        20: CategoryFacts("f", 404),
        30: CategoryFacts(None, None),
    })  # fmt: skip
    assert [verdicts[id] for id in (1, 2, 3)] == [None, None, None]
    assert [verdicts[id] for id in (10, 11, 12, 30)] == [SkipReason.RESTRICTED_CATEGORY] * 4
    assert verdicts[20] is SkipReason.UNKNOWN_CATEGORY


def test_categories_that_are_their_own_ancestors_are_restricted():
    loop = {1: CategoryFacts(False, 2), 2: CategoryFacts(False, 3), 3: CategoryFacts(False, 1)}
    above = {4: CategoryFacts(False, 1), 5: CategoryFacts(False, 5), 6: CategoryFacts(False, None)}
    verdicts = category_verdicts(loop | above)
    assert {id for id, reason in verdicts.items() if reason is None} == {6}
    assert {verdicts[id] for id in (1, 2, 3, 4, 5)} == {SkipReason.RESTRICTED_CATEGORY}


def test_a_chain_of_twenty_thousand_categories_is_followed():
    chain = {id: CategoryFacts(False, id - 1 if id > 1 else None) for id in range(20_000, 0, -1)}
    assert set(category_verdicts(chain).values()) == {None}
