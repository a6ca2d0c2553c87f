"""The same posts and questions on other engines, and on Whoosh's own matchers: what our keyword leg is compared with."""

from __future__ import annotations

import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from whoosh import query, scoring

from engine.index.french import FRENCH_STOP
from engine.index.lexical import EXACT_BOOST, TITLE_BOOST, LexicalIndex
from engine.index.passages import IndexablePost

LIMIT = 100
COMMON = 0.02  # of the posts; terms above it score but don't nominate, see pitfalls.md
Search = Callable[[str], list[int]]
_WORD = re.compile(r"\w+")


def whoosh_exhaustive(index: LexicalIndex) -> Search:
    """Every term nominates: Whoosh's Or over the same index."""
    return _whoosh(index, lambda rare, common: query.Or([*rare, *common]))


def whoosh_planned(index: LexicalIndex) -> Search:
    """Rare terms nominate, common ones score what those found: Whoosh's AndMaybe over the same index."""

    def plan(rare: list[query.Term], common: list[query.Term]) -> query.Query:
        if not rare or not common:
            return query.Or(rare or common)
        return query.AndMaybe(query.Or(rare), query.Or(common))

    return _whoosh(index, plan)


def _whoosh(index: LexicalIndex, plan: Callable[[list[query.Term], list[query.Term]], query.Query]) -> Search:
    searcher = index._index.searcher(weighting=scoring.BM25F())
    boosts = {"body": 1.0, "title": TITLE_BOOST, "exact": EXACT_BOOST}

    def search(text: str) -> list[int]:
        rare: list[query.Term] = []
        common: list[query.Term] = []
        for field, term, _ in index._query_terms(searcher.reader(), text):
            part = query.Term(field, term, boost=boosts[field])
            (common if index.document_frequency(term) > COMMON * len(index) else rare).append(part)
        found = searcher.search(plan(rare, common), limit=LIMIT)
        return [int(index._documents[document]) for _, document in found.top_n]

    return search


def fts5(folder: Path, posts: Iterable[IndexablePost]) -> tuple[Search, float]:
    """SQLite's own full text index, without stemming; and the seconds it took to build."""
    path = folder / "fts5.db"
    path.unlink(missing_ok=True)
    started = time.perf_counter()
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE posts USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 2')")
    with db:
        db.executemany(
            "INSERT INTO posts (rowid, title, body) VALUES (?, ?, ?)", ((p.id, p.title, p.body) for p in posts)
        )

    def search(text: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in _words(text))
        sql = f"SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY bm25(posts, {TITLE_BOOST}, 1.0) LIMIT {LIMIT}"
        return [row[0] for row in db.execute(sql, (words,))]

    return search, time.perf_counter() - started


def tantivy(folder: Path, posts: Iterable[IndexablePost]) -> tuple[Search, float]:
    """Tantivy with its French stemmer; and the seconds it took to build."""
    import tantivy as library

    path = folder / "tantivy"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    builder = library.SchemaBuilder().add_integer_field("id", stored=True, indexed=False)
    for field in ("title", "body"):
        builder.add_text_field(field, tokenizer_name="french", index_option="freq")
    index = library.Index(builder.build(), path=str(path))
    french = library.TextAnalyzerBuilder(library.Tokenizer.simple()).filter(library.Filter.lowercase())
    index.register_tokenizer("french", french.filter(library.Filter.stemmer("french")).build())
    started = time.perf_counter()
    writer = index.writer(256 << 20, 1)
    for post in posts:
        writer.add_document(library.Document(id=post.id, title=post.title, body=post.body))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    took_s = time.perf_counter() - started
    searcher = index.searcher()

    def search(text: str) -> list[int]:
        parsed = index.parse_query(" ".join(_words(text)), ["title", "body"], field_boosts={"title": TITLE_BOOST})
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(parsed, LIMIT).hits]

    return search, took_s


def _words(text: str) -> list[str]:
    """The words of a question that ours would look up too, as they are written."""
    return [word for word in dict.fromkeys(_WORD.findall(text.lower())) if word not in FRENCH_STOP]
