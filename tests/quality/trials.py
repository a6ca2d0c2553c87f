"""One factor at a time: what each choice of the analysis and of the ranking is worth on labelled questions.

python -m tests.quality.trials [DATA:QUESTIONS …] [--only NAME …] [--every N]; without a set, CNIL and PIAF as `make
quality` left them. Each trial changes one thing of the product, builds the keyword index again where it must, and
prints Hit@5 and MRR@10 by post of keywords alone and of the hybrid, with the difference to the product as it is.
"""

from __future__ import annotations

import argparse
import html
import math
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from engine import Archive, Settings, build_settings, load_models, open_archive
from engine.evaluate import metrics, questions
from engine.evaluate.questions import Question
from engine.index import french, lexical
from engine.index.generations import Generation
from engine.index.passages import IndexablePost
from engine.retrieve import search as search_room
from engine.seams import Vectors
from engine.values import FusedPost, Mode, PostId, Query
from tests.quality.collections import CACHE

Figures = tuple[float, float]  # Hit@5, MRR@10
Reorder = Callable[["Subject", tuple[FusedPost, ...], Vectors], tuple[FusedPost, ...]]


@dataclass(frozen=True, slots=True)
class Subject:
    """A collection opened for trials, its questions encoded once."""

    name: str
    archive: Archive
    questions: Sequence[Question]
    vectors: Sequence[Vectors]


@dataclass(frozen=True, slots=True)
class Trial:
    """One change: attributes to replace while it runs, settings, posts as indexed, or the order afterwards."""

    name: str
    attributes: tuple[tuple[object, str, Any], ...] = ()
    settings: Mapping[str, Any] | None = None
    rebuild: bool = False
    post: Callable[[Subject, IndexablePost], IndexablePost] | None = None
    reorder: Reorder | None = None


# --- what is tried ----------------------------------------------------------------------------------------


def _with_category(_subject: Subject, post: IndexablePost) -> IndexablePost:
    return replace(post, title=f"{post.title} {post.category} {' '.join(post.tags)}")


