"""What misspelt questions cost, and what reading them by the archive's own words gives back.

python -m tests.quality.typos [DATA:QUESTIONS …] [--every N]; without a set, CNIL and PIAF as `make quality` left them.
Each question is asked as it is, without its accents, and with one slip in its rarest word (a letter doubled, left out,
or two swapped); Hit@5 and MRR@10 by post with `spelling` off and on.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine import Archive, build_settings, load_models, open_archive
from engine.evaluate import metrics, questions
from engine.evaluate.questions import Question
from engine.index.french import fold
from engine.index.generations import Generation
from engine.retrieve import search as search_room
from engine.values import Mode, Query
from tests.quality.collections import CACHE

SEED = 1
SHORTEST = 5  # letters of a word that gets a slip


def slip(text: str, posts: Callable[[str], int], chance: random.Random) -> str:
    """The text with one slip in the word that the fewest posts hold (but some do), its first letter kept."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) >= SHORTEST and posts(word)]
    if not words:
        return text
    word = min(words, key=posts)
    place = chance.randrange(1, len(word) - 1)
    slipped = chance.choice(
        (
            word[:place] + word[place] + word[place:],
            word[:place] + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        )
    )
    return text.replace(word, slipped, 1)


def measure(
    archive: Archive, generation: Generation, asked: Sequence[Question], texts: Sequence[str], mode: Mode, spelling: str
) -> str:
    settings = replace(archive.settings, spelling=spelling)
    hits, ranks = [], []
    for question, text in zip(asked, texts, strict=True):
        found = search_room.rank(
            Query(words=(text,)), mode=mode, limit=100, store=archive.store, generation=generation,
            models=archive.models, settings=settings,
        )  # fmt: skip
        ids = [post.post_id for post in found.ranked]
        hits.append(metrics.hit(ids, question.post_ids, 5))
        ranks.append(metrics.reciprocal_rank(ids, question.post_ids, 10))
    return f"{np.mean(hits):.3f} / {np.mean(ranks):.3f}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.typos", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[f"{CACHE / n}:{CACHE / n / 'questions'}" for n in ("cnil", "piaf")])
    parser.add_argument("--every", type=int, default=1, help="one question in N")
    given = parser.parse_args(argv)
    for text in given.sets:
        data, _, file = text.partition(":")
        settings = build_settings(Path(data))
        with open_archive(settings, load_models(settings)) as archive, archive.reading() as generation:
            asked = [q for q in questions.read(Path(file)).questions if q.post_ids][:: given.every]
            chance = random.Random(SEED)
            words, frequency = generation.analyser.words, generation.lexical.document_frequency

            def posts(word: str) -> int:
                return max((frequency(term) for term in words(word)), default=0)  # noqa: B023 - used in this turn only

            versions = {
                "as asked": [q.text for q in asked],
                "without accents": [fold(q.text) for q in asked],
                "one slip": [slip(q.text, posts, chance) for q in asked],
            }
            print(f"\n{Path(data).name}, {len(asked)} questions: Hit@5 / MRR@10, spelling off → on", flush=True)
            for name, texts in versions.items():
                for mode in (Mode.BM25, Mode.HYBRID):
                    off, on = (measure(archive, generation, asked, texts, mode, s) for s in ("off", "on"))
                    print(f"  {name:<16} {mode.value:<7} {off} → {on}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
