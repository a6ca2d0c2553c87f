"""What was erased from an archive, so that no later import or sync brings it back: keyed hashes, never a name.

One JSON file in the data folder. Its key is drawn at random with the first erasure: the same name has another hash in
another archive. Whoever has the file can still try names one by one, so it is readable by its owner only.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from ..errors import StoreDamaged
from .private_file import write_private

FOLDER, FILE = "erasures", "list.json"
KEY_BYTES = 32
Scope = Literal["words", "attributed"]


@dataclass(frozen=True, slots=True)
class Term:
    """A name or a text by its hashes: of all of it, and of its first word, which finds candidates.

    `scope` "attributed": only where it surely names the member (author, quote, mention, link), never as a word of a
    sentence.
    """

    hash: str
    first: str
    words: int
    alias: str  # what stands in its place
    scope: Scope = "words"
    is_name: bool = True


@dataclass(frozen=True, slots=True)
class Words:
    """What stands in the place of what went, in the language of the archive."""

    gap: str = "[…]"  # for a quote of an erased post and for an erased text
    title: str = "[…]"  # for the title of a topic whose opening post was erased


@dataclass(frozen=True, slots=True)
class Erased:
    """The list. `places` are (topic, number) of erased posts, `quotes` the hashes of their words in posts of others."""

    key: str = ""  # hex
    terms: tuple[Term, ...] = ()
    members: dict[str, str] = field(default_factory=dict)  # hash of a member's number → alias
    posts: frozenset[int] = frozenset()
    places: frozenset[tuple[int, int]] = frozenset()
    topics: frozenset[int] = frozenset()  # whose title went with the opening post
    quotes: frozenset[str] = frozenset()
    words: Words = Words()

    def __bool__(self) -> bool:
        return bool(self.terms or self.posts or self.members)

    def hash(self, text: str) -> str:
        """What names a text that was folded before."""
        return hashlib.blake2b(text.encode("utf-8", "replace"), key=bytes.fromhex(self.key), digest_size=16).hexdigest()

    def hash_of_member(self, user_id: int) -> str:
        """What names the number of a member."""
        return self.hash(f"member {user_id}")

    def keyed(self) -> Erased:
        """The same list with a key."""
        return self if self.key else replace(self, key=secrets.token_hex(KEY_BYTES))

    def with_more(
        self,
        *,
        terms: Iterable[Term],
        members: dict[str, str],
        posts: Iterable[int],
        places: Iterable[tuple[int, int]],
        topics: Iterable[int],
        quotes: Iterable[str],
        words: Words,
    ) -> Erased:
        """The list with another erasure; saying the same twice changes nothing."""
        known = {(term.hash, term.scope) for term in self.terms}
        fresh = tuple(term for term in terms if (term.hash, term.scope) not in known)
        return replace(
            self, terms=self.terms + fresh, members=members | self.members, posts=self.posts | frozenset(posts),
            places=self.places | frozenset(places), topics=self.topics | frozenset(topics),
            quotes=self.quotes | frozenset(quotes), words=words,
        )  # fmt: skip


def folded(text: str) -> str:
    """The form that is hashed: NFC, no capitals, one space between words."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def path_of(data: Path) -> Path:
    """Where the list of a data folder is."""
    return data / FOLDER / FILE


def stamp(data: Path) -> int:
    """A number that changes with the list, 0 while there is none."""
    try:
        return path_of(data).stat().st_mtime_ns
    except OSError:
        return 0


def load(data: Path) -> Erased:
    """The list of a data folder, empty where nothing was ever erased.

    Raises StoreDamaged: an import without the list would bring back what was erased.
    """
    try:
        document = json.loads(path_of(data).read_text("utf-8"))
        return Erased(
            key=str(document["key"]),
            terms=tuple(Term(**term) for term in document["terms"]),
            members={str(name): str(alias) for name, alias in document["members"].items()},
            posts=frozenset(map(int, document["posts"])),
            places=frozenset((int(topic), int(number)) for topic, number in document["places"]),
            topics=frozenset(map(int, document["topics"])),
            quotes=frozenset(map(str, document["quotes"])),
            words=Words(**document["words"]),
        )
    except FileNotFoundError:
        return Erased()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreDamaged(path=str(path_of(data)), reason=type(error).__name__) from error


def save(data: Path, erased: Erased) -> None:
    """Write the list whole, on the disk before it takes the place of the one before."""
    document = asdict(erased)
    for name in ("posts", "places", "topics", "quotes"):
        document[name] = sorted(document[name])
    write_private(path_of(data), json.dumps(document, indent=1))
