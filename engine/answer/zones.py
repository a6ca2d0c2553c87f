"""How well the evidence can answer, as a calibrated score: with a reranker its logit, without one a logistic model.

The models, one for the words alone and one for each encoder, were fitted on labelled questions and stand in zones.json;
a file of that name in the data folder, fitted on the archive's own questions, takes their place. The thresholds stand
in the settings. Where a stage is missing the score of what remains decides: no evidence goes unjudged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SettingsError
from ..settings import RERANKER_ZONES, SCORE_ZONES, Thresholds
from ..values import Zone
from .signals import MEANING, WORDS, Signals

FILE = "zones.json"
LEXICAL, ENCODER = "lexical", "encoder"  # what a score knows: the words only, or also the vectors of an encoder


@dataclass(frozen=True, slots=True)
class Score:
    """A logistic model of some signals, standardised, with the data that it was fitted on and the day."""

    signals: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    fitted_on: str
    fitted_at: str

    def probability(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """That the evidence can answer (n,), where half of all questions can be answered; rows are (n, signals)."""
        logits = (rows - np.array(self.means)) / np.array(self.deviations) @ np.array(self.weights) + self.intercept
        found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -50, 50)))
        return found


@dataclass(frozen=True, slots=True)
class Judged:
    """A zone, the score that it comes from, and the configuration whose score it is."""

    zone: Zone
    score: float
    configuration: str


Scores = Mapping[str, Score]  # by configuration: LEXICAL, or the name of an encoder's vectors


def judge(signals: Signals, scores: Scores, *, vectors: str | None, reranker: str | None) -> Judged:
    """The zone by the best configuration in use. `vectors` and `reranker` name the models behind the signals."""
    if signals.logit is not None and reranker is not None and reranker in RERANKER_ZONES:
        return Judged(zone_of(signals.logit, RERANKER_ZONES[reranker]), signals.logit, reranker)
    configuration = LEXICAL
    if signals.similarity is not None and vectors is not None and vectors in scores:
        configuration = vectors
    score = scores[configuration]
    return judged(float(score.probability(signals.row(score.signals)[None])[0]), configuration)


def judged(probability: float, configuration: str) -> Judged:
    """The zone of a probability that a score of this configuration gave."""
    thresholds = SCORE_ZONES[LEXICAL if configuration == LEXICAL else ENCODER]
    return Judged(zone_of(probability, thresholds), probability, configuration)


def zone_of(score: float, thresholds: Thresholds) -> Zone:
    """The zone of a score."""
    if score < thresholds.empty_below:
        return Zone.EMPTY
    return Zone.WEAK if score < thresholds.weak_below else Zone.NORMAL


def load(folder: Path) -> Scores:
    """The scores that come with the application, under those of the archive's own file when its data folder has one.

    Raises SettingsError for a file that can't be read as one.
    """
    path = folder / FILE
    if not path.is_file():
        return shipped()
    return {**shipped(), **_read(path, path.stat().st_mtime_ns)}


def save(scores: Scores, path: Path) -> None:
    """Write scores as readable JSON."""
    document = {name: asdict(score) for name, score in sorted(scores.items())}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")


def named(configuration: str) -> tuple[str, ...]:
    """The signals of a configuration."""
    return WORDS if configuration == LEXICAL else MEANING


@cache
def shipped() -> Scores:
    """The scores that come with the application."""
    return _parse(files(__package__).joinpath(FILE).read_text("utf-8"), FILE)


@cache
def _read(path: Path, _changed_ns: int) -> Scores:
    return _parse(path.read_text("utf-8"), str(path))


def _parse(text: str, where: str) -> Scores:
    try:
        document = json.loads(text)
        return {str(name): _score(str(name), fields) for name, fields in document.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(key=FILE, value=where, reason="file", why=str(error)) from error


def _score(configuration: str, fields: Mapping[str, Any]) -> Score:
    names = tuple(fields["signals"])
    if names != named(configuration):
        raise ValueError("other signals")

    def numbers(values: Sequence[float]) -> tuple[float, ...]:
        found = tuple(float(value) for value in values)
        if len(found) != len(names) or not all(map(math.isfinite, found)):
            raise ValueError(configuration)
        return found

    score = Score(
        signals=names, means=numbers(fields["means"]), deviations=numbers(fields["deviations"]),
        weights=numbers(fields["weights"]), intercept=float(fields["intercept"]), fitted_on=str(fields["fitted_on"]),
        fitted_at=str(fields["fitted_at"]),
    )  # fmt: skip
    if min(score.deviations) <= 0 or not math.isfinite(score.intercept):
        raise ValueError("deviations")
    return score
