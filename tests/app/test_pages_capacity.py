"""The moderators' page of capacity: its address says what is asked, and every figure says how it is known."""

import pytest

from app.access.roles import Role, needed
from app.capacity import points
from app.i18n import gettext as _
from app.pages.archive_frame import CAPACITY
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests.app.looking import seen
from tests.app.visits import all_said, visiting
from tests.factories import WORD_MODELS, forum, save


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("capacity")
    save(folder, forum())
    opened = State(AppSettings(), build_settings(folder), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def said(user, address):
    return "\n".join(text for _where, text in await all_said(user, address))


async def test_both_engines_are_told_for_three_sizes_with_how_each_figure_is_known(user):
    page = await said(user, CAPACITY)
    for posts in ("1\u202f000\u202f000", "5\u202f000\u202f000", "20\u202f000\u202f000"):
        assert posts in page
    assert _("Local engine") in page and _("extrapolated") in page and _("not measured") in page
    assert _("Up to where one machine is enough") in page
    assert all(point.conditions.command in page for point in points.measured())


async def test_the_address_says_what_is_asked(user):
    page = await said(user, f"{CAPACITY}?messages=250000&encodeur=server&debit=800&coeurs=8&memoire=64")
    assert "250\u202f000" in page and "20\u202f000\u202f000" not in page
    assert _("at your rate") in page and "1\u202f024" in page
    assert _("Part of the address could not be read: what is usual stands in its place.") not in page


@pytest.mark.parametrize(
    "wrong", ["messages=beaucoup", "messages=-3", "encodeur=autre", "debit=nan", "coeurs=1e99", "memoire=0"]
)
async def test_what_can_not_be_read_is_told_and_replaced(user, wrong):
    page = await said(user, f"{CAPACITY}?{wrong}")
    assert _("Part of the address could not be read: what is usual stands in its place.") in page
    assert "20\u202f000\u202f000" in page


async def test_the_archive_at_hand_is_measured(user):
    page = await said(user, CAPACITY)
    assert _("The archive at hand, measured now") in page and _("Letters and digits") in page


async def test_the_archive_s_pages_lead_to_it(user):
    await user.open("/archive")
    assert _("Capacity") in seen(user)


def test_it_is_the_moderators():
    assert needed(CAPACITY) == Role.MODERATOR
