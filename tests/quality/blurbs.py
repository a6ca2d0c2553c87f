"""C4: a sentence that a language model writes to situate each post, embedded in front of it, on a bounded set of posts.

python -m tests.quality.blurbs DATA QUESTIONS MODEL.gguf [--posts 150] [--kept FILE]. The posts are those that answer the
first questions and those that configuration B finds closest to them: the hard ones. The same questions are ranked over
the same posts by the vectors of B (title › category › tags › post), of C (its opening post and parent behind) and of C4
(the sentence between title and post). Sentences are kept in FILE, so a stopped run goes on. Never part of an index.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine import Models, build_settings, load_models, open_archive
from engine.archive import Archive
from engine.evaluate import contexts, questions
from engine.evaluate.questions import Question
from engine.index import encoding
from engine.index.passages import SEPARATOR, Passage
from engine.seams import Message, Vectors
from engine.values import Mode, PostId

NEAREST = 4  # posts that B finds closest, taken beside the one that answers
POST_CHARS = 700
BLURB_CHARS = 300
ORDER = (
    "Voici le début d’un sujet de forum, puis un message de ce sujet. Écrivez une seule phrase, courte, qui dit de quoi "
    "parle ce message et ce qu’il apporte au sujet, pour aider à le retrouver. N’écrivez rien d’autre."
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.blurbs", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--posts", type=int, default=150)
    parser.add_argument("--kept", type=Path, default=Path("build/quality/blurbs.json"))
    given = parser.parse_args(argv)
    settings = replace(build_settings(given.data), llm_model=given.model)
    with open_archive(settings, load_models(settings)) as archive:
        asked, posts = _subset(archive, questions.read(given.questions).questions, given.posts)
        texts = _texts(archive, posts)
        opening = {post: around for post, (_, around) in texts.items()}
        blurbs = _blurbs(archive, posts, opening, given.kept)
        variants = {
            "B": {post: [p.text for p in found] for post, (found, _) in texts.items()},
            "C": {post: [p.text + around for p in found] for post, (found, around) in texts.items()},
            "C4": {post: [_situated(p, blurbs[post]) for p in found] for post, (found, _) in texts.items()},
        }
        vectors = _encode(archive.models, [question.text for question in asked], "query")
        print(f"{len(asked)} questions, {len(posts)} posts, {given.model.name}, {archive.models.embed_name}")
        for name, variant in variants.items():
            hit1, hit5, mrr = _measure(archive.models, variant, asked, vectors)
            print(f"{name:3} Hit@1 {hit1:.3f}  Hit@5 {hit5:.3f}  MRR@10 {mrr:.3f}")
    return 0


def _subset(archive: Archive, every: Sequence[Question], count: int) -> tuple[list[Question], list[PostId]]:
    """Questions in their order, and at most `count` posts: each question's answer and the ones closest to it."""
    asked: list[Question] = []
    posts: dict[PostId, None] = {}
    for question in every:
        held = archive.store.posts(question.post_ids)
        if not held:
            continue
        near = archive.search(question.text.replace('"', " "), mode=Mode.DENSE, k=NEAREST).hits
        added = dict.fromkeys([*held, *(hit.post_id for hit in near)])
        if len(posts | added) > count:
            break
        posts |= added
        asked.append(question)
    return asked, list(posts)


def _texts(archive: Archive, posts: Sequence[PostId]) -> dict[PostId, tuple[list[Passage], str]]:
    """By post: its passages as B embeds them, and what C adds behind each."""
    plain: dict[PostId, list[Passage]] = {post: [] for post in posts}
    for passage in encoding.passages(archive.settings, archive.store.indexable()):
        if passage.post_id in plain:
            plain[passage.post_id].append(passage)
    around = {}
    for passage in contexts.passages(archive.settings, archive.store):
        if passage.post_id in plain and passage.n == 0:
            around[passage.post_id] = passage.text.removeprefix(plain[passage.post_id][0].text)
    return {post: (found, around[post]) for post, found in plain.items() if found}


def _blurbs(archive: Archive, posts: Sequence[PostId], around: Mapping[PostId, str], kept: Path) -> dict[PostId, str]:
    generate, named = archive.models.generate, archive.models.generate_name
    assert generate is not None and named is not None
    known: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    kept.parent.mkdir(parents=True, exist_ok=True)
    rows, started, made = archive.store.posts(posts), time.monotonic(), 0
    for n, post in enumerate(posts, 1):
        key = f"{named()}:{rows[post].digest}"
        if key not in known:
            said = f"Sujet : {rows[post].title}{around.get(post, '')}\n\nMessage : {rows[post].text[:POST_CHARS]}"
            written = "".join(generate([Message("system", ORDER), Message("user", said)]))
            known[key] = " ".join(written.split())[:BLURB_CHARS]
            made += 1
            kept.write_text(json.dumps(known, ensure_ascii=False, indent=1), "utf-8")
            print(f"\r{n} / {len(posts)}", end="", file=sys.stderr, flush=True)
    if made:
        print(f"\n{(time.monotonic() - started) / made:.1f} s a sentence", file=sys.stderr)
    return {post: known[f"{named()}:{rows[post].digest}"] for post in posts}


def _situated(passage: Passage, blurb: str) -> str:
    title, separator, rest = passage.text.partition(SEPARATOR)
    return f"{title}{SEPARATOR}{blurb}{separator}{rest}"


def _encode(models: Models, texts: Sequence[str], role: str) -> Vectors:
    assert models.embed is not None
    return np.concatenate([models.embed([text], role) for text in texts])  # type: ignore[arg-type]


def _measure(
    models: Models, variant: Mapping[PostId, Sequence[str]], asked: Sequence[Question], vectors: Vectors
) -> tuple[float, float, float]:
    """(Hit@1, Hit@5, MRR@10) by post, each post by its closest passage."""
    owners = np.array([post for post, texts in variant.items() for _ in texts])
    rows = _encode(models, [text for texts in variant.values() for text in texts], "passage")
    ranks = []
    for question, vector in zip(asked, vectors, strict=True):
        order = dict.fromkeys(owners[np.argsort(-(rows @ vector), kind="stable")].tolist())
        ranks.append(next(n for n, post in enumerate(order, 1) if post in question.post_ids))
    found = np.array(ranks)
    return float(np.mean(found == 1)), float(np.mean(found <= 5)), float(np.mean(np.where(found <= 10, 1 / found, 0)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
