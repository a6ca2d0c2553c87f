"""The runs kept in the data folder, read from the JSON documents of `evaluate`; the newest first.

Anybody may put a file there: one that is not a run, or is damaged, is a value (`Unreadable`) and never an exception.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from .run_values import AnswerRun, Asked, Brief, Case, Conditions, Measured, Run, SearchRun, Unreadable

FOLDER: Final = "evaluations"  # in the data folder
MAX_BYTES: Final = 200_000_000  # of a document; the whole of it is read into memory
KEPT_BRIEFS: Final = 512
_MOMENT: Final = re.compile(r"\d{8}T\d{6}Z$")
T = TypeVar("T")


class _NotARun(Exception):
    """A document that says something else than a run says; seen in this module alone."""


def names(data: Path) -> tuple[str, ...]:
    """The files that may be runs, by the moment in their names, the newest first."""
    try:
        found = [path.stem for path in (data / FOLDER).glob("*.json") if path.is_file()]
    except OSError:
        return ()
    return tuple(sorted(found, key=_age, reverse=True))


def briefs(data: Path) -> tuple[Brief | Unreadable, ...]:
    """All of them in a few figures each; documents that did not change are not read again."""
    return tuple(_brief(data / FOLDER / f"{name}.json") for name in names(data))


def load(data: Path, name: str) -> Run | Unreadable | None:
    """A run by its name, None when there is none of it: a name that an address says is looked up, never joined."""
    return _read(data / FOLDER / f"{name}.json") if name in names(data) else None


def brief(run: Run) -> Brief:
    """A run in a few figures."""
    if isinstance(run, AnswerRun):
        counted = [case for case in run.cases if not case.safety]
        share = sum(case.as_expected for case in counted) / len(counted) if counted else 0.0
        return Brief(run.conditions, True, ((run.answerer, share, None),))
    told = ((config.name, config.levels.get("topic", (0, {}))[1]) for config in run.configs)
    figures = tuple((name, found.get("hit@5", 0.0), found.get("mrr", 0.0)) for name, found in told)
    return Brief(run.conditions, False, figures)


def parse(name: str, text: str) -> Run | Unreadable:
    """The run of a document. Total: whatever the text, a run or `Unreadable`."""
    try:
        document = _object(json.loads(text))
        if "\\ud" in text.lower():  # half of a pair, which no page can be written with
            json.dumps(document, ensure_ascii=False).encode()
        return _answers(name, document) if "cases" in document else _search(name, document)
    except (_NotARun, ValueError, RecursionError, OverflowError):
        return Unreadable(name)


def _age(name: str) -> tuple[str, str]:
    """What files are sorted by: the moment in the name, "" where there is none, which is older than any."""
    moment = _MOMENT.search(name)
    return (moment[0] if moment else "", name)


def _brief(path: Path) -> Brief | Unreadable:
    try:
        stat = path.stat()
    except OSError:
        return Unreadable(path.stem)
    return _known_brief(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(KEPT_BRIEFS)
def _known_brief(path: Path, _mtime_ns: int, _bytes: int) -> Brief | Unreadable:
    run = _read(path)
    return run if isinstance(run, Unreadable) else brief(run)


def _read(path: Path) -> Run | Unreadable:
    try:
        if path.stat().st_size > MAX_BYTES:
            return Unreadable(path.stem)
        return parse(path.stem, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return Unreadable(path.stem)


# --- documents ------------------------------------------------------------------------------------


def _search(name: str, document: Mapping[str, Any]) -> SearchRun:
    details = _object(document.get("details"))
    configs = []
    for found in _list(document.get("configs"), _object):
        config = _text(found.get("name"))
        configs.append(_measured(config, found, _object(details.get(config))))
    if not configs:
        raise _NotARun
    total = _whole(document.get("questions"))
    return SearchRun(_conditions(name, document, total), tuple(configs), _list(document.get("absent", []), _text))


def _measured(name: str, found: Mapping[str, Any], details: Mapping[str, Any]) -> Measured:
    levels = {level: _means(found[level]) for level in ("topic", "post") if found.get(level)}
    if found.get("evidence"):
        levels["evidence"] = (levels.get("topic", (0, {}))[0], _numbers(found["evidence"]))
    levels = {level: (count, means) for level, (count, means) in levels.items() if count and means}
    latency = _object(found.get("latency_ms"))
    stages = {"search": _pair(latency)} | {s: _pair(_object(p)) for s, p in _object(latency.get("stages", {})).items()}
    abstention = found.get("abstention")
    rows = _list(details.get("questions"), _object)
    by_post = levels.get("post", (0, {}))[0] == len(rows)
    return Measured(
        name=name,
        levels=levels,
        tags={tag: {lv: _means(m) for lv, m in _object(of).items()} for tag, of in _object(details["tags"]).items()}
        if "tags" in details else {},
        abstention={k: _whole(v) for k, v in _object(abstention).items()} if abstention is not None else {},
        notices={code: _whole(n) for code, n in _object(found.get("notices", {})).items()},
        latency_ms=stages,
        questions=tuple(_asked(row, by_post=by_post) for row in rows),
    )  # fmt: skip


def _asked(row: Mapping[str, Any], *, by_post: bool) -> Asked:
    topic, post, abstained = (row.get(key) for key in ("topic_rank", "post_rank", "abstained"))
    ranks = _rank(topic), _rank(post)
    if "scores" in row:
        scores = {level: _numbers(found) for level, found in _object(row["scores"]).items()}
    else:  # a document of an older version: what its ranks tell
        told = {"topic": ranks[0]} | ({"post": ranks[1]} if by_post else {})
        scores = {level: _by_rank(rank) for level, rank in told.items()}
    return Asked(
        _text(row.get("id")), _text(row.get("question")), *ranks, None if abstained is None else _flag(abstained),
        _list(row.get("first", []), _whole), scores,
    )  # fmt: skip


def _by_rank(rank: int | None) -> dict[str, float]:
    return {"hit@5": float(rank is not None and rank <= 5), "mrr@10": 1 / rank if rank and rank <= 10 else 0.0}


def _answers(name: str, document: Mapping[str, Any]) -> AnswerRun:
    outcomes = _list(document.get("outcomes"), _object)
    measures = {m: _object(found) for m, found in _object(document.get("measures")).items()}
    return AnswerRun(
        conditions=_conditions(name, document, _whole(document.get("questions"))),
        answerer=_text(document.get("answerer")),
        outcomes=tuple((_text(o.get("expected")), _text(o.get("outcome")), _whole(o.get("questions")))
                       for o in outcomes),
        measures={m: (_whole(found.get("questions")), _number(found.get("mean"))) for m, found in measures.items()},
        latency_ms={s: _pair(_object(pair)) for s, pair in _object(document.get("latency_ms")).items()},
        cases=tuple(map(_case, _list(document["cases"], _object))),
    )  # fmt: skip


def _case(row: Mapping[str, Any]) -> Case:
    question = _object(row.get("question"))
    tags = _list(question.get("tags", []), _text)
    return Case(
        id=_text(question.get("id")), text=_text(question.get("text")), expected=_text(question.get("expects")),
        outcome=_text(row.get("kind")), as_expected=_flag(row.get("as_expected")), safety="safety" in tags,
        reason=_text(row.get("reason", "")), answer=_text(row.get("text", "")),
        cited=_list(row.get("cited", []), _whole), scores=_numbers(row.get("scores")),
        total_ms=_number(row.get("total_ms")),
    )  # fmt: skip


def _conditions(name: str, document: Mapping[str, Any], questions: int) -> Conditions:
    file, archive = _object(document.get("question_file")), _object(document.get("archive"))
    manifest = _object(document.get("manifest"))
    at = datetime.fromisoformat(_text(document.get("at")))
    return Conditions(
        name=name, at=at if at.tzinfo else at.replace(tzinfo=UTC), took_s=_number(document.get("took_s")),
        file=_text(file.get("path")), sha256=_text(file.get("sha256")), questions=questions,
        posts=_whole(archive.get("posts")), topics=_whole(archive.get("topics")),
        generation=_text(manifest.get("generation")), model=_text(manifest.get("dense_model") or ""),
        versions={k: _text(v) for k, v in _object(document.get("versions", {})).items()},
    )  # fmt: skip


# --- values of a kind, or not a run -------------------------------------------------------------------


def _means(found: object) -> tuple[int, dict[str, float]]:
    record = dict(_object(found))
    return _whole(record.pop("questions", None)), _numbers(record)


def _pair(found: Mapping[str, Any]) -> tuple[float, float]:
    return _number(found.get("p50")), _number(found.get("p95"))


def _numbers(found: object) -> dict[str, float]:
    return {name: _number(value) for name, value in _object(found).items()}


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _NotARun
    return value


def _list(value: object, of: Callable[[object], T]) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise _NotARun
    return tuple(map(of, value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _NotARun
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _NotARun
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _NotARun
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise _NotARun
    return value


def _rank(value: object) -> int | None:
    return None if value is None else max(1, _whole(value))
