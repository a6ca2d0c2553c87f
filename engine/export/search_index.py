"""The search of a static archive: small files that a page loads by <script>, since a page of a disk can't fetch any.

    search/setup.js    tables of the words, sizes, how many posts each topic has
    search/w/fr.js     terms that begin with "fr": `term posts topics` a line. Both are lists, each number the distance
                       to the one before it in base 36; ".n" behind that of a post says how many times it has the term
    search/d/7.js      what is shown of the posts 896 to 1023, and the titles of their topics

Posts are numbered as they come: topics by their id, posts by their number.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from pathlib import Path

from ..store.exporting import StoredPost
from ..values import Topic
from .places import POSTS_A_PAGE
from .search_terms import shard, tables, terms
from .words import Words

BLOCK = 128  # posts whose extracts stand in one file
EXCERPT_CHARS = 180
MOST_SAID = 9  # a term said more often counts no more
_BUFFERED = 400_000  # lines kept before they are written: about 60 MB
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class SearchIndex:
    """The index being written. Terms go to a file a shard as they come, and are put in order at the end, one shard at a
    time: memory does not grow with the archive."""

    def __init__(self, folder: Path, words: Words) -> None:
        self._folder, self._words = folder / "search", words
        for name in ("w", "d"):
            (self._folder / name).mkdir(parents=True)
        self._lines: dict[str, list[str]] = {}
        self._buffered = 0
        self._posts = 0
        self._sizes: list[int] = []  # posts of each topic
        self._block: list[list[object]] = []
        self._titles: dict[int, str] = {}

    def begin(self, topic: Topic) -> None:
        """The posts that follow are of this topic."""
        self._sizes.append(0)
        for term in set(terms(topic.title, self._words.language)):
            self._put(term, f"{term} T{len(self._sizes) - 1}\n")

    def add(self, post: StoredPost, topic: Topic) -> None:
        """One post of the topic that was begun."""
        said = "\n".join(filter(None, (post.text, post.code, post.spoilers)))
        for term, count in Counter(terms(said, self._words.language)).items():
            times = min(count, MOST_SAID)
            self._put(term, f"{term} {self._posts} {times}\n")
        words = " ".join(post.text.split())
        excerpt = words if len(words) <= EXCERPT_CHARS else words[:EXCERPT_CHARS].rpartition(" ")[0] + "…"
        author, date = post.author or self._words.deleted_account, self._words.date_short(post.created_at)
        self._block.append([topic.id, post.number, author, date, excerpt])
        self._titles[topic.id] = topic.title
        self._posts += 1
        self._sizes[-1] += 1
        if len(self._block) == BLOCK:
            self._write_block()

    def finish(self) -> None:
        """Put the terms in order and write what the search page begins with."""
        self._write_block()
        self._spill()
        shards = sorted((self._folder / "w").glob("*.txt"))
        for spilt in shards:
            lines = "\n".join(_ordered(spilt))
            _write(spilt.with_suffix(".js"), "words", spilt.stem, lines)
            spilt.unlink()
        w = self._words
        said = {
            "none": w.search_none, "some": w.search_some, "loading": w.search_loading, "more": w.search_more,
            "missing": w.search_missing, "found": w.search_found, "found_one": w.search_found_one,
            "message": w.message(0),
        }  # fmt: skip
        sizes = " ".join(map(_base36, self._sizes))
        names = " ".join(spilt.stem for spilt in shards)
        setup = {"block": BLOCK, "page": POSTS_A_PAGE, "sizes": sizes, "shards": names, "said": said}
        setup |= tables(w.language)
        _write(self._folder / "setup.js", "setup", setup)

    def _put(self, term: str, line: str) -> None:
        self._lines.setdefault(shard(term), []).append(line)
        self._buffered += 1
        if self._buffered >= _BUFFERED:
            self._spill()

    def _spill(self) -> None:
        for name, lines in self._lines.items():
            with (self._folder / "w" / f"{name}.txt").open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
        self._lines.clear()
        self._buffered = 0

    def _write_block(self) -> None:
        if self._block:
            n = (self._posts - 1) // BLOCK
            _write(self._folder / "d" / f"{n}.js", "extracts", n, self._block, list(self._titles.items()))
            self._block, self._titles = [], {}


def _ordered(spilt: Path) -> list[str]:
    """The lines of a shard: its terms in order, each with its posts and topics."""
    posts: dict[str, array[int]] = {}
    topics: dict[str, array[int]] = {}
    with spilt.open(encoding="utf-8") as lines:
        for line in lines:
            term, where, *times = line.split(" ")
            if times:
                posts.setdefault(term, array("q")).append(int(where) * 10 + int(times[0]))
            else:
                topics.setdefault(term, array("q")).append(int(where[1:]))
    found = []
    for term in sorted(posts.keys() | topics.keys()):
        said, before = [], 0
        for packed in posts.get(term, ()):
            post, times_said = divmod(packed, 10)
            said.append(_base36(post - before) + (f".{times_said}" if times_said > 1 else ""))
            before = post
        titles, before = [], 0
        for topic in topics.get(term, ()):
            titles.append(_base36(topic - before))
            before = topic
        found.append(f"{term} {','.join(said)} {','.join(titles)}".rstrip())
    return found


def _base36(n: int) -> str:
    if n < 36:
        return _DIGITS[n]
    written = ""
    while n:
        n, digit = divmod(n, 36)
        written = _DIGITS[digit] + written
    return written


def _write(path: Path, call: str, *values: object) -> None:
    """One call of a function of the search page; JSON is JavaScript, and nothing of it is run."""
    said = ",".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    # Old browsers end a line at these two, even in a string.
    said = said.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    path.write_text(f"archiviste.{call}({said});\n", "utf-8", newline="\n")
