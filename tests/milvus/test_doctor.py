"""The doctor knows of an engine elsewhere, and what it orders to be built again is."""

import pytest

from engine.doctor import examine
from engine.doctor.indexes import condemn
from engine.index import generations, milvus, milvus_place
from tests.engine.conftest import index
from tests.factories import WORD_MODELS, post, save, settings


@pytest.fixture
def data(folder, server):
    index(folder, index_url=server.url)
    return folder


def states(folder, server, *, quick=False):
    found = examine(settings(folder, index_url=server.url), WORD_MODELS, quick=quick)
    return {finding.check: finding.state for finding in found}


def test_what_is_found_whole_behind_lost_and_away(data, server):
    seen = states(data, server)
    assert (seen["index"], seen["words"], seen["meaning"]) == ("fits", "agree", "agree")
    assert states(data, server, quick=True)["words"] == "there"
    save(data, [post(77, "Un message de plus, assez long pour compter.", topic_id=4, number=9)], whole_forum=False)
    assert states(data, server)["words"] == "behind"
    chosen = settings(data, index_url=server.url)
    engine, card = milvus.open_engine(server.url), generations.read_manifest(chosen)
    engine.drop(milvus_place.place(chosen, server.url).collection(card.dense_base, "vectors"))
    engine.close()
    assert states(data, server)["meaning"] == "lost_there"
    server.kill()
    seen = states(data, server)
    assert (seen["words"], seen["meaning"]) == ("away", "away")


def test_what_the_doctor_condemns_is_built_anew(data, server):
    chosen = settings(data, index_url=server.url)
    before = generations.read_manifest(chosen)
    condemn(chosen, frozenset({"words", "meaning"}))
    index(data, index_url=server.url)
    after = generations.read_manifest(chosen)
    assert after.words_base != before.words_base and after.dense_base != before.dense_base
    assert states(data, server)["words"] == "agree"
