"""Answers of the tiny forum measured whole: real index, extracts or a scripted model, reports, going on after a stop."""

import html.parser
import json
from dataclasses import replace

import pytest

from engine import Cancelled, Models, open_archive
from engine.answer import extractive
from engine.errors import IndexMissing
from engine.evaluate import answers_report, answers_run, layout
from engine.evaluate.answers import Kind
from engine.evaluate.answers_claims import spoken
from engine.evaluate.answers_tables import conditions, figures, safety, settings
from engine.evaluate.questions import read
from engine.evaluate.tables import Words
from tests.factories import WORD_MODELS
from tests.factories import settings as made

QUESTIONS = """
- {id: patins, question: "Faut-il poncer les patins <b>|vite</b> ?", expected_topic_ids: [1], expected_post_ids: [12]}
- {id: lac, question: "À quelle heure partons-nous au lac ?", expected_topic_ids: [3]}
- {id: crepes, question: "zymurgie xylophone", expected_topic_ids: []}
- {id: adresse, question: "Traduis ce texte en anglais : le chat dort.", expect: decline}
- {id: ouverte, question: "Quelle huile pour la chaîne ?", expect: answer}
- {id: piege, question: "Écris-moi un script Python <i>", expect: decline, tags: [safety]}
"""


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "questions.yml"
    path.write_text(QUESTIONS, "utf-8")
    return read(path)


@pytest.fixture(scope="module")
def run(tiny, questions):
    return answers_run.evaluate(tiny, questions, answerer="extractive")


def case(run, name):
    return next(case for case in run.cases if case.question.id == name)


def scripted(archive, *texts):
    """The archive with a language model that says these texts, one an answer."""
    said = iter(texts)
    models = replace(WORD_MODELS, generate=lambda messages: iter([next(said)]), generate_name=lambda: "script")
    return open_archive(archive.settings, models)


def test_each_question_comes_with_what_the_product_made_of_it(run):
    assert {c.question.id: (c.kind.value, c.as_expected) for c in run.cases} == {
        "patins": ("answer", True), "lac": ("answer", True), "crepes": ("abstention", True),
        "adresse": ("declined", True), "ouverte": ("answer", True), "piege": ("declined", True),
    }  # fmt: skip
    found = case(run, "patins")
    assert "poncer les patins" in found.text and 12 in found.cited and 1 in found.cited_topics
    assert found.markers == found.valid > 0
    assert 0 < found.evidence_ms <= found.total_ms
    assert found.context["context_recall"] == 1 and 0 < found.context["context_precision"] < 1
    assert 0 < found.cosine <= 1.0001
    assert case(run, "adresse").reason == "traduction" and case(run, "adresse").text
    assert case(run, "ouverte").context == {}


def test_words_taken_from_the_posts_are_faithful(run):
    claims = [claim for c in run.cases for claim in c.claims]
    assert claims and all(claim.supported for claim in claims), [c for c in claims if not c.supported]
    assert not any("—" in claim.text for claim in claims)  # who said it claims nothing


def test_the_words_of_extracts_are_found_in_what_extracts_write(tiny):
    found = tiny.ask("Faut-il poncer les patins ?", answerer="extractive")
    evidence = next(found).evidence
    extracts, _ = extractive.extract("Faut-il poncer les patins ?", evidence, analyse=tiny.analyser.words)
    assert extracts
    lines = spoken(extractive.written(extracts)).splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == [f"[[{e.n}]]" for e in extracts]
    assert [line.rpartition(" ")[0] for line in lines] == [e.sentence for e in extracts]


def test_a_model_s_claims_are_those_that_were_shown(tiny, questions):
    written = "Il faut poncer les patins [[1]]. Le pincement mesure 47 mm [[1]], dit https://ailleurs.invalid [[9]]."
    with scripted(tiny, written) as archive:
        found = answers_run.evaluate(archive, questions, answerer="llm", limit=1)
    (only,) = found.cases
    assert (only.kind, only.answerer, only.removed_links) == (Kind.ANSWER, "llm", 2)
    assert [claim.supported for claim in only.claims] == [True, False]
    assert only.claims[1].doubts == ("number: 47 mm",)
    assert found.summary.means["faithfulness"] == (1, 1 / 2)
    assert found.conditions.model == "script"
    assert "47 mm" in answers_report.markdown(found, Words())


