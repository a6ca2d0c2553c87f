"""A second look at the best fused posts with what retrieval already knows: a linear model of seven features.

No model and no encoding: BM25, cosine, coverage of the question's rare words and of its neighbouring pairs, length. The
coefficients were fitted on labelled questions (see `engine/evaluate/fit.py`) and stand in combination.json; a file of
that name in the data folder, fitted on the archive's own questions, takes their place. The combined order joins the
fused one as a third ranking.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import SettingsError
from ..index.french import Analyser
from ..store.archive import PostRow
from ..values import Contribution, FusedPost, PostId, Ranking

NAME = "combination"
FILE = "combination.json"
CANDIDATES = 40  # fused posts looked at again (docs/decisions/0013-a-seventh-feature.md)
RANK_K = 5  # of 1 / (k + rank): small enough for this order to decide among the candidates
FEATURES = ("bm25", "cosine", "body_coverage", "title_coverage", "coverage", "length", "pairs")
NEAR = 3  # terms: two words of the question that stand no further apart in a post are a pair of it
ABSENT_COSINE = -2.0  # the feature of a post without a vector: 0.2 under the best cosine


@dataclass(frozen=True, slots=True)
class Combination:
    """Weights of the standardised features, with the data they were fitted on and the day."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    fitted_on: str
    fitted_at: str

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score a row of (n, features); only their order means something."""
        found: NDArray[np.float64] = ((rows - np.array(self.means)) / np.array(self.deviations)) @ np.array(
            self.weights
        )
        return found


def load(folder: Path) -> Combination:
    """The archive's own combination when its data folder has one, else the one that comes with the application.

    Raises SettingsError for a file that can't be read as one.
    """
    path = folder / FILE
    return _parse(path.read_text("utf-8"), str(path)) if path.is_file() else _default()


def save(combination: Combination, path: Path) -> None:
    """Write a combination as readable JSON."""
    document = {"features": FEATURES, **asdict(combination)}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")


def features(
    rows: Sequence[PostRow],
    *,
    question: str,
    bm25: Mapping[PostId, float],
    cosines: Mapping[PostId, float],
    frequency: Callable[[str], int],
    posts: int,
    analyser: Analyser,
) -> NDArray[np.float64]:
    """The (n, 7) features of posts. `bm25` and `cosines` hold the legs' scores; `frequency` counts a term's posts."""
    asked = analyser.words(question)
    terms = set(asked)
    neighbours = [(one, other) for one, other in pairwise(asked) if one != other]
    idf = {term: math.log(1 + (posts - (n := frequency(term)) + 0.5) / (n + 0.5)) for term in terms}
    whole = math.fsum(idf.values()) or 1.0
    whole_pairs = math.fsum(idf[one] + idf[other] for one, other in neighbours) or 1.0
    best_bm25 = max(bm25.values(), default=0.0) or 1.0
    best_cosine = max(cosines.values(), default=0.0)

    def coverage(held: set[str]) -> float:
        return math.fsum(idf[term] for term in terms & held) / whole

    found = []
    for row in rows:
        text = row.text + "\n" + row.code
        words = analyser.words(text)
        body, title = set(words), set(analyser.words(row.title))
        near = _near(words, terms)
        cosine = cosines.get(row.id)
        found.append(
            (
                bm25.get(row.id, 0.0) / best_bm25,
                ABSENT_COSINE if cosine is None else 10 * (cosine - best_cosine),
                coverage(body),
                coverage(title),
                coverage(body | title),
                math.log1p(len(text)) / 8,
                math.fsum(idf[one] + idf[other] for one, other in neighbours if (one, other) in near) / whole_pairs,
            )
        )
    return np.array(found, np.float64).reshape(len(found), len(FEATURES))


def _near(words: Sequence[str], terms: Set[str]) -> set[tuple[str, str]]:
    """The pairs of these terms, in either order, that stand at most NEAR words apart."""
    found: set[tuple[str, str]] = set()
    last: list[tuple[int, str]] = []
    for place, word in enumerate(words):
        if word in terms:
            last = [(before, other) for before, other in last if place - before <= NEAR]
            for _, other in last:
                found |= {(word, other), (other, word)}
            last.append((place, word))
    return found


def combined(fused: Sequence[FusedPost], scores: Mapping[PostId, float]) -> tuple[FusedPost, ...]:
    """The fused posts with 1 / (RANK_K + rank) added for those that have a score, best first, ties by post id.

    Scores are those of the best fused posts: the others keep their fused score and stay below. A score remains exactly
    the sum of its contributions' shares.
    """
    order = sorted(scores, key=lambda post_id: (-scores[post_id], post_id))
    shares = {post_id: Contribution(NAME, n, 1.0, 1 / (RANK_K + n)) for n, post_id in enumerate(order, 1)}
    found = []
    for post in fused:
        parts = (*post.contributions, shares[post.post_id]) if post.post_id in shares else post.contributions
        found.append(FusedPost(post.post_id, sum(part.share for part in parts), parts))
    return tuple(sorted(found, key=lambda post: (-post.score, post.post_id)))


def leg_scores(rankings: Sequence[Ranking], name: str) -> dict[PostId, float]:
    """The raw scores of one ranking, by post."""
    return {
        post_id: score
        for ranking in rankings
        if ranking.name == name
        for post_id, score in zip(ranking.post_ids, ranking.scores, strict=True)
    }


@cache
def _default() -> Combination:
    return _parse(files(__package__).joinpath(FILE).read_text("utf-8"), FILE)


def _parse(text: str, where: str) -> Combination:
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or tuple(document["features"]) != FEATURES:
            raise ValueError("other features")
        found = Combination(
            means=_numbers(document, "means"), deviations=_numbers(document, "deviations"),
            weights=_numbers(document, "weights"), fitted_on=str(document["fitted_on"]),
            fitted_at=str(document["fitted_at"]),
        )  # fmt: skip
        if min(found.deviations) <= 0:
            raise ValueError("deviations")
        return found
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(key=FILE, value=where, reason="file", why=str(error)) from error


def _numbers(document: Mapping[str, list[float]], name: str) -> tuple[float, ...]:
    values = tuple(float(value) for value in document[name])
    if len(values) != len(FEATURES) or not all(map(math.isfinite, values)):
        raise ValueError(name)
    return values
