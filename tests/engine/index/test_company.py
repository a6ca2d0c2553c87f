"""Several processes at one archive: each text is encoded once, one publishes, and whoever dies or hangs is replaced."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled, ModelUnavailable, PublisherReplaced, StoreBusy
from engine.feeding import build_index, encode_along, encoding_for
from engine.index import building, chroma, company, encoding, generations
from engine.index.company import joined, publishing
from engine.locks import WRITER_LOCK, is_locked, writing
from engine.models import load_models
from engine.seams import Models
from engine.store import VectorStore, claims
from tests.app.job_sources import until
from tests.factories import WORD_MODELS, forum, post, save, settings, topic, word_embed
from tests.model_server import serving

pytestmark = pytest.mark.several

ROOT = Path(__file__).parents[3]
MODEL = "words-512"
# Another process that publishes; it says when it encodes, then waits for a word before it goes on.
PUBLISHER = """
import sys, time
from pathlib import Path
from engine.errors import ArchivisteError
from engine.feeding import build_index
from engine.index import company
from engine.models import load_models
from engine.seams import Models
from tests.factories import settings, word_embed
folder, company.SILENCE_S, company.SIGN_S = Path(sys.argv[1]), float(sys.argv[2]), 0.1
def embed(texts, role):
    (folder / "encodes").touch()
    while not (folder / "go").exists():
        time.sleep(0.05)
    return word_embed(texts, role)
try:
    build_index(settings(folder, embed_batch=2), Models(embed=embed, embed_name="words-512"), shared=True)
except ArchivisteError as error:
    print(error.code)
