"""Reading the runs that were kept, and comparing them: whatever lies in the folder."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import runs, runs_compare
from app.run_values import AnswerRun, Asked, Brief, Measured, SearchRun, Unreadable
from app.runs_compare import Side
from tests.app import run_samples


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run_samples.archive(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def documents(folder):
    return run_samples.texts(folder)


def test_a_run_of_the_search_is_read_with_its_questions(documents):
    run = runs.parse("evaluation-1", documents[0])
    assert isinstance(run, SearchRun)
    assert [config.name for config in run.configs] == ["bm25", "hybrid"]
    hybrid = run.configs[1]
    assert hybrid.levels["topic"][0] == 4 and hybrid.levels["post"][0] == 3
    found = {asked.id: (asked.topic_rank, asked.post_rank) for asked in hybrid.questions}
    assert found == {"patins": (1, 1), "cire": (1, 1), "lac": (2, None), "perdue": (None, None)}
    assert "post" in hybrid.questions[0].scores and "post" not in hybrid.questions[2].scores
    assert (run.absent, run.conditions.questions, run.conditions.topics > 0) == (("perdue",), 5, True)
    assert hybrid.abstention["expected"] == 1 and hybrid.latency_ms["search"][1] > 0
    assert runs.brief(run).figures[1][:2] == ("hybrid", 3 / 4)


def test_a_run_of_answers_is_read_with_its_cases(documents):
    run = runs.parse("answers-1", documents[1])
    assert isinstance(run, AnswerRun)
    assert (run.answerer, len(run.cases)) == ("extractive", 5)
    right = Fraction(sum(case.as_expected for case in run.cases), 5)
    ((name, share, second),) = runs.brief(run).figures
    assert (name, share, second) == ("extractive", float(right), None)


def test_the_newest_comes_first_and_what_is_no_run_is_listed(folder, documents, tmp_path):
    for name, text in {
        "evaluation-20261101T000000Z": documents[0], "answers-20261102T000000Z": documents[1],
        "zones-20261103T000000Z": "[]", "notes": "{", "evaluation-20261031T000000Z": documents[0][:-40],
    }.items():  # fmt: skip
        run_samples.put(tmp_path, name, text)
    (tmp_path / "evaluations" / "octets.json").write_bytes(b"\xff\xfe\x00")
    found = runs.briefs(tmp_path)
    assert [each.name if isinstance(each, Unreadable) else each.conditions.name for each in found] == [
        "zones-20261103T000000Z", "answers-20261102T000000Z", "evaluation-20261101T000000Z",
        "evaluation-20261031T000000Z", "octets", "notes",
    ]  # fmt: skip
    assert [isinstance(each, Brief) for each in found] == [False, True, True, False, False, False]


@pytest.mark.parametrize("name", ["..", "../archive", "/etc/passwd", "", "evaluation*", "absent"])
def test_a_name_reaches_nothing_outside_of_the_folder(tmp_path, name):
    (tmp_path / "archive.json").write_text("{}")
    run_samples.put(tmp_path, "evaluation-1", "{}")
    assert runs.load(tmp_path, name) is None


def test_without_the_folder_there_are_no_runs(tmp_path):
    assert runs.briefs(tmp_path) == ()


def paths(value, here=()):
    """Where each value of a document stands."""
    yield here
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from paths(child, (*here, key))


STRANGE = st.sampled_from([None, True, -1, 1e999, float("nan"), "", "\ud800", [], {}, [None], {"a": 1}, 10**400, "9"])


@given(data=st.data())
def test_a_document_with_anything_anywhere_is_a_run_or_unreadable(documents, data):
    document = json.loads(data.draw(st.sampled_from(documents)))
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from([p for p in paths(document) if p]))
        inside = document
        for key in where[:-1]:
            inside = inside[key]
        if data.draw(st.booleans()) and isinstance(inside, dict):
            del inside[where[-1]]
        else:
            inside[where[-1]] = data.draw(STRANGE)
    found = runs.parse("evaluation-1", json.dumps(document))
    if not isinstance(found, Unreadable):
        runs.brief(found)
        runs_compare.compare(runs_compare.side(found, ""), runs_compare.side(found, "bm25"))
        repr(found).encode()  # what a page can be written with


@given(st.text())
def test_any_text_is_a_run_or_unreadable(text):
    assert isinstance(runs.parse("x", text), Unreadable)


def test_a_document_nested_without_end_is_unreadable():
    assert runs.parse("x", "[" * 100_000) == Unreadable("x")


# --- compare ----------------------------------------------------------------------------------


def side(run, **hits):
    """A run whose questions have this Hit@5 by topic."""
    asked = tuple(
        Asked(name, f"{name} ?", 1 if hit else None, None, None, (), {"topic": {"hit@5": hit, "mrr@10": hit}})
        for name, hit in hits.items()
    )
    measured = Measured("bm25", {}, {}, {}, {}, {}, asked)
    return Side(SearchRun(run.conditions, (measured,), ()), "bm25")


def test_gained_and_lost_questions_and_the_mean_difference(documents):
    run = runs.parse("evaluation-1", documents[0])
    found = runs_compare.compare(side(run, a=0.0, b=1.0, c=0.0, d=1.0), side(run, a=1.0, b=0.0, c=1.0, e=1.0))
    assert (found.common, found.alone) == (3, 2)
    (level,) = found.levels
    assert (level.level, level.gained, level.lost) == ("topic", (("a", "a ?"), ("c", "c ?")), (("b", "b ?"),))
    (count, difference) = level.differences[0]
    assert (count, difference.measure) == (3, "hit@5")
    assert difference.delta == pytest.approx(1 / 3)  # two gained, one lost, of three
    assert difference.low <= difference.delta <= difference.high


def test_it_agrees_with_the_comparison_that_the_run_made_itself(documents):
    document, run = json.loads(documents[0]), runs.parse("evaluation-1", documents[0])
    found = runs_compare.compare(runs_compare.side(run, "bm25"), runs_compare.side(run, "hybrid"))
    told = {
        (c["level"], m): (d["delta"], d["low"], d["high"])
        for c in document["comparisons"]
        for m, d in c["differences"].items()
    }
    mine = {(lv.level, d.measure): (d.delta, d.low, d.high) for lv in found.levels for _n, d in lv.differences}
    assert mine.keys() == told.keys()
    for key, values in told.items():
        assert mine[key] == pytest.approx(values, abs=2e-6), key


def test_a_document_of_an_older_version_is_compared_by_its_ranks(documents):
    run = runs.parse("evaluation-1", documents[0])
    before = runs.parse("evaluation-0", run_samples.older(documents[0]))
    found = runs_compare.compare(runs_compare.side(before, "hybrid"), runs_compare.side(run, "hybrid"))
    (level,) = found.levels  # by message, nobody can tell which questions expected one
    assert (level.level, level.gained, level.lost) == ("topic", (), ())
    assert all(d.delta == 0 for _n, d in level.differences)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_a_comparison_the_other_way_round_swaps_what_is_gained_and_lost(documents, hits, random):
    run = runs.parse("evaluation-1", documents[0])
    names = [f"q{n}" for n in range(len(hits))]
    other = random.sample(hits, len(hits))
    one = side(run, **dict(zip(names, hits, strict=True)))
    two = side(run, **dict(zip(names, other, strict=True)))
    (there,), (back,) = runs_compare.compare(one, two).levels, runs_compare.compare(two, one).levels
    assert (there.gained, there.lost) == (back.lost, back.gained)
    for (_n, d), (_m, e) in zip(there.differences, back.differences, strict=True):
        assert d.delta == pytest.approx(-e.delta)


def test_a_search_and_answers_have_no_figure_in_common(documents):
    search, answers = (runs.parse("x", text) for text in documents)
    found = runs_compare.compare(runs_compare.side(search, "bm25"), runs_compare.side(answers, ""))
    assert found.common == 4 and found.levels == ()
