"""Files that journeys give to the application: a backup that takes long to read, a few questions of the demo forum."""

from __future__ import annotations

import gzip
from pathlib import Path

from app import demo
from app.resources import resource

POSTS = 60_000
QUESTIONS = 5


def long_dump(folder: Path) -> Path:
    """The dump of the demo forum with a topic of 60,000 messages, in this folder."""
    text = gzip.decompress(demo.build(folder).read_bytes()).decode()
    head, _copy, rest = text.partition("COPY public.posts (")
    names, _stdin, rows = rest.partition(") FROM stdin;\n")
    columns, first = names.split(", "), rows.partition("\n")[0].split("\t")
    path = folder / "forum d’exemple.sql"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{head}COPY public.posts ({names}) FROM stdin;\n")
        for n in range(1, POSTS + 1):
            changed = {"id": str(9_000_000 + n), "post_number": str(1000 + n), "sort_order": str(1000 + n)}
            file.write("\t".join(changed.get(c, v) for c, v in zip(columns, first, strict=True)) + "\n")
        file.write(rows)
    return path


def few_questions(folder: Path) -> Path:
    """The first questions of the demo forum's own set, in this folder: an evaluation of them takes seconds."""
    whole = resource("assets", "demo", "questions.yml").read_text("utf-8")
    path = folder / "questions.yml"
    path.write_text("- id: ".join(whole.split("- id: ")[: 1 + QUESTIONS]), "utf-8")
    return path
