"""The faults of what an archive has elsewhere: the search engine, and the encoder behind an address.

Kept apart from the catalogue of one machine, as they need the extra `milvus`; judged by tests/milvus/test_elsewhere.py.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from unittest import mock

import numpy as np

from engine import build_settings
from engine.index import generations, milvus, milvus_place
from tests import model_server
from tests.app.job_sources import topics
from tests.factories import word_embed
from tests.milvus.lite_server import Server

from .catalogue import SEARCHED, Fault, Seen, fault
from .ground import command, ids_of, posts_hash

FAULTS: list[Fault] = []
AWAY = "seuls les titres des sujets"
PATIENCE_S = 30.0


def _choose(data: Path, **values: object) -> None:
    """The settings of the engine, as a person writes them."""
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in values.items()]
    (data / "settings.toml").write_text("\n".join(["[engine]", *lines, ""]))


def _there(data: Path, place: Path) -> Server:
    """A server that holds the index of this archive."""
    server = Server(place / "moteur")
    _choose(data, index_url=server.url)
    ran = command(data, "index", "--wait")
    assert ran.status == 0, ran
    assert AWAY not in command(data, "search", SEARCHED).said
    return server


def _search(data: Path, seen: Seen, *, degraded: bool) -> None:
    """A search that is served, and what it told beside its results."""
    ran = command(data, "search", SEARCHED, "-k", "1")
    assert ran.status == 0 and "Traceback" not in ran.said, ran
    noticed = [line for line in ran.said.splitlines() if "moteur de recherche" in line]
    assert bool(noticed) == degraded, ran.said
    seen.said += noticed
    seen.works.append("search (titles)" if degraded else "search")


def _mended(data: Path, seen: Seen) -> None:
    """By itself, once what was away is back."""
    began = time.monotonic()
    while "moteur de recherche" in command(data, "search", SEARCHED).said:
        assert time.monotonic() - began < PATIENCE_S
    _search(data, seen, degraded=False)


@fault("Moteur de recherche absent", "serveur Milvus tué (-9), puis démarré de nouveau", AWAY, among=FAULTS)
def engine_away(data: Path, place: Path, seen: Seen) -> None:
    server = _there(data, place)
    try:
        server.kill()
        _search(data, seen, degraded=True)
        ran = command(data, "ask", "Que faire quand mes freins grincent ?")
        assert ran.status == 0 and "Traceback" not in ran.said
        seen.works.append("ask")
        server.start()
        _mended(data, seen)
    finally:
        server.kill()


@fault("Moteur de recherche qui ne répond plus", "serveur gelé (SIGSTOP), puis dégelé", AWAY, among=FAULTS)
def engine_slow(data: Path, place: Path, seen: Seen) -> None:
    server = _there(data, place)
    try:
        server.freeze()
        with mock.patch.object(milvus, "SEARCH_S", 2.0):
            _search(data, seen, degraded=True)
        server.thaw()
        _mended(data, seen)
    finally:
        server.kill()


@fault(
    "Moteur qui meurt pendant une indexation",
    "serveur tué (-9) au premier envoi de messages",
    "ne répond pas|injoignable",
    among=FAULTS,
)
def engine_dies(data: Path, place: Path, seen: Seen) -> None:
    server = _there(data, place)
    published = generations.current(build_settings(data))
    try:
        source, known = topics(place / "sujets", posts=30, first_topic=9000), ids_of(data)
        assert command(data, "import", source).status == 0
        put = milvus.Engine.put

        def put_to_the_dead(engine: milvus.Engine, name: str, rows: list[dict[str, object]]) -> None:
            server.kill()
            put(engine, name, rows)

        with mock.patch.object(milvus.Engine, "put", put_to_the_dead), mock.patch.object(milvus, "WORK_S", 5.0):
            ran = command(data, "index", "--wait")
        assert ran.status == 1, ran
        seen.said.append(ran.said.splitlines()[-1])
        seen.after = posts_hash(data, known)
        assert generations.current(build_settings(data)) == published
        server.start()
        _mended(data, seen)
        assert command(data, "index", "--wait").status == 0
        seen.works.append("index")
    finally:
        server.kill()


@fault("Index vidé chez le moteur", "toutes les collections supprimées", "Construisez|Refaites|index", among=FAULTS)
def engine_emptied(data: Path, place: Path, seen: Seen) -> None:
    server = _there(data, place)
    try:
        at = milvus_place.place(build_settings(data, {"index_url": server.url}), server.url)
        with closing(milvus.open_engine(server.url)) as engine:
            for name in engine.collections(at.prefix):
                for kind in ("words", "vectors"):
                    with engine._asked("") as client:
                        client.drop_alias(at.alias(kind))
                engine.drop(name)
        _search(data, seen, degraded=True)
        assert command(data, "index", "--wait").status == 0
        seen.works.append("index")
        _mended(data, seen)
    finally:
        server.kill()


@fault("Alias qui ne mène nulle part", "alias supprimé chez le moteur", among=FAULTS)
def alias_nowhere(data: Path, place: Path, seen: Seen) -> None:
    server = _there(data, place)
    try:
        at = milvus_place.place(build_settings(data, {"index_url": server.url}), server.url)
        with closing(milvus.open_engine(server.url)) as engine:
            with engine._asked("") as client:
                client.drop_alias(at.alias("words"))
            _search(data, seen, degraded=False)  # readers hold the collection's name: nobody notices
            seen.said.append("(rien : la recherche est entière)")
            assert command(data, "index", "--wait").status == 0
            assert engine.aliased(at.alias("words"))
        seen.works.append("index: the alias is back")
    finally:
        server.kill()


@fault(
    "Un autre modèle derrière l’adresse de l’encodeur",
    "mêmes adresse et nom, vecteurs permutés",
    "Un autre modèle répond sur le serveur",
    "Un autre modèle répond à cette adresse",
    among=FAULTS,
)
def another_model(data: Path, place: Path, seen: Seen) -> None:
    with model_server.serving() as served:
        _choose(data, encoder_url=served.url)
        assert command(data, "index", "--wait").status == 0
        served.embed = lambda texts, role="passage": np.roll(word_embed(texts, role), 7, axis=1)
        ran = command(data, "search", SEARCHED, "-k", "1")
        assert ran.status == 0, ran
        seen.said += [line for line in ran.said.splitlines() if "modèle" in line]
        seen.works.append("search (words)")
        source, known = topics(place / "sujets", posts=20, first_topic=9000), ids_of(data)
        assert command(data, "import", source).status == 0
        seen.after = posts_hash(data, known)
        ran = command(data, "index", "--wait")
        assert ran.status == 1, ran
        seen.said.append(ran.said.splitlines()[-1])
        served.embed = word_embed
        assert command(data, "index", "--wait").status == 0
        seen.works.append("index")
