"""Three real replicas behind the real nginx: one dies under load, a new snapshot reaches all, sessions survive."""

import time

import pytest

from app import snapshots
from engine import Models, build_index, snapshot
from tests.app.access.visitor import HTML, MODERATOR, READER, Visitor, event, heard
from tests.app.job_sources import until
from tests.app.replica.deployment import deployed
from tests.app.replica.readers import GENERATION, SEARCH, marked, reading
from tests.factories import SITE, save, settings

pytestmark = pytest.mark.several

CLIENTS = 4


def publish(world, generation):
    """Messages of another generation, indexed and published as the worker does; when it was."""
    choices = world.choices()
    save(choices.engine.data, [SITE, *marked(generation)])
    build_index(choices.engine, Models())
    assert snapshots.publish(choices.app, choices.engine, choices.app.snapshots) is not None
    return time.time()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replicas")
    data = folder / "primary"
    save(data, [SITE, *marked(1)])
    build_index(settings(data), Models())
    snapshot.publish(settings(data), folder / "snapshots")
    with deployed(data, folder) as found:
        yield found


@pytest.fixture(scope="module")
def token(world):
    visitor = Visitor(world.replicas[2].url)
    assert visitor.enter(READER).status_code == 303
    return visitor.token


def came_in(url, token):
    visitor = Visitor(url)
    visitor.http.cookies.set("archiviste", token)
    return visitor


def test_a_session_opened_at_one_is_a_session_at_all(world, token):
    for server in (world.primary, *world.replicas):
        answer = came_in(server.url, token).http.get(SEARCH, headers=HTML)
        assert answer.status_code == 200 and set(GENERATION.findall(answer.text)) == {"1"}
    assert came_in(world.replicas[0].url, "autre").http.get(SEARCH, headers=HTML).status_code == 303
    through = Visitor(world.url)
    assert through.enter(READER).status_code == 303
    assert came_in(world.replicas[1].url, through.token).http.get(SEARCH, headers=HTML).status_code == 200


def test_a_page_and_its_websocket_reach_the_same_process(world, token):
    for _reader in range(4):
        visitor = came_in(world.url, token)
        visitor.open("/")  # which gives a place
        page, events = visitor.listeners("/")
        with visitor.socket(page) as line:
            for one in events:
                line.send(event("event", one))
            assert any("update" in said for said in heard(line, within_s=20, patience_s=20))


def test_moderators_are_led_to_the_primary(world):
    visitor = Visitor(world.url)
    assert visitor.enter(MODERATOR, "/archive").status_code == 303
    assert visitor.open("/archive/importer")[0] == 200
    assert visitor.http.cookies["archiviste_place"] == "primary"
    direct = came_in(world.replicas[0].url, visitor.token)
    assert direct.open("/archive/importer")[0] == 200
    assert world.primary.url in direct.page and world.primary.url not in visitor.page


def test_nobody_has_the_snapshots_without_the_secret(world, token):
    visitor = came_in(world.primary.url, token)
    assert visitor.http.get("/instantane/CURRENT").status_code == 404
    assert visitor.http.get("/instantane/CURRENT", headers={"Authorization": "Bearer x"}).status_code == 404
    for path in ("instantane/CURRENT", "pret", "metrics"):
        assert visitor.http.get(f"{world.url}/{path}").status_code == 404


def test_a_replica_killed_under_load_fails_nobody_else(world, token):
    killed = world.replicas[1]
    with reading(world.url, token, CLIENTS) as readers:
        until(lambda: len(readers.requests) > 4 * CLIENTS)
        at = time.time()
        killed.kill()
        until(lambda: len(readers.since(at)) > 6 * CLIENTS)
    failed = [request for request in readers.requests if request.failed]
    assert all(request.at < at for request in failed) and len(failed) <= CLIENTS
    killed.start()
    until(killed.is_ready, within_s=90)
    assert came_in(killed.url, token).http.get(SEARCH, headers=HTML).status_code == 200


def test_a_new_snapshot_reaches_all_within_a_minute_and_no_answer_mixes_two(world, token):
    with reading(world.url, token, CLIENTS) as readers:
        published = publish(world, 2)
        for server in world.replicas:
            visitor = came_in(server.url, token)
            until(lambda visitor=visitor: "génération 2z" in visitor.http.get(SEARCH, headers=HTML).text)
        assert time.time() - published < 60
        until(lambda: len(readers.since(published + 1)) > CLIENTS)
    assert readers.requests and not [request for request in readers.requests if request.failed]
    assert {request.generations for request in readers.requests} <= {frozenset(), frozenset({1}), frozenset({2})}
