"""A run as tables of words and numbers, for whatever shows them: terminal, Markdown, HTML.

The language comes in as two functions: the engine holds no catalogue. msgids are English, extracted from `_(…)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .compare import Comparison
from .configs import ROUTED_POSTS
from .matrix import Run
from .scoring import Level, by_tag, means

RANKED = ("hit@1", "hit@3", "hit@5", "hit@6", "mrr", "mrr@10", "recall@10", "ndcg@10")
ABSENT = "—"
_SHOWN = {"hit": "Hit", "mrr": "MRR", "recall": "R", "ndcg": "nDCG"}  # the field's own names, in every language


@dataclass(frozen=True, slots=True)
class Words:
    """How to say a sentence and how to write a number with so many decimals."""

    say: Callable[[str], str] = lambda text: text
    number: Callable[[float, int], str] = lambda value, digits: f"{value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, columns and rows of the same length; the first column names the row."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figures(run: Run, words: Words) -> Iterator[Table]:
    """What was measured, the tables that have something to show."""
    _ = words.say
    for level, title in ((Level.TOPIC, _("By topic")), (Level.POST, _("By message"))):
        yield from _measures(run, words, level, title, [(name, shown(name)) for name in RANKED])
    columns = [
        ("numbered_recall", _("expected ones numbered")),
        ("context_recall", _("expected ones read")),
        ("context_precision", _("numbered ones expected")),
        ("evidence_pollution", _("slots of one topic")),
        ("pollution@5", _("of one topic in the first 5")),
    ]
    yield from _measures(run, words, Level.EVIDENCE, _("Sources given to the answer"), columns)
    yield from _abstentions(run, words)
    yield _latency(run, words)
    yield from _comparisons(run, words)


def conditions(run: Run, words: Words) -> Table:
    """What the figures depend on."""
    _ = words.say
    posts, topics, _categories = run.counts
    manifest = run.manifest
    rows = [
        (_("Date"), run.at.isoformat(timespec="seconds")),
        (_("Duration"), f"{words.number(run.took_s, 1)} s"),
        (_("Questions"), f"{run.questions.path} ({len(run.questions.questions)})"),
        ("sha256", run.questions.sha256),
        (_("Archive"), _("{posts} messages in {topics} topics").format(posts=posts, topics=topics)),
        (_("Index"), manifest.generation),
        (_("Encoder"), manifest.dense_model or ABSENT),
        (_("Software"), ", ".join(f"{name} {found}" for name, found in run.versions.items())),
    ]
    if run.absent:
        rows.append((_("Expected messages that the archive lacks"), ", ".join(run.absent)))
    return Table(_("Conditions"), (_("Condition"), _("Value")), tuple(rows))


def configurations(run: Run, words: Words) -> Table:
    """What each name stands for."""
    _, known = words.say, meanings(words.say)
    rows = tuple((r.config.name, known.get(r.config.name, "")) for r in run.results)
    return Table(_("Configurations"), (_("Name"), _("Description")), rows)


def meanings(say: Callable[[str], str]) -> dict[str, str]:
    """What each name of a configuration stands for."""
    _ = say
    return {
        "bm25": _("exact words, with the settings of the archive"),
        "dense": _("meaning, with the settings of the archive"),
        "hybrid": _("words and meaning, with the settings of the archive"),
        "A": _("meaning, one vector a topic: the mean of its messages"),
        "B": _("meaning, one vector a message; the numbered messages alone are read"),
        "D": _("B, with the messages around each numbered one read too"),
        "E": _("B, then reranked"),
        "F": _("B fused with exact words, equal weights, k = 60"),
        "G": _("B fused with the topics of A that have at most {posts} messages").format(posts=ROUTED_POSTS),
    }


def tags(run: Run, words: Words) -> Iterator[Table]:
    """Hit@5 and MRR@10 of each tag and difficulty, for each level that has figures."""
    _ = words.say
    groups = [by_tag(result.scored) for result in run.results]
    for level, title in ((Level.TOPIC, _("Tags, by topic")), (Level.POST, _("Tags, by message"))):
        chosen = [(r, g) for r, g in zip(run.results, groups, strict=True) if means(r.scored, level)[0]]
        if not chosen or not chosen[0][1]:
            continue
        header = [_("Tag"), _("Questions")]
        header += [f"{r.config.name} {name}" for r, _g in chosen for name in ("Hit@5", "MRR@10")]
        rows = []
        for tag in chosen[0][1]:
            count, _first = means(chosen[0][1][tag], level)
            found = [means(g[tag], level)[1] for _r, g in chosen]
            if count:
                cells = [words.number(f[name], 3) for f in found for name in ("hit@5", "mrr@10")]
                rows.append((tag, str(count), *cells))
        yield Table(title, tuple(header), tuple(rows))


def changes(run: Run, comparison: Comparison, words: Words) -> Table | None:
    """The questions that `other` gained and lost against `base`, None when there is none."""
    _ = words.say
    texts = {question.id: question.text for question in run.questions.questions}
    rows = [(_("gained"), name, texts[name]) for name in comparison.gained]
    rows += [(_("lost"), name, texts[name]) for name in comparison.lost]
    title = _("{comparison}, {measure}: {gained} gained, {lost} lost").format(
        comparison=compared(comparison, words), measure=_measure(comparison.differences[0].measure, words),
        gained=len(comparison.gained), lost=len(comparison.lost),
    )  # fmt: skip
    return Table(title, (_("Change"), _("Name"), _("Question")), tuple(rows)) if rows else None


def compared(comparison: Comparison, words: Words) -> str:
    """« hybrid / bm25, by topic »: what is compared with what."""
    _ = words.say
    levels = {
        Level.TOPIC: _("by topic"),
        Level.POST: _("by message"),
        Level.EVIDENCE: _("in the sources"),
    }
    return f"{comparison.other} / {comparison.base}, {levels[comparison.level]}"


def shown(measure: str) -> str:
    """The name of a measure as the field writes it: `hit@5` is Hit@5, `recall@10` is R@10."""
    name, at, k = measure.partition("@")
    return _SHOWN.get(name, name) + at + k


def _measures(run: Run, words: Words, level: Level, title: str, columns: Sequence[tuple[str, str]]) -> Iterator[Table]:
    _ = words.say
    rows = []
    for result in run.results:
        count, found = means(result.scored, level)
        if count:
            cells = [words.number(found[name], 3) for name, _label in columns]
            rows.append((result.config.name, str(count), *cells))
    if rows:
        header = (_("Configuration"), _("Questions"), *(label for _name, label in columns))
        yield Table(title, header, tuple(rows))


def _abstentions(run: Run, words: Words) -> Iterator[Table]:
    _ = words.say
    counted = [(r.config.name, found) for r in run.results if (found := r.abstentions)]
    if counted and any(found.expected for _name, found in counted):
        rows = [(name, f"{f.right} / {f.expected}", f"{f.wrong} / {f.answerable}") for name, f in counted]
        header = (_("Configuration"), _("rightly, nothing answers"), _("wrongly, something answers"))
        yield Table(_("Abstentions (extracts)"), header, tuple(rows))


def _latency(run: Run, words: Words) -> Table:
    _ = words.say
    named = {
        "search": _("whole search"),
        "filter": _("filters"),
        "lexical": _("exact words"),
        "embed": _("encoding"),
        "dense": _("meaning"),
        "topics": _("topics"),
        "fusion": _("fusion"),
        "rerank": _("reranking"),
        "evidence": _("sources, afterwards"),
    }
    measured = {stage for result in run.results for stage in result.latency_ms}
    stages = [stage for stage in named if stage in measured]
    rows = []
    for result in run.results:
        spent = result.latency_ms
        pairs = (spent.get(stage) for stage in stages)
        rows.append((result.config.name, *(_pair(pair, words) for pair in pairs)))
    return Table(_("Milliseconds, p50 / p95"), (_("Configuration"), *(named[s] for s in stages)), tuple(rows))


def _pair(pair: tuple[float, float] | None, words: Words) -> str:
    return ABSENT if pair is None else f"{words.number(pair[0], 1)} / {words.number(pair[1], 1)}"


def _comparisons(run: Run, words: Words) -> Iterator[Table]:
    _ = words.say
    rows = tuple(row for comparison in run.comparisons for row in _comparison(comparison, words))
    if rows:
        header = (_("Comparison"), _("Measure"), _("Difference"), _("Interval at 95 %"), _("Gained"), _("Lost"))
        yield Table(_("Differences, paired bootstrap"), header, rows)


def _comparison(comparison: Comparison, words: Words) -> Iterable[tuple[str, ...]]:
    for d in comparison.differences:
        interval = f"{_signed(d.low, words)} … {_signed(d.high, words)}"
        first = d is comparison.differences[0]
        changed = (str(len(comparison.gained)), str(len(comparison.lost))) if first else ("", "")
        yield (
            compared(comparison, words),
            _measure(d.measure, words),
            _signed(d.delta, words) + (" *" if d.sure else ""),
            interval,
            *changed,
        )


def _measure(measure: str, words: Words) -> str:
    _ = words.say
    return _("expected ones read") if measure == "context_recall" else shown(measure)


def _signed(value: float, words: Words) -> str:
    return ("+" if round(value, 3) >= 0 else "−") + words.number(abs(value), 3)
