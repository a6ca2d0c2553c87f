"""Fusion, with sums worked out by hand; the strategies of ADR-0003 are in test_strategies.py."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.fusion import Fusion, add_boost, fuse
from engine.values import PostId, Ranking


def ranking(name, *ids, scores=None):
    return Ranking(name, tuple(PostId(i) for i in ids), tuple(scores or (float(len(ids) - n) for n in range(len(ids)))))


BOTH = {"lexical": 1.0, "dense": 1.0}


def test_a_post_ranked_first_and_third_scores_the_two_fractions():
    fused = fuse([ranking("lexical", 7, 8, 9), ranking("dense", 9, 8, 7)], Fusion(60, BOTH))
    assert {post.post_id: post.score for post in fused} == {
        7: pytest.approx(1 / 61 + 1 / 63), 8: pytest.approx(2 / 62), 9: pytest.approx(1 / 63 + 1 / 61),
    }  # fmt: skip
    assert [post.post_id for post in fused] == [7, 9, 8]  # ties by id


def test_an_absent_post_gets_nothing_from_a_ranking():
    (only, *_) = fuse([ranking("lexical", 1), ranking("dense", 2)], Fusion(60, BOTH))
    assert only.score == 1 / 61 and len(only.contributions) == 1


def test_weights_multiply_and_zero_silences():
    fused = fuse([ranking("lexical", 1), ranking("dense", 2)], Fusion(10, {"lexical": 0.5, "dense": 0.0}))
    assert [(post.post_id, post.score) for post in fused] == [(1, 0.5 / 11)]


def test_raw_scores_say_nothing_by_default():
    low, high = (ranking("lexical", 1, 2, scores=scores) for scores in ((0.2, 0.1), (900.0, 0.1)))
    assert fuse([low], Fusion(60, BOTH)) == fuse([high], Fusion(60, BOTH))


def test_the_score_factor_clamps_the_legs_own_score():
    fused = fuse([ranking("dense", 1, 2, 3, scores=(17.0, 0.5, -0.4))], Fusion(60, BOTH, score_boost=0.5))
    # 1/61 × (1 + 1/2 × 1), 1/62 × (1 + 1/2 × 1/2), 1/63 × 1
    expected = [Fraction(3, 122), Fraction(5, 248), Fraction(1, 63)]
    assert [post.score for post in fused] == pytest.approx([float(e) for e in expected])


def test_the_count_factor_counts_the_rankings_that_take_part():
    lists = [ranking("lexical", 1, 2), ranking("dense", 2, 3), ranking("silent", 1)]
    fused = fuse(lists, Fusion(60, {**BOTH, "silent": 0.0}, count_factor=True))
    # 2: (1/62 + 1/61) × 2 lists; 1: 1/61; 3: 1/62
    assert [post.post_id for post in fused] == [2, 1, 3]
    assert [post.score for post in fused] == pytest.approx([float(Fraction(246, 3782)), 1 / 61, 1 / 62])
    assert [part.share for part in fused[0].contributions] == pytest.approx([2 / 61, 2 / 62])


def test_a_boost_is_a_phase_of_its_own_and_adds_no_post():
    fused = fuse([ranking("dense", 1, 2, 3)], Fusion(60, BOTH))
    boosted = add_boost(fused, ranking("concept", 3, 9, scores=(0.5, 1.0)), amount=0.02)
    # 3: 1/63 + 1/50 × 1/2 = 163/6300, above 1/61
    assert [post.post_id for post in boosted] == [3, 1, 2]
    assert boosted[0].score == pytest.approx(163 / 6300)
    assert [(p.ranking, p.rank, p.weight) for p in boosted[0].contributions] == [
        ("dense", 3, 1.0),
        ("concept", 1, 0.02),
    ]
    assert add_boost(fused, ranking("concept", 3), amount=0) == fused


def scored(ids):
    return st.lists(st.floats(-2, 40), min_size=len(ids), max_size=len(ids))


lists = st.lists(
    st.lists(st.integers(1, 40), unique=True, max_size=30).flatmap(lambda ids: st.tuples(st.just(ids), scored(ids))),
    min_size=1,
    max_size=4,
)
options = st.builds(dict, score_boost=st.sampled_from((0.0, 0.5, 1.0, 7.3)), count_factor=st.booleans())


@given(lists, st.floats(0, 1000), options, st.randoms())
def test_order_of_the_rankings_does_not_matter_and_shares_add_up(found, k, options, random):
    rankings = [ranking(f"r{n}", *ids, scores=scores) for n, (ids, scores) in enumerate(found)]
    fusion = Fusion(k, {r.name: 0.5 + n for n, r in enumerate(rankings)}, **options)
    fused = fuse(rankings, fusion)
    shuffled = rankings[:]
    random.shuffle(shuffled)
    assert fuse(shuffled, fusion) == fused
    boosted = add_boost(fused, rankings[0], amount=0.3)
    for post in (*fused, *boosted):
        assert post.score == sum(part.share for part in post.contributions)
    for posts in (fused, boosted):
        assert [p.post_id for p in posts] == [p.post_id for p in sorted(posts, key=lambda p: (-p.score, p.post_id))]
        assert {p.post_id for p in posts} == {i for ids, _ in found for i in ids}


@pytest.mark.parametrize(
    "options", [{}, {"score_boost": 0.5}, {"count_factor": True}, {"score_boost": 1.0, "count_factor": True}]
)
def test_a_thousand_hits_each_score_the_sum_of_their_shares(options):
    first = ranking("lexical", *range(1, 801), scores=[30 / (1 + n) for n in range(800)])
    second = ranking("dense", *range(1200, 400, -1), scores=[0.9 - n / 1000 for n in range(800)])
    fused = fuse([first, second], Fusion(10, {"lexical": 1.0, "dense": 0.7}, **options))
    assert len(fused) == 1200
    assert all(post.score == sum(part.share for part in post.contributions) for post in fused)
    if not options:
        assert all(part.share == part.weight / (10 + part.rank) for post in fused for part in post.contributions)
