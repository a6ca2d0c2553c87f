"""A run of answers written down: JSON with everything, Markdown and HTML with every question and its text."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import layout
from .answers import Case, scores
from .answers_run import AnswerRun
from .answers_tables import came, conditions, expected, figures, measures, safety, settings
from .tables import Words

_STYLE = """
section { border-left: 4px solid #3ab54a; padding: 0 0 0 1rem; margin: 0 0 2rem }
section.beside { border-color: #f7941d } section.wrong { border-color: #c0392b }
section h3 { margin: 0 } section p, section ul { margin: .3rem 0 } blockquote { margin: .5rem 0; padding: .5rem 1rem;
  background: #f6f6f6; white-space: pre-wrap; overflow-wrap: anywhere } section li { overflow-wrap: anywhere }
"""


@dataclass(frozen=True, slots=True)
class _Told:
    """A case in words: what is shown of it in either format."""

    title: str
    verdict: str
    text: str
    facts: tuple[str, ...]


def write(run: AnswerRun, folder: Path, words: Words) -> tuple[Path, ...]:
    """Write answers-DATE.json, .md and .html into a folder, and say where. Raises StoreError."""
    texts = {
        "json": json.dumps(whole(run), ensure_ascii=False, indent=1) + "\n",
        "md": markdown(run, words),
        "html": page(run, words),
    }
    return layout.write(folder, f"answers-{run.at:%Y%m%dT%H%M%SZ}", texts)


def summary(run: AnswerRun) -> dict[str, Any]:
    """The document of `evaluate --answers --json`. `safety` is told case by case, and counted nowhere else."""
    found = run.summary
    return {
        "questions": found.questions,
        "answerer": run.conditions.answerer,
        "outcomes": [
            {"expected": expect.value, "outcome": kind.value, "questions": count}
            for (expect, kind), count in sorted(found.outcomes.items())
        ],
        "abstentions": {"right": found.right_abstentions, "wrong": found.wrong_abstentions},
        "refusals": {"right": found.right_refusals, "wrong": found.wrong_refusals},
        "measures": {
            name: {"mean": round(mean, 6), "questions": count} for name, (count, mean) in sorted(found.means.items())
        },
        "citations": {"markers": found.markers, "valid": found.valid, "removed_links": found.removed_links},
        "claims": {"claims": found.claims, "supported": found.supported, "dropped": found.dropped},
        "truncated": found.truncated,
        "latency_ms": {
            name: {"p50": round(p50, 3), "p95": round(p95, 3)} for name, (p50, p95) in found.latency_ms.items()
        },
        "safety": [
            {
                "id": case.question.id, "question": case.question.text, "expected": case.question.expects.value,
                "outcome": case.kind.value, "as_expected": case.as_expected, "reason": case.reason, "text": case.text,
            }
            for case in run.cases
            if case.safety
        ],
    }  # fmt: skip


def whole(run: AnswerRun) -> dict[str, Any]:
    """The summary with the conditions and every question with its text."""
    found = run.conditions
    return {
        "at": run.at.isoformat(timespec="seconds"),
        "took_s": round(run.took_s, 3),
        "resumed": run.resumed,
        "question_file": {
            "path": str(found.questions.path),
            "sha256": found.questions.sha256,
            "questions": len(found.questions.questions),
        },
        "archive": dict(zip(("posts", "topics", "categories"), found.counts, strict=True)),
        "settings": {
            name: str(value) if isinstance(value, Path) else value for name, value in asdict(found.settings).items()
        },
        "manifest": asdict(found.manifest),
        "versions": found.versions,
        "model": found.model,
        "prompts": found.prompts,
        "files": found.local,
        "judge": found.judge,
        **summary(run),
        "cases": [_document(case) for case in run.cases],
    }


def markdown(run: AnswerRun, words: Words) -> str:
    """The report as Markdown."""
    _ = words.say
    lines = ["# " + _("Evaluation of the answers"), ""]
    for table in (*figures(run, words), *safety(run, words)):
        lines += layout.markdown_table(table)
    lines += ["## " + _("Question by question"), ""]
    for told in _told(run, words):
        lines += [f"### {layout.cell(told.title)}", "", layout.cell(told.verdict), ""]
        lines += [f"> {layout.cell(line)}" for line in told.text.splitlines() if line.strip()]
        lines += ["", *(f"- {layout.cell(fact)}" for fact in told.facts), ""]
    for table in (conditions(run, words), settings(run, words)):
        lines += layout.markdown_table(table)
    return "\n".join(lines)


def page(run: AnswerRun, words: Words) -> str:
    """The report as one HTML file; no script, nothing fetched, and every text of the archive escaped."""
    _ = words.say
    body = [layout.html_table(table) for table in (*figures(run, words), *safety(run, words))]
    body.append("<h2>" + html.escape(_("Question by question")) + "</h2>")
    for case, told in zip(_shown(run), _told(run, words), strict=True):
        body.append(f'<section class="{_verdict(case)}">')
        body += [f"<h3>{html.escape(told.title)}</h3>", f"<p>{html.escape(told.verdict)}</p>"]
        body += [f"<blockquote>{html.escape(told.text)}</blockquote>"] if told.text else []
        body += ["<ul>", *(f"<li>{html.escape(fact)}</li>" for fact in told.facts), "</ul>"] if told.facts else []
        body.append("</section>")
    body += [layout.html_table(conditions(run, words)), layout.html_table(settings(run, words))]
    return layout.page(_("Evaluation of the answers"), body, style=_STYLE)


def _shown(run: AnswerRun) -> tuple[Case, ...]:
    """The cases told one by one after the tables; the safety ones have theirs."""
    return tuple(case for case in run.cases if not case.safety)


def _verdict(case: Case) -> str:
    """Right, wrong, or beside: an answer that cites nothing of what is expected."""
    if not case.as_expected:
        return "wrong"
    return "beside" if scores(case).get("citation_hit") == 0 else "right"


def _told(run: AnswerRun, words: Words) -> Iterable[_Told]:
    _ = words.say
    for case in _shown(run):
        pair = {"expected": expected(case, _), "outcome": came(case, _)}
        verdict = _("expected: {expected}; outcome: {outcome}").format(**pair)
        facts = [*_cited(case, words), *_scores(case, words), *_doubts(case, words), *_judged(case, words)]
        yield _Told(f"{case.question.id} — {case.question.text}", verdict, case.text, tuple(facts))


def _cited(case: Case, words: Words) -> Iterable[str]:
    _ = words.say
    wanted = frozenset(case.question.post_ids)
    if case.cited:
        told = _("expected")
        shown = (f"{post_id} ({told})" if post_id in wanted else str(post_id) for post_id in case.cited)
        yield _("Messages cited: {messages}").format(messages=", ".join(shown))
    if missed := [str(post_id) for post_id in case.question.post_ids if post_id not in case.cited]:
        yield _("Expected, not cited: {messages}").format(messages=", ".join(missed))


def _scores(case: Case, words: Words) -> Iterable[str]:
    found, named = scores(case), measures(words.say)
    told = [
        f"{name} {words.number(found[key], 3)}"
        for key, (name, _counted) in named.items()
        if key in found and key not in ("citations", "characters", "citation_hit")
    ]
    if told:
        yield " · ".join(told)
    yield f"{words.number(case.total_ms, 0)} ms"


def _doubts(case: Case, words: Words) -> Iterable[str]:
    _ = words.say
    for claim in case.claims:
        if not claim.supported:
            yield _("Not supported by its sources: {claim} ({doubts})").format(
                claim=claim.text, doubts=", ".join(_doubt(doubt, words) for doubt in claim.doubts)
            )
    for sentence in case.dropped:
        yield _("Left out: {claim}").format(claim=sentence)


def _doubt(doubt: str, words: Words) -> str:
    _ = words.say
    named = {
        "uncited": _("cites nothing"),
        "number": _("number"),
        "unit": _("unit"),
        "date": _("date"),
        "name": _("name"),
        "quote": _("quotation"),
        "negation": _("the contrary"),
        "words": _("words"),
    }
    code, separator, tokens = doubt.partition(": ")
    return named.get(code, code) + separator + tokens


def _judged(case: Case, words: Words) -> Iterable[str]:
    _ = words.say
    if case.judged is None:
        return
    for claim in case.judged.claims or ():
        if not claim.supported:
            yield _("Not supported, says the judge: {claim}").format(claim=claim.text)
    if case.judged.questions:
        yield _("Questions that the answer fits: {questions}").format(questions=" / ".join(case.judged.questions))
    if case.judged.failed:
        yield _("The judge’s reply could not be read.")


def _document(case: Case) -> dict[str, Any]:
    found = asdict(case)
    question = case.question
    found["question"] = {
        "id": question.id, "text": question.text, "expects": question.expects.value, "tags": list(question.tags),
        "expected_post_ids": list(question.post_ids), "expected_topic_ids": list(question.topic_ids),
    }  # fmt: skip
    rounded = {name: round(value, 6) for name, value in scores(case).items()}
    return {**found, "kind": case.kind.value, "as_expected": case.as_expected, "scores": rounded}
