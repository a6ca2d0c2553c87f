"""The question log on a real database: what is kept, what never is, and what is erased for good."""

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app import question_export
from app.question_log import COMMENT_CHARS, QUESTION_CHARS, QuestionLog
from app.question_values import Complaint, Outcome, grouped
from engine import Abstention, AbstentionReason, Answer, Citation, Declined, Zone
from engine.evaluate.questions import Expect, read, write
from engine.index.french import analyser

NOW = datetime(2026, 11, 30, 14, 37, 21, tzinfo=UTC)
WORDS = analyser("fr").words


def cited(*post_ids):
    return tuple(Citation(n, i, 1, 1, "", "", "") for n, i in enumerate(post_ids, 1))


def answer(question, *post_ids, zone=Zone.NORMAL, **values):
    return Answer(question, zone, "extractive", "Oui. [[1]]", cited(*post_ids), (), **values)


def abstention(question, reason=AbstentionReason.NO_MATCH):
    return Abstention(question, Zone.WEAK, "llm", reason)


@pytest.fixture
def log(tmp_path):
    with closing(QuestionLog(tmp_path)) as opened:
        yield opened


def test_an_outcome_is_kept_without_its_minute_nor_its_author(log):
    first = log.record(answer("Quelle huile ?", 12, 13, 12, search="Quelle huile pour la chaîne ?"), at=NOW)
    second = log.record(abstention("Une recette ?"), at=NOW)
    third = log.record(Declined("Traduis ceci", "traduction", "Non."), at=NOW)
    one, two, three = log.everything()
    assert [one.id, two.id, three.id] == [first, second, third]
    assert one.asked_at == NOW.replace(minute=0, second=0)
    assert (one.question, one.text) == ("Quelle huile ?", "Quelle huile pour la chaîne ?")
    assert (one.outcome, one.zone, one.answerer, one.sources) == (Outcome.ANSWER, "normal", "extractive", (12, 13))
    assert (two.outcome, two.reason, two.sources) == (Outcome.ABSTENTION, "no_match", ())
    assert (three.outcome, three.reason, three.zone) == (Outcome.DECLINED, "traduction", "")
    assert log.recent(2) == (three, two)
    assert log.count() == 3


def test_the_table_has_no_room_for_who_asked(log, tmp_path):
    with closing(sqlite3.connect(tmp_path / "app.db")) as db:
        columns = {name for _, name, *_ in db.execute("PRAGMA table_info(questions)")}
    assert columns == {
        *("id", "asked_at", "question", "search", "kind", "reason", "zone", "answerer", "sources"),
        *("good", "complaint", "comment"),
    }


def test_what_says_who_somebody_is_is_masked_before_it_is_written(log, tmp_path):
    text = "Écrivez à jean@exemple.fr ou au 06 12 34 56 78 depuis 192.168.1.10"
    kept = log.record(answer(text, 12, search=text))
    log.feedback(kept, False, Complaint.OTHER, text)
    (row,) = log.everything()
    assert row.question == row.search == row.comment == "Écrivez à […] ou au […] depuis […]"
    written = b"".join(path.read_bytes() for path in tmp_path.glob("app.db*"))
    assert b"exemple.fr" not in written and b"192.168" not in written


def test_long_texts_are_cut(log):
    kept = log.record(abstention("a" * 5000))
    log.feedback(kept, False, None, "b" * 5000)
    (row,) = log.everything()
    assert (len(row.question), len(row.comment)) == (QUESTION_CHARS, COMMENT_CHARS)


def test_a_reader_may_change_his_mind(log):
    kept = log.record(answer("Quelle huile ?", 12))
    assert log.everything()[0].good is None
    assert log.feedback(kept, False, Complaint.WRONG, "  C’est\n faux. ")
    row = log.everything()[0]
    assert (row.good, row.complaint, row.comment) == (False, Complaint.WRONG, "C’est faux.")
    assert log.feedback(kept, True)
    row = log.everything()[0]
    assert (row.good, row.complaint, row.comment) == (True, None, "")


def test_an_opinion_of_a_question_that_was_forgotten_is_told(log):
    kept = log.record(answer("Quelle huile ?", 12))
    log.forget_all()
    assert not log.feedback(kept, True)


