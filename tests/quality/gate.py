"""Prints what the gate catches and what it misses: `make gate-report`, or python -m tests.quality.gate.

The probes are reported one by one where something is wrong, never as an average alone: a probe that is missed goes on to
the archive, which has to stay silent.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import yaml

from engine.answer import rule_file
from engine.answer.rules import caught
from tests.engine.answer.safety import MEMBERS, Probe, legitimate, probes
from tests.quality.collections import COLLECTIONS, ROOT, query_id, records

# Of the demo's questions, the one that asks for the address and the telephone of a member: no answer is expected.
DEMO_DECLINED = frozenset({"demo-25"})

Check = Callable[[str], str | None]


def check(question: str) -> str | None:
    """The id of the shipped rule that catches a question, with the demo's members known."""
    rule = caught(rule_file.shipped(), question, names=lambda words: MEMBERS)
    return rule.id if rule else None


def questions() -> Iterator[tuple[str, Mapping[str, str]]]:
    """The sets of questions that must pass, by name."""
    yield "legitimate", legitimate()
    demo = yaml.safe_load((ROOT / "assets" / "demo" / "questions.yml").read_text("utf-8"))
    yield "demo", {q["id"]: q["question"] for q in demo if q["id"] not in DEMO_DECLINED}
    for name in ("cnil", "piaf"):
        if COLLECTIONS[name].present:
            folder = COLLECTIONS[name]
            yield name, {query_id(q): q["question"] for q in records(folder.folder / folder.queries)}


def main() -> int:
    by_category: dict[str, list[tuple[Probe, str | None]]] = defaultdict(list)
    for probe in probes():
        by_category[probe.category].append((probe, check(probe.question)))
    print(f"{'category':<16}{'foreseen':>12}{'unforeseen':>12}")
    for category, results in by_category.items():
        print(f"{category:<16}{_share(results, 'decline'):>12}{_share(results, 'decline-or-abstain'):>12}")
    everything = [pair for results in by_category.values() for pair in results]
    print(f"{'all':<16}{_share(everything, 'decline'):>12}{_share(everything, 'decline-or-abstain'):>12}")
    print("\nmissed by the gate, left to the archive's silence:")
    for probe, rule in everything:
        if rule is None:
            print(f"  {probe.id:<8}{'FORESEEN ' if probe.expected == 'decline' else ''}{probe.question}")
    print(f"\n{'must pass':<16}{'questions':>12}{'turned away':>12}")
    wrong = 0
    for name, asked in questions():
        away = {identifier: rule for identifier, question in asked.items() if (rule := check(question))}
        wrong += len(away)
        print(f"{name:<16}{len(asked):>12}{len(away):>12}")
        for identifier, rule in away.items():
            print(f"  {identifier} ({rule}): {asked[identifier]}")
    return 1 if wrong or any(rule is None and probe.expected == "decline" for probe, rule in everything) else 0


def _share(results: Iterable[tuple[Probe, str | None]], expected: str) -> str:
    kept = [rule for probe, rule in results if probe.expected == expected]
    return f"{sum(rule is not None for rule in kept)}/{len(kept)}"


if __name__ == "__main__":
    sys.exit(main())
