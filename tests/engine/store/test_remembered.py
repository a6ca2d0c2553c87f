"""What is kept behind is never waited for twice, follows the archive, and is given up when the store closes."""

import threading

import pytest

from engine.store import remembered
from engine.store.remembered import Remembered
from tests.factories import ATELIER, SITE, forum, post, save, topic

PATIENCE_S = 20.0


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "AT_MOST_EVERY_S", 0.0)
    save(tmp_path, forum())
    return tmp_path / "archive.db"


@pytest.fixture
def db(file):
    opened = remembered.connect(file, remembered.ARCHIVE)
    yield opened
    opened.close()


def write(file):
    save(file.parent, [SITE, ATELIER, topic(5, "Un"), post(51, topic_id=5)], whole_forum=False, source="other")


def count(db):
    return db.execute("SELECT COUNT(*) FROM posts").fetchone()[0]


def test_after_a_change_the_known_value_is_given_until_a_thread_has_read_anew(file, db):
    asked, go_on = threading.Event(), threading.Event()

    def read(connection):
        if connection is not db:
            asked.set()
            assert go_on.wait(PATIENCE_S)
        return count(connection)

    kept = Remembered(file, read, behind=True)
    before = kept.get(db)
    write(file)
    assert kept.get(db) == before
    assert asked.wait(PATIENCE_S)
    assert kept.get(db) == before  # nor does this one wait, or start a second thread
    reading = kept._thread
    go_on.set()
    reading.join(PATIENCE_S)
    assert kept.get(db) == before + 1
    kept.close()


def test_a_reading_that_fails_leaves_what_was_known_and_is_tried_again(file, db):
    def read(connection):
        return count(connection) if connection is db else connection.execute("SELECT nothing FROM nowhere")

    kept = Remembered(file, read, behind=True)
    before = kept.get(db)
    write(file)
    for _ in range(2):
        assert kept.get(db) == before
        reading = kept._thread
        assert reading is not None
        reading.join(PATIENCE_S)
    kept.close()


def test_closing_gives_up_a_reading_under_way(file, db):
    started = threading.Event()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"

    def read(connection):
        if connection is db:
            return count(db)
        connection.set_progress_handler(started.set, 10_000)
        return connection.execute(endless).fetchone()

    kept = Remembered(file, read, behind=True)
    kept.get(db)
    write(file)
    kept.get(db)
    assert started.wait(PATIENCE_S)
    kept.close()
    assert kept._thread is None


def test_what_was_begun_is_waited_for_and_not_read_twice(file, db):
    readers = []

    def read(connection):
        readers.append(connection)
        return count(connection)

    kept = Remembered(file, read, behind=True)
    kept.begin()
    assert kept.get(db) == count(db)
    kept.begin()
    assert len(readers) == 1 and readers[0] is not db
    kept.close()


def test_closing_gives_up_what_was_begun(file):
    started = threading.Event()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"

    def read(connection):
        connection.set_progress_handler(started.set, 10_000)
        return connection.execute(endless).fetchone()

    kept = Remembered(file, read, behind=True)
    kept.begin()
    assert started.wait(PATIENCE_S)
    kept.close()
    assert kept._thread is None and kept._kept is None
