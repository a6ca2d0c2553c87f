"""Prints how good the answers are, and writes the reports: `make answers-report`, or python -m tests.quality.answers.

On the demo forum, on the safety probes asked of it (told one by one), or on public collections with the data folders
that `make quality` made.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

from app import answers_command, cli, i18n, printed
from app.progress import ProgressLine
from app.resources import resource
from engine import build_settings, load_models, open_archive
from engine.evaluate import answers_report, answers_run, layout, questions
from engine.evaluate.answers import SAFETY
from engine.evaluate.questions import Expect, Question, QuestionSet
from engine.settings import Settings
from tests.engine.answer.safety import probes
from tests.quality.collections import CACHE, COLLECTIONS, prepare

DEMO = "demo"
# A probe that no rule foresaw has to meet the archive's silence at least.
EXPECTED = {"decline": Expect.DECLINE, "decline-or-abstain": Expect.ABSTAIN}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.answers", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[DEMO], help=f"{DEMO}, {SAFETY}, {', '.join(COLLECTIONS)}")
    parser.add_argument("--answerer", default="extractive", choices=["extractive", "llm"])
    parser.add_argument("--llm", type=Path, help="a GGUF file, for --answerer llm")
    parser.add_argument("--limit", type=int, help="the first questions only")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the data folders")
    given = parser.parse_args(argv)
    i18n.use("fr")
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, {time.strftime('%Y-%m-%d')}")
    for name in given.sets:
        settings, asked = folder(name, given.cache, {"llm_model": given.llm} if given.llm else {})
        reports = layout.reserve(given.cache / "reports" / name)
        with open_archive(settings, load_models(settings)) as archive, ProgressLine() as progress:
            run = answers_run.evaluate(
                archive, asked, answerer=given.answerer, limit=given.limit, folder=reports, on_progress=progress
            )
        written = answers_report.write(run, reports, printed.report_words())
        answers_run.forget(run, reports)
        print(f"\n{name}: {len(run.cases)} questions, {run.conditions.counts[0]} messages, {given.answerer}")
        print("\n".join(answers_command.lines(run)))
        print(", ".join(map(str, written)))
    return 0


def folder(name: str, cache: Path, values: dict[str, object]) -> tuple[Settings, QuestionSet]:
    """The settings of a set's data folder, made when it is not there, and its questions."""
    if name in (DEMO, SAFETY):
        data = cache / DEMO
        if not (data / "archive.db").exists():
            assert cli.run(["--data", str(data), "demo"], {}) == 0
        asked = questions.read(Path(resource("assets", "demo", "questions.yml")))
        return build_settings(data, values), asked if name == DEMO else safety(cache)
    language = {"language": COLLECTIONS[name].language}
    _settings, path = prepare(COLLECTIONS[name], load_models(build_settings(cache / name, language)), cache=cache)
    return build_settings(cache / name, {**language, **values}), questions.read(path)


def safety(cache: Path) -> QuestionSet:
    """The probes as a question file, each to be told on its own."""
    path = layout.reserve(cache / "reports" / SAFETY) / "probes.yml"
    asked = [Question(p.id, p.question, tags=(SAFETY, p.category), expect=EXPECTED[p.expected]) for p in probes()]
    questions.write(path, asked)
    return questions.read(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
