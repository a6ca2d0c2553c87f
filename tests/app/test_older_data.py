"""A newer version opens the data folder of an older one, from the first schema of each file on; never the reverse."""

import sqlite3
from contextlib import closing

import pytest

from app.schema import APP
from engine import SchemaTooNew
from engine.store.database import connect
from engine.store.schema import ARCHIVE, VECTORS

FILES = [pytest.param(ARCHIVE, id="archive.db"), pytest.param(VECTORS, id="vectors.db"), pytest.param(APP, id="app.db")]


def tables(db):
    found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
    return [name for (name,) in found]


def shape(db):
    """Every table with its columns and every index, whatever way they came about."""
    columns = {name: db.execute(f"PRAGMA table_info({name})").fetchall() for name in tables(db)}
    indexes = db.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' ORDER BY 1, 2").fetchall()
    return {name: [column[1:] for column in found] for name, found in columns.items()}, indexes


def fill(db):
    """One more row in each table: what each column's type can hold."""
    for name in tables(db):
        columns = db.execute(f"PRAGMA table_info({name})").fetchall()
        values = {"INTEGER": 7, "TEXT": "[]", "BLOB": b"\0\0", "REAL": 1.5}
        row = [values[kind] for _, _, kind, _, _, _ in columns]
        db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)


def counts(db):
    return {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables(db)}


@pytest.mark.parametrize("migrations", FILES)
def test_every_older_file_becomes_what_a_new_one_is_and_keeps_its_rows(migrations, tmp_path):
    with closing(connect(tmp_path / "new.db", migrations)) as db:
        wanted = shape(db)
    for version in range(1, len(migrations) + 1):
        path = tmp_path / f"version-{version}.db"
        with closing(connect(path, migrations[:version])) as db:
            fill(db)
            before = counts(db)
        with closing(connect(path, migrations)) as db:
            assert shape(db) == wanted
            after = counts(db)
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("migrations", FILES)
def test_an_older_version_refuses_a_newer_file_and_leaves_it_alone(migrations, tmp_path):
    path = tmp_path / "newer.db"
    with closing(connect(path, (*migrations, lambda db: db.execute("CREATE TABLE later (id INTEGER)")))) as db:
        db.execute("INSERT INTO later VALUES (1)")
    with pytest.raises(SchemaTooNew) as refused:
        connect(path, migrations)
    assert refused.value.details["found"] == len(migrations) + 1
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT * FROM later").fetchall() == [(1,)]
