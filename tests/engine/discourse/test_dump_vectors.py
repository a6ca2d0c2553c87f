"""Vectors that a forum with the AI plugin has computed: plain bge-m3 of public posts is taken, nothing else."""

import numpy as np
import pytest

from engine.discourse import dump_vectors, read
from engine.sources import Flaw, Post, PostVector, VectorsRefused


def written(number, dimensions=1024):
    """A vector as pgvector writes it: all its weight on one axis, and a length of two."""
    return "[" + ",".join("2" if n == number else "-0.0" for n in range(dimensions)) + "]"


def define(forum, id=1, name="bge-m3", dimensions=1024, tokenizer="DiscourseAi::Tokenizer::BgeM3Tokenizer", **prompts):
    forum.tables["embedding_definitions"].append({
        "id": id, "display_name": name, "dimensions": dimensions, "version": 1, "url": "https://zzsecret.exemple",
        "api_key": "zzsecretcle", "tokenizer_class": tokenizer, "embed_prompt": "", "search_prompt": "", **prompts,
    })  # fmt: skip


def embed(forum, post, vector, model=1, strategy=1):
    row = {"post_id": post, "model_id": model, "model_version": 1, "strategy_id": strategy, "digest": "x"}
    forum.tables["ai_posts_embeddings"].append(row | {"embeddings": vector, "created_at": "2024-05-06 07:08:09"})


def items(path, kind):
    return [item for item in read(path).items if isinstance(item, kind)]


def refused(path):
    return [(item.reason, item.count) for item in items(path, VectorsRefused)]


@pytest.mark.parametrize("form", ["plain", "gzip", "tar"])
def test_vectors_of_public_posts_come_after_the_posts_with_norm_one(forum, write_dump, form):
    define(forum)
    for post in (1, 2, 3, 4, *range(10, 26)):  # 10 to 25 are private, each for another reason
        embed(forum, post, written(post))
    found = list(read(write_dump(forum.sql(), form)).items)
    vectors = [item for item in found if isinstance(item, PostVector)]
    assert [item.post_id for item in vectors] == [1, 2, 3, 4]
    for item in vectors:
        assert item.vector.dtype == np.float32
        assert np.array_equal(item.vector, np.eye(1024, dtype=np.float32)[item.post_id])
    kinds = [type(item) for item in found if isinstance(item, (Post, PostVector))]
    assert kinds == [Post] * 4 + [PostVector] * 4
    assert not [item for item in found if isinstance(item, (Flaw, VectorsRefused))]
    assert "zzsecret" not in repr(found)


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ({"name": "text-embedding-3-small", "tokenizer": "DiscourseAi::Tokenizer::OpenAiCl100kTokenizer"}, "model"),
        ({"name": "bge-large-en"}, "model"),
        ({"tokenizer": "DiscourseAi::Tokenizer::BgeLargeEnTokenizer"}, "model"),
        ({"dimensions": 512}, "dimensions"),
        ({"embed_prompt": "passage: "}, "prompt"),
        ({"search_prompt": "query: "}, "prompt"),
        ({"id": 7}, "definition"),
    ],
)
def test_any_other_vector_is_refused_with_its_reason_and_counted(forum, write_dump, definition, reason):
    define(forum, **definition)
    embed(forum, 1, written(1))
    embed(forum, 2, written(2))
    path = write_dump(forum.sql())
    assert items(path, PostVector) == [] and refused(path) == [(reason, 2)]
    assert not items(path, Flaw)  # the import itself is whole


@pytest.mark.parametrize("name", ["bge-m3", "BAAI/bge-m3", "BGE M3", "bge_m3 (local)"])
def test_the_names_that_forums_give_to_the_model_are_known(forum, write_dump, name):
    define(forum, name=name)
    embed(forum, 1, written(1))
    assert len(items(write_dump(forum.sql()), PostVector)) == 1


def test_of_two_models_only_the_right_one_is_taken(forum, write_dump):
    define(forum, 2, "text-embedding-3-small", 1536, "")
    define(forum, 5)
    embed(forum, 1, written(1, 1536), model=2)
    embed(forum, 1, written(9), model=5)
    embed(forum, 1, written(8), model=5, strategy=2)  # the first row of a post counts
    path = write_dump(forum.sql())
    (found,) = items(path, PostVector)
    assert found.vector[9] == 1 and refused(path) == [("model", 1)]


@pytest.mark.parametrize(
    "field", ["", "[]", "null", "[1,2]", written(1, 1023), written(1).replace("2", "deux"), written(2000),
              written(1).replace("2", "nan"), written(1).replace("2", "inf"), written(1)[1:], None,
              written(1).replace("2", "2" * 80_000)],
)  # fmt: skip
def test_a_row_that_is_no_vector_is_counted_and_passed_over(forum, write_dump, field):
    define(forum)
    embed(forum, 1, field)
    embed(forum, 2, written(2))
    path = write_dump(forum.sql())
    assert [item.post_id for item in items(path, PostVector)] == [2]
    assert refused(path) == [("unreadable", 1)]


def test_a_forum_without_the_plugin_says_nothing_of_vectors(forum, write_dump):
    path = write_dump(forum.sql(without=("ai_posts_embeddings", "embedding_definitions")))
    assert items(path, PostVector) == [] and refused(path) == []


def test_a_dump_that_is_cut_gives_no_vector(forum, write_dump):
    define(forum)
    embed(forum, 1, written(1))
    text = forum.sql()
    path = write_dump(text[: text.index("COPY public.users")])
    assert items(path, PostVector) == []


def test_the_key_and_the_address_of_the_model_are_not_in_the_list_of_columns():
    assert {"post_id", "model_id", "embeddings"} == set(dump_vectors.COLUMNS[dump_vectors.TABLE])
