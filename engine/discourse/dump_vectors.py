"""The vectors that a Discourse with its AI plugin keeps of its posts: which ones can be used, and their rows.

A definition's key and address are secrets of the forum: they are not in the lists of columns and are never decoded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..sources import Position, PostVector, VectorsRefused
from ..values import PostId
from .backup import open_dump
from .copy_text import BadRow, End, Row, rows, text
from .dump_tables import identifier

TABLE = "ai_posts_embeddings"
COLUMNS = {TABLE: ("post_id", "model_id", "embeddings")}
DIMENSIONS = 1024  # of bge-m3
_MODEL = "bgem3"
_LEAST_NORM = 1e-6
_LONGEST = 64 * DIMENSIONS  # bytes: numpy gives every number of a list the room of the longest one


def verdicts(
    models: Mapping[bytes, tuple[bytes, ...]], vectors: Mapping[bytes, int]
) -> tuple[frozenset[bytes], tuple[VectorsRefused, ...]]:
    """The models whose vectors can be used, and the vectors of the others, counted by reason.

    `models` by id, each a row of `embedding_definitions`; `vectors` counts the rows of each model.
    """
    used: set[bytes] = set()
    refused: Counter[str] = Counter()
    for model, count in vectors.items():
        reason = _refusal(models.get(model))
        if reason is None:
            used.add(model)
        else:
            refused[reason] += count
    return frozenset(used), tuple(VectorsRefused(reason, count) for reason, count in sorted(refused.items()))


def read_vectors(
    path: Path, models: Collection[bytes], public: Collection[int], *, check: Callable[[], None]
) -> Iterator[PostVector | VectorsRefused | Position]:
    """The first vector that these models have of each public post; what can't be read is counted at the end.

    Reads the dump once more, up to the end of the table of vectors, which pg_dump writes among the first.
    """
    left, unreadable = set(public), 0
    size = path.stat().st_size
    with open_dump(path) as dump:
        for item in rows(dump, COLUMNS, position=lambda: Position(2 * size, 2 * size), check=check):
            match item:
                case Row():
                    post, model, values = item.fields
                    if model not in models:
                        continue
                    try:
                        post_id = PostId(identifier(post))
                        if post_id in left:
                            yield PostVector(post_id, _unit(values))
                            left.discard(post_id)
                    except ValueError:
                        unreadable += 1
                case BadRow():
                    unreadable += 1
                case Position():
                    yield item
                case End(table) if table == TABLE:
                    break
                case _:  # the first pass has told of flaws
                    continue
    if unreadable:
        yield VectorsRefused("unreadable", unreadable)


def _refusal(definition: tuple[bytes, ...] | None) -> str | None:
    """Why vectors of this definition can't be used, None when they are plain bge-m3."""
    if definition is None:
        return "definition"
    _, name, dimensions, tokenizer, *prompts = (text(field) or "" for field in definition)
    if _MODEL not in _letters(name) or (tokenizer and _MODEL not in _letters(tokenizer)):
        return "model"
    if dimensions != str(DIMENSIONS):
        return "dimensions"
    return "prompt" if any(prompt.strip() for prompt in prompts) else None


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _unit(field: bytes) -> NDArray[np.float32]:
    """A vector as pgvector writes it, "[0.1,-0.2]", brought to norm 1; ValueError when it is not one."""
    is_list = field.startswith(b"[") and field.endswith(b"]")
    if not is_list or len(field) > _LONGEST or field.count(b",") != DIMENSIONS - 1:
        raise ValueError(field[:20])
    values = np.array(field[1:-1].split(b",")).astype(np.float32)
    norm = float(np.linalg.norm(values))
    if values.shape != (DIMENSIONS,) or not _LEAST_NORM < norm < float("inf"):
        raise ValueError(field[:20])
    unit: NDArray[np.float32] = values / np.float32(norm)
    return unit
