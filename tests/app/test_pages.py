"""The pages as a person sees them, in French, without a browser."""

import tempfile
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nicegui import Client, core, ui
from nicegui.storage import Storage
from nicegui.testing.user_simulation import user_simulation

from app import i18n, pages
from app.answer_words import dropped
from app.i18n import gettext as _
from app.settings import AppSettings
from app.state import State
from engine import (
    Abstention,
    AbstentionReason,
    Answer,
    Citation,
    ClaimCheck,
    Doubt,
    DoubtCode,
    Evidence,
    EvidenceFound,
    GenerationFailed,
    Piece,
    Queued,
    SourceState,
    Zone,
    build_index,
    build_settings,
)
from tests.factories import FREINS, SITE, WORD_MODELS, post, save, topic

LONG = 250  # messages of the long topic


@pytest.fixture(scope="module", autouse=True)
def storage():
    """NiceGUI's files go to a temporary folder, not to the working directory."""
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture(scope="module")
def state(demo_data):
    opened = State(AppSettings(), build_settings(demo_data))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def long_state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    items = [SITE, FREINS, topic(7, "Le grand fil du forum", category=2)]
    items += [post(n, f"Message de rang {n}, bien assez long.", topic_id=7, number=n) for n in range(1, LONG + 1)]
    save(folder, items)
    settings = build_settings(folder)
    build_index(settings, WORD_MODELS)
    opened = State(AppSettings(), settings, models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def visit():
    """A function that registers the pages of a state and gives a visitor."""
    i18n.use("fr")
    async with user_simulation() as user:

        def arrive(state):
            pages.register(state)
            return user

        yield arrive
        # Otherwise NiceGUI takes our packages out of sys.modules, under the feet of the other tests.
        Client.page_routes.clear()


def evidence(n=1):
    return Evidence(
        n=n, post_id=114004, topic_id=114, post_number=4, url="https://f.exemple/t/x/114/4", path="/t/x/114/4",
        title="Freins qui couinent", category="Atelier", author="alice", created_at=datetime(2014, 5, 1, tzinfo=UTC),
        text="Il faut du pincement.",
    )  # fmt: skip


def answer(text="Il faut du pincement [[1]].", **values):
    cited = (Citation(1, 114004, 114, 4, "https://f.exemple/t/x/114/4", "/t/x/114/4", "Il faut du pincement."),)
    fields = {"answerer": "llm", "zone": Zone.NORMAL, "citations": cited, "evidence": (evidence(),), **values}
    return Answer(question="q", text=text, **fields)


@pytest.fixture
def says(state, monkeypatch):
    """Makes the archive answer with a script of events."""

    def script(*events):
        def ask(question, history=(), *, answerer="auto", check=None):
            for event in events:
                if isinstance(event, Exception):
                    raise event
                yield event

        monkeypatch.setattr(state.archive, "ask", ask)

    return script


# --- asking -----------------------------------------------------------------------------------


async def test_the_start_page_offers_the_examples_of_the_demo(visit, state):
    user = visit(state)
    await user.open("/")
    await user.should_see("Interroger l’archive")
    await user.should_see("Quels lots de la jante R-28C sont concernés par le rappel ?")
    await user.should_see("329 messages, 35 sujets – archive du")


async def test_another_archive_gives_examples_of_its_own(visit, long_state):
    user = visit(long_state)
    await user.open("/")
    await user.should_see("Par exemple")
    await user.should_see(_("What do the members say about “{title}”?").format(title="Le grand fil du forum"))


async def test_an_example_leads_to_its_answer_with_extracts(visit, state):
    user = visit(state)
    await user.open("/")
    user.find("Quels lots de la jante R-28C sont concernés par le rappel ?").click()
    await user.should_see("Extraits de l’archive", retries=100)
    await user.should_see("Messages trouvés")
    assert any("7K-0200" in element.text for element in user.find(kind=ui.element, content="7K-0200").elements)


async def test_a_citation_is_a_link_to_its_message_with_the_quote(visit, state, says):
    says(EvidenceFound((evidence(),)), Piece("Il faut"), answer())
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("Réponse", retries=30)
    (chip,) = [link for link in user.find(kind=ui.link).elements if "chip" in link.classes]
    assert chip.props["href"] == "/t/x/114/4"
    (quote,) = [e for e in user.client.elements.values() if "quote-words" in e.classes]
    assert quote.text == "«\u00a0Il faut du pincement.\u00a0»"


async def test_what_the_sources_do_not_support_is_marked_with_its_reason(visit, state, says):
    said = "Il faut du pincement [[1]]. Comptez 3 mm [[1]]."
    check = ClaimCheck(said.index("Comptez"), len(said), (1,), (Doubt(DoubtCode.NUMBER, ("3 mm",)),))
    says(EvidenceFound((evidence(),)), answer(said, checks=(check,), dropped=("Autre.",)))
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see(_("not verified in the sources"), retries=30)
    (doubt,) = [e for e in user.client.elements.values() if "doubt" in e.classes]
    assert "3 mm" in doubt.props["title"]
    (doubted,) = [e for e in user.client.elements.values() if "doubted" in e.classes]
    assert next(e.text for e in doubted.descendants() if "chip" not in e.classes) == "Comptez 3 mm"
    assert len([e for e in user.find(kind=ui.link).elements if "chip" in e.classes]) == 2
    await user.should_see(dropped(1))


async def test_a_source_that_changed_since_says_so(visit, state, says, monkeypatch):
    monkeypatch.setattr(state.archive, "sources_now", lambda citations: {114004: SourceState.EDITED})
    says(EvidenceFound((evidence(),)), answer())
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("Réponse", retries=30)
    (chip,) = [link for link in user.find(kind=ui.link).elements if "chip" in link.classes]
    assert "changed" in chip.classes
    assert _("This message was edited since.") in [
        e.text for e in user.client.elements.values() if "quote-words" in e.classes
    ]


async def test_weak_evidence_looks_like_it(visit, state, says):
    says(EvidenceFound((evidence(),)), answer(zone=Zone.WEAK))
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see(_("No message found clearly answers. These may be related."), retries=30)
    assert [e for e in user.client.elements.values() if {"answer", "weak"} <= set(e.classes)]


async def test_an_abstention_invites_to_ask_in_a_category_of_the_archive(visit, state, says):
    reason = AbstentionReason.NO_EVIDENCE
    says(Abstention("q", Zone.EMPTY, "extractive", reason, (evidence(),), category="Freinage"))
    user = visit(state)
    await user.open("/demander?q=mongolie")
    await user.should_see("Freinage", retries=30)
    await user.should_see(_("Perhaps related"))


async def test_a_model_writing_html_shows_its_words_only(visit, state, says):
    says(EvidenceFound(()), answer("<img src=x onerror=alert(1)> [[1]] [[9]] {{ 1+1 }}"))
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("<img src=x onerror=alert(1)>", retries=30)
    assert not [element for element in user.client.elements.values() if isinstance(element, ui.html)]


async def test_an_abstention_is_a_calm_sentence_and_the_messages_found(visit, state, says):
    says(Abstention("q", Zone.WEAK, "extractive", AbstentionReason.NO_MATCH, (evidence(),)))
    user = visit(state)
    await user.open("/demander?q=mongolie")
    await user.should_see("Je n’ai trouvé aucun message qui réponde clairement", retries=30)
    await user.should_see("Freins qui couinent")
    await user.should_see("Rechercher ces mots dans l’archive")


async def test_a_failure_is_told_in_french(visit, state, says):
    says(EvidenceFound((evidence(),)), GenerationFailed(stage="generate"))
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("Le modèle de langue s’est arrêté", retries=30)


async def test_who_waits_sees_the_place_in_the_line_and_the_messages(visit, state, monkeypatch):
    places = [threading.Event() for _ in range(3)]

    def ask(question, history=(), *, answerer="auto", check=None):
        yield EvidenceFound((evidence(),))
        for ahead, passed in zip((2, 1, 0), places, strict=True):
            yield Queued(ahead)
            passed.wait(10)
        yield answer()

    monkeypatch.setattr(state.archive, "ask", ask)
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("2 questions passent avant la vôtre", retries=30)
    await user.should_see("Freins qui couinent")
    places[0].set()
    await user.should_see("1 question passe avant la vôtre", retries=30)
    places[1].set()
    await user.should_see("Rédaction", retries=30)
    places[2].set()
    await user.should_see("Il faut du pincement", retries=30)


async def test_a_model_that_was_turned_off_can_be_tried_again(visit, state, says, monkeypatch):
    retried = threading.Event()
    monkeypatch.setattr(state, "models", replace(state.models, retry=retried.set))
    says(EvidenceFound((evidence(),)), answer(answerer="extractive", notices=("llm_off",)))
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("ne fonctionne pas sur cet ordinateur", retries=30)
    user.find("Réessayer avec le modèle de langue").click()
    assert retried.wait(5)


async def test_stopping_ends_the_generation(visit, state, monkeypatch):
    released, closed = threading.Event(), threading.Event()

    def ask(question, history=(), *, answerer="auto", check=None):
        try:
            yield EvidenceFound((evidence(),))
            while not released.wait(0.01):
                yield Piece("mot ")
        finally:
            closed.set()

    monkeypatch.setattr(state.archive, "ask", ask)
    user = visit(state)
    await user.open("/demander?q=freins")
    await user.should_see("Rédaction", retries=30)
    user.find("Arrêter").click()
    await user.should_see("n’a pas été vérifié", retries=30)
    assert closed.wait(5)
    released.set()


# --- searching --------------------------------------------------------------------------------


async def test_searching_shows_who_when_where_and_marks_the_words(visit, state):
    user = visit(state)
    await user.open("/chercher?q=pincement")
    await user.should_see("Freins à patins qui couinent", retries=30)
    await user.should_see("<mark>pincement</mark>")
    await user.should_see("tontonrayon")
    await user.should_see("25 mai 2014")


async def test_pages_of_results_hold_twenty(visit, state):
    user = visit(state)
    await user.open("/chercher?q=vélo roue chaîne frein pneu&mode=exact")
    await user.should_see("Page 1 sur", retries=30)
    first = [link.text for link in user.find(kind=ui.link).elements if link.props["href"].startswith("/t/")]
    assert len(first) == 20
    user.find("Suivant").click()
    await user.should_see("Page 2 sur", retries=30)


async def test_nothing_found_gives_advice_and_the_operators(visit, state):
    user = visit(state)
    await user.open("/chercher?q=xylophone&mode=exact")
    await user.should_see("Aucun message trouvé", retries=30)
    await user.should_see("auteur:alice")


async def test_a_date_that_is_none_is_explained(visit, state):
    user = visit(state)
    await user.open("/chercher?q=avant:hier freins")
    await user.should_see("n’est pas une date", retries=30)


async def test_odd_parameters_never_break_the_page(visit, state):
    user = visit(state)
    for odd in ("mode=xyz", "page=0", "page=-3", "page=99999999999999", "page=x", "page=²"):
        await user.open(f"/chercher?q=freins&{odd}")
        await user.should_see("Mixte")


# --- reading ----------------------------------------------------------------------------------


async def test_an_accepted_answer_and_the_way_to_the_forum_are_told(visit, state):
    user = visit(state)
    await user.open("/t/peu-importe/114/4")
    await user.should_see("Freins à patins qui couinent")
    await user.should_see("Réponse acceptée")
    assert "https://garde-boue.exemple/t/" in user.find("Voir sur le forum").elements.pop().props["href"]


async def test_a_private_topic_of_the_demo_is_not_there(visit, state):
    user = visit(state)
    assert (await user.http_client.get("/t/x/901/1")).status_code == 404


async def test_an_address_that_leads_nowhere_is_a_404_in_french(visit, state):
    user = visit(state)
    found = await user.http_client.get("/nulle-part")
    assert found.status_code == 404 and "n’existe pas" in found.text


# --- everywhere -------------------------------------------------------------------------------


async def test_the_theme_goes_round_and_is_kept(visit, state):
    user = visit(state)
    await user.open("/")
    user.find("◐").click()
    await user.should_see("☀")
    await user.open("/chercher")
    await user.should_see("☀")
