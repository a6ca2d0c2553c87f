"""Whole evaluations of the tiny forum, with real indexes and the word encoder."""

import html.parser
import json
from dataclasses import replace

import pytest

from engine.errors import IndexMissing, ModelUnavailable
from engine.evaluate import report
from engine.evaluate.configs import named
from engine.evaluate.document import summary, whole
from engine.evaluate.matrix import evaluate
from engine.evaluate.questions import read
from engine.evaluate.scoring import Level, means
from engine.evaluate.tables import ABSENT, Words, figures, shown
from tests.factories import WORD_MODELS, forum, save, settings

QUESTIONS = """
- {id: patins, question: "Faut-il poncer les patins ?", expected_topic_ids: [1], expected_post_ids: [12], tags: [exact]}
- {id: cire, question: "La cire par temps sec", expected_post_ids: [22], tags: [exact, sens], difficulty: easy}
- {id: lac, question: "Le lac <b>|cet été</b>", expected_topic_ids: [3]}
- {id: perdue, question: "Que dit le message perdu ?", expected_post_ids: [999]}
- {id: crepes, question: "zymurgie xylophone", expected_topic_ids: []}
"""
ALL = named(["all"])


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "questions.yml"
    path.write_text(QUESTIONS, "utf-8")
    return read(path)


@pytest.fixture(scope="module")
def run(tiny, questions):
    return evaluate(tiny.settings, WORD_MODELS, questions, ALL)


def result(run, name):
    return next(r for r in run.results if r.config.name == name)


def test_every_configuration_finds_what_is_plain(run):
    for config in ALL:
        found = {s.question.id: s.scores[Level.TOPIC]["hit@3"] for s in result(run, config.name).scored}
        assert found == {"patins": 1, "cire": 1, "lac": 1, "perdue": 0}, config.name


def test_posts_are_ranked_except_at_topic_grain(run):
    assert means(result(run, "A").scored, Level.POST)[0] == 0
    for name in ("bm25", "dense", "hybrid", "B", "D", "F", "G"):
        count, post = means(result(run, name).scored, Level.POST)
        assert (count, post["mrr"]) == (3, 2 / 3), name  # patins and cire first, the lost one nowhere


def test_the_window_is_read_in_d_and_not_in_b(run):
    b, d = (result(run, name).scored[0].outcome for name in "BD")
    assert b.numbered == d.numbered == b.read
    assert set(d.read) > set(b.read)
    assert means(result(run, "D").scored, Level.TOPIC) == means(result(run, "B").scored, Level.TOPIC)


def test_routing_gives_one_post_a_topic(run):
    for scored in result(run, "G").scored:
        assert len(scored.outcome.slots) == len(set(scored.outcome.slots))


def test_a_question_without_answer_is_an_expected_abstention(run):
    found = result(run, "bm25").abstentions
    assert (found.expected, found.right, found.answerable) == (1, 1, 4)
    assert result(run, "A").abstentions is None


def test_what_the_archive_lacks_is_told(run):
    assert run.absent == ("perdue",)


def test_each_question_is_encoded_once(tiny, questions):
    asked = []

    def counting(texts, role):
        asked.extend(texts if role == "query" else ())
        return WORD_MODELS.embed(texts, role)

    evaluate(tiny.settings, replace(WORD_MODELS, embed=counting), questions, ALL)
    assert len(asked) == len(set(asked))


def test_progress_ends_with_every_question_of_every_configuration(tiny, questions):
    seen = []
    evaluate(tiny.settings, WORD_MODELS, questions, ALL[:2], on_progress=seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].left_s) == (10, 10, 0)


def test_meaning_is_not_measured_where_it_cannot_be_searched(tiny, questions):
    blind = replace(WORD_MODELS, embed=None, embed_name=None)
    with pytest.raises(ModelUnavailable):
        evaluate(tiny.settings, blind, questions, ALL)
    assert evaluate(tiny.settings, blind, questions, named(["bm25"])).results


def test_reranking_is_not_measured_without_a_reranker(tiny, questions):
    with pytest.raises(ModelUnavailable) as caught:
        evaluate(tiny.settings, WORD_MODELS, questions, named(["E"]))
    assert caught.value.details["role"] == "evaluate_rerank"


def test_a_reranker_takes_part_in_e_alone_of_the_matrix(tiny, questions):
    calls = []

    def rerank(question, texts):
        calls.append(question)
        return [float(len(text)) for text in texts]

    models = replace(WORD_MODELS, rerank=rerank)
    evaluate(tiny.settings, models, questions, named(["A", "B", "D", "F", "G"]))
    assert calls == []
    evaluate(tiny.settings, models, questions, named(["E"]))
    assert "Faut-il poncer les patins ?" in calls


