"""Prints how well sentences are checked against the posts they cite: `make claims-report`, or python -m tests.quality.claims.

A pair is flagged when the check doubts its sentence: precision is the share of flagged sentences that really lack support,
recall the share of those without support that are flagged. `--piaf` adds sentences of ../shared/data/piaf, as they are and
with one number, name or negation changed by the program: an independent check, none of them was looked at to set anything.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import yaml

from engine.answer import claims, sentences
from engine.index.french import analyser
from engine.models import e5
from engine.seams import Embed
from engine.values import Evidence, PostId, PostNumber, TopicId
from engine.verdicts import DoubtCode
from tests.quality.collections import ROOT, SHARED

PAIRS = ROOT / "tests" / "engine" / "answer" / "claims_fr.yml"
ALTERED = ("number", "unit", "date", "name")
PIAF_SENTENCES = 600


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, the post that it cites, and whether the post supports it."""

    id: str
    kind: str
    sentence: str
    evidence: Evidence
    supported: bool
    held: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair and the doubts that the check has about it."""

    pair: Pair
    doubts: frozenset[DoubtCode]


@dataclass(frozen=True, slots=True)
class Score:
    """Flagged rightly, flagged wrongly, missed, rightly left alone."""

    hits: int
    false_alarms: int
    missed: int
    left: int

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false_alarms) if self.hits + self.false_alarms else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


def labelled() -> list[Pair]:
    """The pairs labelled by hand."""
    return [
        Pair(
            row["id"], row["kind"], row["sentence"],
            post(row["evidence"], title=row.get("title", ""), author=row.get("author", "membre"), day=row.get("date")),
            row["supported"], row.get("held", False),
        )
        for row in yaml.safe_load(PAIRS.read_text("utf-8"))
    ]  # fmt: skip


def post(text: str, *, title: str = "", author: str = "membre", day: date | None = None) -> Evidence:
    day = day or date(2020, 11, 23)
    return Evidence(
        n=1, post_id=PostId(1), topic_id=TopicId(1), post_number=PostNumber(1), url="", path="", title=title, category="",
        author=author, created_at=datetime(day.year, day.month, day.day, tzinfo=UTC), text=text,
    )  # fmt: skip


def judge(pairs: Iterable[Pair], embed: Embed | None) -> list[Judged]:
    """The pairs, each sentence citing its post, as the answer's check sees them."""
    judged = []
    for pair in pairs:
        said = f"{pair.sentence[:-1]} [[1]]{pair.sentence[-1]}"
        checks = claims.check(said, [pair.evidence], analyse=analyser("fr").words, embed=embed)
        judged.append(Judged(pair, frozenset(doubt.code for check in checks for doubt in check.doubts)))
    return judged


def score(judged: Iterable[Judged], codes: Iterable[DoubtCode] = DoubtCode) -> Score:
    """How often a doubt of one of these codes was right."""
    wanted, rows = frozenset(codes), list(judged)
    flagged = [row for row in rows if row.doubts & wanted]
    hits = sum(not row.pair.supported for row in flagged)
    wrong = sum(not row.pair.supported for row in rows)
    return Score(hits, len(flagged) - hits, wrong - hits, len(rows) - len(flagged) - (wrong - hits))


def piaf(seed: int = 5) -> Iterator[Pair]:
    """Sentences of Wikipedia paragraphs, whole and with one thing changed to what the paragraph doesn't hold."""
    draw = random.Random(seed)
    lines = (SHARED / "piaf" / "docs.jsonl").read_text("utf-8").splitlines()
    documents = draw.sample([json.loads(line) for line in lines], PIAF_SENTENCES)
    names = [match[0] for document in documents for match in _NAME.finditer(document["text"])]
    for document in documents:
        text = document["text"]
        whole = [
            s.text
            for s in sentences.split(text)
            if 40 < len(s.text) < 300 and s.text.endswith(".") and "[" not in s.text
        ]
        if not whole:
            continue
        said, source = draw.choice(whole), post(text, title=document["title"])
        yield Pair(document["id"], "faithful", said, source, True)
        if found := list(_NUMBER.finditer(said)):
            other = next(n for n in iter(lambda: str(draw.randrange(2, 9999)), "") if n not in text)
            yield Pair(document["id"], "number", _put(said, draw.choice(found), other), source, False)
        if found := list(_NAME.finditer(said)):
            other = next(name for name in iter(lambda: draw.choice(names), "") if name not in text)
            yield Pair(document["id"], "name", _put(said, draw.choice(found), other), source, False)
        if (verb := _VERB.search(said)) and " ne " not in said and "n'" not in said:
            yield Pair(document["id"], "negation", _put(said, verb, f"ne {verb[0]} pas"), source, False)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.claims", description=__doc__)
    parser.add_argument("--piaf", action="store_true", help="also judge altered sentences of ../shared/data/piaf")
    parser.add_argument("--verbose", action="store_true", help="print every pair that is judged wrongly")
    given = parser.parse_args(argv)
    encoders: dict[str, Embed | None] = {"without encoder": None}
    if (name := e5.name()) is not None:
        encoders[f"with {name}"] = e5.load()
    pairs = labelled()
    for label, embed in encoders.items():
        judged = judge(pairs, embed)
        _table(f"{len(pairs)} labelled pairs, {label}", judged)
        _table("the held out ones", [row for row in judged if row.pair.held])
        if given.verbose:
            _wrong(judged)
    if given.piaf:
        _table("sentences of PIAF, without encoder", judge(piaf(), None))
    return 0


def _table(title: str, judged: Sequence[Judged]) -> None:
    print(f"\n{title}\n{'':<22}{'pairs':>7}{'precision':>11}{'recall':>9}{'false alarms':>14}")
    for kind in dict.fromkeys(row.pair.kind for row in judged):
        _line(kind, score(row for row in judged if row.pair.kind == kind))
    _line("doubts number to name", score(judged, [DoubtCode(code) for code in ALTERED]), recall=False)
    _line("all", score(judged))


def _line(name: str, found: Score, *, recall: bool = True) -> None:
    total = found.hits + found.false_alarms + found.missed + found.left
    shown = f"{found.recall:>9.2f}" if recall and found.hits + found.missed else f"{'–':>9}"
    precision = f"{found.precision:>11.2f}" if found.hits + found.false_alarms else f"{'–':>11}"
    print(f"{name:<22}{total:>7}{precision}{shown}{f'{found.false_alarms}/{found.false_alarms + found.left}':>14}")


def _wrong(judged: Iterable[Judged]) -> None:
    for row in judged:
        if bool(row.doubts) == row.pair.supported:
            print(f"  {row.pair.id}: {', '.join(sorted(row.doubts)) or 'no doubt'}: {row.pair.sentence}")


def _put(text: str, match: re.Match[str], other: str) -> str:
    return text[: match.start()] + other + text[match.end() :]


_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,])")
_NAME = re.compile(r"(?<=[a-zé,] )[A-ZÉ][a-zéèêïô]{3,}(?= )")
_VERB = re.compile(r"\b(?:est|sont|était|peut|devient|permet|fut)\b(?! pas| plus| jamais)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
