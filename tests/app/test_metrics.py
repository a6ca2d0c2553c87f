"""What Prometheus reads: figures that move with what happens, and labels that nobody but us fills."""

import builtins
import shutil
import sys
import tempfile
import uuid
from pathlib import Path

import pytest
from nicegui import core
from nicegui.storage import Storage
from prometheus_client.parser import text_string_to_metric_families

from app import beside, health, metrics
from app.job_states import Kind, Work
from app.jobs import Jobs
from app.metrics import Metrics
from app.settings import AppSettings
from app.state import State
from engine import Abstention, AbstentionReason, Declined, Mode, SettingsError, Zone, build_index, build_settings
from engine.exploring import explore
from tests.app.access import inside
from tests.app.access.inside import ask
from tests.app.access.visitor import MODERATOR
from tests.factories import WORD_MODELS, forum, save

pytestmark = pytest.mark.several

ASKER = "192.0.2.9"  # of `inside.ask`
PRIVATE = ("secret-question", "alice-la-membre", MODERATOR)


@pytest.fixture(scope="module", autouse=True)
def storage():
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    made = build_settings(tmp_path_factory.mktemp("metrics"))
    save(made.data, forum())
    build_index(made, WORD_MODELS)
    return made


@pytest.fixture
def state(settings):
    opened = State(AppSettings(metrics_from=f"{ASKER}, 10.0.0.0/8"), settings, models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
def kept(state):
    health.register(state)
    return Metrics(state)


def parsed(text):
    """name and labels → value, of everything that is told."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(kept):
    answer = await kept.show(ASKER)
    return parsed(answer.body.decode())


async def test_searches_and_their_stages_are_counted(state, kept):
    state.archive.search("freins")
    state.archive.search("freins", mode=Mode.BM25)
    explore(state.archive, "freins")
    list(state.archive.ask("Comment régler mes freins ?"))
    told = await scraped(kept)
    assert told["archiviste_searches_total", ("mode", "hybrid")] == 3
    assert told["archiviste_searches_total", ("mode", "bm25")] == 1
    for stage, times in (("lexical", 4), ("dense", 3), ("fusion", 4), ("evidence", 1), ("present", 3)):
        assert told["archiviste_stage_duration_seconds_count", ("stage", stage)] == times, stage
        assert told["archiviste_stage_duration_seconds_sum", ("stage", stage)] >= 0


async def test_answers_are_counted_by_zone_and_those_that_are_none_as_well(state, kept):
    (outcome,) = [event for event in state.archive.ask("Comment régler mes freins ?") if hasattr(event, "timings_ms")]
    state.on_answer(outcome, 1.5)
    state.on_answer(
        Abstention("?", Zone.EMPTY, "llm", AbstentionReason.NO_EVIDENCE, timings_ms={"first_token": 9.0}), 1
    )
    state.on_answer(Declined("?", "greeting", "…"), 0.1)
    state.on_answer(None, 3.0)
    told = await scraped(kept)
    for kind, zone, writer in (
        ("answer", outcome.zone.value, "extractive"), ("abstention", "empty", "llm"), ("declined", "", ""),
        ("none", "", ""),
    ):  # fmt: skip
        labels = ("answerer", writer), ("outcome", kind), ("zone", zone)
        assert told["archiviste_answers_total", *labels] == 1, kind
    assert told["archiviste_answer_duration_seconds_sum",] == 2.5
    assert told["archiviste_stage_duration_seconds_count", ("stage", "first_token")] == 1


async def test_a_stage_that_nobody_named_is_another(kept):
    kept.searched(Mode.HYBRID, {f"stage-{n}": 1.0 for n in range(50)})
    told = await scraped(kept)
    stages = {key[1][1] for key in told if key[0] == "archiviste_stage_duration_seconds_count"}
    assert stages == {metrics.OTHER}


async def test_questions_jobs_coverage_and_ages_are_those_of_the_moment(state, kept):
    mark = state.under_way.begin()
    with_jobs = Jobs(state.engine.data)
    job = with_jobs.create(Work(Kind.IMPORT, ("/sauvegardes/forum.tar.gz",)))
    told = await scraped(kept)
    with_jobs.cancel(job.id)
    with_jobs.close()
    state.under_way.end(mark)
    status = state.archive.status()
    assert (told["archiviste_questions_under_way",], told["archiviste_questions_waiting",]) == (1, 1)
    assert told["archiviste_jobs", ("state", "waiting")] == told["archiviste_queue_length",] == 1
    assert told["archiviste_jobs", ("state", "running")] == 0
    assert told["archiviste_posts",] == status.posts > 0
    assert told["archiviste_lexical_posts",] == status.lexical_posts
    assert told["archiviste_dense_posts",] == status.dense_posts
    assert told["archiviste_dense_coverage_ratio",] == pytest.approx(status.dense_coverage)
    assert 0 <= told["archiviste_generation_age_seconds",] < 600
    assert told["process_resident_memory_bytes",] > 0 and told["archiviste_stopping",] == 0
    after = await scraped(kept)
    assert after["archiviste_questions_under_way",] == 0 and after["archiviste_queue_length",] == 0


async def test_an_archive_that_cannot_be_read_hides_no_other_figure(settings, tmp_path):
    shutil.copytree(settings.data, tmp_path / "data")
    opened = State(AppSettings(metrics_from=ASKER), build_settings(tmp_path / "data"), models=WORD_MODELS)
    opened.archive.store.close()
    for one in (tmp_path / "data").glob("archive.db*"):
        one.write_bytes(b"no database" * 1000)
    told = await scraped(Metrics(opened))
    opened.close()
    assert ("archiviste_questions_under_way",) in told and ("archiviste_queue_length",) in told
    assert ("archiviste_posts",) not in told


async def test_what_is_asked_is_counted_by_route_and_nothing_of_it_is_told(state, kept):
    """Paths, questions, names, tokens and methods that a visitor invents: none becomes a label."""
    async with inside.served(state, around=kept.measured):
        for n in range(30):
            await ask(f"/demander?q={PRIVATE[0]}-{n}")
            await ask(f"/t/{PRIVATE[1]}/{n}/1")
            await ask(f"/u/{PRIVATE[1]}{n}")
            await ask(f"/{PRIVATE[0]}/{n}")
            await ask(f"/_nicegui/auto/static/{uuid.uuid4().hex}/f.csv")
            await ask("/", f"ODD{n}")
        await ask("/entrer", "POST", data={"phrase": MODERATOR, "vers": "/"})
        answer = await ask("/metrics")
        assert (await ask("/sante")).status_code == 200
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain")
    assert not [word for word in PRIVATE if word in answer.text]
    told = parsed(answer.text)
    requests = {key: value for key, value in told.items() if key[0] == "archiviste_http_requests_total"}
    by_route = {}
    for key, value in requests.items():
        labels = dict(key[1:])
        by_route[labels["route"]] = by_route.get(labels["route"], 0) + value
        assert labels["method"] in metrics.METHODS | {metrics.OTHER} and labels["status"].isdigit()
    assert by_route["/demander"] == 30 and by_route["/u/{name}"] == 30
    assert len(by_route) < 12 and all("-" not in route for route in by_route), by_route
    assert told["archiviste_http_request_duration_seconds_count", ("route", "/demander")] == 30


@pytest.mark.parametrize(
    ("address", "seen"),
    [("192.0.2.9", True), ("10.9.8.7", True), ("192.0.2.10", False), ("::1", False), ("", False), ("moi", False)],
)
async def test_only_those_that_were_named_read_it(kept, address, seen):
    assert (await kept.show(address) is not None) is seen


async def test_without_the_setting_there_is_nothing_to_read(settings):
    state = State(AppSettings(), settings, models=WORD_MODELS)
    try:
        async with inside.served(state):
            health.register(state)
            assert (await ask("/metrics")).status_code == 404
    finally:
        state.close()


def test_a_missing_library_is_told(state, monkeypatch):
    found = builtins.__import__

    def without(name, *rest):
        if name.startswith("prometheus_client"):
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.delitem(sys.modules, "app.metrics")
    monkeypatch.delattr("app.metrics", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError) as refused:
        beside._measured(state)
    assert refused.value.details["reason"] == "metrics_library"
