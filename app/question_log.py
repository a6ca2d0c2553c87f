"""The questions asked of the archive, kept in app.db so that moderators see what it lacks; nothing of who asked.

A page records the outcome of a question with `QuestionLog.record`, and what its reader thought of it with `feedback`.
Moments are kept to the hour. What looks like an e-mail, a telephone number or an address of a machine is masked first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from engine import Abstention, AbstentionReason, Answer, Declined
from engine.index.french import analyser
from engine.store.database import Connection, Connections, transaction, translated

from .jobs import FILE
from .masking import masked
from .question_values import Complaint, Group, Logged, Outcome, grouped
from .schema import APP

COMMENT_CHARS: Final = 500
QUESTION_CHARS: Final = 1000
_HOUR_S: Final = 3600
_COLUMNS: Final = "id, asked_at, question, search, kind, reason, zone, answerer, sources, good, complaint, comment"


class QuestionLog:
    """An open log. Safe to use from several threads and processes; close it when done."""

    def __init__(self, data: Path, *, language: str = "fr") -> None:
        self.path = data / FILE
        self._words = analyser(language).words
        self._connections = Connections(self.path, APP)

    def close(self) -> None:
        """Close every thread's connection; the log can't be used afterwards."""
        self._connections.close()

    def record(self, outcome: Answer | Abstention | Declined, *, at: datetime | None = None) -> int:
        """Keep a question with what came of it; the number under which `feedback` finds it. `at` is now otherwise."""
        kind, reason, zone, answerer, sources = _told(outcome)
        row = (
            _hour(at or datetime.now(UTC)), masked(outcome.question[:QUESTION_CHARS]),
            masked(outcome.search[:QUESTION_CHARS]), kind, reason, zone, answerer, json.dumps(sources),
        )  # fmt: skip
        with self._writing() as db:
            (new,) = db.execute(
                """INSERT INTO questions (asked_at, question, search, kind, reason, zone, answerer, sources)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""",
                row,
            ).fetchone()
            return int(new)

    def feedback(self, question_id: int, good: bool, reason: Complaint | None = None, comment: str = "") -> bool:
        """Keep what a reader thinks of an outcome, in place of what was said before; False when it was forgotten."""
        with self._writing() as db:
            changed = db.execute(
                "UPDATE questions SET good = ?, complaint = ?, comment = ? WHERE id = ?",
                (good, reason or "", masked(" ".join(comment.split())[:COMMENT_CHARS]), question_id),
            )
            return changed.rowcount == 1

    def recent(self, limit: int = 100) -> tuple[Logged, ...]:
        """The questions asked last, the newest first."""
        return self._rows("1 ORDER BY id DESC LIMIT ?", limit)

    def everything(self) -> tuple[Logged, ...]:
        """All questions, the oldest first."""
        return self._rows("1 ORDER BY id")

    def count(self) -> int:
        """How many questions are kept."""
        with translated(self.path):
            return int(self._connections.get().execute("SELECT COUNT(*) FROM questions").fetchone()[0])

    def not_answered(self) -> tuple[Logged, ...]:
        """The questions that `Logged.unanswered` speaks of, the oldest first; empty messages aside."""
        rows = self._rows("(kind = 'abstention' OR zone = 'weak' OR good = 0) AND question <> '' ORDER BY id")
        return tuple(row for row in rows if row.unanswered and row.reason != AbstentionReason.QUESTION_EMPTY)

    def unanswered(self, limit: int = 50) -> tuple[Group, ...]:
        """These questions, those that say the same together, the most asked first."""
        return grouped(self.not_answered(), self._words)[:limit]

    def forget_all(self) -> int:
        """Erase every question from the file, not only from the lists; how many there were."""
        return self._erase("1")

    def forget_older(self, days: int) -> int:
        """Erase the questions asked more than so many days ago; how many there were."""
        return self._erase("asked_at < ?", _hour(datetime.now(UTC) - timedelta(days=days)))

    def _rows(self, condition: str, *values: object) -> tuple[Logged, ...]:
        with translated(self.path):
            found = self._connections.get().execute(f"SELECT {_COLUMNS} FROM questions WHERE {condition}", values)
            return tuple(map(_logged, found))

    def _erase(self, condition: str, *values: object) -> int:
        db = self._connections.get()
        with translated(self.path):
            db.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten
        with self._writing():
            erased = db.execute(f"DELETE FROM questions WHERE {condition}", values).rowcount
        if erased:
            with translated(self.path):
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # nor does it stay in the journal
        return erased

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        db = self._connections.get()
        with transaction(db, self.path):
            yield db


def _told(outcome: Answer | Abstention | Declined) -> tuple[Outcome, str, str, str, Sequence[int]]:
    """(kind, reason, zone, answerer, cited posts) of an outcome."""
    match outcome:
        case Answer():
            cited = list(dict.fromkeys(citation.post_id for citation in outcome.citations))
            return Outcome.ANSWER, "", outcome.zone, outcome.answerer, cited
        case Abstention():
            return Outcome.ABSTENTION, outcome.reason, outcome.zone, outcome.answerer, []
        case Declined():
            return Outcome.DECLINED, outcome.rule, "", "", []


def _logged(row: Sequence[Any]) -> Logged:
    return Logged(
        id=row[0], asked_at=datetime.fromtimestamp(row[1], UTC), question=row[2], search=row[3],
        outcome=Outcome(row[4]), reason=row[5], zone=row[6], answerer=row[7], sources=tuple(json.loads(row[8])),
        good=None if row[9] is None else bool(row[9]), complaint=Complaint(row[10]) if row[10] else None,
        comment=row[11],
    )  # fmt: skip


def _hour(moment: datetime) -> int:
    return int(moment.timestamp()) // _HOUR_S * _HOUR_S
