"""Prints the figures of the product on public collections: `make quality`, or python -m tests.quality.run cnil piaf.

Each collection is imported, indexed with the encoder of this machine and evaluated like a forum. The data folders stay
in build/quality, so that nothing is encoded twice; the reports are written beside them.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

from app import i18n, printed
from app.progress import ProgressLine
from engine import build_settings, load_models
from engine.evaluate import configs, matrix, questions, report
from engine.evaluate.matrix import Run
from engine.evaluate.scoring import Level, means
from tests.quality.collections import CACHE, COLLECTIONS, Collection, prepare


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.run", description=__doc__)
    parser.add_argument("collections", nargs="*", default=["cnil", "piaf"])
    parser.add_argument("--config", nargs="+", default=list(configs.DEFAULT))
    parser.add_argument("--verbose", action="store_true", help="print every table, not the headline alone")
    given = parser.parse_args(argv)
    i18n.use("fr")
    lacking = [name for name in given.collections if not COLLECTIONS[name].present]
    if lacking:
        print(f"absent from ../shared/data: {', '.join(lacking)}", file=sys.stderr)
        return 1
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    for name in given.collections:
        run = measure(COLLECTIONS[name], given.config)
        report.write(run, report.reserve(CACHE / "reports" / name), printed.report_words())
        if given.verbose:
            print("\n".join(printed.evaluation_lines(run)))
        print(
            f"\n{name}: {len(run.questions.questions)} questions, {run.counts[0]} documents, {run.manifest.dense_model}"
        )
        for line in headline(run):
            print(line)
    return 0


def measure(collection: Collection, names: list[str], *, cache: Path = CACHE, index_url: str | None = None) -> Run:
    """One collection through these configurations, with the encoder of this machine."""
    models = load_models(build_settings(CACHE / collection.name, {"language": collection.language}))
    with ProgressLine() as progress:
        settings, folder = prepare(collection, models, cache=cache, index_url=index_url, on_progress=progress)
        return matrix.evaluate(
            settings,
            models,
            questions.read(folder),
            configs.named(names, reranker=models.rerank is not None),
            on_progress=progress,
        )


def headline(run: Run) -> list[str]:
    """One line a configuration. A document is a topic of one post: both levels say the same."""
    measures = ("hit@1", "hit@5", "mrr@10", "ndcg@10", "recall@10")
    lines = [f"{'':<10}" + "".join(f"{name:>11}" for name in (*measures, "p50 ms", "p95 ms"))]
    for result in run.results:
        found = means(result.scored, Level.TOPIC)[1]
        p50, p95 = result.latency_ms["search"]
        cells = [f"{found[name]:>11.3f}" for name in measures] + [f"{p50:>11.1f}", f"{p95:>11.1f}"]
        lines.append(f"{result.config.name:<10}" + "".join(cells))
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
