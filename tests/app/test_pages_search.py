"""The search page, without a browser: every control, and what its address says."""

import asyncio
import threading
from urllib.parse import parse_qs, urlsplit

import nicegui
import pytest
from nicegui import ui

from app.components import saved_searches
from app.i18n import gettext as _
from app.i18n import ngettext
from app.pages import search
from app.settings import AppSettings
from app.state import State
from engine import build_index, build_settings
from tests.app.looking import arrive, button, links, shown, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, post, save, topic

MANY = 45  # messages of a topic, so that there are three pages of results


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    items = [*forum(), topic(8, "Rustines", category=3)]
    items += [
        post(1000 + n, f"La rustine de rang {n} tient bien.", topic_id=8, number=n, by="bruno", day=30 * n, likes=n % 7)
        for n in range(1, MANY + 1)
    ]
    save(folder, items)
    build_index(build_settings(folder), WORD_MODELS)
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


def asked(address):
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def titles(user):
    return [e.text for e in shown(user) if isinstance(e, ui.link) and e.props["href"].startswith("/t/")]


async def test_every_facet_is_a_link_that_adds_its_operator(user):
    await arrive(user, "/chercher?q=rustine+freins&mode=exact&tri=date")
    (address,) = links(user, "bruno", "facet")
    assert asked(address) == {"q": 'rustine freins auteur:"bruno"', "mode": "exact", "tri": "date"}
    assert asked(links(user, "Atelier", "facet")[0])["q"] == 'rustine freins catégorie:"Atelier"'
    assert asked(links(user, "freins", "facet")[0])["q"] == 'rustine freins étiquette:"freins"'
    assert asked(links(user, "2015", "facet")[0])["q"] == "rustine freins avant:2016-01-01 après:2015-01-01"


async def test_a_bar_of_the_histogram_leads_where_its_line_of_the_list_does(user):
    await arrive(user, "/chercher?q=rustine&mode=exact")
    (chart,) = [e for e in shown(user) if isinstance(e, ui.echart)]
    options = chart.props["options"]
    assert options["xAxis"]["data"][1] == "2015" and sum(options["series"][0]["data"]) == MANY
    assert chart.props["role"] == "img" and "2014" in chart.props["aria-label"]
    facts = ("seriesType", "seriesIndex", "seriesName", "name", "data", "value")
    trigger(chart, "componentClick", dict.fromkeys(facts) | {"componentType": "series", "dataIndex": 1})
    await user.should_see(_("from {date} on").format(date="1er janv. 2015"), retries=30)


async def test_a_condition_is_a_chip_that_takes_it_away(user):
    await arrive(user, "/chercher?q=rustine auteur:bruno après:2015&mode=exact")
    said = _("author: {value}").format(value="bruno")
    assert asked(links(user, said)[0]) == {"q": "rustine après:2015-01-01", "mode": "exact"}
    dated = _("from {date} on").format(date="1er janv. 2015")
    assert asked(links(user, dated)[0])["q"] == 'rustine auteur:"bruno"'


async def test_modes_orders_and_grouping_are_links_that_keep_the_rest(user):
    await arrive(user, "/chercher?q=rustine&mode=exact&tri=likes&page=2")
    assert asked(links(user, _("Meaning"))[0]) == {"q": "rustine", "mode": "sens", "tri": "likes"}
    assert asked(links(user, _("Newest"))[0]) == {"q": "rustine", "mode": "exact", "tri": "date"}
    assert asked(links(user, _("By topic"))[0]) == {"q": "rustine", "mode": "exact", "tri": "likes", "groupe": "sujet"}
    chosen = [e.text for e in shown(user) if e.props.get("aria-current") == "true" and "mode" in e.classes]
    assert chosen == [_("Exact words"), _("Most liked")]


async def test_all_that_matches_is_read_by_date_page_after_page(user):
    found = []
    for page in (1, 2, 3):
        await arrive(user, f"/chercher?q=rustine&mode=exact&tri=date&page={page}")
        found += [e.props["href"] for e in shown(user) if isinstance(e, ui.link) and e.props["href"].startswith("/t/")]
    assert found == [f"/t/rustines/8/{n}" for n in range(MANY, 0, -1)]
    await user.should_see("Page 3 sur 3")


async def test_grouping_shows_a_topic_once_with_its_best_messages(user):
    await arrive(user, "/chercher?q=rustine&mode=exact&groupe=sujet")
    assert titles(user).count("Rustines") == 1
    more = ngettext("{n} more message of this topic", "{n} more messages of this topic", MANY - 3)
    await user.should_see(more.format(n=MANY - 3))


