"""The pages for browsing, without a browser: each list, its order and its pages."""

from datetime import date
from urllib.parse import quote, unquote

import pytest
from nicegui import ui

from app import browsing_words as words
from app.components.days import day_title
from app.i18n import gettext as _
from app.settings import AppSettings
from app.state import State
from engine import build_index, build_settings
from tests.app.looking import arrive, seen, shown
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, post, save, topic

TOPICS = 35  # of the category Le bistrot, on two pages


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browse")
    items = [*forum(), topic(8, "<b>Rustines</b>", category=3, tags=("c++/c#", "freins"))]
    items += [topic(100 + n, f"Sujet {n}", category=3) for n in range(1, TOPICS)]
    items += [
        post(1000 + n, f"Bonjour du sujet {n}.", topic_id=100 + n, by="Émile", day=n, likes=n) for n in range(1, TOPICS)
    ]
    items += [post(2000, "Une rustine.", topic_id=8, by="Émile", day=800)]
    save(folder, items)
    build_index(build_settings(folder), WORD_MODELS)
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


def targets(user, start):
    """Where the visible links lead that begin so, as one reads it."""
    found = [unquote(element.props["href"]) for element in shown(user) if isinstance(element, ui.link)]
    return [address for address in found if address.startswith(start)]


async def test_the_whole_at_a_glance_leads_everywhere(user):
    await arrive(user, "/parcourir")
    assert targets(user, "/c/") == ["/c/atelier/1", "/c/freins-cables/2", "/c/bistrot/3"]
    assert "/u/Émile" in targets(user, "/u/") and "/etiquette/c++/c#" in targets(user, "/etiquette/")
    assert {"/sujets", "/auteurs", "/etiquettes"} <= {e.props["href"] for e in shown(user) if isinstance(e, ui.link)}
    said = [e.props["aria-label"] for e in shown(user) if e.props.get("role") == "img"]
    assert any(
        label.startswith(_("Activity from {first} to {last}; most in {year}: {posts}.").split(" {")[0])
        for label in said
    )
    assert "/chercher?q=après:2014-01-01+avant:2015-01-01&tri=ancien" in targets(user, "/chercher")
    assert _("No message links to another topic.") in seen(user)


@pytest.mark.parametrize("path", ["/c/bistrot/3", "/c/peu-importe/3", "/c/parent/bistrot/3"])
async def test_a_category_lists_its_topics_page_by_page(user, path):
    await arrive(user, f"{path}?tri=likes")
    first = targets(user, "/t/")
    await arrive(user, f"{path}?tri=likes&page=2")
    second = targets(user, "/t/")
    assert len(first) == 30 and len(second) == TOPICS + 1 - 30 and not set(first) & set(second)
    assert "Page 2 sur 2" in seen(user)


async def test_a_category_shows_those_below_it_and_searches_itself(user):
    await arrive(user, "/c/atelier/1")
    assert "/c/freins-cables/2" in targets(user, "/c/")
    assert '/chercher?q=catégorie:"Atelier"' in targets(user, "/chercher")
    assert {"/t/régler-des-freins/1"} < set(targets(user, "/t/"))


async def test_a_list_of_topics_is_sorted_by_links(user):
    await arrive(user, "/sujets?tri=messages&page=2")
    assert targets(user, "/sujets?") == ["/sujets?tri=date", "/sujets?tri=messages", "/sujets?tri=vues",
                                         "/sujets?tri=likes", "/sujets?tri=messages"]  # fmt: skip
    current = [e.text for e in shown(user) if e.props.get("aria-current") == "true"]
    assert current == [_("Most messages")]


async def test_a_tag_of_any_signs_has_its_page(user):
    await arrive(user, f"/etiquette/{quote('freins')}")
    assert set(targets(user, "/t/")) == {"/t/régler-des-freins/1", "/t/<b>rustines</b>/8"}
    assert '/chercher?q=étiquette:"freins"' in targets(user, "/chercher")
    await arrive(user, "/etiquettes")
    assert targets(user, "/etiquette/")[0] == "/etiquette/freins"
    assert set(targets(user, "/etiquette/")[1:]) == {"/etiquette/c++/c#", "/etiquette/chaîne", "/etiquette/réglage"}
    await arrive(user, f"/etiquette/{quote('c++/c#', safe='')}")
    assert targets(user, "/t/") == ["/t/<b>rustines</b>/8"]


async def test_titles_are_text_and_never_html(user):
    await arrive(user, "/etiquette/freins")
    assert "<b>Rustines</b>" in seen(user)
    assert not [e for e in shown(user) if isinstance(e, ui.html)]


async def test_an_author_has_posts_by_year_the_most_liked_and_the_topics_opened(user):
    await arrive(user, f"/u/{quote('émile')}")  # in any case
    await user.should_see("@Émile")
    searches = targets(user, "/chercher")
    assert '/chercher?q=auteur:"Émile"&tri=date' in searches
    assert any(s.startswith('/chercher?q=auteur:"Émile"+après:2014-') for s in searches)
    assert len(targets(user, "/t/")) == 5 + 30
    assert targets(user, "/u/Émile?page=2")


async def test_authors_are_sorted_and_named_as_they_sign(user):
    await arrive(user, "/auteurs?tri=nom")
    assert targets(user, "/u/") == ["/u/alice", "/u/bruno", "/u/chloé", "/u/dan", "/u/Émile"]
    await arrive(user, "/auteurs")
    assert targets(user, "/u/")[0] == "/u/Émile"


async def test_a_day_shows_every_year_and_the_days_beside_it(user):
    await arrive(user, "/ce-jour-la/03-01")
    assert targets(user, "/ce-jour-la/") == ["/ce-jour-la/02-29", "/ce-jour-la/03-02"]
    assert "/chercher?q=après:2014-03-01+avant:2014-03-02&tri=ancien" in targets(user, "/chercher")
    assert day_title(date(2024, 3, 1)) == "1er mars"
    await arrive(user, "/ce-jour-la/02-29")
    await user.should_see(_("Nobody wrote on that day."))


async def test_today_is_the_day_without_a_day(user):
    answer = await user.http_client.get("/ce-jour-la", follow_redirects=False)
    assert answer.headers["location"] == words.day_path(date.today())


@pytest.mark.parametrize(
    "path", ["/c/x/999", "/c/x/y", "/etiquette/inconnue", "/u/personne", "/ce-jour-la/02-30", "/ce-jour-la/demain"]
)
async def test_what_is_not_held_is_a_404_in_french(user, path):
    answer = await user.http_client.get(path)
    assert answer.status_code == 404
    assert _("Back to the start") in answer.text


async def test_odd_parameters_never_break_a_list(user):
    for path in ("/sujets", "/auteurs", "/c/bistrot/3", "/etiquette/freins", "/u/alice"):
        for odd in ("tri=zzz", "page=0", "page=-1", "page=x", "page=99999999999", "page=²"):
            assert (await user.http_client.get(f"{path}?{odd}")).status_code == 200
