"""Fits and measures the zones that come with the application: python -m tests.quality.zones [DATA:QUESTIONS …] [--write]

Each argument is an indexed data folder and its question file; without one, CNIL and PIAF as `make quality` left them in
build/quality. Each is asked its own questions, with and without the posts that answer, the off-topic ones of
engine/evaluate and of this folder (held out), and questions of the demo. The demo is measured, never learned from. Then
each archive is judged by a score fitted on the others. --write replaces engine/answer/zones.json.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app import demo, i18n, printed
from app.progress import ProgressLine
from engine import Archive, Models, build_index, build_settings, import_archive, load_models, open_archive
from engine.answer import zones
from engine.evaluate import layout, questions, zone_report
from engine.evaluate.questions import Question
from engine.evaluate.zone_examples import collect, off_topic
from engine.evaluate.zone_report import Measured
from engine.evaluate.zones import Example, Fitted, Kind, configurations, fit, judge, train
from engine.models import e5
from engine.seams import TextRole, Vectors
from tests.quality.collections import CACHE, ROOT

HELD_OUT = Path(__file__).parent / "off_topic.yml"
DEMO = "demo"
FOREIGN = 500  # questions of other archives put to one, at most


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.zones", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[f"{CACHE / n}:{CACHE / n / 'questions'}" for n in ("cnil", "piaf")])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(argv)
    i18n.use("en")
    vectors = e5.name()
    if vectors is None:
        print("no embedded encoder on this machine", file=sys.stderr)
        return 1
    with TemporaryDirectory() as made:
        folders = {
            Path(data).name: (Path(data), file) for data, _, file in (text.partition(":") for text in given.sets)
        }
        folders[DEMO] = (_demo(Path(made)), str(ROOT / "assets" / "demo" / "questions.yml"))
        own = {name: questions.read(Path(file)).questions for name, (_data, file) in folders.items()}
        found = {}
        for name, (data, _file) in folders.items():
            settings = build_settings(data)
            with open_archive(settings, _remembering(load_models(settings))) as archive:
                found[name] = put(name, archive, own)
    fitted, measured = measure(found, vectors)
    words = printed.report_words()
    for table in zone_report.figures(measured, words):
        print(table.title, *printed.aligned(table), "", sep="\n")
    folder = layout.reserve(CACHE / "reports" / "zones")
    print(*zone_report.write(measured, fitted.scores, folder, words, at=datetime.now(UTC)), sep="\n")
    if given.write:
        zones.save(fitted.scores, ROOT / "engine" / "answer" / zones.FILE)
        print(f"written: {zones.FILE}")
    return 0


def put(name: str, archive: Archive, own: Mapping[str, Sequence[Question]]) -> list[Example]:
    """Every question put to one archive. A question that several archives answer is foreign to none of them."""
    here = {question.text for question in own[name]}
    elsewhere = {q.text: q for other in own for q in own[other] if q.post_ids and q.text not in here}
    with ProgressLine() as progress:
        return collect(
            archive, own[name], off_topic(), held_out=questions.read(HELD_OUT).questions,
            foreign=list(elsewhere.values())[:FOREIGN], name=name, on_progress=progress,
        )  # fmt: skip


def measure(found: Mapping[str, list[Example]], vectors: str) -> tuple[Fitted, list[Measured]]:
    """The scores of all archives but the demo; how they judge, with an encoder and without, here and elsewhere."""
    learned = {name: examples for name, examples in found.items() if name != DEMO}
    pooled = [example for examples in learned.values() for example in examples]
    counts = {name: sum(e.kind is Kind.ANSWERABLE for e in examples) for name, examples in learned.items()}
    fitted_on = f"{', '.join(f'{name} ({count} questions)' for name, count in counts.items())}; {len(off_topic())} "
    fitted_on += f"off-topic questions; encoder {vectors}"
    measured = []
    fits = {}
    for how, wanted in (("", configurations(vectors)), ("words only, ", configurations(None))):
        fits[how] = fit(pooled, wanted, fitted_on=fitted_on)
        judged = iter(fits[how].judged)
        for name, examples in learned.items():
            measured.append(Measured(name, f"{how}cross-validated", examples, [next(judged) for _ in examples]))
        unseen = found[DEMO]
        measured.append(Measured(DEMO, f"{how}never learned", unseen, judge(unseen, fits[how].scores, vectors=vectors)))
    for name, examples in learned.items():
        asked = {example.text for example in examples if example.kind is Kind.ANSWERABLE}
        others = [e for e in pooled if e.archive != name and e.text not in asked]
        if any(e.kind is Kind.ANSWERABLE for e in others):
            scores = {each: train(others, each, fitted_on="") for each in configurations(vectors)}
            measured.append(Measured(name, "learned elsewhere", examples, judge(examples, scores, vectors=vectors)))
    return fits[""], measured


def _demo(folder: Path) -> Path:
    settings = build_settings(folder / "data")
    import_archive(settings, demo.build(folder / "source"))
    build_index(settings, load_models(settings))
    return settings.data


def _remembering(models: Models) -> Models:
    """The same models; a question put to several archives, with and without its answer, is encoded once."""
    embed = models.embed
    assert embed is not None

    def once(texts: Sequence[str], role: TextRole) -> Vectors:
        if role == "passage":
            return embed(texts, role)
        for text in texts:
            if text not in _ENCODED:
                _ENCODED[text] = embed([text], role)[0]
        return np.stack([_ENCODED[text] for text in texts])

    return replace(models, embed=once)


_ENCODED: dict[str, Vectors] = {}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
