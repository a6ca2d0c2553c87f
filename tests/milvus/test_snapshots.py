"""A snapshot of an archive whose words and vectors are elsewhere: small, and read there by who has no index of its own."""

from contextlib import closing
from dataclasses import replace

from engine import build_index, open_archive
from engine.snapshot import assemble, fetch, open_source, publish
from engine.store.schema import ARCHIVE, VECTORS
from tests.factories import WORD_MODELS, post, save, settings

SCHEMAS = {"archive.db": len(ARCHIVE), "vectors.db": len(VECTORS)}


def found(archive, words):
    return [hit.post_id for hit in archive.search(words).hits]


def test_a_replica_reads_the_engine_of_its_primary(folder, server, tmp_path):
    primary = settings(folder, index_url=server.url)
    own = settings(tmp_path / "replica")  # which need not be told the address
    card = None
    with closing(open_source(str(tmp_path / "snapshots"))) as source:
        for n in (1, 2):
            build_index(primary, WORD_MODELS)
            assert publish(primary, tmp_path / "snapshots") is not None
            card = fetch(source, tmp_path / "copies", own, held=card, schemas=SCHEMAS)
            paths = {file.path for file in card.files}
            assert "vectors.db" not in paths and not any("/whoosh/" in p or "/chroma/" in p for p in paths)
            data = assemble(tmp_path / "copies", card, schemas=SCHEMAS)
            with open_archive(replace(own, data=data), WORD_MODELS) as copy, open_archive(primary, WORD_MODELS) as here:
                assert found(copy, "huile") == found(here, "huile")
                assert copy.search("huile").notices == here.search("huile").notices
                assert (99 in found(copy, "pédalier")) == (n == 2)
            save(folder, [post(99, "Un pédalier neuf craque dans la côte.", topic_id=4, number=5)], whole_forum=False)
