"""An archive opened for measuring: one question through one configuration, with the product's own code."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..answer import answering
from ..errors import ModelUnavailable
from ..index import generations
from ..index.french import analyser
from ..index.generations import Manifest
from ..retrieve import evidence as evidence_room
from ..retrieve import model_notices
from ..retrieve import search as search_room
from ..retrieve.fusion import Fusion, fuse
from ..seams import Models, TextRole, Vectors
from ..settings import Settings
from ..store import ArchiveStore, VectorStore
from ..values import Abstention, Evidence, FusedPost, Mode, PostId, Query, Ranking, TopicId
from . import contexts
from .configs import ROUTED_POSTS, Config, Grain, settings_of
from .questions import Question
from .topics import TopicVectors

DEPTH = 100  # ranked posts kept of each question


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a configuration gave for a question. Topics come by their first post; topic grain ranks no posts."""

    question: Question
    posts: tuple[PostId, ...]
    topics: tuple[TopicId, ...]
    slots: tuple[TopicId, ...]  # the topic of each ranked post
    ranks_posts: bool = True
    numbered: tuple[PostId, ...] = ()  # the posts that an answer may cite
    numbered_topics: tuple[TopicId, ...] = ()
    read: tuple[PostId, ...] = ()  # numbered ones and, with a window, those around them
    read_topics: tuple[TopicId, ...] = ()
    abstained: bool | None = None  # whether no extract answers; None where that was not looked at
    notices: tuple[str, ...] = ()  # what the search would have told its user, a late reranker for one
    timings_ms: dict[str, float] = field(default_factory=dict)


