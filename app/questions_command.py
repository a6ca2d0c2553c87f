"""The command `questions`: shows the question log, what it leaves without answer, exports it, or erases it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import StoreError
from engine.index.french import analyser

from . import i18n, question_export, question_words
from .i18n import gettext as _
from .i18n import ngettext
from .output import DONE, print_json, print_lines, say
from .question_log import QuestionLog
from .question_values import Group, Logged
from .settings import Choices

Document = dict[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    """The options of the command, one of which at most says what to do."""
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument(
        "--unanswered", action="store_true", help=_("only those without a good answer, the same ones together")
    )
    doing.add_argument(
        "--export", type=Path, metavar="FILE", help=_("write a question file for evaluate (YAML), to be completed")
    )
    doing.add_argument("--forget", action="store_true", help=_("erase all questions of the log"))


def run(given: Namespace, choices: Choices) -> int:
    """Do what was asked of the log."""
    engine = choices.engine
    with closing(QuestionLog(engine.data, language=engine.language)) as log:
        if given.forget:
            return _forget(log, as_json=given.json)
        if given.export is not None:
            return _export(log, given.export, engine.language, as_json=given.json)
        if given.unanswered:
            groups = log.unanswered(limit=log.count())
            if given.json:
                print_json({"unanswered": [group_document(group) for group in groups]})
            else:
                print_lines(*(line for group in groups for line in question_words.group_lines(group)))
                _nothing(groups, choices)
            return DONE
        rows = log.everything()
    if given.json:
        print_json({"questions": [question_document(row) for row in rows]})
    else:
        print_lines(*(line for row in rows for line in question_words.question_lines(row)))
        _nothing(rows, choices)
    return DONE


def question_document(row: Logged) -> Document:
    """A question of the log in `questions --json`."""
    return {
        "id": row.id,
        "asked_at": row.asked_at.isoformat(timespec="hours"),
        "question": row.question,
        "search": row.search,
        "kind": row.outcome.value,
        "reason": row.reason,
        "zone": row.zone,
        "answerer": row.answerer,
        "sources": list(row.sources),
        "good": row.good,
        "complaint": row.complaint.value if row.complaint else None,
        "comment": row.comment,
    }


def group_document(group: Group) -> Document:
    """Questions that say the same in `questions --unanswered --json`."""
    return {
        "question": group.question,
        "times": group.times,
        "abstentions": group.abstentions,
        "weak": group.weak,
        "disliked": group.disliked,
        "last_asked_at": group.last.isoformat(timespec="hours"),
        "ids": [row.id for row in group.rows],
        "comments": [row.comment for row in group.rows if row.comment],
    }


def _nothing(found: object, choices: Choices) -> None:
    """Said where a list is empty, and where nothing is added to it any more."""
    if not found:
        print_lines(_("No question."))
    if not choices.app.question_log:
        say(_("The questions asked are not kept: the setting question_log says so."))


def _forget(log: QuestionLog, *, as_json: bool) -> int:
    count = log.forget_all()
    if as_json:
        print_json({"erased": count})
    else:
        print_lines(ngettext("{count} question erased.", "{count} questions erased.", count).format(
            count=i18n.number(count)
        ))  # fmt: skip
    return DONE


def _export(log: QuestionLog, path: Path, language: str, *, as_json: bool) -> int:
    from engine.evaluate.questions import write

    found = question_export.questions(log.everything(), analyser(language).words)
    try:
        write(path, found)
    except OSError as error:
        raise StoreError(path=str(path), reason=error.strerror or str(error)) from error
    if as_json:
        print_json({"written": str(path), "questions": len(found)})
    else:
        said = ngettext("{count} question written: {path}", "{count} questions written: {path}", len(found))
        print_lines(said.format(count=i18n.number(len(found)), path=path))
    return DONE
