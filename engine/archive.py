"""An open archive: the store, the published indexes and the models together, for searching and asking."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from .answer import answering, asking, gate, kept, looking
from .erase import erased
from .index import generations
from .index.french import Analyser, analyser
from .index.generations import Agreement, Generation
from .retrieve import query as grammar
from .retrieve import search as search_room
from .seams import Models
from .settings import Settings
from .store import ArchiveStore, VectorStore
from .values import (
    AnswerEvent,
    Citation,
    Declined,
    Mode,
    PostId,
    Query,
    SearchResult,
    Status,
)
from .verdicts import SourceState

# A search that was made, for whoever measures: the legs that it used, and milliseconds by stage.
OnSearch = Callable[[Mode, Mapping[str, float]], None]


class Archive:
    """A forum's archive opened for reading. Safe to use from several threads; close it when done.

    The published generation is reopened by itself when another process publishes a new one.
    """

    def __init__(self, settings: Settings, models: Models) -> None:
        self.settings, self.models = settings, models
        self.store = ArchiveStore(settings.data)
        self.vectors = VectorStore(settings.data)
        self.analyser: Analyser = analyser(settings.language)
        self.gate = gate.Gate(settings.data)
        self.on_search: OnSearch = lambda mode, timings_ms: None  # called by the thread that searches
        self._answers, self._erased = kept.Answers(), erased.stamp(settings.data)
        self._lock = threading.Lock()
        self._generation: Generation | None = None
        self._readers: dict[str, int] = {}
        self._users, self._left, self._closed = 0, False, False
        self._retired: dict[str, Generation] = {}

    def search(self, text: str, *, mode: Mode = Mode.HYBRID, k: int = 10) -> SearchResult:
        """The k best posts for a search in our grammar. Raises QuerySyntaxError and IndexUnavailable."""
        query = grammar.parse(text)
        with self.reading() as generation:
            found = self._rank(query, mode, max(k, self.settings.candidates), generation)
        result = search_room.present(text, mode, found, k=k, store=self.store, analyser=self.analyser)
        self.on_search(mode, result.timings_ms)
        return result

    def ask(
        self,
        question: str,
        history: Sequence[str] = (),
        *,
        answerer: answering.Answerer = "auto",
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[AnswerEvent]:
        """Evidence, then pieces of text, then one Answer or Abstention; or Declined alone, when the gate says so.

        `history` holds the earlier questions of a conversation, oldest first: what the question leaves out is taken
        from them, and the events tell the `search` made of it. `check` is called while a model is waited for; it stops
        the answer by raising. Raises IndexUnavailable, GenerationFailed.
        """
        with self.using():
            yield from self._ask(question, history, answerer, check)

    def _ask(
        self, question: str, history: Sequence[str], answerer: answering.Answerer, check: Callable[[], None]
    ) -> Iterator[AnswerEvent]:
        door, names = self.gate if self.settings.gate == "on" else None, self.store.usernames
        asked = asking.understand(
            question.strip()[: grammar.MAX_CHARS], [turn[: grammar.MAX_CHARS] for turn in history], gate=door,
            names=names, generate=asking.generator(self.models, answerer), analyse=self.analyser.words, check=check,
        )  # fmt: skip
        if isinstance(asked, Declined):
            yield asked
            return
        question = asked.text
        looked = looking.NOTHING
        if question:
            with self.reading() as generation:
                looked = looking.look(
                    question, store=self.store, generation=generation, models=self.models, settings=self.settings
                )
            self.on_search(Mode.HYBRID, looked.timings_ms)
            if looked.corrected:  # what follows reads the words that were searched
                asked = asking.respelt(asked, looked.text, gate=door, names=names)
                if isinstance(asked, Declined):
                    yield asked
                    return
        judged = looking.judge(looked, self.models, self.settings)
        events = answering.answer(
            asked.text, looked.evidence, models=self.models, settings=self.settings, answerer=answerer,
            analyse=self.analyser.words, answers=self._kept_answers(), check=check,
            zone=judged.zone if judged else None,
        )  # fmt: skip
        try:
            for event in events:
                yield asked.event(event)
        finally:
            if isinstance(events, Generator):  # an abandoned answer stops its model now
                events.close()

    def sources_now(self, citations: Iterable[Citation]) -> dict[PostId, SourceState]:
        """What has become of the cited posts since they were read: only those still held are public."""
        cited = {citation.post_id: citation.digest for citation in citations}
        held = self.store.posts(cited)
        return {
            post_id: SourceState.GONE if post_id not in held
            else SourceState.EDITED if digest and held[post_id].digest != digest
            else SourceState.HELD
            for post_id, digest in cited.items()
        }  # fmt: skip

    def status(self) -> Status:
        """Counts of the store and of the published generation; opens no index."""
        posts, topics, categories = self.store.counts()
        manifest = generations.read_manifest(self.settings)
        wanted = self.store.long_posts(self.settings.min_dense_chars)
        covered = manifest.dense_posts if manifest else 0
        return Status(
            title=self.store.meta("title"),
            base_url=self.store.meta("base_url"),
            posts=posts,
            topics=topics,
            categories=categories,
            skipped=self.store.skipped(),
            lexical_posts=manifest.lexical_posts if manifest else 0,
            dense_posts=covered,
            dense_coverage=min(1.0, covered / wanted) if wanted else 0.0,
            dense_model=manifest.dense_model if manifest else None,
            generation=manifest.generation if manifest else None,
        )

    def agreement(self) -> Agreement:
        """Which ids the store and the indexes disagree on; reads every id."""
        with self.reading() as generation:
            return generations.agreement(self.settings, self.store, generation)

    def is_open(self) -> bool:
        """Whether an index is open: a search need not wait for that."""
        return self._generation is not None

    @contextmanager
    def using(self) -> Iterator[None]:
        """It stays open for this block, even if everybody else `leave`s it meanwhile."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                last = self._left and not self._users
            if last:
                self.close()

    def leave(self) -> None:
        """Close it as soon as what is under way has ended; nothing new is to be asked of it."""
        with self._lock:
            self._left = True
            last = not self._users
        if last:
            self.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def close(self) -> None:
        """Release the indexes, the databases and the models that it was opened with."""
        self._closed = True
        with self._lock:
            for generation in (*self._retired.values(), *([self._generation] if self._generation else [])):
                generation.close()
            self._retired.clear()
            self._generation = None
        self.store.close()
        self.vectors.close()
        self.models.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _kept_answers(self) -> kept.Answers:
        """The answers kept; none of before the last erasure."""
        if (now := erased.stamp(self.settings.data)) != self._erased:
            self._answers, self._erased = kept.Answers(), now
        return self._answers

    def _rank(self, query: Query, mode: Mode, limit: int, generation: Generation) -> search_room.Found:
        return search_room.rank(
            query, mode=mode, limit=min(limit, 200), store=self.store, generation=generation, models=self.models,
            settings=self.settings,
        )  # fmt: skip

    @contextmanager
    def reading(self) -> Iterator[Generation]:
        """The published generation, kept open until the last reader has left it."""
        with self._lock:
            name = generations.current(self.settings)
            held = self._generation
            if held is None or held.manifest.generation != name or held.failed:
                fresh = generations.open_current(self.settings, self.vectors)
                if held is not None:
                    self._retire(held)
                held = self._generation = fresh
            generation = held
            key = generation.manifest.generation
            self._readers[key] = self._readers.get(key, 0) + 1
        try:
            yield generation
        finally:
            with self._lock:
                self._readers[key] -= 1
                if not self._readers[key] and key in self._retired:
                    self._retired.pop(key).close()

    def _retire(self, generation: Generation) -> None:
        key = generation.manifest.generation
        if self._readers.get(key, 0):
            self._retired[key] = generation
        else:
            generation.close()


def open_archive(settings: Settings, models: Models) -> Archive:
    """The archive of a data folder, created empty when there is none."""
    return Archive(settings, models)
