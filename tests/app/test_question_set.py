"""The archive's own question set: every change is whole, and what was written is read back."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import question_set
from engine import ArchiveFormatError, StoreError
from engine.evaluate import questions
from engine.evaluate.questions import Expect, Question

WORDS = st.text(max_size=40)
IDS = st.lists(st.integers(0, 2**40), max_size=3).map(tuple)
QUESTIONS = st.builds(
    Question, id=st.just(""), text=WORDS.filter(lambda w: question_set.cleaned(Question("", w)).text),
    topic_ids=IDS, post_ids=IDS, tags=st.lists(WORDS, max_size=3).map(tuple), difficulty=WORDS, notes=WORDS,
    expect=st.sampled_from([None, *Expect]),
)  # fmt: skip


def test_an_archive_has_no_set_until_a_question_is_added(tmp_path):
    assert question_set.load(tmp_path) == ()
    added = question_set.add(tmp_path, Question("", "  Quels\n patins ? ", post_ids=(12,)))
    assert added == Question("q-0001", "Quels patins ?", post_ids=(12,))
    assert questions.read(tmp_path / "questions.yml").questions == (added,)


def test_the_same_words_gain_another_expected_post_rather_than_a_second_question(tmp_path):
    first = question_set.add(tmp_path, Question("", "Quels patins ?", expect=Expect.ABSTAIN, notes="à voir"))
    again = question_set.add(tmp_path, Question("", "quels PATINS ?", post_ids=(12,), tags=("exact",)))
    third = question_set.add(tmp_path, Question("", "Quels patins ?", post_ids=(14, 12)))
    assert [q.id for q in (first, again, third)] == ["q-0001"] * 3
    assert question_set.load(tmp_path) == (third,)
    assert (third.post_ids, third.tags, third.notes, third.expect) == ((12, 14), ("exact",), "à voir", None)


def test_a_new_question_never_takes_the_name_of_another(tmp_path):
    question_set.add(tmp_path, Question("", "une"))
    two = question_set.add(tmp_path, Question("", "deux"))
    question_set.remove(tmp_path, "q-0001")
    assert question_set.add(tmp_path, Question("", "trois")).id == "q-0003" != two.id


def test_the_last_question_takes_the_file_with_it_and_the_state_before_is_kept(tmp_path):
    added = question_set.add(tmp_path, Question("", "une"))
    question_set.remove(tmp_path, added.id)
    assert question_set.load(tmp_path) == () and not (tmp_path / "questions.yml").exists()
    assert questions.read(tmp_path / question_set.BEFORE).questions == (added,)
    question_set.remove(tmp_path, added.id)  # nothing more to take


def test_a_change_of_a_question_that_is_gone_changes_nothing(tmp_path):
    kept = question_set.add(tmp_path, Question("", "une"))
    assert question_set.save(tmp_path, Question("q-0099", "autre")) is False
    assert question_set.save(tmp_path, Question(kept.id, "une autre", topic_ids=(3,))) is True
    assert question_set.load(tmp_path) == (Question(kept.id, "une autre", topic_ids=(3,)),)


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path):
    (tmp_path / "questions.yml").write_text("- {id: a, question: b, expected_topic: 1}")
    with pytest.raises(ArchiveFormatError):
        question_set.add(tmp_path, Question("", "une"))
    assert (tmp_path / "questions.yml").read_text() == "- {id: a, question: b, expected_topic: 1}"


def test_a_write_that_fails_leaves_the_set_whole(tmp_path, monkeypatch):
    kept = question_set.add(tmp_path, Question("", "une"))

    def full(path, held):
        path.write_text("- {id: q")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(questions, "write", full)
    with pytest.raises(StoreError):
        question_set.add(tmp_path, Question("", "deux"))
    assert question_set.load(tmp_path) == (kept,)
    assert {path.name for path in tmp_path.iterdir()} <= {question_set.FILE, question_set.BEFORE}


def test_several_moderators_at_once_lose_nothing(tmp_path):
    def add(n):
        for k in range(5):
            question_set.add(tmp_path, Question("", f"question {n} {k}"))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = question_set.load(tmp_path)
    assert len(held) == len({q.id for q in held}) == len({q.text for q in held}) == 20


@given(added=st.lists(QUESTIONS, min_size=1, max_size=4))
def test_what_was_added_is_read_back(tmp_path_factory, added):
    folder = tmp_path_factory.mktemp("set")
    model = {}
    for question in added:
        kept = question_set.add(folder, question)
        model[kept.id] = kept
    assert question_set.load(folder) == tuple(model.values())


@given(QUESTIONS)
def test_what_is_clean_stays_so(question):
    clean = question_set.cleaned(question)
    assert question_set.cleaned(clean) == clean
