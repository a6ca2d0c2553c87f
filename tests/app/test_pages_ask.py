"""What can be done around an answer: messages beside it, opinion, export, other writers, history, what is missing."""

import asyncio
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import nicegui
import pytest
from nicegui import ui

from app.i18n import gettext as _
from app.pages import ask
from app.question_log import QuestionLog
from app.question_values import Complaint
from app.question_words import COMPLAINTS
from app.readiness import lacks
from app.settings import AppSettings
from app.state import State
from engine import (
    Abstention,
    AbstentionReason,
    Answer,
    Citation,
    Declined,
    Evidence,
    EvidenceFound,
    IndexMissing,
    Piece,
    Zone,
    build_index,
    build_settings,
)
from tests.app.visits import visiting
from tests.factories import START, WORD_MODELS, forum, save

URL = "https://forum.exemple/t/regler-des-freins/1/2"
WORDS = "Il faut poncer les patins et orienter le pincement vers l’avant."


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    settings = build_settings(tmp_path_factory.mktemp("ask"))
    save(settings.data, forum())
    build_index(settings, WORD_MODELS)
    opened = State(AppSettings(), settings, models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


@pytest.fixture
def says(state, monkeypatch):
    """Makes the archive answer with a script of events; who was asked to write, in order."""
    writers = []

    def script(*events):
        def ask_archive(question, history=(), *, answerer="auto", check=None):
            writers.append(answerer)
            for event in events:
                if isinstance(event, Exception):
                    raise event
                yield event

        monkeypatch.setattr(state.archive, "ask", ask_archive)
        return writers

    return script


def evidence():
    return Evidence(
        n=1, post_id=12, topic_id=1, post_number=2, url=URL, path="/t/regler-des-freins/1/2", title="Régler des freins",
        category="Freins & câbles", author="alice", created_at=START, text=WORDS,
    )  # fmt: skip


def answer(**values):
    cited = (Citation(1, 12, 1, 2, URL, "/t/regler-des-freins/1/2", WORDS),)
    fields = {"question": "freins ?", "answerer": "extractive", "zone": Zone.NORMAL, **values}
    return Answer(text=f"«\u00a0{WORDS}\u00a0» [[1]]", citations=cited, evidence=(evidence(),), **fields)


async def until(condition, within_s=10):
    """Waits for what a page does after it has answered."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.02)


def having(user, name):
    """The visible elements of a class."""
    return [e for e in user.client.elements.values() if name in e.classes and e.visible]


def press(user, element):
    """A click as the browser tells it; links would lead elsewhere."""
    with user.client:
        for listener in list(element._event_listeners.values()):
            if listener.type == "click" and listener.handler is not None:
                ui.timer(0, lambda handler=listener.handler: handler(None), once=True)


async def answered(user, question="freins"):
    await user.open(f"/demander?q={question}")
    await until(lambda: having(user, "answer-title"))


# --- beside the answer ------------------------------------------------------------------------


async def test_a_citation_opens_its_message_among_its_neighbours(user, state, says):
    says(EvidenceFound((evidence(),)), answer())
    await answered(user)
    (chip,) = having(user, "chip")
    press(user, chip)
    await until(lambda: having(user, "is-target"))
    (target,) = having(user, "is-target")
    assert target.props["id"] == "message-2"
    assert len(having(user, "post")) == 3  # the opening message and the thanks around it
    (beside,) = having(user, "opened")
    assert "beside" in beside.classes
    press(user, next(e for e in beside.descendants() if "data-escape" in e.props))
    await until(lambda: not having(user, "opened"))


async def test_a_message_that_has_gone_is_told_in_the_panel(user, state, says, monkeypatch):
    says(EvidenceFound((evidence(),)), answer())
    monkeypatch.setattr(state.archive.store, "post_at", lambda topic_id, number: None)
    await answered(user)
    press(user, having(user, "chip")[0])
    await user.should_see(_("This message is no longer in the archive."), retries=50)


# --- what is thought of it --------------------------------------------------------------------


async def test_an_opinion_goes_to_the_log_with_its_reason(user, state, says):
    says(EvidenceFound((evidence(),)), answer(question="une question notée"))
    await answered(user)
    await until(lambda: having(user, "feedback"))
    user.find(_("No")).click()
    await until(lambda: having(user, "feedback-why"))
    user.find(_(COMPLAINTS[Complaint.OUTDATED])).click()
    await user.should_see(_("Thank you, it is noted."), retries=50)
    await until(lambda: state.log.recent(1)[0].complaint is Complaint.OUTDATED)
    last = state.log.recent(1)[0]
    assert (last.question, last.good) == ("une question notée", False)
    user.find(_("Yes")).click()
    await until(lambda: state.log.recent(1)[0].good)
    assert state.log.recent(1)[0].complaint is None


async def test_without_a_log_nobody_is_asked(user, state, says, monkeypatch):
    monkeypatch.setattr(state, "log", None)
    says(EvidenceFound((evidence(),)), answer())
    await answered(user)
    await until(lambda: not having(user, "stop"))
    assert not having(user, "feedback")


async def test_a_log_that_cannot_be_written_spoils_no_answer(user, state, says, monkeypatch, tmp_path):
    log = QuestionLog(tmp_path)
    log._connections.get().execute("DROP TABLE questions")
    monkeypatch.setattr(state, "log", log)
    says(EvidenceFound((evidence(),)), answer())
    await answered(user)
    await until(lambda: not having(user, "stop"))
    assert not having(user, "feedback")


async def test_a_question_turned_away_asks_no_opinion(user, state, says):
    says(Declined("q", "traduction", "Je ne traduis pas."))
    await user.open("/demander?q=traduis")
    await user.should_see("Je ne traduis pas.", retries=50)
    await until(lambda: not having(user, "stop"))
    assert not having(user, "feedback") and not having(user, "waiting")


# --- taking it away ---------------------------------------------------------------------------


async def test_an_answer_is_copied_and_saved_with_its_question_and_addresses(user, state, says):
    says(EvidenceFound((evidence(),)), answer(question="Mes freins couinent ?"))
    await answered(user)
    (copy,) = [e for e in user.client.elements.values() if "data-copy" in e.props]
    assert copy.props["data-copy"].startswith("# Mes freins couinent ?")
    assert URL in copy.props["data-copy"]
    user.find(_("Markdown")).click()
    saved = await user.download.next()
    assert saved.content.decode() == copy.props["data-copy"]
    user.find(_("HTML")).click()
    page = await user.download.next()
    assert page.content.decode().startswith("<!doctype html>") and URL in page.content.decode()
    assert [e for e in user.client.elements.values() if "data-print" in e.props]


async def test_another_writer_has_its_own_address(user, state, says, monkeypatch):
    monkeypatch.setattr(state, "models", replace(state.models, generate=lambda messages: iter(())))
    asked = says(EvidenceFound((evidence(),)), answer(answerer="llm"))
    await answered(user)
    (other,) = [e for e in user.find(kind=ui.link).elements if e.text == _("Answer with extracts only")]
    assert parse_qs(urlsplit(other.props["href"]).query) == {"q": ["freins"], "par": ["extraits"]}
    await user.open(other.props["href"])
    await until(lambda: len(asked) == 2)
    assert asked == ["auto", "extractive"]
    await user.open("/demander?q=freins&par=nimporte")
    await until(lambda: len(asked) == 3)
    assert asked[-1] == "auto"


# --- while it is written ----------------------------------------------------------------------


async def test_leaving_the_page_stops_the_writing(user, state, monkeypatch):
    closed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def ask_archive(question, history=(), *, answerer="auto", check=lambda: None):
        try:
            yield EvidenceFound((evidence(),))
            while True:
                check()
                yield Piece("mot ")
        finally:
            loop.call_soon_threadsafe(closed.set)

    monkeypatch.setattr(state.archive, "ask", ask_archive)
    await user.open("/demander?q=freins")
    await until(lambda: having(user, "draft"))
    layout = user.client.layout
    for listener in list(layout._event_listeners.values()):
        if listener.type == "left":
            listener.handler()
    await asyncio.wait_for(closed.wait(), 10)


async def test_a_question_without_an_index_says_what_to_do(user, state, says):
    says(IndexMissing())
    await user.open("/demander?q=freins")
    await user.should_see(_("No answer could be written"), retries=50)
    await user.should_see("pas encore d’index")
    await user.should_see(_("Ask again"))
    assert not having(user, "waiting")


async def test_an_abstention_has_its_own_heading(user, state, says):
    says(Abstention("q", Zone.EMPTY, "extractive", AbstentionReason.NO_EVIDENCE))
    await user.open("/demander?q=mongolie")
    await user.should_see(_("No clear answer in the archive"), retries=50)


# --- the conversation -------------------------------------------------------------------------


async def test_the_questions_before_lead_back_to_their_answers(user, state, says):
    says(EvidenceFound((evidence(),)), answer())
    await user.open(ask.address("et sous la pluie ?", ["Mes freins couinent", "et les patins ?"]))
    links = {e.text: parse_qs(urlsplit(e.props["href"]).query) for e in user.find(kind=ui.link).elements}
    assert links["Mes freins couinent"] == {"q": ["Mes freins couinent"]}
    assert links["et les patins ?"] == {"q": ["et les patins ?"], "avant": ["Mes freins couinent"]}


async def test_the_history_stays_in_the_browser(user, state, says):
    """The server sends an empty list, that a script fills, and keeps nothing of a question for whoever asked it."""
    says(EvidenceFound((evidence(),)), answer())
    await answered(user, "histoire secrète")
    await user.open("/")
    (history,) = having(user, "history")
    assert history.props["hidden"] is True
    assert [e for e in history.descendants() if e.tag == "li"] == []
    assert "secrète" not in str(dict(nicegui.app.storage.general)) + str(nicegui.app.storage._users)


# --- what is missing --------------------------------------------------------------------------


def told(folder, **values):
    opened = State(AppSettings(), build_settings(folder), **values)
    try:
        return [lack.said for lack in lacks(opened)]
    finally:
        opened.close()


def test_an_empty_archive_and_one_without_an_index_are_told_apart(tmp_path):
    assert told(tmp_path) == [_("The archive is empty. Import a backup of the forum, or fetch its messages.")]
    save(tmp_path, forum())
    assert told(tmp_path, models=WORD_MODELS)[0] == _(
        "The search is not ready: nothing can be found before it has been prepared once."
    )


def test_some_of_the_vectors_are_told_as_a_share(state, monkeypatch):
    status = replace(state.archive.status(), dense_coverage=0.37)
    monkeypatch.setattr(state.archive, "status", lambda: status)
    (meaning, model) = lacks(state)
    assert "37\u00a0%" in meaning.said
    assert model.said == _("No language model is installed: answers are made of extracts of the messages.")


async def test_the_start_page_tells_what_is_missing(user, state):
    await user.open("/")
    lack = _("No language model is installed: answers are made of extracts of the messages.")
    await user.should_see(lack, retries=99)
    await user.should_see(_("See to it"))
