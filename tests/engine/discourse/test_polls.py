"""Votes of polls come into the post when everyone may see them, and never who voted."""

import pytest

from engine.discourse import public_json
from engine.discourse.cooked import parse
from engine.discourse.dump import read_dump
from engine.discourse.json_post import read_post
from engine.discourse.polls import votes_in, with_votes
from engine.sources import Flaw, Post

OPTIONS = '<li data-poll-option-id="aa">Oui</li><li class="x" data-poll-option-id="bb">Non</li><li>Autre</li>'
POLL = f'<div class="poll"><ul>{OPTIONS}</ul></div>'


def shown(count):
    return f'<span class="poll-votes" data-votes="{count}"></span>'


def test_each_option_gets_its_votes_and_the_words_stay_the_same():
    told = with_votes(POLL, {"aa": 3, "bb": 0, "zz": 9})
    assert told == POLL.replace("Oui", f"{shown(3)}Oui").replace("Non", f"{shown(0)}Non")
    assert parse(told).text == parse(POLL).text
    assert with_votes(POLL, {}) == POLL and with_votes("<p>x</p>", {"aa": 1}) == "<p>x</p>"


def test_json_tells_votes_and_a_sync_keeps_them_without_the_voters(make):
    poll = {"options": [{"id": "aa", "votes": 24, "html": "Oui"}, {"id": "bb"}], "preloaded_voters": {"aa": ["zzeve"]}}
    record = make["post"](1, cooked=POLL, polls=[poll, {"options": [{"id": "cc", "votes": -1}]}, "odd"])
    assert votes_in(record) == {"aa": 24}
    kept = public_json.post(record)
    assert "zzeve" not in repr(kept) and read_post(kept, 100) == read_post(record, 100)
    assert shown(24) in read_post(record, 100).cooked


@pytest.mark.parametrize(
    ("results", "status", "told"),
    [(0, 0, True), (0, 1, True), (2, 1, True), (2, 0, False), (1, 1, False), (3, 1, False)],
)
def test_a_dump_tells_the_votes_that_everyone_may_see(forum, write_dump, results, status, told):
    forum.tables["posts"][0]["cooked"] = POLL
    forum.tables["posts"][1]["cooked"] = POLL  # the same words have the same id in another poll
    forum.tables["polls"] = [
        {"id": 5, "post_id": 1, "name": "poll", "status": status, "results": results},
        {"id": 6, "post_id": 2, "name": "poll", "status": 0, "results": 0},
    ]
    forum.tables["poll_options"] = [
        {"id": 50, "poll_id": 5, "digest": "aa", "html": "Oui", "anonymous_votes": 2}, {"id": 51, "poll_id": 5, "digest": "bb"},
        {"id": 60, "poll_id": 6, "digest": "aa"}, {"id": 70, "poll_id": 404, "digest": "aa"}, {"id": 71, "digest": "aa"},
    ]  # fmt: skip
    forum.tables["poll_votes"] = [{"poll_id": 5, "poll_option_id": 50, "user_id": n} for n in (10, 11)]
    found = list(read_dump(write_dump(forum.sql()), check=lambda: None))
    posts = {item.id: item.cooked for item in found if isinstance(item, Post)}
    assert posts[1] == (with_votes(POLL, {"aa": 4, "bb": 0}) if told else POLL)
    assert posts[2] == with_votes(POLL, {"aa": 0})
    assert not [item for item in found if isinstance(item, Flaw)]
