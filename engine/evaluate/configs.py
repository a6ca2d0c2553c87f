"""The named configurations: frozen values, one factor apart from the one they are compared with.

`bm25`, `dense` and `hybrid` are the product as it is set; A to G are those of the upstream's measurements, with its
own fusion (k = 60, equal weights), so that a change of our settings does not move them. C has vectors of its own, which
are made when it is asked for by name (`contexts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..errors import SettingsError
from ..settings import Settings
from ..values import Mode

Changes = tuple[tuple[str, int | float | str], ...]

# Cormack et al., SIGIR 2009
UPSTREAM_RRF: Changes = (("rrf_k", 60), ("lexical_weight", 1.0), ("dense_weight", 1.0), ("combine", "off"))
ROUTED_POSTS = 250  # topics with more posts leave the topic list: the upstream's N with the best figures
ALL = "all"


class Grain(StrEnum):
    """What one ranked vector stands for."""

    POST = "post"
    TOPIC = "topic"
    ROUTED = "routed"  # posts, fused with the topics that are not long
    CONTEXT = "context"  # posts with their opening post and parent


@dataclass(frozen=True, slots=True)
class Config:
    """A way to search. `changes` are settings laid over the archive's own; `against` names what to compare with.

    `window` says whether the posts around a numbered one count as read by the answer; `rerank` whether the reranker
    takes part, None leaving it to what the archive has.
    """

    name: str
    mode: Mode
    against: tuple[str, ...] = ()
    grain: Grain = Grain.POST
    window: bool = True
    rerank: bool | None = None
    changes: Changes = ()


CONFIGS: tuple[Config, ...] = (
    Config("bm25", Mode.BM25),
    Config("dense", Mode.DENSE, against=("bm25",)),
    Config("hybrid", Mode.HYBRID, against=("bm25", "dense")),
    Config("A", Mode.DENSE, grain=Grain.TOPIC, window=False, rerank=False),
    Config("B", Mode.DENSE, against=("A",), window=False, rerank=False, changes=UPSTREAM_RRF),
    Config("C", Mode.DENSE, against=("B",), grain=Grain.CONTEXT, window=False, rerank=False, changes=UPSTREAM_RRF),
    Config("D", Mode.DENSE, against=("B",), window=True, rerank=False, changes=UPSTREAM_RRF),
    Config("E", Mode.DENSE, against=("B",), window=False, rerank=True, changes=UPSTREAM_RRF),
    Config("F", Mode.HYBRID, against=("B",), window=False, rerank=False, changes=UPSTREAM_RRF),
    Config("G", Mode.DENSE, against=("B",), grain=Grain.ROUTED, window=False, rerank=False, changes=UPSTREAM_RRF),
)
DEFAULT = ("bm25", "dense", "hybrid")


def named(names: Iterable[str], *, reranker: bool = False, contexts: bool = False) -> tuple[Config, ...]:
    """The configurations of these names in the order of the table. Raises SettingsError for an unknown name.

    "all" is every one that can run at once: E only where there is a reranker, C only where its vectors were made.
    """
    wanted = list(names)
    known = {config.name for config in CONFIGS}
    for name in wanted:
        if name not in known and name != ALL:
            raise SettingsError(key="config", value=name, reason="kind")
    runnable = {
        config.name
        for config in CONFIGS
        if (reranker or config.rerank is not True) and (contexts or config.grain is not Grain.CONTEXT)
    }
    chosen = {*wanted, *(runnable if ALL in wanted else ())}
    return tuple(config for config in CONFIGS if config.name in chosen)


def pairs(configs: Sequence[Config]) -> tuple[tuple[Config, Config], ...]:
    """(base, other) for each comparison to make among these; those that declare none here meet the first."""
    by_name = {config.name: config for config in configs}
    found: list[tuple[Config, Config]] = []
    for config in configs:
        bases = [by_name[name] for name in config.against if name in by_name]
        if not bases and config is not configs[0]:
            bases = [configs[0]]
        found += [(base, config) for base in bases]
    return tuple(found)


def settings_of(config: Config, settings: Settings) -> Settings:
    """The archive's settings with the configuration's changes."""
    return replace(settings, **dict(config.changes))  # type: ignore[arg-type]
