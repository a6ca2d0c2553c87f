"""A second look at the best fused posts with what retrieval already knows: a linear model of seven features.

No model and no encoding: BM25, cosine, length, coverage of the question's rare words, of its neighbouring pairs, and
of its runs of letters, which see what stemming misses ("annulation", "annuler"; a compound; a slip). The
coefficients were fitted on labelled questions (see `engine/evaluate/fit.py`) and stand in combination.json; a file of
that name in the data folder, fitted on the archive's own questions, takes their place. The combined order joins the
fused one as a third ranking.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import SettingsError
from ..index.french import Analyser, fold
from ..store.archive import PostRow
from ..values import Contribution, FusedPost, PostId, Ranking

NAME = "combination"
FILE = "combination.json"
CANDIDATES = 40  # fused posts looked at again (docs/decisions/0013-a-seventh-feature.md)
GRAM = 5  # letters of a run (docs/decisions/0025-runs-of-letters.md)
SHORT = 0.5  # length (log of the characters / 8) under which a post holds no fewer runs by chance: 54 characters
LETTERS_READ = 20_000  # of a post: a message that is longer pasted something
RANK_K = 5  # of 1 / (k + rank): small enough for this order to decide among the candidates
FEATURES = ("bm25", "cosine", "coverage", "length", "pairs", "grams", "title_grams")
NEAR = 3  # terms: two words of the question that stand no further apart in a post are a pair of it
_WORD = re.compile(r"\w+")
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

    One that was fitted on other features says nothing of these and is passed over; raises SettingsError for a file
    that can't be read as a combination.
    """
    path = folder / FILE
    own = _parse(path.read_text("utf-8"), str(path)) if path.is_file() else None
    return own or _default()


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

    titles = [_letters(row.title) for row in rows]
    bodies = [_letters(row.text + "\n" + row.code) for row in rows]
    grams = _gram_shares(question, [title + body for title, body in zip(titles, bodies, strict=True)])
    title_grams = _gram_shares(question, titles)
    found = []
    for n, row in enumerate(rows):
        words = analyser.words(row.text + "\n" + row.code)
        held = terms.intersection((*words, *analyser.words(row.title)))
        near = _near(words, terms)
        cosine = cosines.get(row.id)
        length = math.log1p(len(row.text) + 1 + len(row.code)) / 8
        found.append(
            (
                bm25.get(row.id, 0.0) / best_bm25,
                ABSENT_COSINE if cosine is None else 10 * (cosine - best_cosine),
                math.fsum(idf[term] for term in held) / whole,
                length,
                math.fsum(idf[one] + idf[other] for one, other in neighbours if (one, other) in near) / whole_pairs,
                grams[n] / max(length, SHORT),
                title_grams[n],
            )
        )
    return np.array(found, np.float64).reshape(len(found), len(FEATURES))


def _letters(text: str) -> str:
    """A text as its words, folded, each between spaces."""
    return f" {' '.join(_WORD.findall(fold(text[:LETTERS_READ])))} "


def _gram_shares(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """For each text, the share of the question's runs of letters that it holds; those in few texts count more."""
    asked = _letters(question)
    grams = sorted({asked[i : i + GRAM] for i in range(len(asked) - GRAM + 1)})
    held = np.array([[gram in text for gram in grams] for text in texts], np.float64).reshape(len(texts), len(grams))
    rarity = np.log1p(len(texts) / (held.sum(axis=0) + 0.5))
    shares: NDArray[np.float64] = held @ rarity / (rarity.sum() or 1.0)
    return shares


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
    found = _parse(files(__package__).joinpath(FILE).read_text("utf-8"), FILE)
    assert found is not None
    return found


def _parse(text: str, where: str) -> Combination | None:
    """The combination of a file, None when it is one of other features."""
    try:
        document = json.loads(text)
        names = document["features"]
        if names != list(FEATURES):
            if not isinstance(names, list) or not names:
                raise ValueError("features")
            return None
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