"""


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(encoding, "LOOK_S", 0.05)


@pytest.fixture
def folder(tmp_path):
    posts = [post(n, f"Le message numéro {n} parle de la selle {n * 7}.", number=n) for n in range(1, 61)]
    save(tmp_path, [*forum()[:4], topic(1), *posts])
    return tmp_path


@pytest.fixture
def publisher(folder):
    """Starts another process that publishes, and waits until it encodes."""
    started = []

    def start(silence_s=60.0):
        child = subprocess.Popen(
            [sys.executable, "-c", PUBLISHER, str(folder), str(silence_s)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        started.append(child)
        until(lambda: (folder / "encodes").exists() or child.poll() is not None)
        assert child.poll() is None
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


def counting(calls, *, before=lambda: None):
    def embed(texts, role):
        before()
        calls.update(texts)
        return word_embed(texts, role)

    return Models(embed=embed, embed_name=MODEL)


def missing(folder):
    with closing(VectorStore(folder)) as store:
        return len(store.missing(MODEL))


# --- encoding together ------------------------------------------------------------------------


def test_a_publisher_and_an_encoder_encode_each_text_once(folder):
    mine, others, both = Counter(), Counter(), threading.Barrier(2, timeout=30)
    met = []

    def meet():  # each has claimed something before any of them encodes
        if len(met) < 2:
            met.append(True)
            both.wait()

    chosen = settings(folder, embed_batch=2)
    publishing_thread = threading.Thread(
        target=build_index, args=(chosen, counting(mine, before=meet)), kwargs={"shared": True}
    )
    publishing_thread.start()
    until(lambda: encoding_for(chosen) == (MODEL, 1))
    assert encode_along(chosen, counting(others, before=meet)) == others.total() > 0
    publishing_thread.join(60)
    assert set((mine + others).values()) == {1} and (mine + others).total() == 60
    assert generations.read_manifest(chosen).dense_posts == 60
    assert encoding_for(chosen) == (None, 0)
    assert not is_locked(chosen, WRITER_LOCK)
    assert list((folder / company.FOLDER).iterdir()) == []


def test_an_encoder_does_nothing_where_no_indexing_wants_vectors_of_its_model(folder):
    build_index(settings(folder), Models())
    assert encode_along(settings(folder), WORD_MODELS) == 0
    with closing(VectorStore(folder)) as store:
        claims.want(store, "un-autre")
    assert encode_along(settings(folder), WORD_MODELS) == 0


def test_an_encoder_that_is_stopped_gives_back_what_it_claimed(folder, publisher):
    child = publisher()
    calls = Counter()

    def stop():
        if calls:
            raise Cancelled

    with pytest.raises(Cancelled):
        encode_along(settings(folder, embed_batch=2), counting(calls), check=stop)
    assert 0 < calls.total() < 60
    (folder / "go").touch()
    assert child.communicate(timeout=60) == ("", None)
    assert missing(folder) == 0 and generations.read_manifest(settings(folder)).dense_posts == 60


def test_the_publisher_takes_over_what_a_dead_encoder_left(folder):
    build_index(settings(folder), Models())
    with closing(VectorStore(folder)) as store:
        keys = store.missing(MODEL)
        claims.sign(store, "mort", until=time.time() + 3600)  # its lock is held by nobody
        assert claims.claim(store, MODEL, keys, "mort", now=time.time()) == keys
    calls = Counter()
    build_index(settings(folder), counting(calls), shared=True)
    assert set(calls.values()) == {1} and calls.total() == 60
    assert missing(folder) == 0


def test_what_is_published_while_others_encode_is_of_one_moment(folder, monkeypatch):
    """An encoder keeps vectors between the two readings of a publication."""
    chosen = settings(folder, embed_batch=2)
    build, late = chroma.build, []
    monkeypatch.setattr(building, "BASE_S", 0)
    monkeypatch.setattr(building, "FIRST_SHARE", 0)

    def slow(place, count, batches, **options):
        if not late:
            late.append(count)
            encode_along(chosen, WORD_MODELS)
        return build(place, count, batches, **options)

    monkeypatch.setattr(chroma, "build", slow)
    build_index(chosen, WORD_MODELS, shared=True)
    assert late[0] < 60
    assert generations.read_manifest(chosen).dense_vectors == 60


def test_an_encoder_behind_whose_address_another_model_answers_keeps_nothing(folder):
    """The publisher keeps what its server answers to the probes; an encoder is held to it (decision 30)."""
    with serving() as right, serving() as wrong:
        wrong.embed = lambda texts, role: np.flip(word_embed(texts, role), axis=1)
        theirs, ours = (settings(folder, encoder_url=one.url, embed_batch=2) for one in (right, wrong))
        refused = []

        def helped(texts, role):
            if not refused:
                refused.append(None)
                with pytest.raises(ModelUnavailable) as caught:
                    encode_along(ours, load_models(ours))
                refused[0] = caught.value
            return word_embed(texts, role)

        build_index(theirs, Models(), shared=True)
        right.embed = word_embed
        models = load_models(theirs)
        with closing(VectorStore(folder)) as store:
            store.keep_probes(models.embed_name, models.elsewhere.probe())
        right.embed = helped
        build_index(theirs, models, shared=True)
    assert refused[0].code == "model_unavailable"
    assert generations.read_manifest(theirs).dense_posts == 60


# --- one publisher ----------------------------------------------------------------------------


def test_a_second_publisher_is_told_who_works_and_until_when(folder, publisher):
    child = publisher()
    with pytest.raises(StoreBusy) as busy:
        build_index(settings(folder), WORD_MODELS, shared=True)
    said = busy.value.details
    assert said["reason"] == "publisher" and str(child.pid) in said["holder"] and len(said["until"]) == 8
    with pytest.raises(StoreBusy) as alone:  # who knows of no company finds the lock of the data folder, as ever
        build_index(settings(folder), WORD_MODELS)
    assert alone.value.details["reason"] == "writing"


def test_an_import_under_way_is_not_taken_for_a_publisher(folder):
    with writing(settings(folder)), pytest.raises(StoreBusy) as busy:
        build_index(settings(folder), WORD_MODELS, shared=True)
    assert busy.value.details["reason"] == "writing"


def test_a_killed_publisher_is_replaced_at_once(folder, publisher):
    child = publisher()
    child.send_signal(signal.SIGKILL)
    child.wait()
    build_index(settings(folder), WORD_MODELS, shared=True)
    assert generations.read_manifest(settings(folder)).dense_posts == 60


@pytest.mark.skipif(os.name == "nt", reason="a lock file that is open can't be replaced there: the second one waits")
def test_a_publisher_that_hangs_is_replaced_and_publishes_no_more(folder, publisher):
    child = publisher(silence_s=1.0)
    child.send_signal(signal.SIGSTOP)

    def taken_over():
        try:
            build_index(settings(folder), WORD_MODELS, shared=True)
        except StoreBusy as busy:
            assert busy.details["reason"] == "publisher"
            return False
        return True

    until(taken_over, every_s=0.2)
    published = generations.current(settings(folder))
    assert generations.read_manifest(settings(folder)).dense_posts == 60
    (folder / "go").touch()
    child.send_signal(signal.SIGCONT)
    assert child.communicate(timeout=60) == ("publisher_replaced\n", None)
    assert generations.current(settings(folder)) == published and missing(folder) == 0
    assert not list((folder / "indexes").glob("*.building"))


def test_who_lost_its_place_publishes_nothing_and_says_so_whatever_failed(folder):
    chosen = settings(folder)
    build_index(chosen, WORD_MODELS, shared=True)
    published = generations.current(chosen)
    with joined(chosen) as other, pytest.raises(PublisherReplaced) as replaced, publishing(chosen) as first:
        with closing(VectorStore(folder)) as store:
            claims.publish_from_now(store, other.name)
        with pytest.raises(PublisherReplaced), first.alone():
            generations.folder_of(chosen, "CURRENT").write_text("jamais")
        raise FileNotFoundError("its draft was swept")
    assert replaced.value.details == {"holder": other.name}
    assert generations.current(chosen) == published


def test_a_publisher_replaced_while_it_writes_switches_neither_current_nor_aliases(folder, monkeypatch):
    chosen = settings(folder)
    build_index(chosen, Models(), shared=True)
    published, build, pointed = generations.current(chosen), chroma.build, []
    monkeypatch.setattr(building.milvus_tidying, "published", lambda *given: pointed.append(given))
    with joined(chosen) as other, closing(VectorStore(folder)) as store:

        def replaced(*given, **options):
            claims.publish_from_now(store, other.name)
            build(*given, **options)

        monkeypatch.setattr(chroma, "build", replaced)
        with pytest.raises(PublisherReplaced) as caught:
            build_index(chosen, WORD_MODELS, shared=True)
        assert caught.value.details == {"holder": other.name}
    assert generations.current(chosen) == published and pointed == [] and missing(folder) == 0


def test_a_member_that_lives_gives_signs(folder, monkeypatch):
    monkeypatch.setattr(company, "SIGN_S", 0.05)
    monkeypatch.setattr(company, "SILENCE_S", 0.5)
    with joined(settings(folder)) as member, closing(VectorStore(folder)) as store:
        first = claims.members(store)[member.name]
        until(lambda: claims.members(store)[member.name] > first + 0.5)
    with closing(VectorStore(folder)) as store:
        assert claims.members(store) == {}
