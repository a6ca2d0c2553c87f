"""What a question expects, as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import expected_posts
from app.expected_posts import Expected
from engine.evaluate.questions import Question
from engine.store import ArchiveStore
from tests.factories import forum, save

NEW = Question("", "?")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    save(folder, forum())
    opened = ArchiveStore(folder)
    yield opened
    opened.close()


def test_addresses_numbers_and_topics_are_read(store):
    row = store.posts([12])[12]
    said = f"https://forum.exemple{row.path}\n 22 \n/p/12\n/t/-/3"
    assert expected_posts.read(store, said, known=NEW) == Expected((12, 22), (3,))


def test_what_the_archive_lacks_is_told_unless_the_question_expected_it_before(store):
    said = "999\n/t/rien/999/1\nbonjour\n/t/-/999"
    assert expected_posts.read(store, said, known=NEW) == Expected(unknown=tuple(said.splitlines()))
    known = Question("q", "?", post_ids=(999,))
    assert expected_posts.read(store, "/p/999", known=known) == Expected((999,))


@given(posts=st.lists(st.sampled_from([11, 12, 22, 998, 999]), unique=True), topics=st.sets(st.sampled_from([1, 3])))
def test_what_is_written_is_read_back(store, posts, topics):
    question = Question("q", "?", post_ids=tuple(posts), topic_ids=tuple(topics))
    found = expected_posts.read(store, expected_posts.written(store, question), known=question)
    assert (found.post_ids, set(found.topic_ids), found.unknown) == (question.post_ids, topics, ())


@given(st.text(max_size=80))
def test_any_text_is_read(store, said):
    found = expected_posts.read(store, said, known=NEW)
    assert all(store.posts([post]) for post in found.post_ids)