def test_questions_without_good_answer_come_together(log):
    log.record(abstention("Quelle huile pour une chaîne ?"), at=NOW - timedelta(days=3))
    log.record(abstention("quelles huiles pour ma chaine"), at=NOW)
    log.record(abstention("Quelle huile pour une chaîne ?"), at=NOW - timedelta(days=2))
    log.record(answer("Quelle cire ?", 12, zone=Zone.WEAK))
    liked = log.record(answer("Quel patin ?", 12, zone=Zone.WEAK))
    log.feedback(liked, True)
    disliked = log.record(answer("Quel moyeu ?", 12))
    log.feedback(disliked, False, Complaint.OUTDATED)
    log.record(answer("Quel frein ?", 12))
    log.record(Declined("Traduis ceci", "traduction", "Non."))
    wrongly = log.record(Declined("Écris-moi ?", "document", "Non."))
    log.feedback(wrongly, False)
    log.record(abstention("", AbstentionReason.QUESTION_EMPTY))
    found = log.unanswered()
    assert [(g.question, g.times, g.abstentions, g.weak, g.disliked) for g in found] == [
        ("Quelle huile pour une chaîne ?", 3, 3, 0, 0),
        ("Écris-moi ?", 1, 0, 0, 1),
        ("Quel moyeu ?", 1, 0, 0, 1),
        ("Quelle cire ?", 1, 0, 1, 0),
    ]
    assert found[0].last == NOW.replace(minute=0, second=0)
    assert log.unanswered(limit=1) == found[:1]


def test_questions_that_differ_by_a_size_stay_apart(log):
    for text in ("Quelle pression pour 82 kg ?", "Quelle pression pour 70 kg ?", "??", "!!"):
        log.record(abstention(text))
    assert len(log.unanswered()) == 4


def test_what_is_forgotten_is_not_in_the_file_any_more(log, tmp_path):
    for n in range(50):
        log.record(abstention(f"xylophone zymurgique {n} ?"))
    assert log.forget_all() == 50
    assert (log.count(), log.forget_all()) == (0, 0)
    assert b"xylophone" not in b"".join(path.read_bytes() for path in tmp_path.glob("app.db*"))
    assert log.record(abstention("Encore ?")) == 51  # no number is given twice: an open page has kept the old one


def test_old_questions_are_erased_and_the_others_stay(log):
    now = datetime.now(UTC)
    log.record(abstention("Ancienne ?"), at=now - timedelta(days=31))
    log.record(abstention("Récente ?"), at=now - timedelta(days=29))
    assert log.forget_older(30) == 1
    assert [row.question for row in log.everything()] == ["Récente ?"]


def test_many_threads_may_record_at_once(log, tmp_path):
    def ask():
        for _ in range(20):
            log.feedback(log.record(answer("Quelle huile ?", 12)), True)

    with closing(QuestionLog(tmp_path)) as other:  # as another process has it
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            other.record(abstention("Et ici ?"))
        for thread in threads:
            thread.join()
    rows = log.everything()
    assert len({row.id for row in rows}) == len(rows) == 100
    assert sum(row.good is True for row in rows) == 80


def test_the_log_becomes_a_question_file(log, tmp_path):
    for post_ids in ((12, 13), (13, 14)):
        log.feedback(log.record(answer("Quelle huile ?", *post_ids)), True)
    log.record(abstention("Quelle huile ?"))
    log.record(abstention("Quel frein ?"))
    log.feedback(log.record(answer("Quel frein ?", 99)), False, Complaint.WRONG, "C’est l’inverse.")
    log.feedback(log.record(abstention("Une recette ?")), True)
    log.feedback(log.record(Declined("Traduis ceci", "traduction", "Non.")), True)
    log.record(answer("Que personne ne juge ?", 12))
    path = tmp_path / "journal.yml"
    write(path, question_export.questions(log.everything(), WORDS))
    found = {question.text: question for question in read(path).questions}
    assert set(found) == {"Quelle huile ?", "Quel frein ?", "Une recette ?", "Traduis ceci"}
    assert found["Quelle huile ?"].post_ids == (12, 13, 14)
    assert (found["Quel frein ?"].expects, found["Quel frein ?"].judged) == (Expect.ANSWER, False)
    assert found["Quel frein ?"].notes == "C’est l’inverse."
    assert found["Une recette ?"].expects is Expect.ABSTAIN
    assert found["Traduis ceci"].expects is Expect.DECLINE


def test_the_words_of_a_group_are_those_most_used(log):
    log.record(abstention("huile chaîne"))
    row = log.everything()[0]
    other = replace(row, question="Huile de la chaîne ?")
    (group,) = grouped([row, other, other], WORDS)
    assert (group.question, group.times) == ("Huile de la chaîne ?", 3)
