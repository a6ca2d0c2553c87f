"""Question files: what is read, and what is refused with its file and record."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ArchiveFormatError
from engine.evaluate import questions as room
from engine.evaluate.questions import Expect, Question, read

GOOD = """
- id: q1
  question: "Pourquoi mes freins grincent-ils ?"
  expected_topic_ids: [1]
  expected_post_ids: [12, 13]
  tags: [exact, typo]
  difficulty: easy
  notes: "Patins."
- id: 2
  question: "Une recette de crêpes ?"
  expected_topic_ids: []
"""


@pytest.fixture
def write(tmp_path):
    def call(text, name="questions.yml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return call


def refused(path):
    with pytest.raises(ArchiveFormatError) as caught:
        read(path)
    return caught.value.details


def test_the_upstream_s_fields_are_read(write):
    first, second = read(write(GOOD)).questions
    assert first == Question(
        "q1", "Pourquoi mes freins grincent-ils ?", topic_ids=(1,), post_ids=(12, 13), tags=("exact", "typo"),
        difficulty="easy", notes="Patins.",
    )  # fmt: skip
    assert (second.id, second.expects_abstention, first.expects_abstention) == ("2", True, False)


@pytest.mark.parametrize(
    ("record", "expects", "judged", "abstention"),
    [
        ("expected_post_ids: [12]", Expect.ANSWER, True, False),
        ("expected_topic_ids: [1], expect: answer", Expect.ANSWER, True, False),
        ("expected_post_ids: []", Expect.ABSTAIN, False, True),
        ("expect: abstain", Expect.ABSTAIN, False, True),
        ("expect: decline", Expect.DECLINE, False, True),
        ("expect: answer", Expect.ANSWER, False, False),  # by posts that nobody has named yet
    ],
)
def test_a_question_says_what_must_come_of_it(write, record, expects, judged, abstention):
    (question,) = read(write(f"- {{id: a, question: Qui ?, {record}}}")).questions
    assert (question.expects, question.judged, question.expects_abstention) == (expects, judged, abstention)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).map(str.strip)
IDS = st.lists(st.integers(1, 10**9), max_size=3).map(tuple)
ASKED = st.builds(
    Question, id=WORDS.filter(bool), text=WORDS.filter(bool), topic_ids=IDS, post_ids=IDS,
    tags=st.lists(WORDS, max_size=2).map(tuple), difficulty=WORDS, notes=WORDS,
    expect=st.sampled_from([None, Expect.ANSWER]),
)  # fmt: skip


@given(st.lists(ASKED, min_size=1, max_size=4, unique_by=lambda question: question.id))
def test_what_is_written_is_read_back(tmp_path_factory, questions):
    path = tmp_path_factory.mktemp("écrites") / "questions.yml"
    room.write(path, questions)
    assert read(path).questions == tuple(questions)


def test_the_same_records_may_be_json_lines(write):
    record = {"id": "q1", "question": "Freins ?", "expected_post_ids": [12]}
    assert read(write(json.dumps(record) + "\n\n", "q.jsonl")).questions == (
        Question("q1", "Freins ?", post_ids=(12,)),
    )


def test_the_hash_follows_the_content_and_not_the_place(write):
    one, other, changed = write(GOOD), write(GOOD, "b.yml"), write(GOOD + "\n", "c.yml")
    assert read(one).sha256 == read(other).sha256 != read(changed).sha256


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tscore\n", ""])
def test_a_beir_folder_is_read_by_post(write, tmp_path, header):
    write(
        '{"_id": "1", "text": "Freins ?"}\n{"_id": 2, "text": "Huile ?"}\n{"_id": "3", "text": "Hors jeu"}\n',
        "queries.jsonl",
    )
    write(header + "1\t12\t2\n1\t13\t1\n1\t14\t0\n2\t22\t0\n", "qrels.tsv")
    first, second = read(tmp_path).questions  # 3 was not judged
    assert (first.text, first.post_ids, first.grades) == ("Freins ?", (12, 13), (2, 1))
    assert second.expects_abstention  # judged, and nothing answers


def test_trec_judgments_of_four_columns_are_read_too(write, tmp_path):
    write('{"_id": "1", "text": "Freins ?"}\n', "queries.jsonl")
    write("1 0 12 1\n", "qrels.tsv")
    assert read(tmp_path / "queries.jsonl").questions == (Question("1", "Freins ?", post_ids=(12,), grades=(1,)),)


@pytest.mark.parametrize(
    ("text", "reason", "where"),
    [
        ("- id: @x", "questions_syntax", "1"),
        ("question: seule", "questions_syntax", "1"),
        ("", "questions_empty", None),
        ("[]", "questions_empty", None),
        ("- juste un texte", "questions_field", "1"),
        ("- {id: q7, question: ''}", "questions_field", "q7"),
        ("- {question: Qui ?}", "questions_field", "1"),
        ("- {id: q7, question: Qui ?, expected_topic_ids: 12}", "questions_field", "q7"),
        ("- {id: q7, question: Qui ?, expected_post_ids: ['12']}", "questions_field", "q7"),
        ("- {id: q7, question: Qui ?, tags: exact}", "questions_field", "q7"),
        ("- {id: q7, question: Qui ?, expect: silence}", "questions_field", "q7"),
        ("- {id: q7, question: Qui ?, expect: abstain, expected_post_ids: [12]}", "questions_field", "q7"),
        ("- {id: q7, question: Qui ?, expected_topic_id: [12]}", "questions_unknown_field", "q7"),
        ("- {id: q7, question: Qui ?}\n- {id: q7, question: Quoi ?}", "questions_duplicate", "q7"),
    ],
)
def test_a_bad_file_is_refused_with_its_record(write, text, reason, where):
    path = write(text)
    details = refused(path)
    assert (details["reason"], details.get("where"), details["path"]) == (reason, where, str(path))


@pytest.mark.parametrize(
    ("queries", "qrels", "reason"),
    [
        ('{"_id": "1", "text": "Freins ?"}', None, "questions_no_qrels"),
        ("{", "1\t12\t1", "questions_syntax"),
        ("[1]", "1\t12\t1", "questions_syntax"),
        ('{"_id": "1"}', "1\t12\t1", "questions_field"),
        ('{"_id": "1", "text": "a"}\n{"_id": "1", "text": "b"}', "1\t12\t1", "questions_duplicate"),
        ('{"_id": "1", "text": "Freins ?"}', "1\tdoc12\t1", "questions_qrels"),
        ('{"_id": "1", "text": "Freins ?"}', "9\t12\t1", "questions_qrels"),
        ('{"_id": "1", "text": "Freins ?"}', "1\t12", "questions_qrels"),
        ('{"_id": "1", "text": "Freins ?"}', "", "questions_empty"),
    ],
)
def test_a_bad_beir_folder_is_refused(write, tmp_path, queries, qrels, reason):
    write(queries + "\n", "queries.jsonl")
    if qrels is not None:
        write(qrels + "\n", "qrels.tsv")
    assert refused(tmp_path)["reason"] == reason


def test_a_file_that_is_absent_or_not_text_is_refused(write, tmp_path):
    assert refused(tmp_path / "rien.yml")["reason"] == "not_found"
    (tmp_path / "octets.yml").write_bytes(b"\xff\xfe\x00")
    assert refused(tmp_path / "octets.yml")["reason"] == "unreadable_file"
    assert refused(tmp_path)["reason"] == "unreadable_file"  # a folder without queries