async def test_why_a_result_was_found_is_told_when_it_is_asked(user):
    await arrive(user, "/chercher?q=huile cire")
    before = len(list(shown(user)))
    opener = button(user, _("Why this result?"))
    assert opener.props["aria-expanded"] == "false"
    trigger(opener, "click")
    assert opener.props["aria-expanded"] == "true" and len(list(shown(user))) > before
    said = [e.text for e in shown(user) if e.tag == "li" and getattr(e, "text", "")]
    assert _("By its exact words, this message is no. {rank} of its list.").format(rank="1") in said
    assert _("Words found: {terms}").format(terms="huile, cire") in said
    trigger(opener, "click")
    assert opener.props["aria-expanded"] == "false" and len(list(shown(user))) == before


async def test_meaning_says_that_its_counts_are_of_the_closest_messages(user):
    await arrive(user, "/chercher?q=rustine&mode=sens")
    said = _("Counted among the {n} closest messages only: meaning has no exact limit.").split("{n}")[0]
    await user.should_see(said)


async def test_an_address_of_the_forum_opens_its_message(user):
    answer = await user.http_client.get(
        "/chercher", params={"q": "https://forum.exemple/t/rustines/8/3"}, follow_redirects=False
    )
    assert answer.status_code in (302, 303, 307) and answer.headers["location"] == "/t/rustines/8/3"


async def type_in(user, words):
    (field,) = [e for e in shown(user) if e.props.get("type") == "search"]
    trigger(field, "input", words)


async def test_results_show_while_one_types_and_leave_with_the_words(user):
    await user.open("/chercher")
    await type_in(user, "cire")
    await user.should_see("Quelle huile pour la chaîne ?", retries=30)
    await type_in(user, "")
    await user.should_not_see("Quelle huile pour la chaîne ?", retries=30)


async def test_an_answer_that_comes_late_does_not_replace_a_newer_one(user, state, monkeypatch):
    released = threading.Event()

    def slow(state, words):
        if words == "lac":
            released.wait(10)
        return state.archive.search(words, mode=search.Mode.BM25, k=2).hits

    monkeypatch.setattr(search, "_instant", slow)
    await user.open("/chercher")
    await type_in(user, "lac")
    await type_in(user, "cire")
    await user.should_see("Quelle huile pour la chaîne ?", retries=30)
    released.set()
    await asyncio.sleep(0)
    await user.should_not_see("Sortie d’été")


async def test_keyword_results_come_first_while_meaning_is_searched(user, monkeypatch):
    released = threading.Event()
    real = search.explore

    def slow(archive, text, *, mode, **options):
        if mode is search.Mode.HYBRID:
            released.wait(10)
        return real(archive, text, mode=mode, **options)

    monkeypatch.setattr(search, "explore", slow)
    await user.open("/chercher?q=cire")
    await user.should_see(_("Searching by meaning too…"), retries=30)
    await user.should_see("Quelle huile pour la chaîne ?")
    released.set()
    await user.should_not_see(_("Searching by meaning too…"), retries=30)
    await user.should_see("Quelle huile pour la chaîne ?")


async def test_a_search_is_kept_found_again_and_forgotten(user):
    await arrive(user, "/chercher?q=rustine&mode=exact&page=2")
    trigger(button(user, _("Keep this search")), "click")
    await user.should_see(_("Search kept ✓"))
    await user.open("/chercher")
    assert links(user, "rustine") == ["/chercher?q=rustine&mode=exact"]
    trigger(button(user, _("Forget")), "click")
    await user.should_not_see(_("Searches kept in this browser"))
    assert not links(user, "rustine")


async def test_kept_searches_are_few_and_what_is_unreadable_is_left_out(user):
    await user.open("/chercher")
    with user:
        for n in range(saved_searches.MOST + 5):
            saved_searches.keep(search.Place(query=f"q{n}"))
        assert len(saved_searches.kept()) == saved_searches.MOST
        assert saved_searches.kept()[0].query == f"q{saved_searches.MOST + 4}"
        nicegui.app.storage.user["searches"] = [3, {}, {"query": "ok", "mode": "zzz", "page": 9}]
        assert saved_searches.kept() == (search.Place(query="ok"),)


async def test_the_whole_list_is_exported_and_not_only_the_page(user):
    await arrive(user, "/chercher?q=rustine&mode=exact&tri=ancien&page=2")
    trigger(button(user, _("Table (CSV)")), "click")
    written = await user.download.next(timeout=5)
    lines = written.content.decode("utf-8-sig").splitlines()
    assert len(lines) == MANY + 1 and lines[1].startswith('"1";"Rustines"')
    trigger(button(user, _("Text (Markdown)")), "click")
    written = await user.download.next(timeout=5)
    assert "# Recherche" in written.content.decode() and "1. [Rustines]" in written.content.decode()


async def test_operators_are_written_by_a_click(user):
    await user.open("/chercher")
    written = [e.props["data-write"] for e in shown(user) if "data-write" in e.props]
    assert "auteur:" in written and "catégorie:" in written and "après:" in written
