"""The measures as a moderator sees them: runs, comparisons, the question set, what had no answer."""

import asyncio
import json

import pytest
from nicegui import ui

from app import job_desk, question_set
from app.access import Access
from app.i18n import gettext as _
from app.job_states import Kind
from app.question_values import Complaint
from app.question_words import COMPLAINTS
from app.settings import AppSettings
from app.state import State
from engine import Abstention, AbstentionReason, Zone, build_settings
from engine.evaluate.questions import Question
from tests.app import run_samples
from tests.app.looking import arrive, button, links, seen, shown, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run_samples.archive(tmp_path_factory.mktemp("mesures"))


@pytest.fixture
def state(folder):
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()
    for path in folder.glob("evaluations/*"):
        path.unlink()
    question_set.path(folder).unlink(missing_ok=True)


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


@pytest.fixture
def documents(folder):
    search, answers = run_samples.texts(folder)
    run_samples.put(folder, "evaluation-20261130T010000Z", search)
    run_samples.put(folder, "evaluation-20261129T010000Z", run_samples.older(search))
    run_samples.put(folder, "answers-20261128T010000Z", answers)
    run_samples.put(folder, "evaluation-20261127T010000Z", search[:500])
    run_samples.put(folder, "<img src=x onerror=alert(1)>", json.dumps({"configs": "<b>"}))
    return search, answers


async def until(condition, within_s=10):
    deadline = asyncio.get_running_loop().time() + within_s
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.02)


def named(user, name):
    """The visible field of this name."""
    return next(element for element in shown(user) if element.props.get("name") == name)


def said(user):
    return "\n".join(seen(user))


# --- runs -------------------------------------------------------------------------------------


async def test_before_the_first_run_the_page_says_how_to_begin(user):
    await arrive(user, "/mesures")
    assert _("None yet. The first one takes a question set: yours, or that of the demo forum.") in seen(user)
    assert button(user, _("Start an evaluation"))


async def test_runs_are_listed_with_figures_and_bad_files_are_said_to_be_unreadable(user, documents):
    await arrive(user, "/mesures")
    assert len(links(user, "essai.yml")) == 0 and said(user).count("essai.yml") == 3
    assert [e.props["href"] for e in shown(user) if isinstance(e, ui.link) and "/mesures/" in e.props["href"]][-3:] == [
        "/mesures/evaluation-20261130T010000Z", "/mesures/evaluation-20261129T010000Z",
        "/mesures/answers-20261128T010000Z",
    ]  # fmt: skip
    assert seen(user).count(_("This file is no evaluation, or is damaged: it can’t be read.")) == 2
    assert "<img src=x onerror=alert(1)>.json" in seen(user)
    assert "0,750" in seen(user)  # three of four in the first five


async def test_starting_one_makes_a_job_with_the_configurations_chosen(user, state):
    await arrive(user, "/mesures")
    tick = next(e for e in shown(user) if e.props.get("type") == "checkbox" and e.props["value"] == "dense")
    trigger(tick, "change", False)
    trigger(button(user, _("Start an evaluation")), "click")
    await until(lambda: job_desk.look(state).jobs)
    (job,) = job_desk.look(state).jobs
    assert (job.work.kind, job.work.measured) == (Kind.EVALUATE, ("bm25", "hybrid"))
    assert job.work.sources[0].endswith("questions.yml")
    job_desk.steer(state, "cancel", job.id)


async def test_a_file_that_holds_no_questions_is_refused_on_the_spot(user, state, folder):
    await arrive(user, "/mesures")
    choice = next(e for e in shown(user) if e.tag == "select")
    trigger(choice, "change", "other")
    field = next(e for e in shown(user) if e.tag == "input" and e.props.get("type") != "checkbox"
                 and "spellcheck" in e.props)  # fmt: skip
    trigger(field, "change", str(folder / "rien.yml"))
    trigger(button(user, _("Start an evaluation")), "click")
    await until(lambda: "rien.yml" in said(user))
    assert not [job for job in job_desk.look(state).jobs if job.work.sources[0].endswith("rien.yml")]


async def test_a_run_shows_its_tables_and_questions_and_the_address_filters_them(user, documents):
    await arrive(user, "/mesures/evaluation-20261130T010000Z")
    for heading in ("Tables", "By tag", "Milliseconds, p50 / p95", "Question by question", "Conditions"):
        assert _(heading) in seen(user)
    assert links(user, "Le lac <script>alert(1)</script>") == [
        "/chercher?q=Le+lac+%3Cscript%3Ealert%281%29%3C%2Fscript%3E"
    ]
    await arrive(user, "/mesures/evaluation-20261130T010000Z?config=bm25&etat=perdu")
    assert links(user, "Que dit le message perdu ?") and not links(user, "La cire par temps sec")
    await arrive(user, "/mesures/evaluation-20261130T010000Z?q=CIRE&page=99")
    assert links(user, "La cire par temps sec") and not links(user, "Que dit le message perdu ?")


async def test_a_run_of_answers_shows_what_came_of_each_question(user, documents):
    await arrive(user, "/mesures/answers-20261128T010000Z")
    assert _("What came of the questions") in seen(user) and links(user, "La cire par temps sec")
    await arrive(user, "/mesures/answers-20261128T010000Z?etat=securite")
    assert not links(user, "La cire par temps sec")


