"""The HTTP client against a real server on this machine: what it asks, how it waits, what it refuses."""

import io
import threading
import time

import pytest

from engine.discourse import api
from engine.discourse.address import address
from engine.discourse.api import Forum, Gone, Key
from engine.discourse.pacing import Clock
from engine.errors import Cancelled, ForumUnavailable
from tests.discourse_server import FakeClock, FakeForum, Reply, Serving, page, refusal, reply

OK = reply({"good": True})


@pytest.fixture
def forum():
    return FakeForum()


@pytest.fixture
def served(forum):
    with Serving(forum) as serving:
        yield serving


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def client(served, clock):
    opened = []

    def make(**options):
        ticking = Clock(clock.monotonic, clock.sleep, clock.time)
        opened.append(Forum(address(served.url), **{"clock": ticking, **options}))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def reason(call, *arguments, **options):
    with pytest.raises(ForumUnavailable) as raised:
        call(*arguments, **options)
    return raised.value.details["reason"]


def test_a_document_comes_back_as_it_is(client, forum):
    forum.fail("/a.json", OK)
    assert client().get("/a.json", [("post_ids[]", 1), ("post_ids[]", 2)]) == {"good": True}
    assert forum.asked[0].query == {"post_ids[]": ["1", "2"]}


def test_it_says_who_asks_and_how_to_reach_them(client, forum):
    client(contact="alice@exemple.org").get("/x.json")
    headers = forum.asked[0].headers
    assert headers["user-agent"].startswith("Archiviste/") and headers["user-agent"].endswith("(+alice@exemple.org)")
    assert headers["accept"] == "application/json"
    assert not {"cookie", "authorization", "api-key", "user-api-key", "referer"} & set(headers)


@pytest.mark.parametrize("contact", [None, "abbot@exemple.org", "https://archives.exemple", "x\r\nApi-Key: 1"])
def test_it_never_passes_for_a_search_engine(client, forum, contact):
    client(contact=contact).get("/x.json")
    headers = forum.asked[0].headers
    assert not any(word in headers["user-agent"].lower() for word in api.CRAWLER_WORDS)
    assert "api-key" not in headers
    if contact and "\r" not in contact:
        assert headers["from"] == contact


def test_a_key_is_sent_and_never_shown(client, forum):
    key = Key(user_api_key="zzuserkey", api_key="zzapikey", api_username="alice")
    one = client(key=key)
    one.get("/x.json")
    one.get("/x.json", anonymous=True)
    with_key, without = (asked.headers for asked in forum.asked)
    assert (with_key["user-api-key"], with_key["api-key"], with_key["api-username"]) == (
        "zzuserkey",
        "zzapikey",
        "alice",
    )
    assert not {"api-key", "user-api-key", "api-username"} & set(without)
    assert "zz" not in repr(key) and "alice" not in repr(key)
    assert not Key()


def test_one_request_a_second_and_three_for_a_members_key(client, clock):
    one = client()
    for _ in range(4):
        one.get("/x.json")
    assert sum(clock.slept) == pytest.approx(3.0)
    clock.slept.clear()
    slow = client(key=Key(user_api_key="zzuserkey"))
    for _ in range(4):
        slow.get("/x.json")
    assert sum(clock.slept) == pytest.approx(9.3)


def test_the_rate_holds_in_real_time(client):
    one = client(clock=Clock(), interval_s=0.3)
    began = time.monotonic()
    for _ in range(4):
        one.get("/x.json")
    assert time.monotonic() - began >= 0.9


@pytest.mark.parametrize(
    ("refused", "gone"),
    [
        (refusal(404, "not_found"), Gone(404, "not_found")),
        (refusal(403, "invalid_access"), Gone(403, "invalid_access")),
        (refusal(410, "gone"), Gone(410, "gone")),
        (page(404), Gone(404)),
        (page(403, "[error: 'invalid access']"), Gone(403)),
        (Reply(410), Gone(410)),
        (reply(["x"], 404), Gone(404)),
    ],
)
def test_what_is_refused_for_good_is_asked_once(client, forum, refused, gone):
    forum.fail("/t/1.json", refused)
    assert client().get("/t/1.json") == gone
    assert len(forum.asked) == 1


TOO_MANY = reply(
    {"errors": ["Trop."], "error_type": "rate_limit", "extras": {"wait_seconds": 13}}, 429, Retry_After="7"
)


def test_it_waits_as_long_as_it_is_told(client, forum, clock):
    forum.fail("/x.json", TOO_MANY, page(429, Retry_After="20"), page(429, "Please retry again in 5 seconds."), OK)
    assert client().get("/x.json") == {"good": True}
    assert sum(clock.slept) == pytest.approx(13 + 20 + 5)


def test_it_slows_down_after_a_complaint(client, forum, clock):
    forum.fail("/x.json", TOO_MANY, OK, OK)
    one = client()
    one.get("/x.json")
    clock.slept.clear()
    one.get("/x.json")
    assert sum(clock.slept) == pytest.approx(1.5)


def test_it_gives_up_on_a_server_that_asks_for_hours(client, forum, clock):
    forum.fail("/x.json", page(429, Retry_After="86400"))
    with pytest.raises(ForumUnavailable) as raised:
        client().get("/x.json")
    assert (raised.value.details["reason"], raised.value.details["wait_s"]) == ("too_many", 86400)
    assert sum(clock.slept) == 0


def test_it_gives_up_after_complaints_without_end(client, forum):
    forum.fail("/x.json", *[page(429)] * 20)
    assert reason(client().get, "/x.json") == "too_many"
    assert len(forum.asked) == api.REFUSALS


