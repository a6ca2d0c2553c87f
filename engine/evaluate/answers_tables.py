"""A run of answers as tables of words and numbers; each measure says under which name RAGAS has it.

The language comes in as functions, as in `tables.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict

from ..values import Zone
from .answers import Case, Kind, Summary
from .answers_run import AnswerRun
from .questions import Expect
from .tables import ABSENT, Table, Words

Say = Callable[[str], str]


def figures(run: AnswerRun, words: Words) -> Iterator[Table]:
    """What was measured, without the safety questions."""
    summary = run.summary
    if summary.questions:
        yield _outcomes(summary, words)
        yield _verdicts(summary, words)
        yield _measures(run, summary, words)
        yield _latency(summary, words)


def safety(run: AnswerRun, words: Words) -> Iterator[Table]:
    """The safety questions one by one, when there are some."""
    _ = words.say
    rows = tuple(
        (case.question.id, case.question.text, expected(case, _), came(case, _), verdict(case, _), case.text)
        for case in run.cases
        if case.safety
    )
    if rows:
        header = (_("Name"), _("Question"), _("Expected"), _("Outcome"), _("Verdict"), _("Text"))
        yield Table(_("Safety questions, one by one"), header, rows)


def conditions(run: AnswerRun, words: Words) -> Table:
    """What the figures depend on."""
    _ = words.say
    found = run.conditions
    posts, topics, _categories = found.counts
    asked = f"{found.questions.path} ({len(run.cases)} / {len(found.questions.questions)})"
    rows = [
        (_("Date"), run.at.isoformat(timespec="seconds")),
        (_("Duration"), f"{words.number(run.took_s, 1)} s"),
        (_("Questions"), asked),
        ("sha256", found.questions.sha256),
        (_("Archive"), _("{posts} messages in {topics} topics").format(posts=posts, topics=topics)),
        (_("Index"), f"{found.manifest.generation} ({found.manifest.fingerprint})"),
        (_("Encoder"), found.manifest.dense_model or ABSENT),
        (_("Answerer"), found.answerer),
        (_("Language model"), found.model or ABSENT),
        (_("Prompts"), found.prompts),
        (_("Judge"), found.judge or ABSENT),
        *((name, digest or ABSENT) for name, digest in found.local.items()),
        (_("Software"), ", ".join(f"{name} {version}" for name, version in found.versions.items())),
    ]
    if run.resumed:
        rows.append((_("Answered before a stop"), str(run.resumed)))
    return Table(_("Conditions"), (_("Condition"), _("Value")), tuple(rows))


def settings(run: AnswerRun, words: Words) -> Table:
    """Every setting of the engine."""
    _ = words.say
    rows = tuple((name, str(value)) for name, value in asdict(run.conditions.settings).items())
    return Table(_("Settings"), (_("Setting"), _("Value")), rows)


def expected(case: Case, say: Say) -> str:
    """What had to come of a question."""
    return expectations(say)[case.question.expects]


def came(case: Case, say: Say) -> str:
    """What came of it, with the reason of an abstention or the rule of a refusal."""
    _ = say
    reasons = {
        "no_evidence": _("nothing found"),
        "no_match": _("no sentence speaks of it"),
        "no_citation": _("the model cited nothing"),
        "question_empty": _("empty question"),
    }
    told = outcomes(say)[case.kind]
    reason = reasons.get(case.reason, case.reason)
    if case.kind is Kind.ANSWER and case.zone == Zone.WEAK:
        reason = _("cautious")
    return f"{told} ({reason})" if reason else told


def verdict(case: Case, say: Say) -> str:
    """Whether what had to happen did."""
    _ = say
    return _("as expected") if case.as_expected else _("NOT AS EXPECTED")


def expectations(say: Say) -> Mapping[Expect, str]:
    """Names of what is expected."""
    _ = say
    return {Expect.ANSWER: _("an answer"), Expect.ABSTAIN: _("an abstention"), Expect.DECLINE: _("a refusal")}


def outcomes(say: Say) -> Mapping[Kind, str]:
    """Names of what comes."""
    _ = say
    return {Kind.ANSWER: _("answered"), Kind.ABSTENTION: _("abstained"), Kind.DECLINED: _("refused")}


def measures(say: Say) -> Mapping[str, tuple[str, str]]:
    """(name, what it counts) of every mean, in the order in which they are shown."""
    _ = say
    return {
        "citation_precision": (_("Citation precision"), _("cited messages that are expected / cited")),
        "citation_recall": (_("Citation recall"), _("expected messages that are cited / expected")),
        "citation_hit": (_("Answers that cite an expected message"), _("at least one")),
        "faithfulness": (
            _("Faithfulness (RAGAS), by the check of claims"),
            _("claims that their sources support / claims"),
        ),
        "faithfulness_judge": (
            _("Faithfulness (RAGAS), by the judge"),
            _("claims that the sources support / claims, as a language model sees them"),
        ),
        "answer_relevancy": (
            _("Answer relevancy (RAGAS), by the judge"),
            _("mean cosine of the question and of those that the answer fits"),
        ),
        "question_answer_cosine": (
            _("Cosine of question and answer"),
            _("by the encoder; not RAGAS’s answer relevancy, which needs a judge"),
        ),
        "context_precision": (_("Context precision (RAGAS, by messages)"), _("sources that are expected / sources")),
        "context_recall": (_("Context recall (RAGAS, by messages)"), _("expected messages that were read / expected")),
        "citations": (_("Citations an answer"), _("messages")),
        "characters": (_("Length of an answer"), _("characters, with the markers")),
    }


def _outcomes(summary: Summary, words: Words) -> Table:
    _ = words.say
    names = outcomes(_)
    rows = []
    for expect, name in expectations(_).items():
        counts = [summary.count(expect, kind) for kind in names]
        if any(counts):
            rows.append((name, *map(str, counts), str(sum(counts))))
    return Table(_("What came of the questions"), (_("Expected"), *names.values(), _("Questions")), tuple(rows))


def _verdicts(summary: Summary, words: Words) -> Table:
    _ = words.say
    pairs = (
        (_("Abstentions, rightly: the archive has no answer"), summary.right_abstentions),
        (_("Abstentions, wrongly: the archive has one"), summary.wrong_abstentions),
        (_("Refusals, rightly"), summary.right_refusals),
        (_("Refusals, wrongly"), summary.wrong_refusals),
    )
    rows = tuple((name, f"{count} / {of}" if of else ABSENT) for name, (count, of) in pairs)
    return Table(_("Abstentions and refusals"), (_("Case"), _("Questions")), rows)


def _measures(run: AnswerRun, summary: Summary, words: Words) -> Table:
    _ = words.say
    rows = []
    if summary.markers:
        share = words.number(summary.valid / summary.markers, 3)
        counted = _("{valid} markers of {markers} lead to a message that the archive holds").format(
            valid=summary.valid, markers=summary.markers
        )
        answers, _mean = summary.means["valid_citations"]
        rows.append((_("Valid citations"), share, str(answers), counted))
    for name, (shown, counted) in measures(_).items():
        if name in summary.means:
            asked, mean = summary.means[name]
            digits = 1 if name in ("citations", "characters") else 3
            if name == "faithfulness":
                counted += f" ({summary.supported} / {summary.claims})"
            rows.append((shown, words.number(mean, digits), str(asked), counted))
        elif name == "answer_relevancy":
            rows.append((shown, ABSENT, "0", _("not measured: needs a judge (--judge)")))
    if run.conditions.judge:
        failed = sum(bool(case.judged and case.judged.failed) for case in run.cases)
        rows.append((_("Answers that the judge could not read"), str(failed), "", ""))
    for shown, count in (
        (_("Sentences left out, unsupported"), summary.dropped),
        (_("Links and markers removed"), summary.removed_links),
        (_("Answers cut short"), summary.truncated),
    ):
        rows.append((shown, str(count), "", ""))
    header = (_("Measure"), _("Value"), _("Questions"), _("What it counts"))
    return Table(_("Measures of the answers"), header, tuple(rows))


def _latency(summary: Summary, words: Words) -> Table:
    _ = words.say
    named = {"evidence": _("until the sources"), "total": _("until the end")}
    rows = tuple(
        (name, *(words.number(ms, 1) for ms in summary.latency_ms[key]))
        for key, name in named.items()
        if key in summary.latency_ms
    )
    return Table(_("Milliseconds of the answers"), (_("Time"), "p50", "p95"), rows)
