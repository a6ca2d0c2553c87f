"""What stands around the messages of a topic: its title, its tools, what a search in it found, the enlarged image."""

from __future__ import annotations

from nicegui import ui

from engine import Category, Topic
from engine.retrieve.in_topic import TopicSearch

from ..browsing_words import category_path, tag_path
from ..i18n import date_short, ngettext, number
from ..i18n import gettext as _
from .highlight import Analyse, marked
from .markup import box, link, outside_link, text
from .search_form import SEARCH_CHARS


def head(topic: Topic, category: Category | None, size: int, home: str, base_url: str) -> None:
    """Title, where it stands, and the ways out: the opening message, the printed page, the living forum."""
    with box("header", "topic-head"):
        text(topic.title, "h1")
        with box("p", "byline"):
            if category is not None:
                link(category.name, category_path(category), "category")
            for tag in topic.tags:
                link(tag, tag_path(tag), "tag")
            count = ngettext("{n} message", "{n} messages", size)
            text(count.format(n=number(size)))
            for shown, said in (
                (topic.pinned, _("pinned topic")), (topic.closed, _("closed topic")),
                (topic.archived, _("archived topic: nobody could reply any more")),
            ):  # fmt: skip
                if shown:
                    text(said)
        with box("p", "topic-links"):
            link(_("Go to the opening message"), f"{home}/1")
            link(_("Print the whole topic"), f"{home}/imprimer")
            if base_url:
                outside_link(_("See the topic on the forum"), base_url + home, "outside")


def tools(home: str, words: str, author: str) -> None:
    """The box that searches this topic, and the one that goes to a message; forms that send a GET."""
    with box("div", "topic-tools"):
        with box(
            "form", "search in-topic", action=home, method="get", role="search", aria_label=_("Search this topic")
        ):
            field = box(
                "input", "field", type="search", name="q", maxlength=SEARCH_CHARS, autocomplete="off",
                placeholder=_("Search this topic"), aria_label=_("Search this topic"),
            )  # fmt: skip
            field.props["defaultValue"] = words
            _keep(author)
            text(_("Search"), "button", "button quiet", type="submit")
        with box("form", "search go-to", action=home, method="get"):
            text(_("Message no."), "label", "note", for_="go-to")
            box("input", "field", id="go-to", type="number", name="message", min=1, inputmode="numeric", required=True)
            _keep(author)
            text(_("Go"), "button", "button quiet", type="submit")


def only_author(name: str, count: int, whole: str) -> None:
    """Says that one author only is shown, and how to see the others again."""
    said = ngettext("Only the message by {author}: {n} message", "Only the messages by {author}: {n} messages", count)
    with box("p", "filter"):
        text(said.format(author=name, n=number(count)))
        link(_("See the whole topic"), whole)


def results(found: TopicSearch, *, analyse: Analyse, whole: str) -> None:
    """The messages of the topic that hold the words, in its order."""
    with box("section", "results", aria_label=_("Found in this topic")):
        with box("p", "filter"):
            count = ngettext("{n} message found in this topic", "{n} messages found in this topic", found.total)
            text(count.format(n=number(found.total)))
            link(_("See the whole topic"), whole)
        if not found.hits:
            text(_("Try fewer words, or other words."), "p", "note")
            return
        with box("ol", "result-list"):
            for hit in found.hits:
                with box("li", "result"):
                    with box("p", "byline"):
                        link(_("Message {n}").format(n=number(hit.number)), hit.path, "place")
                        text(hit.author, "span", "author")
                        text(date_short(hit.created_at), "time", datetime=hit.created_at.date().isoformat())
                    # Escaped by `marked`, and sanitised once more in the browser.
                    ui.html(marked(hit.excerpt, found.terms, analyse), tag="p").classes("excerpt")
        if found.total > len(found.hits):
            first = ngettext("The first {n} is shown.", "The first {n} are shown.", len(found.hits))
            text(first.format(n=number(len(found.hits))), "p", "note")


def image_dialog() -> None:
    """Where an image is enlarged; a dialog of the browser's own, which Esc closes."""
    with box("dialog", "lightbox", aria_label=_("Enlarged image")):
        with box("form", method="dialog"):
            text(_("Close"), "button", "button quiet", type="submit")
        with box("figure"):
            box("img", alt="")
            text("", "figcaption")


def _keep(author: str) -> None:
    if author:
        box("input", type="hidden", name="auteur").props["defaultValue"] = author
