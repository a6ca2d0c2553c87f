"""Answers as documents: what they say, and that no text of a forum or of a model becomes a link or a tag in them."""

from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app import i18n
from app.answer_export import Origin, file_name, html, markdown, origin_line
from app.answer_words import written_by
from app.i18n import gettext as _
from engine import Answer, Citation, ClaimCheck, Doubt, DoubtCode, Evidence, Zone

FORUM = "https://forum.exemple"
ORIGIN = Origin("Forum d’essai", FORUM, datetime(2026, 5, 3, tzinfo=UTC), datetime(2026, 5, 9, tzinfo=UTC))
HOSTILE = (
    '<script>alert(1)</script> [clic](https://pirate.exemple) ![x](https://pirate.exemple/i.png) `code` | # titre\n'
    '> citation\n- liste\n1. un\n<https://pirate.exemple> www.pirate.exemple "\' &lt; \\[x] $x$ ~~non~~'
)  # fmt: skip


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


def answer(said="Il faut du pincement [[1]].", *, words="Il faut du pincement.", url=f"{FORUM}/t/x/114/4", **values):
    item = Evidence(
        n=1, post_id=1, topic_id=114, post_number=4, url=url, path="/t/x/114/4", title=words, category="Atelier",
        author=words, created_at=datetime(2014, 5, 1, tzinfo=UTC), text=words,
    )  # fmt: skip
    cited = (Citation(1, 1, 114, 4, url, "/t/x/114/4", words),)
    fields = {"question": words, "zone": Zone.NORMAL, "answerer": "llm", **values}
    return Answer(text=said, citations=cited, evidence=(item,), **fields)


class Reader(HTMLParser):
    """The tags, the addresses and the text of a document."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.addresses, self.words = set(), [], []
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.addresses += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def rendered(document):
    """What a strict reader of Markdown, which lets HTML through and makes links of addresses, makes of it."""
    return Reader(MarkdownIt("commonmark", {"html": True}).enable("table").render(document))


def test_a_markdown_document_holds_question_answer_quotes_addresses_and_dates():
    assert markdown(answer(), ORIGIN) == (
        f"# Il faut du pincement.\n\n## Réponse\n\nIl faut du pincement\u00a0\\[1\\].\n\n*{written_by(answer())}*\n\n"
        f"## {_('Messages cited')}\n\n1\\. [Il faut du pincement.](<https://forum.exemple/t/x/114/4>) — "
        f"Il faut du pincement., 1er mai 2014\n\n> Il faut du pincement.\n\n{origin_line(ORIGIN)}\n"
    )


def test_an_html_document_says_the_same_and_stands_alone():
    document = html(answer(), ORIGIN)
    read = Reader(document)
    assert set(read.addresses) == {"#source-1", f"{FORUM}/t/x/114/4"}
    assert origin_line(ORIGIN) in read.text and "3 mai 2026" in read.text and "Réponse" in read.text
    assert "default-src 'none'" in document and "script" not in read.tags


def test_what_is_doubted_is_said_in_both():
    said = "Oui [[1]]. Comptez 3 mm [[1]]."
    doubts = ClaimCheck(said.index("Comptez"), len(said), (1,), (Doubt(DoubtCode.NUMBER, ("3 mm",)),))
    for document in (markdown(answer(said, checks=(doubts,)), ORIGIN), html(answer(said, checks=(doubts,)), ORIGIN)):
        assert _("not verified in the sources") in document


def test_a_forum_without_an_address_gives_no_link():
    alone = Origin("Forum", "", None, ORIGIN.asked_at)
    assert set(Reader(html(answer(url="/t/x/114/4"), alone)).addresses) == {"#source-1"}
    assert not rendered(markdown(answer(url="/t/x/114/4"), alone)).addresses
    assert set(Reader(html(answer(url="javascript:alert(1)"), ORIGIN)).addresses) == {"#source-1"}


@given(
    st.sampled_from([HOSTILE, "    quatre espaces", "\n".join(HOSTILE.split()), HOSTILE[::-1]]) | st.text(max_size=80)
)
def test_texts_of_others_stay_texts(words):
    i18n.use("fr")
    hostile = answer(f"{words} [[1]].\n- {words} [[1]]", words=words or "x")
    page, read = Reader(html(hostile, ORIGIN)), rendered(markdown(hostile, ORIGIN))
    assert page.tags <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "ol", "li", "sup", "a", "blockquote",
        "small", "span",
    }  # fmt: skip
    assert set(page.addresses) <= {"#source-1", f"{FORUM}/t/x/114/4"}
    assert read.tags <= {"h1", "h2", "p", "ul", "li", "a", "blockquote", "em"}
    assert set(read.addresses) <= {f"{FORUM}/t/x/114/4"}


def test_hostile_words_can_still_be_read():
    read = rendered(markdown(answer(words="a <b> *c* [d](e) `f` 1. g & h"), ORIGIN))
    assert "a <b> *c* [d](e) `f` 1. g & h" in read.text


def test_a_file_has_a_short_plain_name():
    assert file_name(answer(words="À quelle pression, 700x28 ?"), "md") == "a-quelle-pression-700x28.md"
    assert file_name(answer(words="???"), "html") == "archiviste.html"
    assert len(file_name(answer(words="mot " * 90), "md")) <= 63
