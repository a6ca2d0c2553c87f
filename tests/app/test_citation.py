"""What the button "Quote" copies: the author's own words, and a Markdown link that leads back."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app import i18n
from app.components.avatar import initials
from app.components.citation import WORDS_CHARS, quoted_words, source_line
from engine.store.archive import PostRow


@pytest.fixture(autouse=True)
def in_french():
    i18n.use("fr")


ROW = PostRow(
    id=12, topic_id=7, post_number=1900, username="alice", display_name="Alice", created_at=datetime(2026, 11, 29, 12, tzinfo=UTC),
    updated_at=datetime(2026, 11, 29, 12, tzinfo=UTC), reply_to=None, likes=0, text="Poncez.\nPuis réglez.", code="",
    cooked="", title="Freins", slug="freins", category="",
)  # fmt: skip


def test_the_source_says_who_when_and_where():
    assert source_line(ROW, "https://forum.exemple") == (
        "— [Alice, 29 novembre 2026, message 1\u202f900 de «\u00a0Freins\u00a0»](https://forum.exemple/t/freins/7/1900)"
    )
    assert source_line(ROW, "").endswith("(/t/freins/7/1900)")


def test_a_title_never_ends_the_link():
    odd = replace(ROW, title="x](http://ailleurs.exemple) [y\\")
    assert "x\\](http://ailleurs.exemple) \\[y\\\\" in source_line(odd, "")


def test_a_long_message_is_cut_at_a_word():
    said = quoted_words(replace(ROW, text="mot " * 1_000))
    assert len(said) <= WORDS_CHARS + 2 and said.endswith("mot\u00a0…")
    assert quoted_words(ROW) == "Poncez.\nPuis réglez."


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Jean-Paul Bert", "JB"),
        ("alice", "A"),
        ("_x_", "X"),
        ("élise dupont", "ÉD"),
        ("", "?"),
        ("::", "?"),
        ("7even", "7"),
    ],
)
def test_initials(name, shown):
    assert initials(name) == shown
