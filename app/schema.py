"""The schema of app.db, as plain functions applied in order; a released one is never edited."""

from __future__ import annotations

from typing import Final

from engine.store.database import Connection, Migration, statements


def app_1(db: Connection) -> None:
    """Times are seconds since 1970, UTC. `work` names what a job does; `wish` is what somebody asks of it."""
    statements(
        db,
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO meta VALUES
            ('queue_name', lower(hex(randomblob(8)))), ('queue_secret', lower(hex(randomblob(32))));
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, work TEXT NOT NULL, kind TEXT NOT NULL, arguments TEXT NOT NULL,
            state TEXT NOT NULL, wish TEXT NOT NULL DEFAULT '', stage TEXT NOT NULL DEFAULT '',
            done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, rate REAL NOT NULL DEFAULT 0,
            left_s REAL, item TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT '[]',
            crashes INTEGER NOT NULL DEFAULT 0, created_at REAL NOT NULL, started_at REAL, ended_at REAL,
            heartbeat_at REAL);
        CREATE UNIQUE INDEX jobs_once ON jobs (work)
            WHERE state IN ('waiting', 'running', 'paused', 'interrupted')
        """,
    )


def app_2(db: Connection) -> None:
    """The question log. `asked_at` is cut to the hour; `sources` is a JSON list of post ids; nothing says who asked."""
    statements(
        db,
        """
        CREATE TABLE questions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, asked_at INTEGER NOT NULL, question TEXT NOT NULL,
            search TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, zone TEXT NOT NULL, answerer TEXT NOT NULL,
            sources TEXT NOT NULL, good INTEGER, complaint TEXT NOT NULL DEFAULT '', comment TEXT NOT NULL DEFAULT '');
        CREATE INDEX questions_by_time ON questions (asked_at)
        """,
    )


def app_3(db: Connection) -> None:
    """Access. `hash` is Argon2's; `token` is the SHA-256 of the one that the browser holds."""
    statements(
        db,
        """
        CREATE TABLE passphrases (role TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
            address TEXT NOT NULL, created_at REAL NOT NULL, seen_at REAL NOT NULL, expires_at REAL NOT NULL)
        """,
    )


APP: Final[tuple[Migration, ...]] = (app_1, app_2, app_3)