@pytest.mark.parametrize(
    "trouble",
    [
        page(500), page(502), page(503, Retry_After="3"), Reply(200, b'{"a": [1, 2', {}), page(200), Reply(200, b"", {}),
        Reply(200, b'{"good": true}' + b" " * 100, {}, cut=9), reply([1]),
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again_with_growing_waits(client, forum, clock, trouble):
    one = client()
    forum.fail("/x.json", OK, trouble, trouble, OK)
    one.get("/x.json")
    clock.slept.clear()
    assert one.get("/x.json") == {"good": True}
    assert sum(clock.slept) == pytest.approx(1 + max(2, trouble.status == 503 and 3) + 4)


def test_a_server_that_always_fails_ends_in_an_error(client, forum):
    one = client()
    forum.fail("/x.json", OK, *[page(500)] * 20)
    one.get("/x.json")
    assert reason(one.get, "/x.json") == "failing"
    assert len(forum.asked) == 1 + api.TRIES
    forum.fail("/y.json", *[Reply(200, b"{")] * 20)
    assert reason(one.get, "/y.json") == "garbled"


def test_nobody_at_the_address_is_told_soon(clock):
    with Serving(FakeForum()) as serving:
        url = serving.url
    nobody = Forum(address(url), clock=Clock(clock.monotonic, clock.sleep, clock.time))
    assert reason(nobody.get, "/site.json") == "offline"
    assert sum(clock.slept) < 10
    nobody.close()


def test_another_site_is_not_a_forum(client, forum):
    forum.fail("/site.json", page(200))
    assert reason(client().get, "/site.json") == "not_discourse"
    assert len(forum.asked) == 1


def test_a_redirect_to_other_data_of_the_forum_is_followed(client, forum):
    forum.fail("/t/1.json", Reply(301, b"", {"Location": "/t/le-sujet/1.json"}))
    forum.fail("/t/le-sujet/1.json", OK)
    assert client().get("/t/1.json") == {"good": True}


@pytest.mark.parametrize(
    ("location", "gone"),
    [
        ("http://192.0.2.1/t/1.json", Gone(301, "elsewhere", "192.0.2.1")),
        ("//192.0.2.1/t/1.json", Gone(301, "elsewhere", "192.0.2.1")),
        ("https://127.0.0.1/t/1.json", Gone(301, "elsewhere", "127.0.0.1")),
        ("http://127.0.0.1:1/t/1.json", Gone(301, "elsewhere", "127.0.0.1")),
        ("file:///etc/passwd", Gone(301, "elsewhere", "")),
        ("/login", Gone(301, "not_logged_in")),
        ("/session/sso?return_path=/", Gone(301, "not_logged_in")),
        ("/t/sujet-login/12/3", Gone(301, "moved", topic_id=12)),
        ("/", Gone(301, "moved")),
        ("/t/1.json", Gone(301, "moved", topic_id=1)),
    ],
)
def test_any_other_redirect_is_a_refusal(client, forum, location, gone):
    forum.fail("/t/1.json", Reply(301, b"", {"Location": location}))
    assert client(key=Key(api_key="zzapikey")).get("/t/1.json") == gone
    assert len(forum.asked) == 1


def test_redirects_in_a_circle_end(client, forum):
    for _ in range(5):
        forum.fail("/t/1.json", Reply(302, b"", {"Location": "/t/a/1.json"}))
        forum.fail("/t/a/1.json", Reply(302, b"", {"Location": "/t/1.json"}))
    assert client().get("/t/1.json") == Gone(302, "moved")


def test_an_answer_without_end_is_cut(client, forum, monkeypatch):
    monkeypatch.setattr(api, "MAX_JSON_BYTES", 1000)
    forum.fail("/x.json", *[reply({"a": "x" * 2000})] * 3)
    assert reason(client().get, "/x.json") == "garbled"


def test_an_answer_that_drips_for_minutes_is_cut(served, forum):
    hours = FakeClock()

    def monotonic():
        hours.now += api.ANSWER_S + 1
        return hours.now

    forum.fail("/x.json", *[OK] * 3)
    slow = Forum(address(served.url), clock=Clock(monotonic, hours.sleep, hours.time))
    assert reason(slow.get, "/x.json") == "garbled"
    slow.close()


def test_a_work_is_given_up_while_the_server_does_not_answer(client, forum):
    answer = threading.Event()
    forum.on_request = lambda path: answer.wait(20)
    began = time.monotonic()

    def check():
        if forum.asked:
            raise Cancelled

    with pytest.raises(Cancelled):
        client(check=check).get("/x.json")
    assert time.monotonic() - began < 2
    answer.set()


def test_a_file_is_written_up_to_its_limit(client, forum):
    forum.uploads["/uploads/a.png"] = b"x" * 1000
    one = client(key=Key(api_key="zzapikey"))
    sink = io.BytesIO()
    assert one.download("/uploads/a.png", sink, max_bytes=1000) == 1000
    assert sink.getvalue() == b"x" * 1000
    assert one.download("/uploads/a.png", io.BytesIO(), max_bytes=999) is None
    assert one.download("/uploads/b.png", io.BytesIO(), max_bytes=999) == Gone(404, "not_found")
    assert "api-key" not in forum.asked[0].headers


def test_a_file_that_was_cut_is_written_again_from_its_start(client, forum):
    forum.uploads["/uploads/a.png"] = b"x" * 1000
    forum.fail("/uploads/a.png", Reply(200, b"y" * 1000, {}, cut=300), page(500))
    sink = io.BytesIO()
    assert client().download("/uploads/a.png", sink, max_bytes=5000) == 1000
    assert sink.getvalue() == b"x" * 1000
