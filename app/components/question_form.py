"""The forms of a question: the large box, what goes on from an answer, and what was searched in place of a question.

Plain HTML forms that send a GET: the address can be shared, and they work before the socket is connected.
"""

from __future__ import annotations

from ..i18n import gettext as _
from .markup import box, text

QUESTION_CHARS = 500


def question_form(question: str = "", *, autofocus: bool = False, classes: str = "question") -> None:
    """A large box; Enter sends, Shift + Enter starts a new line."""
    with box("form", classes, action="/demander", method="get"):
        text(_("Your question"), "label", "visually-hidden", for_="question")
        field = box(
            "textarea", "field", id="question", name="q", rows=1 if question else 3, maxlength=QUESTION_CHARS,
            required=True, placeholder=_("What do you want to know?"), enterkeyhint="send",
        )  # fmt: skip
        # Not `value`: Vue would write it again over what is being typed, at any update of the page.
        field.props["defaultValue"] = question
        if autofocus:
            field.props["autofocus"] = True
        field.on(
            "keydown.enter.exact",
            js_handler="""(event) => {
                if (event.isComposing) return;
                event.preventDefault();
                event.target.form.requestSubmit();
            }""",
        )
        with box("div", "actions"):
            text(_("Enter to ask, Shift + Enter for a new line"), "span", "hint")
            text(_("Ask"), "button", "button", type="submit")


def follow_up_form(earlier: str) -> None:
    """A one-line box for a question that goes on from those before it, one a line."""
    with box("form", "search", action="/demander", method="get"):
        box(
            "input", "field", name="q", maxlength=QUESTION_CHARS, autocomplete="off", required=True,
            placeholder=_("Ask something more about it"), aria_label=_("Ask something more about it"),
        )  # fmt: skip
        box("input", type="hidden", name="avant").props["defaultValue"] = earlier
        text(_("Ask"), "button", "button quiet", type="submit")


def searched_form(search: str) -> None:
    """What was searched in place of the question, to be corrected."""
    with box("form", "search", action="/demander", method="get"):
        text(_("Search:"), "label", "note", for_="searched")
        field = box("input", "field", id="searched", name="q", maxlength=QUESTION_CHARS, autocomplete="off")
        field.props["defaultValue"] = search
        text(_("Change this search"), "button", "button quiet", type="submit")
