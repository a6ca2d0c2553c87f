"""What may be shown of what a model wrote: true markers, no other link, nothing that no reader should see, its claims.

The one order of these steps: each works on what the one before left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..index.french import Analyse
from ..seams import Embed
from ..values import Evidence
from ..verdicts import ClaimCheck
from . import citations, claims, guard, stream


@dataclass(frozen=True, slots=True)
class Judged:
    """A text that may be shown. `removed` counts links and untrue markers, `unfit` sentences not for readers."""

    resolved: citations.Resolved
    checks: tuple[ClaimCheck, ...]
    dropped: tuple[str, ...]
    removed: int
    unfit: int

    @property
    def answers(self) -> bool:
        """Whether something is said and something is cited."""
        return bool(self.resolved.cited) and any(map(str.isalpha, citations.without_markers(self.resolved.text)))


def judge(
    written: str,
    question: str,
    evidence: Sequence[Evidence],
    *,
    analyse: Analyse,
    embed: Embed | None,
    drop_unsupported: bool,
) -> Judged:
    """The verdict on a model's words. Only `evidence`, what it has read, may be cited; never raises."""
    first = citations.resolve(stream.without_thoughts(written), evidence)
    fit, unfit = guard.kept(first.text, question, evidence)
    resolved = citations.resolve(fit, evidence) if unfit else first
    checks = claims.check(resolved.text, evidence, analyse=analyse, embed=embed)
    dropped: tuple[str, ...] = ()
    if drop_unsupported and any(not check.supported for check in checks):
        shorter, checks, dropped = claims.drop(resolved.text, checks)
        resolved = citations.resolve(shorter, evidence)
    return Judged(resolved, checks, dropped, first.removed_links + first.invalid_markers, unfit)
