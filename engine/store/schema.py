"""The schema of archive.db and vectors.db, as plain functions applied in order.

A released function is never edited; a change is a new function at the end.
"""

from __future__ import annotations

import sqlite3

from .database import statements


def archive_1(db: sqlite3.Connection) -> None:
    """Times are seconds since 1970, UTC. Only public things ever enter these tables."""
    statements(
        db,
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE categories (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, parent_id INTEGER,
            color TEXT NOT NULL, position INTEGER NOT NULL, description TEXT NOT NULL);
        CREATE TABLE topics (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, slug TEXT NOT NULL, category_id INTEGER,
            created_at INTEGER NOT NULL, last_posted_at INTEGER NOT NULL, tags TEXT NOT NULL,
            views INTEGER NOT NULL, likes INTEGER NOT NULL, closed INTEGER NOT NULL,
            archived INTEGER NOT NULL, pinned INTEGER NOT NULL, accepted_post_id INTEGER);
        CREATE INDEX topics_category ON topics (category_id);
        CREATE TABLE topic_tags (
            tag TEXT NOT NULL, topic_id INTEGER NOT NULL, PRIMARY KEY (tag, topic_id)) WITHOUT ROWID;
        CREATE INDEX topic_tags_topic ON topic_tags (topic_id);
        CREATE TABLE users (username TEXT PRIMARY KEY, display_name TEXT NOT NULL, user_id INTEGER) WITHOUT ROWID;
        CREATE TABLE posts (
            id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, post_number INTEGER NOT NULL,
            username TEXT NOT NULL, post_type INTEGER NOT NULL, created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL, reply_to INTEGER, likes INTEGER NOT NULL,
            useful_chars INTEGER NOT NULL, digest BLOB NOT NULL,
            text TEXT NOT NULL, code TEXT NOT NULL, spoilers TEXT NOT NULL, cooked TEXT NOT NULL);
        CREATE INDEX posts_topic ON posts (topic_id, post_number);
        CREATE INDEX posts_author ON posts (username);
        CREATE INDEX posts_created ON posts (created_at);
        CREATE TABLE uploads (
            post_id INTEGER NOT NULL, url TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (post_id, url)) WITHOUT ROWID;
        CREATE TABLE ledger (
            topic_id INTEGER PRIMARY KEY, expected INTEGER NOT NULL, held INTEGER NOT NULL,
            missing INTEGER NOT NULL, deleted INTEGER NOT NULL);
        CREATE TABLE imports (
            id INTEGER PRIMARY KEY, source TEXT NOT NULL, kind TEXT NOT NULL, started_at INTEGER NOT NULL,
            ended_at INTEGER, state TEXT NOT NULL, report TEXT NOT NULL)
        """,
    )


def archive_2(db: sqlite3.Connection) -> None:
    """One index that holds all that lists and counts ask of a post, in place of the one that holds its topic."""
    statements(
        db,
        """
        DROP INDEX posts_topic;
        CREATE INDEX posts_facts ON posts (topic_id, post_number, created_at, likes, username)
        """,
    )


def archive_3(db: sqlite3.Connection) -> None:
    """Files of posts that are kept, by the address that posts show them under; where posts stood; when revised."""
    statements(
        db,
        """
        CREATE TABLE files (
            url TEXT PRIMARY KEY, stored TEXT NOT NULL, bytes INTEGER NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX files_stored ON files (stored);
        CREATE TABLE moved (
            topic_id INTEGER NOT NULL, post_number INTEGER NOT NULL, post_id INTEGER NOT NULL,
            PRIMARY KEY (topic_id, post_number)) WITHOUT ROWID;
        CREATE INDEX moved_post ON moved (post_id);
        ALTER TABLE posts ADD COLUMN revised_at INTEGER
        """,
    )


def vectors_1(db: sqlite3.Connection) -> None:
    """Vectors by model and by hash of the embedded text, and which texts each post is made of."""
    statements(
        db,
        """
        CREATE TABLE vectors (
            model TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, key)) WITHOUT ROWID;
        CREATE TABLE passages (
            post_id INTEGER NOT NULL, n INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (post_id, n)) WITHOUT ROWID;
        CREATE INDEX passages_key ON passages (key)
        """,
    )


def vectors_2(db: sqlite3.Connection) -> None:
    """Vectors as they came, and an index of keys alone: which texts have one is told without reading any vector."""
    statements(
        db,
        """
        CREATE TABLE kept (id INTEGER PRIMARY KEY, model TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL);
        INSERT INTO kept (model, key, vector) SELECT model, key, vector FROM vectors;
        DROP TABLE vectors;
        ALTER TABLE kept RENAME TO vectors;
        CREATE UNIQUE INDEX vectors_key ON vectors (key, model);
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID
        """,
    )


def vectors_3(db: sqlite3.Connection) -> None:
    """Who works here at once: until when each counts as alive (seconds since 1970), and the texts it has claimed."""
    statements(
        db,
        """
        CREATE TABLE members (name TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE claims (
            key BLOB NOT NULL, model TEXT NOT NULL, holder TEXT NOT NULL, PRIMARY KEY (key, model)) WITHOUT ROWID
        """,
    )


ARCHIVE = (archive_1, archive_2, archive_3)
VECTORS = (vectors_1, vectors_2, vectors_3)