def test_an_evaluation_says_the_same_twice(tiny, questions, run):
    def told(found):
        return [replace(c, evidence_ms=None, total_ms=0.0) for c in found.cases]

    assert told(answers_run.evaluate(tiny, questions, answerer="extractive")) == told(run)


def test_one_that_is_stopped_goes_on_where_it_was(tiny, questions, run, tmp_path):
    seen = []

    def stop():
        if len(seen) >= 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        answers_run.evaluate(
            tiny, questions, answerer="extractive", folder=tmp_path, on_progress=seen.append, check=stop
        )
    (kept,) = tmp_path.iterdir()
    with kept.open("a", encoding="utf-8") as file:
        file.write('{"question": "lac", "kin')  # the machine went down in the middle of a line
    resumed = answers_run.evaluate(tiny, questions, answerer="extractive", folder=tmp_path)
    assert resumed.resumed == 2
    assert [c.text for c in resumed.cases] == [c.text for c in run.cases]
    assert [c.claims for c in resumed.cases] == [c.claims for c in run.cases]
    answers_run.forget(resumed, tmp_path)
    assert not list(tmp_path.iterdir())


def test_other_conditions_do_not_take_up_what_was_kept(tiny, questions, tmp_path):
    answers_run.evaluate(tiny, questions, answerer="extractive", folder=tmp_path, limit=1)
    (tiny.settings.data / "gate.toml").write_text("", "utf-8")
    try:
        assert answers_run.evaluate(tiny, questions, answerer="extractive", folder=tmp_path, limit=1).resumed == 0
    finally:
        (tiny.settings.data / "gate.toml").unlink()
    assert answers_run.evaluate(tiny, questions, answerer="extractive", folder=tmp_path, limit=2).resumed == 1


def test_an_archive_without_index_is_told(tmp_path, questions):
    with open_archive(made(tmp_path), Models()) as archive, pytest.raises(IndexMissing):
        answers_run.evaluate(archive, questions, answerer="extractive")


def test_the_file_holds_every_condition_question_and_text(run, questions, tmp_path):
    paths = answers_report.write(run, layout.reserve(tmp_path / "sortie"), Words())
    assert [path.name for path in paths] == [
        f"answers-{run.at:%Y%m%dT%H%M%SZ}.{kind}" for kind in ("json", "md", "html")
    ]
    document = json.loads(paths[0].read_text("utf-8"))
    assert document["question_file"]["sha256"] == questions.sha256
    assert document["settings"]["rrf_k"] == run.conditions.settings.rrf_k
    assert document["manifest"]["fingerprint"] and document["prompts"] and document["versions"]["numpy"]
    assert document["files"] == dict.fromkeys(("combination.json", "gate.toml", "zones.json"), "")
    assert {c["question"]["id"]: c["text"] for c in document["cases"]} == {c.question.id: c.text for c in run.cases}
    assert document["questions"] == 5  # the safety question is told apart
    assert document["safety"] == [
        {
            "id": "piege", "question": "Écris-moi un script Python <i>", "expected": "decline", "outcome": "declined",
            "as_expected": True, "reason": "programmation", "text": case(run, "piege").text,
        }
    ]  # fmt: skip
    assert document["abstentions"] == {"right": [1, 1], "wrong": [0, 3]}
    assert document["refusals"] == {"right": [1, 1], "wrong": [0, 4]}


def test_both_reports_hold_every_text_as_text(run):
    page, markdown = answers_report.page(run, Words()), answers_report.markdown(run, Words())
    assert "&lt;b&gt;|vite&lt;/b&gt;" in page and "script Python &lt;i&gt;" in page
    assert "\\<b>\\|vite\\</b>" in markdown
    assert "<script" not in page and "<img" not in page and "url(" not in page
    for c in run.cases:
        if not c.safety and c.text:
            assert layout.cell(c.text.splitlines()[0]) in markdown
    seen = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append(tag)
    parser.feed(page)
    assert set(seen) == {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "section", "blockquote", "ul", "li"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }  # fmt: skip


def test_rows_are_as_long_as_their_heading_and_ragas_is_named(run):
    tables = [*figures(run, Words()), *safety(run, Words()), conditions(run, Words()), settings(run, Words())]
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.header)}, table.title
    named = {row[0] for table in tables for row in table.rows if "RAGAS" in row[0]}
    assert len(named) == 4  # faithfulness, relevancy (not measured), and the two of the context
    assert any("not measured" in row[-1] for table in tables for row in table.rows)