@pytest.mark.parametrize("name", ["absente", "evaluation-20261127T010000Z"])
async def test_a_run_that_is_absent_or_damaged_is_told_in_a_sentence(user, documents, name):
    await arrive(user, f"/mesures/{name}")
    assert links(user, _("All evaluations")) == ["/mesures"]


async def test_two_configurations_of_a_run_are_compared_when_nothing_is_said(user, documents):
    await arrive(user, "/mesures/comparer")
    chosen = [e.props["value"] for e in shown(user) if e.tag == "option" and e.props.get("selected")]
    assert chosen == ["evaluation-20261130T010000Z/bm25", "evaluation-20261130T010000Z/hybrid"]
    assert _("Differences, with their interval at 95 %") in seen(user)


async def test_two_runs_are_compared_by_their_address(user, documents):
    await arrive(user, "/mesures/comparer?a=evaluation-20261129T010000Z/hybrid&b=evaluation-20261130T010000Z/hybrid")
    assert _("Gained: {n}").format(n=0) in seen(user) and _("Lost: {n}").format(n=0) in seen(user)
    await arrive(user, "/mesures/comparer?a=answers-20261128T010000Z&b=evaluation-20261130T010000Z/bm25")
    assert _("One measures the search and the other the answers: no figure is in both.") in seen(user)


# --- the question set ---------------------------------------------------------------------------


async def test_a_search_result_becomes_the_expected_message_of_a_question(user, state):
    await arrive(user, "/chercher?q=patins&mode=exact")
    trigger(button(user, _("Expected for a question…")), "click")
    await until(lambda: any(e.props.get("name") == "posts" for e in shown(user)))
    assert named(user, "text").props["defaultValue"] == "patins"
    assert named(user, "posts").props["defaultValue"].startswith("/t/")
    trigger(named(user, "text"), "change", "Faut-il poncer les patins ?")
    trigger(button(user, _("Save")), "click")
    await until(lambda: question_set.load(state.engine.data))
    (kept,) = question_set.load(state.engine.data)
    assert kept.text == "Faut-il poncer les patins ?" and len(kept.post_ids) == 1


async def test_readers_are_offered_nothing_and_can_change_nothing(user, state, monkeypatch):
    question_set.add(state.engine.data, Question("", "Quels patins ?", post_ids=(12,)))
    await arrive(user, "/mesures/questions")
    monkeypatch.setattr(Access, "may", lambda self, action: action == "read")
    trigger(button(user, _("Delete")), "click")
    trigger(button(user, _("Delete it for good")), "click")
    await arrive(user, "/chercher?q=patins&mode=exact")
    assert _("Expected for a question…") not in seen(user)
    assert len(question_set.load(state.engine.data)) == 1


async def test_a_question_is_changed_and_deleted_in_its_list(user, state):
    question_set.add(state.engine.data, Question("", "Quels <b>patins</b> ?", post_ids=(12, 999), tags=("exact",)))
    await arrive(user, "/mesures/questions")
    assert links(user, "Quels <b>patins</b> ?") and "exact" in seen(user)
    assert _("message {id}, not in the archive").format(id=999) in seen(user)
    trigger(button(user, _("Edit")), "click")
    await until(lambda: any(e.props.get("name") == "posts" for e in shown(user)))
    trigger(named(user, "posts"), "change", "bonjour")
    trigger(button(user, _("Save")), "click")
    await until(lambda: any("bonjour" in each for each in seen(user)))
    trigger(named(user, "posts"), "change", "/p/22")
    trigger(named(user, "tags"), "change", "exact, frein")
    trigger(button(user, _("Save")), "click")
    await until(lambda: question_set.load(state.engine.data)[0].post_ids == (22,))
    assert question_set.load(state.engine.data)[0].tags == ("exact", "frein")
    await arrive(user, "/mesures/questions?q=frein")
    trigger(button(user, _("Delete")), "click")
    trigger(button(user, _("Delete it for good")), "click")
    await until(lambda: not question_set.load(state.engine.data))
    await until(lambda: _("The set is empty") in seen(user))


async def test_a_set_that_cannot_be_read_is_told_and_left_alone(user, state):
    question_set.path(state.engine.data).write_text("- {id: a}")
    await arrive(user, "/mesures/questions")
    assert any("questions.yml" in each for each in seen(user))
    await arrive(user, "/mesures")
    assert any("questions.yml" in each for each in seen(user))


async def test_a_question_without_answer_is_searched_or_added_to_the_set(user, state):
    asked = Abstention("Où est le <i>yéti</i> ?", Zone.EMPTY, "extractive", next(iter(AbstentionReason)))
    number = state.log.record(asked)
    state.log.feedback(number, good=False, reason=Complaint.BESIDE, comment="rien à voir")
    await arrive(user, "/mesures/sans-reponse")
    assert "Où est le <i>yéti</i> ?" in seen(user) and any("rien à voir" in each for each in seen(user))
    assert _(COMPLAINTS[Complaint.BESIDE]) in seen(user)
    (address,) = links(user, _("Search for it"))
    assert address.startswith("/chercher?q=")
    trigger(button(user, _("Add to the question set")), "click")
    await until(lambda: any(e.props.get("name") == "expects" for e in shown(user)))
    trigger(button(user, _("Save")), "click")
    await until(lambda: question_set.load(state.engine.data))
    (kept,) = question_set.load(state.engine.data)
    assert (kept.text, kept.expects_abstention) == ("Où est le <i>yéti</i> ?", True)
    state.log.forget_all()
