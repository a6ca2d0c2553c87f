"""Reading a topic, its printed form and its images, without a browser."""

import asyncio
import io
from dataclasses import replace
from datetime import timedelta

import pytest
from nicegui import ui

from app.components import thread
from app.i18n import date_long
from app.i18n import gettext as _
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from engine.sources import Attachment, CookedText, PostMoved
from engine.store import ArchiveStore, files
from tests.app.visits import visiting
from tests.factories import FREINS, SITE, START, WORD_MODELS, post, save, topic

LONG = 250  # messages of the long topic, of which one is missing
MISSING = 133
SHA = "1c2a247ebb45bc3a930e83d0e900d19c741e8ca6"
IMAGE = f"https://forum.exemple/uploads/default/original/1X/{SHA}.png"
PLAN = "/uploads/short-url/abc.pdf"
TITLE = "<b>Freins</b> & câbles"


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A long topic of three authors, and one whose title and message are HTML with an image."""
    folder = tmp_path_factory.mktemp("topics")
    items = [SITE, FREINS, replace(topic(7, "Le grand fil", category=2, tags=("freins",)), slug="le-grand-fil")]
    items += [
        post(
            1000 + n, f"Message de rang {n}, {'pincement' if n % 50 == 0 else 'bien long'}.", topic_id=7, number=n,
            by=("alice", "bruno", "chloé")[n % 3], day=n * 5, reply_to=2 if n == 120 else None,
        )
        for n in range(1, LONG + 1) if n != MISSING
    ]  # fmt: skip
    shown = CookedText("Une roue", attachments=(Attachment(IMAGE, "roue"),))
    cooked = f'<p>Une roue <img src="{IMAGE}" alt="roue"></p><script>alert(1)</script>'
    items += [
        replace(topic(8, TITLE, category=2), slug="freins", pinned=True, closed=True, archived=True),
        replace(post(1, topic_id=8), parts=shown, cooked=cooked),
    ]
    edited = {"cooked": "<p>Revu</p>", "revised_at": START + timedelta(days=9)}
    lost = replace(post(2, topic_id=8, number=2, by=""), display_name="", **edited)
    attached = CookedText("Un plan", attachments=(Attachment(PLAN, "plan.pdf"),))
    plan = f'<p>Un plan <a class="attachment" href="{PLAN}">plan.pdf</a></p>'
    items += [lost, replace(post(3, topic_id=8, number=3), parts=attached, cooked=plan), PostMoved(99, 4, 1120)]
    save(folder, items)
    store = ArchiveStore(folder)
    stored, size = files.write(folder, io.BytesIO(b"%PDF-1.7"), max_bytes=100)
    files.record(store, [files.Kept(PLAN, stored, size, "plan à moi.pdf")])
    store.close()
    place = folder / "uploads/default/original/1X"
    place.mkdir(parents=True)
    (place / f"{SHA}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


def numbers(user):
    ids = [str(element.props.get("id", "")) for element in user.client.elements.values()]
    return sorted(int(id_.removeprefix("message-")) for id_ in ids if id_.startswith("message-"))


async def until_shown(user, wanted):
    async with asyncio.timeout(10):
        while wanted not in numbers(user):
            await asyncio.sleep(0.01)


# --- addresses ---

CANONICAL = {
    "/t/7": "/t/le-grand-fil/7",
    "/t/7/120": "/t/le-grand-fil/7/120",
    "/t/autre-titre/7": "/t/le-grand-fil/7",
    "/t/autre-titre/7/120": "/t/le-grand-fil/7/120",
    "/p/1120": "/t/le-grand-fil/7/120",
    "/t/99/4": "/t/le-grand-fil/7/120",  # where that message stood before it was moved
    "/t/sujet-fusionné/99/4": "/t/le-grand-fil/7/120",
    "/t/99": "/t/le-grand-fil/7/120",
    "/t/7/120?auteur=alice": "/t/le-grand-fil/7/120?auteur=alice",
    "/t/le-grand-fil/7?message=120": "/t/le-grand-fil/7/120",
    f"/t/le-grand-fil/7?message={MISSING}": f"/t/le-grand-fil/7/{MISSING + 1}",
    "/t/le-grand-fil/7?message=99999": f"/t/le-grand-fil/7/{LONG}",
    "/t/x/7/imprimer": "/t/le-grand-fil/7/imprimer",
}
NOT_HELD = (
    "/t/x/999", "/t/x/7/999", "/t/x/abc/4", "/t/abc", "/t/x/7/9999999999999999999", "/p/5", "/p/x", "/t/x/999/imprimer",
)  # fmt: skip


async def test_every_form_of_address_leads_to_the_canonical_one(user):
    for asked, canonical in CANONICAL.items():
        answer = await user.http_client.get(asked)
        assert (answer.status_code, answer.headers["location"]) == (307, canonical), asked
        assert (await user.http_client.get(canonical)).status_code == 200, asked


async def test_what_is_not_held_is_a_404_in_french(user):
    for path in NOT_HELD:
        answer = await user.http_client.get(path, follow_redirects=True)
        assert answer.status_code == 404, path
        assert "n’est pas dans l’archive" in answer.text, path


async def test_a_missing_message_offers_the_one_beside_it(user):
    answer = await user.http_client.get(f"/t/le-grand-fil/7/{MISSING}")
    assert answer.status_code == 404
    assert "Lire le sujet à cet endroit" in answer.text and f"/t/le-grand-fil/7/{MISSING + 1}" in answer.text


# --- windows ---


async def test_a_topic_opens_around_the_message(user):
    await user.open("/t/le-grand-fil/7/120")
    assert numbers(user) == [n for n in range(115, 136) if n != MISSING]
    (target,) = [element for element in user.client.elements.values() if "is-target" in element.classes]
    assert target.props["id"] == "message-120"
    assert target.props["aria-label"] == "Message 120, de Alice"
    assert user.find("Alice").elements.pop().props["href"] == "/u/alice"
    await user.should_see("En réponse au message 2")
    assert user.find("En réponse au message 2").elements.pop().props["href"] == "/t/le-grand-fil/7/2"


async def test_a_long_topic_is_read_by_windows_and_never_holds_more_than_a_hundred(user):
    await user.open("/t/le-grand-fil/7/120")
    assert len(numbers(user)) == thread.WINDOW
    while numbers(user)[-1] < LONG:
        before = numbers(user)
        user.find("Messages suivants").click()
        await until_shown(user, before[-1] + 1 if before[-1] + 1 != MISSING else MISSING + 1)
        assert len(numbers(user)) <= thread.WINDOW * thread.MAX_WINDOWS
    await user.should_not_see("Messages suivants")
    first = numbers(user)[0]
    user.find("Messages précédents").click()
    await until_shown(user, first - 1)
    assert len(numbers(user)) <= thread.WINDOW * thread.MAX_WINDOWS
    assert MISSING not in numbers(user)


async def test_the_opening_message_has_nothing_before_it(user):
    await user.open("/t/le-grand-fil/7")
    assert numbers(user) == list(range(1, 21))
    await user.should_not_see("Messages précédents")


async def test_the_browser_asks_for_any_message_and_gets_those_around_it(user):
    await user.open("/t/le-grand-fil/7/1")
    (listener,) = [one for one in user.client.layout._event_listeners.values() if one.type == "topic_go"]
    user.client.handle_event({"id": user.client.layout.id, "listener_id": listener.id, "args": [str(MISSING)]})
    await until_shown(user, MISSING + 1)
    assert 1 not in numbers(user)


async def test_the_timeline_has_the_years_and_both_ends(user):
    await user.open("/t/le-grand-fil/7/120")
    assert user.find("Dernier message").elements.pop().props["href"] == f"/t/le-grand-fil/7/{LONG}"
    assert user.find("Message d’ouverture").elements.pop().props["href"] == "/t/le-grand-fil/7/1"
    years = [link for link in user.find(kind=ui.link).elements if "chapter" in link.classes]
    assert [(link.text, link.props["href"]) for link in years if link.text == "2015"] == [
        ("2015", "/t/le-grand-fil/7/62")
    ]


# --- one author, some words ---


async def test_one_author_is_read_alone(user):
    await user.open("/t/le-grand-fil/7/120?auteur=alice")
    await user.should_see("Seulement les messages de Alice\u00a0: 83 messages")
    assert all(n % 3 == 0 for n in numbers(user)) and 120 in numbers(user)
    assert user.find("Voir tout le sujet").elements.pop().props["href"] == "/t/le-grand-fil/7/120"


async def test_an_author_who_wrote_nothing_here(user):
    await user.open("/t/le-grand-fil/7?auteur=personne")
    await user.should_see("Aucun message de cet auteur dans ce sujet")


async def test_words_are_found_inside_the_topic(user):
    await user.open("/t/le-grand-fil/7?q=pincement")
    await user.should_see("5 messages trouvés dans ce sujet")
    await user.should_see("<mark>pincement</mark>")
    assert user.find("Message 150").elements.pop().props["href"] == "/t/le-grand-fil/7/150"
    await user.open("/t/le-grand-fil/7?q=guidon")
    await user.should_see("0 message trouvé dans ce sujet")


# --- on paper, images ---


async def test_the_whole_topic_is_one_document_to_print(user):
    answer = await user.http_client.get("/t/le-grand-fil/7/imprimer")
    assert answer.status_code == 200 and answer.text.count("<article>") == LONG - 1
    assert "Message de rang 250" in answer.text and "249 messages, écrits du" in answer.text


async def test_what_is_printed_runs_nothing_of_the_archive(user):
    answer = await user.http_client.get("/t/freins/8/imprimer")
    assert "&lt;b&gt;Freins&lt;/b&gt; &amp; câbles" in answer.text
    assert "<script" not in answer.text and f'src="/uploads/1/{SHA}.png"' in answer.text


async def test_an_image_of_a_held_message_is_served_and_nothing_else(user):
    answer = await user.http_client.get(f"/uploads/1/{SHA}.png")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    for path in (
        f"/uploads/2/{SHA}.png",
        f"/uploads/x/{SHA}.png",
        "/uploads/1/..%2f..%2farchive.db",
        "/uploads/1/archive.db",
    ):
        assert (await user.http_client.get(path)).status_code == 404, path


# --- files, revisions, deleted accounts ---


async def test_an_attached_file_is_saved_under_its_name_and_never_opened(user):
    await user.open("/t/freins/8/3")
    (shown,) = [e for e in user.client.elements.values() if "plan.pdf" in str(getattr(e, "content", ""))]
    address = shown.content.partition('class="attachment" href="')[2].partition('"')[0]
    answer = await user.http_client.get(address)
    assert (answer.status_code, answer.content) == (200, b"%PDF-1.7")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''plan%20%C3%A0%20moi.pdf"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    other = address.replace("/uploads/3/", "/uploads/1/")
    assert (await user.http_client.get(other)).status_code == 404


async def test_the_date_of_a_revision_and_a_deleted_account_are_told(user):
    await user.open("/t/freins/8")
    await user.should_see(_("edited on {date}").format(date=date_long(START + timedelta(days=9))))
    await user.should_see(_("deleted account"))


async def test_a_topic_says_that_it_is_pinned_closed_and_archived(user):
    await user.open("/t/freins/8")
    for said in (_("pinned topic"), _("closed topic"), _("archived topic: nobody could reply any more")):
        await user.should_see(said)
    await user.open("/t/le-grand-fil/7")
    await user.should_not_see(_("pinned topic"))
