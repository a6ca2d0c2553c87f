"""Small values and a tiny forum for the tests. Alice is the expert, Bruno the beginner, Chloé moderates, Dan is a member."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from engine.index.french import analyser
from engine.seams import Models, Vectors
from engine.settings import Settings, build
from engine.sources import CookedText, ImportReport, Post, Site, SourceItem
from engine.store import ArchiveStore, import_source
from engine.values import Category, CategoryId, PostId, PostNumber, Topic, TopicId

START = datetime(2014, 3, 1, 12, tzinfo=UTC)


def settings(folder: Path, **values: object) -> Settings:
    """Engine settings for a data folder."""
    return build(folder, values)


def topic(
    topic_id: int,
    title: str = "Un sujet",
    *,
    category: int | None = 1,
    tags: Sequence[str] = (),
    expected: int | None = None,
) -> Topic:
    return Topic(
        id=TopicId(topic_id), title=title, slug=title.lower().replace(" ", "-"),
        category_id=None if category is None else CategoryId(category), created_at=START, last_posted_at=START,
        tags=tuple(tags), expected_posts=expected,
    )  # fmt: skip


def post(
    post_id: int,
    text: str = "Un message assez long pour avoir un vecteur.",
    *,
    topic_id: int = 1,
    number: int = 1,
    by: str = "alice",
    day: int = 0,
    edited: int = 0,
    reply_to: int | None = None,
    likes: int = 0,
    code: Sequence[str] = (),
) -> Post:
    """A post whose HTML is its text in one paragraph."""
    created = START + timedelta(days=day)
    return Post(
        id=PostId(post_id), topic_id=TopicId(topic_id), post_number=PostNumber(number), username=by,
        display_name=by.title(), user_id=None, created_at=created, updated_at=created + timedelta(days=edited),
        cooked=f"<p>{text}</p>", parts=CookedText(text, code=tuple(code)),
        reply_to=None if reply_to is None else PostNumber(reply_to), likes=likes,
    )  # fmt: skip


ATELIER = Category(CategoryId(1), "Atelier", "atelier")
FREINS = Category(CategoryId(2), "Freins & câbles", "freins-cables", parent_id=CategoryId(1))
BISTROT = Category(CategoryId(3), "Le bistrot", "bistrot")
SITE = Site("Forum d’essai", "https://forum.exemple")


def forum() -> list[SourceItem]:
    """Twelve posts in four topics of three categories."""
    return [
        SITE, ATELIER, FREINS, BISTROT,
        topic(1, "Régler des freins", category=2, tags=("freins", "réglage")),
        topic(2, "Quelle huile pour la chaîne ?", category=1, tags=("chaîne",)),
        topic(3, "Sortie d’été", category=3),
        topic(4, "Codes et tailles", category=1),
        post(11, "Bonjour, mes freins grincent quand il pleut. Que faire ?", topic_id=1, number=1, by="bruno"),
        post(12, "Il faut poncer les patins et orienter le pincement vers l’avant.", topic_id=1, number=2, by="alice", day=1, likes=5),
        post(13, "Merci !", topic_id=1, number=3, by="bruno", day=2, reply_to=2),
        post(21, "Je cherche une huile pour ma chaîne neuve.", topic_id=2, number=1, by="dan", day=10),
        post(22, "La cire dure plus longtemps que l’huile par temps sec.", topic_id=2, number=2, by="alice", day=11, reply_to=1),
        post(23, "Pas d’accord : l’huile fine reste la plus simple.", topic_id=2, number=3, by="chloé", day=400),
        post(31, "Cet été nous irons au lac, départ à huit heures devant la mairie.", topic_id=3, number=1, by="chloé", day=500),
        post(32, "L’or du soir sur le lac, quel très beau souvenir.", topic_id=3, number=2, by="dan", day=501),
        post(41, "Le moyeu F-GABC accepte un axe de 3,5 mm.", topic_id=4, number=1, by="alice", day=600),
        post(42, "J’ai écrit un script en C++ pour calculer les braquets.", topic_id=4, number=2, by="bruno", day=601),
        post(43, "Chaussures taille 42, aujourd’hui introuvables.", topic_id=4, number=3, by="dan", day=602),
        post(44, "Un cœur de roue libre usé fait du bruit.", topic_id=4, number=4, by="alice", day=603),
    ]  # fmt: skip


def save(
    folder: Path, items: Iterable[SourceItem], *, whole_forum: bool = True, source: str = "test", **options: object
) -> ImportReport:
    """Import items into the archive of a folder."""
    store = ArchiveStore(folder)
    try:
        return import_source(
            store, items, source=source, kind="dump" if whole_forum else "topics", whole_forum=whole_forum, **options
        )  # type: ignore[arg-type]
    finally:
        store.close()


DIMENSIONS = 512


def word_embed(texts: Sequence[str], _role: str) -> Vectors:
    """An encoder that counts stemmed words in 512 buckets: the same words, the same vector."""
    rows = np.zeros((len(texts), DIMENSIONS), np.float32)
    words = analyser("fr").words
    for row, text in zip(rows, texts, strict=True):
        for word in words(text):
            row[zlib.crc32(word.encode()) % DIMENSIONS] += 1
        row[0] += 1e-3
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


WORD_MODELS = Models(embed=word_embed, embed_name="words-512")
