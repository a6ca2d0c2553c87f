"""Configuration C: what is embedded, once, and how it ranks."""

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import Cancelled
from engine.evaluate import contexts
from engine.evaluate.configs import named
from engine.evaluate.matrix import evaluate
from engine.evaluate.questions import read
from engine.store import ArchiveStore
from tests.factories import WORD_MODELS, post, save, settings, topic


@pytest.fixture
def archive(tmp_path):
    """One topic: an opening post, an answer to it, an answer to that answer."""
    chosen = settings(tmp_path)
    opening = post(1, "Ouverture " + "a" * 600)
    answer = post(2, "Une réponse assez longue pour compter " + "b" * 500, number=2, reply_to=1)
    reply = post(3, "Une réplique assez longue pour compter", number=3, reply_to=2)
    save(tmp_path, [topic(1, "Sujet"), opening, answer, reply])
    return chosen


def texts(chosen):
    store = ArchiveStore(chosen.data)
    try:
        return {passage.post_id: passage.text for passage in contexts.passages(chosen, store)}
    finally:
        store.close()


def test_a_post_is_followed_by_the_beginnings_of_its_opening_post_and_of_its_parent(archive):
    found = texts(archive)
    assert found[1].endswith("a" * 600)  # nothing stands around the opening post
    opening = " › Ouverture " + "a" * (contexts.OPENING_CHARS - len("Ouverture "))
    assert found[2].endswith("b" * 500 + opening)  # its parent is the opening post: said once
    parent = " › Une réponse assez longue pour compter " + "b" * 500
    assert found[3].endswith("pour compter" + opening + parent[: contexts.PARENT_CHARS + 3])


def test_vectors_are_made_once_and_a_stop_keeps_what_was_made(archive):
    asked = []

    def embed(given, role):
        asked.extend(given)
        return WORD_MODELS.embed(given, role)

    models = replace(WORD_MODELS, embed=embed)
    chosen = replace(archive, embed_batch=1)

    def stop():
        if len(asked) == 2:
            raise Cancelled

    assert not contexts.ready(chosen, models)
    with pytest.raises(Cancelled):
        contexts.prepare(chosen, models, check=stop)
    assert not contexts.ready(chosen, models)  # not all of them yet: "all" would encode the rest unasked
    contexts.prepare(chosen, models)
    contexts.prepare(chosen, models)
    assert contexts.ready(chosen, models)
    assert sorted(asked) == sorted(texts(chosen).values())


def test_posts_come_by_their_closest_passage(archive):
    contexts.prepare(archive, WORD_MODELS)
    found = contexts.load(archive, WORD_MODELS)
    vector = WORD_MODELS.embed(["réplique"], "query")[0]
    ranking = found.rank(vector, limit=2)
    assert ranking.post_ids[0] == 3 and len(ranking.post_ids) == 2
    assert list(ranking.scores) == sorted(ranking.scores, reverse=True)


def test_no_vector_gives_no_post(tmp_path):
    found = contexts.load(settings(tmp_path), WORD_MODELS)
    assert found.rank(np.array([1, 0], np.float32), limit=3).post_ids == ()


def test_asked_for_by_name_it_is_measured_against_posts_alone(tiny, tmp_path):
    path = tmp_path / "questions.yml"
    path.write_text('- {id: patins, question: "Faut-il poncer les patins ?", expected_post_ids: [12]}\n', "utf-8")
    run = evaluate(tiny.settings, WORD_MODELS, read(path), named(["B", "C"]))
    assert [r.config.name for r in run.results] == ["B", "C"]
    assert {(c.base, c.other) for c in run.comparisons} == {("B", "C")}
    assert all(12 in r.scored[0].outcome.posts for r in run.results)
