"""Encoding: what helps most first, each text once, batches of close lengths, published as it grows, the disk asked first."""

import random
import shutil
from collections import namedtuple
from dataclasses import replace

import pytest

from engine.archive import open_archive
from engine.errors import DiskFull
from engine.feeding import build_index
from engine.index import building, encoding, generations, publishing
from engine.seams import Models
from engine.values import Mode
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, forum, post, save, settings, topic, word_embed

Usage = namedtuple("Usage", "total used free")


def recording(batches):
    return Models(
        embed=lambda texts, role: (batches.append(list(texts)), word_embed(texts, role))[1], embed_name="words-512"
    )


def test_opening_posts_and_accepted_answers_come_first_then_liked_ones_then_the_newest(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "WINDOW_BATCHES", 1)
    items = [replace(i, accepted_post_id=23) if getattr(i, "slug", "").startswith("quelle") else i for i in forum()]
    save(tmp_path, items)
    batches = []
    index(tmp_path, recording(batches), embed_batch=1)
    with open_archive(settings(tmp_path), WORD_MODELS) as archive:
        held = {row.text: row.id for row in archive.store.posts(archive.store.post_ids()).values()}
    order = [held[text.rpartition(" › ")[2]] for (text,) in batches]
    # Openings and the accepted 23 by date; 12, which is liked; the rest by date, the newest first.
    assert order == [41, 31, 23, 21, 11, 12, 44, 43, 42, 32, 22]


def test_a_text_that_stands_in_several_posts_is_encoded_once(tmp_path):
    same = [post(n, "Exactement le même message, posté par mégarde.", number=n) for n in (1, 2, 3)]
    save(
        tmp_path, [*forum()[:4], topic(1), *same, post(4, "Un autre message, assez long aussi pour être lu.", number=4)]
    )
    batches = []
    index(tmp_path, recording(batches))
    assert sum(map(len, batches)) == 2
    with open_archive(settings(tmp_path), WORD_MODELS) as archive:
        assert archive.status().dense_posts == 4
        assert len(archive.search("mégarde", mode=Mode.DENSE).hits) == 4


def test_batches_of_close_lengths_waste_little_padding(tmp_path):
    draw = random.Random(3)
    lengths = [min(180, max(8, int(draw.lognormvariate(3.4, 0.8)))) for _ in range(1500)]
    posts = [
        post(n, " ".join(draw.choices(("selle", "vélo", "à", "pignon"), k=k)), number=n)
        for n, k in enumerate(lengths, 1)
    ]
    save(tmp_path, [*forum()[:4], topic(1), *posts])
    batches = []
    index(tmp_path, recording(batches), embed_batch=12)
    tokens = [[sum(1 + len(word) // 4 for word in text.split()) for text in batch] for batch in batches]
    assert max(map(len, tokens)) == 12
    assert sum(map(sum, tokens)) / sum(max(batch) * len(batch) for batch in tokens) >= 0.9


def test_vectors_are_published_each_time_they_have_doubled(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "WINDOW_BATCHES", 1)
    monkeypatch.setattr(building, "BASE_S", 0)
    monkeypatch.setattr(publishing, "SMALL", 0)
    save(tmp_path, forum())
    published = []

    def embed(texts, role):
        published.append(generations.read_manifest(settings(tmp_path)).dense_posts)
        return word_embed(texts, role)

    index(tmp_path, Models(embed=embed, embed_name="words-512"), embed_batch=1)
    assert published == [0, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8]
    assert generations.read_manifest(settings(tmp_path)).dense_posts == 11


def test_the_time_left_counts_characters_rather_than_passages(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "WINDOW_BATCHES", 1)
    monkeypatch.setattr("engine.index.work.REPORT_S", 0)
    long = post(1, "très long message " * 40, number=1)
    short = [post(n, f"Le message numéro {n}, qui est assez court.", number=n) for n in range(2, 10)]
    save(tmp_path, [*forum()[:4], topic(1), long, *short])
    heard = []
    build_index(settings(tmp_path, embed_batch=1), WORD_MODELS, on_progress=heard.append)
    first = next(p for p in heard if p.stage == "encode" and p.done == 1)
    # The opening post holds two thirds of all characters: less time is left than was spent.
    assert first.total == 9 and first.left_s < first.done / first.rate


def test_a_disk_too_small_is_told_with_figures_before_anything_is_written(tmp_path, monkeypatch):
    save(tmp_path, forum())
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2e9, 2e9 - 90e6, 90e6))
    with pytest.raises(DiskFull) as caught:
        index(tmp_path)
    assert caught.value.details["reason"] == "forecast" and caught.value.details["free_mb"] == 90
    assert caught.value.details["needed_mb"] > 100
    assert generations.current(settings(tmp_path)) is None


def test_a_disk_too_small_for_vectors_leaves_the_words(tmp_path, monkeypatch):
    save(tmp_path, forum())
    room_for_words = Usage(2e9, 0, (100 << 20) + 20_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room_for_words)
    batches = []
    with pytest.raises(DiskFull) as caught:
        index(tmp_path, recording(batches), embed_batch=2)
    assert caught.value.details["reason"] == "forecast" and len(batches) == 1
    monkeypatch.undo()
    with open_archive(settings(tmp_path), WORD_MODELS) as archive:
        assert archive.search("freins").hits
