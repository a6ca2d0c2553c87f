"""What a vector leg in random order does to the fusion; the figures are those of docs/fusion.md."""

import random
from pathlib import Path

import pytest

from engine.retrieve.fusion import Fusion, fuse
from engine.values import PostId, Ranking

PAGE = Path(__file__).parents[3] / "docs" / "fusion.md"
POSTS, LISTED, QUESTIONS, SEED = 5_000, 100, 400, 1
# Of 100 answers, how many stand at ranks 1 to 10 of a leg that works, as BM25 on SciFact; the others are not found.
PLACES = (55, 11, 6, 4, 3, 2, 2, 1, 1, 1)
SETTINGS = {
    "k = 60, 1/1": Fusion(60, {"lexical": 1.0, "dense": 1.0}),
    "k = 10, 1/1": Fusion(10, {"lexical": 1.0, "dense": 1.0}),
    "k = 60, 1/0.7": Fusion(60, {"lexical": 1.0, "dense": 0.7}),
    "k = 10, 1/0.7": Fusion(10, {"lexical": 1.0, "dense": 0.7}),
    "k = 12, 0.7/0.3": Fusion(12, {"lexical": 0.7, "dense": 0.3}),
    "keywords alone": Fusion(60, {"lexical": 1.0}),
    "vectors alone": Fusion(60, {"dense": 1.0}),
}


def leg(name, chance, answer, *, works):
    """A list of distinct posts; the answer stands where PLACES puts it when the leg works, else where it falls."""
    ids = chance.sample(range(POSTS), LISTED)
    if works:
        ids = [post for post in ids if post != answer]
        (place,) = chance.choices(range(len(PLACES) + 1), weights=(*PLACES, 100 - sum(PLACES)))
        if place < len(PLACES):
            ids.insert(place, answer)
    return Ranking(name, tuple(PostId(post) for post in ids), (0.0,) * len(ids))


def mrr(fusion, *, dense_works):
    """Mean reciprocal rank of the answer among the first ten."""
    chance = random.Random(SEED)
    total = 0.0
    for _ in range(QUESTIONS):
        answer = chance.randrange(POSTS)
        legs = [leg("lexical", chance, answer, works=True), leg("dense", chance, answer, works=dense_works)]
        ids = [post.post_id for post in fuse(legs, fusion)[:10]]
        total += 1 / (ids.index(answer) + 1) if answer in ids else 0
    return total / QUESTIONS


@pytest.fixture(scope="module")
def table():
    return {name: (mrr(fusion, dense_works=False), mrr(fusion, dense_works=True)) for name, fusion in SETTINGS.items()}


def test_a_useless_leg_halves_mrr_at_k_60_with_equal_weights(table):
    useless = {name: values[0] for name, values in table.items()}
    assert useless["k = 60, 1/1"] < 0.6 * useless["keywords alone"]
    assert useless["k = 60, 1/1"] < useless["k = 10, 1/1"] < useless["k = 10, 1/0.7"]


def test_a_small_k_and_a_lighter_vector_leg_lose_less_than_a_tenth(table):
    useless = {name: values[0] for name, values in table.items()}
    assert useless["k = 10, 1/0.7"] >= 0.9 * useless["keywords alone"]
    assert useless["k = 12, 0.7/0.3"] >= 0.9 * useless["keywords alone"]


def test_when_both_legs_work_every_setting_is_better_than_one_leg(table):
    works = {name: values[1] for name, values in table.items()}
    best_leg = max(works["keywords alone"], works["vectors alone"])
    assert all(works[name] > best_leg for name in SETTINGS if "alone" not in name)


def test_the_page_gives_these_figures(table):
    page = PAGE.read_text("utf-8")
    for name, (useless, works) in table.items():
        assert f"| {name} | {useless:.3f} | {works:.3f} |" in page
