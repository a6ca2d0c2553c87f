"""A Milvus server, or a file of Milvus Lite, reached by an address: the only module that knows pymilvus.

A file belongs to one process at a time; a server to as many as one likes. Nothing is asked before the first search, so
that an archive opens whether its engine answers or not. Whatever goes wrong is an IndexAway.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..errors import IndexAway
from ..seams import Vectors
from . import milvus_schema

logger = logging.getLogger(__name__)

Row = Mapping[str, Any]
Found = tuple[int, float, Row]  # key of a row, its score, the fields asked for

SEARCH_S, WORK_S, CONNECT_S = 8.0, 120.0, 3.0  # seconds that a search, a piece of building, a first contact may take
RETRY_S = 5.0  # seconds without asking again once the engine did not answer
# Else a server that was away for long is only noticed two minutes after it came back.
CHANNEL = {"grpc.use_local_subchannel_pool": 1, "grpc.max_reconnect_backoff_ms": 2000}
AT_ONCE = 4  # searches asked at a time: the time of those that wait here is not the engine's
MOST = 16_384  # rows of one search: Milvus refuses more
ROWS_READ = 5_000  # rows of one page of a listing
MIN_WIDTH = 600  # neighbours that a search of the graph keeps in view (docs/decisions/0021-links-of-the-graph.md)
NO_SUCH_COLLECTION, NOT_LOADED = (4, 100), 101
_Answer = TypeVar("_Answer")


class Engine:
    """One address. Thread-safe; whoever got it by `open_engine` closes it, the last releases it."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self._token, self.users = url, token, 0
        self._client: Any = None
        self._lock, self._loaded = threading.Lock(), set[str]()
        self._turn = threading.BoundedSemaphore(AT_ONCE)
        self._shut_until = 0.0

    # --- asking; all of these raise IndexAway ---

    def like_words(
        self, collection: str, field: str, words: str, *, limit: int, only: str, give: Sequence[str]
    ) -> list[Found]:
        """About the `limit` rows that Milvus's BM25 finds best for a field, best first."""
        return self._search(collection, milvus_schema.scored_by(field), words, limit, only, give, {})

    def like_vector(self, collection: str, vector: Vectors, *, limit: int, only: str, wide: bool) -> list[Found]:
        """About the `limit` rows whose vectors are closest to a (d,) float32 vector, best first, with their cosines.

        `wide` says that few rows meet the condition: Milvus Lite would lose sight of them in its graph.
        """
        width = {"ef": MOST if wide else max(MIN_WIDTH, min(limit, MOST))}
        return self._search(collection, "vector", vector, limit, only, ("post",), width)  # none would bring all

    def _search(
        self, collection: str, field: str, asked: str | Vectors, limit: int, only: str, give: Sequence[str],
        width: Mapping[str, int],
    ) -> list[Found]:  # fmt: skip
        def ask(client: Any) -> list[Found]:
            found = client.search(
                collection, data=[asked if isinstance(asked, str) else asked.tolist()], anns_field=field,
                limit=min(limit, MOST), filter=only, output_fields=list(give), search_params={"params": dict(width)},
                timeout=SEARCH_S,
            )  # fmt: skip
            return [(int(hit["id"]), float(hit["distance"]), hit["entity"]) for hit in found[0]]

        return self._read(collection, ask)

    def named(self, collection: str, keys: Sequence[int], *, give: Sequence[str]) -> list[Row]:
        """The rows of these keys that are there."""

        def ask(client: Any) -> list[Row]:
            found: list[Row] = []
            for start in range(0, len(keys), MOST):
                part = list(keys[start : start + MOST])
                found += client.get(collection, ids=part, output_fields=list(give), timeout=SEARCH_S)
            return found

        return self._read(collection, ask)

    def rows(self, collection: str, *, only: str = "", give: Sequence[str] = ("id",)) -> list[Row]:
        """Every row that meets a condition."""

        def ask(client: Any) -> list[Row]:
            found: list[Row] = []
            pages = client.query_iterator(
                collection, filter=only, output_fields=list(give), batch_size=ROWS_READ, timeout=WORK_S
            )
            try:
                while page := pages.next():
                    found += page
            finally:
                pages.close()
            return found

        return self._read(collection, ask)

    def count(self, collection: str) -> int | None:
        """How many rows a collection holds, None where there is no such collection."""

        def ask(client: Any) -> int:
            found = client.query(collection, filter="", output_fields=["count(*)"], timeout=WORK_S)
            return int(found[0]["count(*)"])

        try:
            return self._read(collection, ask, patient=True)
        except IndexAway as away:
            if away.details["reason"] == "lost":
                return None
            raise

    def _read(self, collection: str, ask: Callable[[Any], _Answer], *, patient: bool = False) -> _Answer:
        """What a collection answers, brought into the engine's memory first: one that started again has not done it."""
        with self._turn, self._asked(collection, patient=patient) as client:
            if collection in self._loaded:
                from pymilvus import MilvusException

                try:
                    return ask(client)
                except MilvusException as error:
                    if error.code != NOT_LOADED:
                        raise
            client.load_collection(collection, timeout=WORK_S if patient else SEARCH_S)
            self._loaded.add(collection)
            return ask(client)

    # --- building ---

    def create_words(self, collection: str) -> None:
        """A new collection of posts: their analysed title, body and exact tokens, each with Milvus's BM25."""
        for tokenizer in milvus_schema.TOKENIZERS:
            try:
                with self._asked(collection, patient=True) as client:
                    milvus_schema.create_words(client, collection, tokenizer, timeout=WORK_S)
                return
            except IndexAway as error:
                last = tokenizer == milvus_schema.TOKENIZERS[-1]
                if last or "tokenizer" not in str(error.details.get("told", "")):
                    raise

    def create_vectors(self, collection: str, dimensions: int) -> None:
        """A new collection of passages: their vectors, compared by cosine."""
        with self._asked(collection, patient=True) as client:
            milvus_schema.create_vectors(client, collection, dimensions, timeout=WORK_S)

    def put(self, collection: str, rows: Sequence[Row]) -> None:
        """Add rows, or replace those of the same key: putting twice is putting once."""
        if rows:
            with self._asked(collection, patient=True) as client:
                client.upsert(collection, [_plain(row) for row in rows], timeout=WORK_S)

    def settle(self, collection: str) -> None:
        """Have what was put written and indexed."""
        with self._asked(collection, patient=True) as client:
            client.flush(collection, timeout=WORK_S)

    def remove(self, collection: str, keys: Sequence[int]) -> None:
        """Take rows out; those that are not there are no error."""
        with self._asked(collection, patient=True) as client:
            for start in range(0, len(keys), ROWS_READ):
                client.delete(collection, ids=list(keys[start : start + ROWS_READ]), timeout=WORK_S)

    def drop(self, collection: str) -> None:
        """Remove a collection, if there is one."""
        with self._asked(collection, patient=True) as client:
            if client.has_collection(collection, timeout=WORK_S):
                client.drop_collection(collection, timeout=WORK_S)

    def collections(self, prefix: str) -> list[str]:
        """The collections whose names begin so."""
        with self._asked(prefix, patient=True) as client:
            return [name for name in client.list_collections(timeout=WORK_S) if name.startswith(prefix)]

    def aliased(self, alias: str) -> str | None:
        """What an alias points to, None where it points nowhere."""
        with self._asked(alias, patient=True) as client:
            from pymilvus import MilvusException

            try:
                return str(client.describe_alias(alias, timeout=WORK_S)["collection_name"]) or None
            except MilvusException as error:
                if error.code in _UNREACHABLE:
                    raise
                return None

    def point(self, alias: str, collection: str) -> None:
        """Make an alias point to a collection, in one step."""
        held = self.aliased(alias)
        if held == collection:
            return
        with self._asked(alias, patient=True) as client:
            if held is None:
                client.create_alias(collection, alias, timeout=WORK_S)
            else:
                client.alter_alias(collection, alias, timeout=WORK_S)

    def close(self) -> None:
        """Give it back; it can't be used by whoever closed it."""
        with _guard:
            self.users -= 1
            if not self.users:
                del _opened[self.url, self._token]
                self._release()

    # --- inside ---

    @contextmanager
    def _asked(self, name: str, *, patient: bool = False) -> Iterator[Any]:
        """The client, and whatever comes of using it as ours. Only the `patient` ask again one that did not answer."""
        if not patient and time.monotonic() < self._shut_until:
            raise IndexAway(url=self.url, reason="away")
        try:
            yield self._connected()
        except IndexAway:
            raise
        except ImportError as error:
            raise IndexAway(url=self.url, reason="library") from error
        except Exception as error:
            raise self._told(error, name) from error

    def _told(self, error: Exception, name: str) -> IndexAway:
        code = getattr(error, "code", None)
        if code in NO_SUCH_COLLECTION:
            return IndexAway(url=self.url, reason="lost", collection=name)
        said = str(error)
        unreachable = code in _UNREACHABLE or _late(error)
        if unreachable:
            self._shut_until = time.monotonic() + RETRY_S
            logger.warning("the search engine at %s does not answer: %s", self.url, said[:300])
            return IndexAway(url=self.url, reason="away", told=said)
        return IndexAway(url=self.url, reason="refused", told=said)

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                for name in ("pymilvus", "grpc._server"):  # they write each error as a traceback
                    logging.getLogger(name).setLevel(logging.CRITICAL)
                from pymilvus import MilvusClient

                self._client = MilvusClient(self.url, token=self._token, timeout=CONNECT_S, grpc_options=CHANNEL)
            return self._client

    def _release(self) -> None:
        client, self._client = self._client, None
        self._loaded.clear()
        if client is None:
            return
        client.close()
        if is_file(self.url):
            from milvus_lite.server_manager import server_manager_instance

            server_manager_instance.release_server(self.url)


_opened: dict[tuple[str, str], Engine] = {}
_guard = threading.Lock()
_UNREACHABLE = (1, 2)  # of pymilvus itself: unexpected answer, no connection


def open_engine(url: str, token: str = "") -> Engine:
    """The engine of an address; all of this process share one."""
    with _guard:
        held = _opened.setdefault((url, token), Engine(url, token))
        held.users += 1
        return held


def is_file(url: str) -> bool:
    """Whether the address is a file of Milvus Lite, which one process holds at a time."""
    return "://" not in url


def _late(error: Exception) -> bool:
    from grpc import RpcError, StatusCode

    if isinstance(error, RpcError):
        return error.code() in (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED)
    return "imeout" in str(error)


def _plain(row: Row) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in row.items()}


def resolved(url: str, data: Path) -> str:
    """The address as pymilvus takes it: a file name stands for a file of the data folder."""
    return url if not is_file(url) else str(data / Path(url).expanduser())
