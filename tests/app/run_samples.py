"""Runs as they lie in a data folder: made by the evaluation itself on the tiny forum, once."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from app.runs import FOLDER
from engine import build_index, build_settings, open_archive
from engine.evaluate import answers_report, answers_run, document, matrix
from engine.evaluate.configs import named
from engine.evaluate.questions import read
from tests.factories import WORD_MODELS, forum, save

QUESTIONS = """
- {id: patins, question: "Faut-il poncer les patins ?", expected_topic_ids: [1], expected_post_ids: [12], tags: [exact]}
- {id: cire, question: "La cire par temps sec", expected_post_ids: [22], tags: [exact, sens], difficulty: easy}
- {id: lac, question: "Le lac <script>alert(1)</script>", expected_topic_ids: [3]}
- {id: perdue, question: "Que dit le message perdu ?", expected_post_ids: [999]}
- {id: crepes, question: "zymurgie xylophone", expected_topic_ids: []}
"""


def archive(folder: Path) -> Path:
    """A data folder with the tiny forum, indexed, and a question file beside it."""
    save(folder, forum())
    build_index(build_settings(folder), WORD_MODELS)
    (folder / "essai.yml").write_text(QUESTIONS, "utf-8")
    return folder


@cache
def texts(folder: Path) -> tuple[str, str]:
    """The documents of a run of the search and of one of the answers, over an `archive`."""
    settings, asked = build_settings(folder), read(folder / "essai.yml")
    run = matrix.evaluate(settings, WORD_MODELS, asked, named(["bm25", "hybrid"]))
    with open_archive(settings, WORD_MODELS) as opened:
        answered = answers_run.evaluate(opened, asked, answerer="extractive")
    return json.dumps(document.whole(run)), json.dumps(answers_report.whole(answered))


def older(text: str, days: int = 1) -> str:
    """The document of the same run, made some days before and without what older versions did not write."""
    found = json.loads(text)
    found["at"] = (datetime.fromisoformat(found["at"]) - timedelta(days=days)).isoformat()
    for details in found["details"].values():
        for asked in details["questions"]:
            del asked["scores"]
    return json.dumps(found)


def put(folder: Path, name: str, text: str) -> None:
    """A file among the runs."""
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / f"{name}.json").write_text(text, "utf-8")