class Bench:
    """An archive's store, indexes and models. Each question is encoded once, whatever the configurations.

    `answering` also looks for extracts that answer, to count abstentions: that encodes sentences for each question.
    """

    def __init__(self, settings: Settings, models: Models, *, answering: bool) -> None:
        self.settings, self._analyser, self._answering = settings, analyser(settings.language), answering
        self._store, self._vectors = ArchiveStore(settings.data), VectorStore(settings.data)
        self._encoder = _Encoder(models)
        self._models = replace(models, embed=self._encoder if models.embed else None, generate=None)
        self._topic_of: dict[PostId, TopicId] = {}
        self._topic_vectors: TopicVectors | None = None
        self._context_vectors: contexts.ContextVectors | None = None
        try:
            self._generation = generations.open_current(settings, self._vectors)
        except BaseException:
            self._close_stores()
            raise

    @property
    def manifest(self) -> Manifest:
        """The identity card of the index that is measured."""
        return self._generation.manifest

    def counts(self) -> tuple[int, int, int]:
        """(posts, topics, categories) of the archive."""
        return self._store.counts()

    def topics_of(self, post_ids: Iterable[PostId]) -> dict[PostId, TopicId]:
        """The topics of the held ones among these posts."""
        wanted = set(post_ids)
        if unknown := wanted - self._topic_of.keys():
            self._topic_of |= {post_id: row.topic_id for post_id, row in self._store.posts(unknown).items()}
        return {post_id: self._topic_of[post_id] for post_id in wanted if post_id in self._topic_of}

    def holds_topic(self, topic_id: TopicId) -> bool:
        """Whether the archive has this topic."""
        return self._store.topic(topic_id) is not None

    def check(self, configs: Iterable[Config]) -> None:
        """Raises ModelUnavailable when one of these needs vectors or a reranker that aren't here."""
        reason = model_notices.of_vectors(self._generation, self._models)
        if reason is not None and any(config.mode is not Mode.BM25 for config in configs):
            raise ModelUnavailable(role="evaluate", path=self.manifest.dense_model or "", notice=reason)
        if self._models.rerank is None and any(config.rerank is True for config in configs):
            raise ModelUnavailable(role="evaluate_rerank", path="")

    def warm_up(self, config: Config) -> None:
        """Load what the configuration needs, so that no question pays for it."""
        if config.grain in (Grain.TOPIC, Grain.ROUTED):
            self._topics()
        self.run(Question("", "mise en route"), config)

    def run(self, question: Question, config: Config) -> Outcome:
        """One question as the product asks it: its text is words, never operators."""
        settings = settings_of(config, self.settings)
        timings: dict[str, float] = {}
        if config.grain is Grain.TOPIC:
            topics = self._rank_topics(question, timings)
            return Outcome(question, (), topics, topics, ranks_posts=False, timings_ms=timings)
        found = self._found(question, config, settings)
        timings |= found.timings_ms
        if "embed" in timings:
            timings["embed"] = self._encoder.took_ms(found.query.text)
        ranked = found.ranked
        if config.grain is Grain.ROUTED:
            ranked = self._route(ranked, self._rank_topics(question, timings), settings)
        started = time.perf_counter()
        gathered = evidence_room.gather(
            question.text, ranked, store=self._store, analyser=self._analyser, settings=settings
        )
        timings["evidence"] = (time.perf_counter() - started) * 1000
        outcome = self._outcome(question, config, ranked, gathered, settings, timings)
        return replace(outcome, notices=found.notices)

    def _found(self, question: Question, config: Config, settings: Settings) -> search_room.Found:
        if config.grain is Grain.CONTEXT:
            return self._rank_contexts(question, settings)
        return search_room.rank(
            Query(words=(question.text,)), mode=config.mode, limit=settings.candidates, store=self._store,
            generation=self._generation, models=self._models_for(config), settings=settings,
        )  # fmt: skip

    def close(self) -> None:
        """Release the indexes and the databases."""
        self._generation.close()
        self._close_stores()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _close_stores(self) -> None:
        self._store.close()
        self._vectors.close()

    def _outcome(
        self,
        question: Question,
        config: Config,
        ranked: Sequence[FusedPost],
        gathered: Sequence[Evidence],
        settings: Settings,
        timings: dict[str, float],
    ) -> Outcome:
        topics = self.topics_of(fused.post_id for fused in ranked[:DEPTH])
        posts = tuple(fused.post_id for fused in ranked[:DEPTH] if fused.post_id in topics)
        slots = tuple(topics[post_id] for post_id in posts)
        numbered = tuple(item.post_id for item in gathered)
        around = [post.post_id for item in gathered for post in item.context] if config.window else []
        numbered_topics = tuple(item.topic_id for item in gathered)
        return Outcome(
            question, posts, tuple(dict.fromkeys(slots)), slots, numbered=numbered, numbered_topics=numbered_topics,
            read=(*numbered, *around), read_topics=numbered_topics,
            abstained=self._abstains(question, gathered, settings) if self._answering else None, timings_ms=timings,
        )  # fmt: skip

    def _abstains(self, question: Question, gathered: Sequence[Evidence], settings: Settings) -> bool:
        *_, last = answering.answer(
            question.text, gathered, models=self._models, settings=settings, answerer="extractive",
            analyse=self._analyser.words,
        )  # fmt: skip
        return isinstance(last, Abstention)

    def _models_for(self, config: Config) -> Models:
        return replace(self._models, rerank=None) if config.rerank is False else self._models

    def _topics(self) -> TopicVectors:
        if self._topic_vectors is None:
            model = self.manifest.dense_model
            assert model is not None  # `check` has been called
            self._topic_vectors = TopicVectors(self._vectors, model, self.topics_of)
        return self._topic_vectors

    def _rank_topics(self, question: Question, timings: dict[str, float]) -> tuple[TopicId, ...]:
        vector = self._encoder([question.text], "query")[0]
        timings["embed"] = self._encoder.took_ms(question.text)
        started = time.perf_counter()
        topics = self._topics().rank(vector, limit=DEPTH)
        timings["topics"] = (time.perf_counter() - started) * 1000
        return topics

    def _rank_contexts(self, question: Question, settings: Settings) -> search_room.Found:
        if self._context_vectors is None:
            self._context_vectors = contexts.load(self.settings, self._models)
        vector = self._encoder([question.text], "query")[0]
        started = time.perf_counter()
        ranking = self._context_vectors.rank(vector, limit=settings.candidates)
        timings = {"embed": 0.0, "dense": (time.perf_counter() - started) * 1000}
        ranked = fuse([ranking], Fusion(settings.rrf_k, {ranking.name: 1.0}))
        return search_room.Found(Query(words=(question.text,)), ranked, (), timings)

    def _route(
        self, ranked: Sequence[FusedPost], topics: Iterable[TopicId], settings: Settings
    ) -> tuple[FusedPost, ...]:
        """Posts, one a topic, fused with the topics that are not long; a topic speaks through its best post."""
        held = self.topics_of(fused.post_id for fused in ranked)
        best: dict[TopicId, PostId] = {}
        for fused in ranked:
            if fused.post_id in held:
                best.setdefault(held[fused.post_id], fused.post_id)
        short = [topic_id for topic_id in topics if self._store.topic_size(topic_id) <= ROUTED_POSTS]
        opening = {t: row.id for t in short if t not in best and (row := self._store.post_at(t, 1))}
        speaking = [best.get(t, opening.get(t)) for t in short]
        rankings = [_ranking("posts", best.values()), _ranking("topics", [p for p in speaking if p is not None])]
        return fuse(rankings, Fusion(k=settings.rrf_k, weights={"posts": 1.0, "topics": 1.0}))


def _ranking(name: str, post_ids: Iterable[PostId]) -> Ranking:
    ids = tuple(post_ids)
    return Ranking(name, ids, tuple(1.0 / n for n in range(1, len(ids) + 1)))


class _Encoder:
    """The encoder of the models, remembering the vector of each question and the time that it took."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._known: dict[str, tuple[Vectors, float]] = {}

    def __call__(self, texts: Sequence[str], role: TextRole) -> Vectors:
        assert self._models.embed is not None
        if role == "passage":
            return self._models.embed(texts, role)
        (text,) = texts  # a question
        if text not in self._known:
            started = time.perf_counter()
            vectors = self._models.embed(texts, role)
            self._known[text] = vectors, (time.perf_counter() - started) * 1000
        return self._known[text][0]

    def took_ms(self, text: str) -> float:
        return self._known[text][1]
