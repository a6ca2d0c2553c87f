"""The two kinds of collections, as Milvus is told of them: rows of posts with texts, rows of passages with vectors."""

from __future__ import annotations

from typing import Any

from .lexical import K1, B
from .terms import FIELDS

MAX_TEXT_BYTES, MAX_NAME_BYTES, MAX_TAGS = 65_535, 1_024, 256
# Terms come analysed. Milvus Lite has no whitespace; what `milvus_words.written` writes its own splits alike.
TOKENIZERS = ("whitespace", "standard")
GRAPH = {"M": 16, "efConstruction": 200}


def create_words(client: Any, collection: str, tokenizer: str, *, timeout: float) -> None:
    """Posts: their analysed title, body and exact tokens, each with Milvus's BM25."""
    from pymilvus import DataType, Function, FunctionType

    schema, indexes = _described(client)
    for field in FIELDS:
        schema.add_field(
            field, DataType.VARCHAR, max_length=MAX_TEXT_BYTES, enable_analyzer=True, enable_match=True,
            analyzer_params={"tokenizer": tokenizer},
        )  # fmt: skip
        scored = scored_by(field)
        schema.add_field(scored, DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            Function(
                name=scored, function_type=FunctionType.BM25, input_field_names=[field], output_field_names=[scored]
            )
        )
        indexes.add_index(
            field_name=scored, index_type="SPARSE_INVERTED_INDEX", metric_type="BM25",
            params={"bm25_k1": K1, "bm25_b": B},
        )  # fmt: skip
    _create(client, collection, schema, indexes, timeout)


def create_vectors(client: Any, collection: str, dimensions: int, *, timeout: float) -> None:
    """Passages: their vectors, compared by cosine."""
    from pymilvus import DataType

    schema, indexes = _described(client)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
    indexes.add_index(field_name="vector", index_type="HNSW", metric_type="COSINE", params=GRAPH)
    _create(client, collection, schema, indexes, timeout)


def scored_by(field: str) -> str:
    """What Milvus searches for the words of a field."""
    return f"{field}_bm25"


def _described(client: Any) -> tuple[Any, Any]:
    """A schema and indexes with what rows of posts and of passages have in common: a key, and facts to choose by."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    for number in ("post", "category", "created"):
        schema.add_field(number, DataType.INT64)
    schema.add_field("author", DataType.VARCHAR, max_length=MAX_NAME_BYTES)
    schema.add_field(
        "tags", DataType.ARRAY, element_type=DataType.VARCHAR, max_capacity=MAX_TAGS, max_length=MAX_NAME_BYTES
    )
    return schema, client.prepare_index_params()


def _create(client: Any, collection: str, schema: Any, indexes: Any, timeout: float) -> None:
    # Strong: what a publication put must be seen by the first search after it, from any machine.
    client.create_collection(
        collection, schema=schema, index_params=indexes, consistency_level="Strong", timeout=timeout
    )
