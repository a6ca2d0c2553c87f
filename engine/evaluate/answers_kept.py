"""The cases of a run under way, kept in a file line by line, so that one that is stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import StoreError
from .answers import Case, Claim, Judged, Kind
from .questions import Question


class Kept:
    """The cases answered so far, by question id; nothing is written without a path."""

    def __init__(self, path: Path | None, questions: Iterable[Question]) -> None:
        self._path = path
        by_id = {question.id: question for question in questions}
        self.cases: dict[str, Case] = {}
        for record in _records(path) if path is not None else ():
            if record["question"] in by_id:
                self.cases[record["question"]] = _case(by_id[record["question"]], record)

    def add(self, case: Case) -> None:
        """Keep one more. Raises StoreError when it can't be written."""
        self.cases[case.question.id] = case
        if self._path is None:
            return
        line = json.dumps(asdict(case) | {"question": case.question.id}, ensure_ascii=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise StoreError(path=str(self._path), reason="reports") from error


def _records(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(path=str(path), reason="reports") from error
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:  # the line that was being written when the run was stopped
            path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in found), "utf-8")
            break
    return found


def _case(question: Question, record: Mapping[str, Any]) -> Case:
    judged = record["judged"]
    lists = ("cited", "cited_topics", "dropped", "notices")
    return Case(**{
        **record, **{name: tuple(record[name]) for name in lists}, "question": question, "kind": Kind(record["kind"]),
        "claims": _claims(record["claims"]), "judged": None if judged is None else _judged(judged),
    })  # fmt: skip


def _judged(record: Mapping[str, Any]) -> Judged:
    claims = None if record["claims"] is None else _claims(record["claims"])
    return Judged(
        claims, tuple(record["questions"]), record["evasive"], record["relevancy"], tuple(record["failed"])
    )  # fmt: skip


def _claims(records: Iterable[Mapping[str, Any]]) -> tuple[Claim, ...]:
    return tuple(Claim(record["text"], record["supported"], tuple(record["doubts"])) for record in records)
