"""Public collections as forums: one document is one topic with one post, imported like any other source.

What is measured is then the product: the same import, analysis, passages, indexes and search. The collections lie in
../shared/data, outside of this repository, and nothing of them is copied into it.
"""

from __future__ import annotations

import gzip
import html
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine import Models, Settings, build_index, build_settings
from engine.discourse import cooked as cooked_room
from engine.sources import Post, Site, SourceItem
from engine.store import ArchiveStore, import_source
from engine.values import OnProgress, PostId, PostNumber, Topic, TopicId

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "quality"
AT = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Collection:
    """A set of documents and of questions judged on them. Document ids become post and topic ids by position."""

    name: str
    documents: str  # file names below SHARED/name
    queries: str
    qrels: str | None = None  # None when each query names its relevant documents
    language: str = "fr"

    @property
    def folder(self) -> Path:
        return SHARED / self.name

    @property
    def present(self) -> bool:
        return (self.folder / self.documents).is_file()


COLLECTIONS: Mapping[str, Collection] = {
    c.name: c
    for c in (
        Collection("cnil", "docs.jsonl", "queries.jsonl"),
        Collection("piaf", "docs.jsonl", "queries.dev.jsonl"),
        Collection("scifact", "corpus.jsonl.gz", "queries.jsonl", qrels="qrels.tsv", language="en"),
    )
}


def prepare(
    collection: Collection,
    models: Models,
    *,
    cache: Path = CACHE,
    index_url: str | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> tuple[Settings, Path]:
    """The settings of the collection's data folder and its question file; what is there already is kept.

    An unchanged collection is imported again in a second and encoded never: vectors.db holds its vectors.
    """
    settings = build_settings(cache / collection.name, {"language": collection.language, "index_url": index_url})
    documents = list(records(collection.folder / collection.documents))
    settings.data.mkdir(parents=True, exist_ok=True)
    store = ArchiveStore(settings.data)
    try:
        import_source(
            store, items(collection.name, documents), source=collection.name, kind="collection", whole_forum=True
        )
    finally:
        store.close()
    build_index(settings, models, on_progress=on_progress)
    return settings, write_questions(collection, documents, settings.data / "questions")


def items(name: str, documents: Iterable[Mapping[str, Any]]) -> Iterator[SourceItem]:
    """The documents as the reader of a backup would yield them."""
    yield Site(name, f"https://{name}.invalid")
    for n, document in enumerate(documents, 1):
        title = document["title"] or document["text"][:80]
        yield Topic(
            id=TopicId(n), title=title, slug="document", category_id=None, created_at=AT, last_posted_at=AT,
            expected_posts=1,
        )  # fmt: skip
        paragraphs = [part for part in document["text"].split("\n") if part.strip()] or [title]
        source = "".join(f"<p>{html.escape(part)}</p>" for part in paragraphs)
        yield Post(
            id=PostId(n), topic_id=TopicId(n), post_number=PostNumber(1), username="auteur", display_name="",
            user_id=None, created_at=AT, updated_at=AT, cooked=source, parts=cooked_room.parse(source),
        )  # fmt: skip


def write_questions(collection: Collection, documents: Iterable[Mapping[str, Any]], folder: Path) -> Path:
    """The questions in BEIR form (queries.jsonl, qrels.tsv), judged by post id."""
    ids = {document_id(document): n for n, document in enumerate(documents, 1)}
    queries = list(records(collection.folder / collection.queries))
    folder.mkdir(exist_ok=True)
    lines = [{"_id": query_id(q), "text": q.get("question", q.get("text"))} for q in queries]
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
    )
    rows = ["query-id\tcorpus-id\tscore"]
    if collection.qrels is None:
        rows += [f"{query_id(q)}\t{ids[doc]}\t1" for q in queries for doc in q["relevant"]]
    else:
        judged = (collection.folder / collection.qrels).read_text("utf-8").splitlines()[1:]
        rows += [f"{query}\t{ids[doc]}\t{score}" for query, doc, score in (line.split("\t") for line in judged)]
    (folder / "qrels.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a JSON Lines file, gzipped or not."""
    data = path.read_bytes()
    for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines():
        yield json.loads(line)


def document_id(document: Mapping[str, Any]) -> str:
    return str(document.get("id", document.get("_id")))


def query_id(query: Mapping[str, Any]) -> str:
    return str(query.get("id", query.get("_id")))