def _with_quotes(subject: Subject, post: IndexablePost) -> IndexablePost:
    row = subject.archive.store.posts([post.id])[post.id]
    quoted = re.findall(r"<blockquote>(.*?)</blockquote>", row.cooked, re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", " ", " ".join(quoted)))
    return replace(post, body=f"{post.body}\n{text}")


def _boosted(factor: Callable[[Any, Any], float]) -> Reorder:
    """Scores multiplied by a factor of (post, topic), as a signal would enter."""

    def reorder(subject: Subject, ranked: tuple[FusedPost, ...], _vector: Vectors) -> tuple[FusedPost, ...]:
        store = subject.archive.store
        rows = store.posts(p.post_id for p in ranked)
        topics = {t: store.topic(t) for t in {row.topic_id for row in rows.values()}}
        scored = [(p.score * factor(row, topics[row.topic_id]), p) for p in ranked if (row := rows.get(p.post_id))]
        return tuple(p for _, p in sorted(scored, key=lambda pair: (-pair[0], pair[1].post_id)))

    return reorder


def _recency(row: Any, _topic: Any) -> float:
    return 1 + 0.1 * math.exp((row.created_at.year - 2026) / 5)


def _accepted(row: Any, topic: Any) -> float:
    return 1.1 if topic is not None and topic.accepted_post_id == row.id else 1.0


def _likes(row: Any, _topic: Any) -> float:
    return 1 + 0.05 * math.log1p(row.likes)


def _mean_cosines(subject: Subject) -> Callable[..., Any]:
    """`DenseIndex.rank` by the mean of a post's passages instead of the closest one, exact over all."""
    model = ""
    with subject.archive.reading() as generation:
        model = generation.manifest.dense_model or ""
    owners: list[PostId] = []
    rows: list[Vectors] = []
    for places, batch in subject.archive.vectors.passages_with_vectors(model):
        owners += [post_id for post_id, _ in places]
        rows.append(batch)
    matrix = np.concatenate(rows)
    ids, where = np.unique(np.array(owners), return_inverse=True)
    counts = np.bincount(where)

    def rank(_self: Any, vector: Vectors, *, limit: int, **_conditions: Any) -> Any:
        means = np.bincount(where, weights=matrix @ vector) / counts
        best = np.argsort(-means, kind="stable")[:limit]
        return search_room.Ranking(
            "dense", tuple(PostId(int(ids[i])) for i in best), tuple(float(means[i]) for i in best)
        )

    return rank


def _folded_first(algorithm: str, stop: frozenset[str], *, elide: bool) -> Callable[[Iterable[str]], list[str]]:
    terms = _analysis(algorithm, frozenset(map(french.fold, stop)), elide=elide)
    return lambda written: terms(map(french.fold, written))


_analysis = french._term_function
_NOTHING = frozenset[str]()
TRIALS = (
    Trial("product"),
    Trial("title counts nothing", ((lexical, "TITLE_BOOST", 0.0),)),
    Trial("title counts as the body", ((lexical, "TITLE_BOOST", 1.0),)),
    Trial("category and tags in the title", rebuild=True, post=_with_category),
    Trial("exact field counts nothing", ((lexical, "EXACT_BOOST", 0.0),)),
    Trial("no stop words", ((french, "FRENCH_STOP", _NOTHING),), rebuild=True),
    Trial("no elision", ((french, "ELISIONS", _NOTHING),), rebuild=True),
    Trial("folded, then stemmed", ((french, "_term_function", _folded_first),), rebuild=True),
    Trial("no pairs beyond the stemmer", ((french, "_one_form", lambda word: word),), rebuild=True),
    Trial("decimals in two", ((french, "_WORD", re.compile(r"\w+(?:'\w+)*")),), rebuild=True),
    Trial("quotes are the author's words", rebuild=True, post=_with_quotes),
    Trial("mean of a post's passages", attributes=()),
    Trial("recent posts +10 %", reorder=_boosted(_recency)),
    Trial("accepted answers +10 %", reorder=_boosted(_accepted)),
    Trial("likes +5 % a fold", reorder=_boosted(_likes)),
    Trial("no combination", settings={"combine": "off"}),
    Trial("k = 60", settings={"rrf_k": 60}),
    Trial("useless vectors let in", ((search_room.agreement, "MIN_Z", -1e9),)),
)


# --- how it is measured -----------------------------------------------------------------------------------


def measure(subject: Subject, trial: Trial) -> tuple[Figures, Figures]:
    """(keywords, hybrid) with the trial's change."""
    chosen = replace(subject.archive.settings, **(trial.settings or {}))
    changes = list(trial.attributes)
    if trial.name == "mean of a post's passages":
        changes.append((search_room.dense_index.DenseIndex, "rank", _mean_cosines(subject)))
    with _changed(changes), subject.archive.reading() as generation, _keywords(subject, generation, trial) as used:
        words, hybrid = (_figures(subject, chosen, used, mode, trial) for mode in (Mode.BM25, Mode.HYBRID))
        return words, hybrid


@contextmanager
def _changed(changes: Iterable[tuple[object, str, Any]]) -> Iterator[None]:
    patches = [patch.object(where, name, value) for where, name, value in changes]
    french.analyser.cache_clear()
    for change in patches:
        change.start()
    try:
        yield
    finally:
        for change in reversed(patches):
            change.stop()
        french.analyser.cache_clear()


@contextmanager
def _keywords(subject: Subject, generation: Generation, trial: Trial) -> Iterator[Generation]:
    """The generation, its keyword index built again when the trial changes what it holds."""
    if not trial.rebuild:
        yield generation
        return
    store, analyser = subject.archive.store, french.analyser(subject.archive.settings.language)
    change = trial.post or (lambda _subject, post: post)
    with tempfile.TemporaryDirectory() as folder:
        lexical.build(Path(folder) / "whoosh", [change(subject, post) for post in store.indexable()], analyser)
        index = lexical.LexicalIndex(Path(folder) / "whoosh", analyser)
        try:
            yield replace(generation, lexical=index, analyser=analyser)
        finally:
            index.close()


def _figures(subject: Subject, chosen: Settings, generation: Generation, mode: Mode, trial: Trial) -> Figures:
    hits, ranks = [], []
    for question, vector in zip(subject.questions, subject.vectors, strict=True):
        models = replace(subject.archive.models, embed=lambda _texts, _role, v=vector: v[np.newaxis, :])
        found = search_room.rank(
            Query(words=(question.text,)), mode=mode, limit=100, store=subject.archive.store, generation=generation,
            models=models, settings=chosen,
        ).ranked  # fmt: skip
        if trial.reorder is not None:
            found = trial.reorder(subject, found, vector)
        ids = [post.post_id for post in found]
        hits.append(metrics.hit(ids, question.post_ids, 5))
        ranks.append(metrics.reciprocal_rank(ids, question.post_ids, 10))
    return float(np.mean(hits)), float(np.mean(ranks))


@contextmanager
def _opened(text: str, every: int) -> Iterator[Subject]:
    data, _, file = text.partition(":")
    settings = build_settings(Path(data), {"language": "en"} if Path(data).name == "scifact" else {})
    with open_archive(settings, load_models(settings)) as archive:
        asked = [q for q in questions.read(Path(file)).questions if q.post_ids][::every]
        assert archive.models.embed is not None
        vectors = [archive.models.embed([q.text], "query")[0] for q in asked]
        yield Subject(Path(data).name, archive, asked, vectors)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.trials", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[f"{CACHE / n}:{CACHE / n / 'questions'}" for n in ("cnil", "piaf")])
    parser.add_argument("--only", nargs="+", default=[trial.name for trial in TRIALS])
    parser.add_argument("--every", type=int, default=1, help="one question in N")
    given = parser.parse_args(argv)
    for text in given.sets:
        with _opened(text, given.every) as subject:
            print(f"\n{subject.name}, {len(subject.questions)} questions: Hit@5 / MRR@10 (difference)", flush=True)
            base = measure(subject, TRIALS[0])
            for trial in TRIALS:
                if trial.name in given.only:
                    found = base if trial is TRIALS[0] else measure(subject, trial)
                    cells = [_cell(figures, before) for figures, before in zip(found, base, strict=True)]
                    print(f"  {trial.name:<34} words {cells[0]}   hybrid {cells[1]}", flush=True)
    return 0


def _cell(figures: Figures, before: Figures) -> str:
    return " / ".join(f"{now:.3f} ({now - then:+.3f})" for now, then in zip(figures, before, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
