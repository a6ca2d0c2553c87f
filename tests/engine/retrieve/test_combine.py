"""The combination of what both legs know: features by hand, exact sums, the archive's own file."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.archive import open_archive
from engine.errors import SettingsError
from engine.index.french import analyser
from engine.retrieve import combine
from engine.retrieve.combine import FEATURES, Combination, combined, features, load, save
from engine.settings import build
from engine.store import ArchiveStore
from engine.values import Contribution, FusedPost, Mode, PostId
from tests.factories import WORD_MODELS, post, topic
from tests.factories import save as save_posts

EVEN = Combination((0.0,) * 7, (1.0,) * 7, (1.0,) * 7, "essai", "2026-11-30")


@pytest.fixture
def rows(tmp_path):
    save_posts(
        tmp_path,
        [
            topic(1, "Freins qui grincent"),
            post(1, "Poncer les patins.", number=1),
            post(2, "Rien.", number=2),
        ],
    )
    store = ArchiveStore(tmp_path)
    found = store.posts([PostId(1), PostId(2)])
    store.close()
    return [found[PostId(1)], found[PostId(2)]]


def test_the_features_are_those_worked_out_by_hand(rows):
    # Ten posts; "patin" stands in one, "frein" in four: idf = ln(1 + (10 - n + 0.5) / (n + 0.5)).
    rare, common = math.log(1 + 9.5 / 1.5), math.log(1 + 6.5 / 4.5)
    found = features(
        rows, question="patins de frein", bm25={PostId(1): 4.0, PostId(9): 8.0},
        cosines={PostId(1): 0.8, PostId(9): 0.9}, frequency={"patin": 1, "frein": 4}.__getitem__, posts=10,
        analyser=analyser("fr"),
    )  # fmt: skip
    # Runs of five letters: " patins de frein " has thirteen. The first post holds the seven that touch "patins" and, by
    # its title, " frei" and "frein"; the second these two only. A run that h of the two posts hold weighs
    # ln(1 + 2 / (h + 0.5)).
    asked = {" patins de frein "[i : i + 5] for i in range(13)}
    weight = {0: math.log1p(2 / 0.5), 1: math.log1p(2 / 1.5), 2: math.log1p(2 / 2.5)}
    assert len(asked) == 13
    only_first, both = 4, 2  # " pati", "patin", "atins", "tins "; " frei", "frein"
    whole = only_first * weight[1] + both * weight[2] + (13 - only_first - both) * weight[0]
    titles = both * weight[2] + 11 * weight[0]
    grams = [(only_first * weight[1] + both * weight[2]) / whole, both * weight[2] / whole]
    long, short = (math.log1p(len(text) + 1) / 8 for text in ("Poncer les patins.", "Rien."))
    assert short < combine.SHORT == 0.5 > long  # neither is long enough to hold runs by chance
    title_share = both * weight[2] / titles
    assert found[0] == pytest.approx([0.5, 10 * (0.8 - 0.9), 1.0, long, 0.0, grams[0] / 0.5, title_share])
    covered = common / (rare + common)
    assert found[1] == pytest.approx([0.0, combine.ABSENT_COSINE, covered, short, 0.0, grams[1] / 0.5, title_share])


def test_runs_of_letters_see_what_stemming_misses(rows):
    found = features(
        rows, question="le PONÇAGE d'un pâtin", bm25={}, cosines={}, frequency=lambda t: 1, posts=10,
        analyser=analyser("fr"),
    )  # fmt: skip
    grams = found[:, FEATURES.index("grams")]
    assert grams[0] > grams[1] == 0


@given(st.text(max_size=60), st.lists(st.text(max_size=200), max_size=5))
def test_a_share_of_runs_of_letters_is_one_for_the_question_itself_and_never_more(question, texts):
    shares = combine._gram_shares(question, [*map(combine._letters, texts), combine._letters(question)])
    assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
    assert shares[-1] == pytest.approx(1.0 if len(combine._letters(question)) >= combine.GRAM else 0.0)


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("poncer les patins", 1.0),  # side by side, the function word aside
        ("patins à poncer", 1.0),  # in either order
        ("poncer la chaîne", 0.0),
        ("patins poncer chaîne", 0.5),  # one pair of two, all words equally rare
        ("poncer poncer", 0.0),  # a word is no pair with itself
        ("poncer", 0.0),
    ],
)
def test_pairs_are_neighbouring_words_of_the_question_that_stand_near_each_other(rows, question, share):
    found = features(
        rows, question=question, bm25={}, cosines={}, frequency=lambda term: 1, posts=10, analyser=analyser("fr")
    )
    assert found[0][FEATURES.index("pairs")] == pytest.approx(share)


def test_words_four_apart_are_no_pair():
    terms = {"a", "b"}
    assert combine._near(["a", "x", "x", "b"], terms) == {("a", "b"), ("b", "a")}
    assert combine._near(["a", "x", "x", "x", "b"], terms) == set()


def test_no_post_gives_no_row():
    found = features([], question="x", bm25={}, cosines={}, frequency=lambda t: 0, posts=0, analyser=analyser("fr"))
    assert found.shape == (0, len(FEATURES))


def test_scores_are_the_weighted_sum_of_standardised_features():
    own = Combination((1.0,) * 7, (2.0,) * 7, (1.0, 0, 0, 0, 0, 3.0, 0), "essai", "2026-11-30")
    assert own.scores(np.array([[3.0, 9, 9, 9, 9, 5.0, 9]])) == pytest.approx([1.0 + 3 * 2.0])


fused_lists = st.lists(st.integers(1, 60), unique=True, min_size=1, max_size=40)


@given(fused_lists, st.integers(0, 25), st.randoms())
def test_a_score_stays_the_sum_of_its_shares_and_what_was_not_looked_at_stays_below(ids, looked_at, random):
    fused = [
        FusedPost(PostId(i), 1 / (20 + n), (Contribution("lexical", n, 1.0, 1 / (20 + n)),))
        for n, i in enumerate(ids, 1)
    ]
    scores = {post.post_id: random.random() for post in fused[:looked_at]}
    found = combined(fused, scores)
    assert {p.post_id for p in found} == set(ids)
    assert all(p.score == sum(c.share for c in p.contributions) for p in found)
    assert {p.post_id for p in found[: len(scores)]} == set(scores)
    assert [p.post_id for p in found[len(scores) :]] == [p.post_id for p in fused[looked_at:]]


def test_the_best_combined_post_gets_a_sixth_and_decides_between_close_ones():
    fused = [
        FusedPost(PostId(1), 2 / 21, (Contribution("lexical", 1, 1.0, 1 / 21), Contribution("dense", 1, 1.0, 1 / 21))),
        FusedPost(PostId(2), 1 / 22, (Contribution("dense", 2, 1.0, 1 / 22),)),
    ]
    first, second = combined(fused, {PostId(1): 0.1, PostId(2): 0.9})
    assert (first.post_id, first.contributions[-1]) == (1, Contribution("combination", 2, 1.0, 1 / 7))
    assert (second.post_id, second.score) == (2, pytest.approx(1 / 22 + 1 / 6))


def test_the_shipped_combination_is_there_and_says_what_it_was_fitted_on(tmp_path):
    shipped = load(tmp_path)
    assert "CNIL" in shipped.fitted_on and shipped.weights[FEATURES.index("cosine")] > 0


def test_an_archive_may_have_its_own(tmp_path):
    save(EVEN, tmp_path / combine.FILE)
    assert load(tmp_path) == EVEN


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", json.dumps({"features": FEATURES, "means": [], "deviations": [], "weights": []}), "NaN"],
)
def test_a_file_that_is_none_is_named(tmp_path, text):
    (tmp_path / combine.FILE).write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(tmp_path)
    assert caught.value.details["key"] == combine.FILE


def test_one_fitted_on_other_features_is_passed_over(tmp_path):
    older = {"features": ["bm25", "length"], "means": [0, 0], "deviations": [1, 1], "weights": [1, 1]}
    (tmp_path / combine.FILE).write_text(json.dumps(older))
    assert load(tmp_path) == combine._default()


def test_it_takes_part_in_a_mixed_search_and_in_no_other(tiny):
    def lists(mode, archive=tiny):
        return {c.ranking for hit in archive.search("huile pour la chaîne", mode=mode).hits for c in hit.contributions}

    assert lists(Mode.HYBRID) == {"lexical", "dense", "combination"}
    assert lists(Mode.BM25) == {"lexical"} and lists(Mode.DENSE) == {"dense"}
    with open_archive(build(tiny.settings.data, {"combine": "off"}), WORD_MODELS) as plain:
        assert lists(Mode.HYBRID, plain) == {"lexical", "dense"}
