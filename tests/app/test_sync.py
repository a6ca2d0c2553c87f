"""The command `sync` against a forum on this machine: its report, its errors, its job, and where a key never goes."""

import logging
from contextlib import closing

import pytest

from app import cli, i18n, logs, running
from app.forum_key import forum_key
from app.job_states import Kind, State, Work
from app.jobs import Jobs
from app.messages import message
from app.sync import sync_lines
from engine import ForumUnavailable, ImportReport, OtherForum, SyncReport, UploadsReport, open_archive
from tests import factories
from tests.discourse_server import API_KEY, NOT_LOGGED_IN, Reply, Serving, page, small_forum
from tests.factories import WORD_MODELS, save, settings

QUICK = {"ARCHIVISTE_SYNC_INTERVAL_S": "0.3", "ARCHIVISTE_LOG_LEVEL": "debug"}


@pytest.fixture
def forum():
    return small_forum()


@pytest.fixture
def served(forum):
    with Serving(forum) as serving:
        yield serving


@pytest.fixture
def sync(served, tmp_path, capsys):
    """Runs the command in English: (status, stdout, stderr)."""

    def call(*argv, url=None):
        status = cli.run(["--data", str(tmp_path / "archive"), "--lang", "en", "sync", url or served.url, *argv], QUICK)
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    yield call
    i18n.use("fr")
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, logs._LogFile)]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(logging.WARNING)


def last_job(tmp_path):
    with closing(Jobs(tmp_path / "archive")) as jobs:
        return jobs.recent()[0]


def test_a_sync_reports_and_its_key_is_nowhere(forum, served, sync, tmp_path, monkeypatch):
    monkeypatch.setenv("DISCOURSE_API_KEY", API_KEY)
    monkeypatch.setenv("DISCOURSE_API_USERNAME", "zzname")
    status, out, err = sync()
    assert status == 0
    assert f"Up to date with {served.url}" in out
    assert "Messages added: 51" in out
    assert "Count: 55 messages announced in 3 topics, 51 in the archive, 0 missing" in out  # the team sees a whisper
    assert "Next: archiviste index" in out
    assert "Reading the topics" in err
    assert all(asked.headers.get("api-username") == "zzname" for asked in forum.asked if asked.path == "/posts.json")
    assert last_job(tmp_path).state is State.DONE
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"/t/100.json" in written  # the log says what was asked for
    for secret in (API_KEY, "zzname", "zzsecret"):
        assert secret.encode() not in written
        assert secret not in out + err


def test_what_is_kept_or_failed_is_told_and_is_no_success(forum, sync, tmp_path):
    forum.topics = {id: topic for id, topic in forum.topics.items() if id < 103}
    forum.posts = {id: post for id, post in forum.posts.items() if post["topic_id"] in (101, 102)}
    sync()
    forum.fail("/posts.json", Reply(200, b'{"latest_posts": []}'))
    forum.fail("/t/101.json", Reply(200, b'{"id": 101}'))
    status, out, err = sync()
    assert status == 1
    assert "The server failed to show 1 topic." in out
    assert "Part of this could not be read." in err
    assert last_job(tmp_path).state is State.PARTIAL


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NOT_LOGGED_IN, "only opens to its members"),
        (page(200), "There is no Discourse forum"),
        (Reply(301, b"", {"Location": "https://www.forum.exemple/site.json"}), "another address, www.forum.exemple"),
        (page(429, Retry_After="90000"), "asks to be left alone"),
    ],
)
def test_why_it_failed_is_told(forum, sync, tmp_path, answer, said):
    forum.fail("/site.json", answer)
    status, out, err = sync()
    assert (status, out) == (1, "")
    assert said in err
    assert last_job(tmp_path).state is State.FAILED


def test_an_update_from_the_forum_reads_it_then_indexes_with_the_key_of_the_environment(
    forum, served, tmp_path, monkeypatch
):
    monkeypatch.setenv("DISCOURSE_API_KEY", API_KEY)
    engine = settings(tmp_path / "archive", sync_interval_s=0.3)
    with closing(Jobs(engine.data)) as jobs:
        job = jobs.create(Work(Kind.UPDATE, (served.url,)))
        ended = running.run(jobs, job.id, engine, load=lambda _: WORD_MODELS)
    assert ended.state is State.DONE
    assert any(asked.headers.get("api-key") == API_KEY for asked in forum.asked)
    with open_archive(engine, WORD_MODELS) as archive:
        assert archive.agreement() and archive.status().lexical_posts == 51
    assert not any(API_KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_an_update_from_another_forum_leaves_the_archive_alone(forum, served, tmp_path):
    engine = settings(tmp_path / "archive", sync_interval_s=0.3)
    save(engine.data, factories.forum())
    with closing(Jobs(engine.data)) as jobs:
        job = jobs.create(Work(Kind.UPDATE, (served.url,)))
        with pytest.raises(OtherForum):
            running.run(jobs, job.id, engine, load=lambda _: WORD_MODELS)
        assert jobs.get(job.id).state is State.FAILED
    assert forum.asked == [] and not (engine.data / "indexes").exists()


def test_a_wrong_address_begins_nothing(sync, tmp_path):
    status, out, err = sync(url="https://alice:zzpassword@forum.exemple")
    assert (status, out) == (1, "")
    assert "not the address of a forum" in err
    assert "zzpassword" not in err
    assert not (tmp_path / "archive" / "app.db").exists()


@pytest.mark.parametrize(
    "reason",
    [
        *("address", "offline", "certificate", "failing", "garbled", "too_many", "not_discourse", "login_required"),
        *("key_refused", "redirected", "blocked", "younger"),
    ],
)
def test_every_reason_has_a_sentence_of_its_own(reason):
    i18n.use("en")
    facts = {"url": "https://forum.exemple", "host": "www.forum.exemple", "wait_s": 900.0, "path": "/posts.json"}
    said = message(ForumUnavailable(reason=reason, **facts))
    i18n.use("fr")
    assert said != message(ForumUnavailable(**facts))
    assert said.endswith(".") and "…" not in said and "forum" in said


def test_a_members_key_goes_before_one_of_the_api():
    environ = {"DISCOURSE_USER_API_KEY": " zzuser ", "DISCOURSE_API_KEY": "zzapi", "DISCOURSE_API_USERNAME": "alice"}
    assert forum_key(environ).headers() == {"User-Api-Key": "zzuser"}
    del environ["DISCOURSE_USER_API_KEY"]
    assert forum_key(environ).headers() == {"Api-Key": "zzapi", "Api-Username": "alice"}
    assert not forum_key({})


def test_the_report_names_what_needs_a_word():
    i18n.use("en")
    imported = ImportReport(True, 0, 0, 0, 0, 0, 0, {}, 0, (), 1.0)
    files = UploadsReport(fetched=1, held=2, held_bytes=3_000_000, absent=4, no_room=5, finished=False)
    report = SyncReport(imported, 10, 100, 90, 1, 7, 3, 30, 2, 50, 60.0, 120.0, files)
    joined = " ".join(" ".join(sync_lines(report, url="https://forum.exemple")).split())
    i18n.use("fr")
    for part in (
        "Topics that the forum doesn’t show any more: 3",
        "30 topics are not shown by the forum any more and were kept",
        "failed to show 2 topics",
        "Requests to the forum: 50",
        "Waited because the forum asked for it",
        "Images and files: 1 fetched, 2 in all",
        "that the forum doesn’t have: 4",
        "without room (“sync_uploads_mb”): 5",
        "The forum stopped answering",
    ):
        assert part in joined
