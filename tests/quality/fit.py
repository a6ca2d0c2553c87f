"""Fits the combination that comes with the application: python -m tests.quality.fit [DATA:QUESTIONS[:WEIGHT] …] [--write]

Each argument is an indexed data folder and its question file; without one, CNIL and PIAF as `make quality` left them in
build/quality. Prints MRR@10 before and after, cross-validated, for each set and for all; --write replaces the file in
engine/retrieve when every set gains.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from engine import build_settings, load_models, open_archive
from engine.evaluate import questions
from engine.evaluate.examples import collect
from engine.evaluate.fit import FOLDS, Example, fit
from engine.retrieve.combine import FEATURES, FILE, save
from tests.quality.collections import CACHE, ROOT


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.fit", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[f"{CACHE / n}:{CACHE / n / 'questions'}" for n in ("cnil", "piaf")])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(argv)
    pooled: list[Example] = []
    names = []
    for number, text in enumerate(given.sets):
        data, _, rest = text.partition(":")
        file, _, weight = rest.partition(":")
        settings = build_settings(Path(data))
        with open_archive(settings, load_models(settings)) as archive:
            found = collect(archive, questions.read(Path(file)).questions, weight=float(weight or 1))
        # Groups are post ids: they must not meet across sets.
        pooled += [Example(e.features, e.answers, e.before, (number, e.group), e.weight) for e in found]
        names.append(f"{Path(data).name} ({len(found)})")
    fitted = fit(pooled, fitted_on=", ".join(names))
    print(f"all: MRR@10 {fitted.before:.3f} → {fitted.after:.3f} ({FOLDS} folds)")
    gains = True
    for number, name in enumerate(names):
        part = [example for example in pooled if example.group[0] == number]  # type: ignore[index]
        before, after = _on(pooled, part, number)
        gains = gains and after > before
        print(f"{name}: MRR@10 {before:.3f} → {after:.3f}")
    print(dict(zip(FEATURES, fitted.combination.weights, strict=True)))
    if given.write and gains and fitted.better:
        save(fitted.combination, ROOT / "engine" / "retrieve" / FILE)
        print(f"written: {FILE}")
    return 0


def _on(pooled: list[Example], part: list[Example], number: int) -> tuple[float, float]:
    """MRR@10 of one set before and after, each example scored by a fit on the folds that don't hold it."""
    from engine.evaluate.fit import fold_scores, reciprocal_rank

    after = [
        reciprocal_rank(scores, example.answers)
        for example, scores in fold_scores(pooled)
        if example.group[0] == number  # type: ignore[index]
    ]
    return float(np.mean([reciprocal_rank(e.before, e.answers) for e in part])), float(np.mean(after))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