def test_a_reranker_that_comes_too_late_is_counted(tiny, questions):
    import threading

    gate = threading.Event()

    def rerank(question, texts):
        gate.wait(10)
        return [0.0] * len(texts)

    late = replace(tiny.settings, rerank_deadline_s=0.05)
    try:
        run = evaluate(late, replace(WORD_MODELS, rerank=rerank), questions, named(["E"]))
    finally:
        gate.set()
    assert run.results[0].notices["rerank_late"] == summary(run)["configs"][0]["notices"]["rerank_late"] >= 3


def test_an_archive_without_index_says_so(tmp_path, questions):
    save(tmp_path, forum())
    with pytest.raises(IndexMissing):
        evaluate(settings(tmp_path), WORD_MODELS, questions, ALL)


# --- what is written --------------------------------------------------------------------------


def test_a_question_whose_answer_nobody_has_named_is_left_out(tiny, tmp_path):
    path = tmp_path / "ouvertes.yml"
    path.write_text("- {id: a, question: Les patins ?, expect: answer}\n- {id: b, question: Les patins ?, "
                    "expected_post_ids: [12]}", "utf-8")  # fmt: skip
    (found,) = evaluate(tiny.settings, WORD_MODELS, read(path), named(["bm25"])).results
    assert [outcome.question.id for outcome in found.outcomes] == ["b"]


def test_the_document_has_the_shape_of_the_contract(run):
    document = summary(run)
    assert document["questions"] == 5
    for config in document["configs"]:
        assert {"name", "hit@1", "hit@3", "hit@5", "hit@6", "mrr", "recall@k", "ndcg@10", "topic", "post"} <= set(
            config
        )
        assert set(config["latency_ms"]) == {"p50", "p95", "stages"}
        assert config["topic"]["hit@5"] == config["hit@5"]
    bm25 = document["configs"][0]
    assert (bm25["name"], bm25["hit@5"], bm25["topic"]["questions"], bm25["post"]["questions"]) == ("bm25", 3 / 4, 4, 3)
    assert document["configs"][3]["post"] == {"questions": 0}
    assert {"base", "other", "level", "differences", "gained", "lost"} <= set(document["comparisons"][0])


def test_the_file_holds_every_condition_and_question(run, questions, tmp_path):
    kept, markdown, page = report.write(run, report.reserve(tmp_path / "sortie"), Words())
    assert kept.name == f"evaluation-{run.at:%Y%m%dT%H%M%SZ}.json"
    document = json.loads(kept.read_text("utf-8"))
    assert document == json.loads(json.dumps(whole(run)))
    assert document["question_file"] == {"path": str(questions.path), "sha256": questions.sha256}
    assert document["settings"]["rrf_k"] == run.settings.rrf_k
    assert document["manifest"]["fingerprint"] and document["versions"]["numpy"]
    assert document["archive"] == {"posts": 12, "topics": 4, "categories": 3}
    first = document["details"]["bm25"]["questions"][0]
    assert (first["id"], first["topic_rank"], first["post_rank"]) == ("patins", 1, 1)
    assert document["details"]["bm25"]["tags"]["exact"]["post"]["mrr"] == 1
    assert "| bm25 | 4 |" in markdown.read_text("utf-8")
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_the_page_is_whole_and_fetches_nothing(run):
    page = report.page(run, Words())
    assert page.count("<svg") == page.count("</svg>") >= 3
    assert "<script" not in page and "http" not in page and "url(" not in page
    seen = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append(tag)
    parser.feed(page)
    assert set(seen) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p"),
        *("table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "text", "line", "circle"),
    }


def test_the_words_of_a_question_stay_words_in_both_reports(run):
    forged = next(q for q in run.questions.questions if q.id == "lac")
    comparison = replace(run.comparisons[0], gained=(forged.id,))
    shown_run = replace(run, comparisons=(comparison,))
    assert "&lt;b&gt;|cet été&lt;/b&gt;" in report.page(shown_run, Words())
    assert "\\<b>\\|cet été\\</b>" in report.markdown(shown_run, Words())


def test_rows_are_as_long_as_their_heading(run):
    for table in figures(run, Words()):
        assert {len(row) for row in table.rows} == {len(table.header)}, table.title
    latency = next(t for t in figures(run, Words()) if "p50" in t.title)
    assert ABSENT in latency.rows[0]  # bm25 encodes nothing


def test_measures_have_the_names_of_the_field():
    assert [shown(name) for name in ("hit@5", "mrr", "mrr@10", "recall@10", "ndcg@10")] == [
        *("Hit@5", "MRR", "MRR@10", "R@10", "nDCG@10")
    ]  # fmt: skip
