"""Two buttons that say what an outcome is worth, and why not when it is not good."""

from __future__ import annotations

from nicegui import run
from nicegui.elements.mixins.text_element import TextElement

from engine import ArchivisteError

from ..i18n import gettext as _
from ..messages import message
from ..question_log import COMMENT_CHARS, QuestionLog
from ..question_values import Complaint
from ..question_words import COMPLAINTS
from .markup import box, button, text


class Feedback:
    """The block of one question of the log. What is chosen last counts; nothing says who chose it."""

    def __init__(self, log: QuestionLog, question_id: int) -> None:
        self._log, self._id = log, question_id
        self._good: bool | None = None
        self._complaint: Complaint | None = None
        self._comment = ""
        with box("section", "feedback", aria_label=_("Your opinion of this answer")):
            with box("p", "feedback-row"):
                text(_("Does this help you?"))
                self._yes = button(_("Yes"), self._like, "button quiet small drawn icon-yes", aria_pressed="false")
                self._no = button(_("No"), self._dislike, "button quiet small drawn icon-no", aria_pressed="false")
            self._why = box("div", "feedback-why")
            self._said = text("", "p", "note", role="status")
        self._why.set_visibility(False)
        with self._why:
            self._ask_why()

    def _ask_why(self) -> None:
        text(_("What is wrong with it? Moderators will read it without knowing who you are."), "p", "note")
        with box("div", "feedback-reasons"):
            self._reasons = {complaint: self._reason(complaint) for complaint in COMPLAINTS}
        with box("div", "search"):
            field = box(
                "input", "field", maxlength=COMMENT_CHARS, autocomplete="off",
                placeholder=_("A word more, if you like"), aria_label=_("A word more, if you like"),
            )  # fmt: skip
            field.on("change", self._write, js_handler="(event) => emit(event.target.value)")
            button(_("Send"), self._save, "button quiet")

    def _reason(self, complaint: Complaint) -> TextElement:
        said = _(COMPLAINTS[complaint])
        return button(said, lambda: self._complain(complaint), "button quiet small", aria_pressed="false")

    def _write(self, event: object) -> None:
        self._comment = str(getattr(event, "args", ""))[:COMMENT_CHARS]

    async def _like(self) -> None:
        self._good, self._complaint, self._comment = True, None, ""
        self._why.set_visibility(False)
        await self._save()

    async def _dislike(self) -> None:
        self._good = False
        self._why.set_visibility(True)
        await self._save()

    async def _complain(self, complaint: Complaint) -> None:
        self._complaint = complaint
        await self._save()

    async def _save(self) -> None:
        pressed = [(self._yes, self._good is True), (self._no, self._good is False)]
        pressed += [(each, complaint is self._complaint) for complaint, each in self._reasons.items()]
        for each, chosen in pressed:
            each.props["aria-pressed"] = str(chosen).lower()
        said = await run.io_bound(self._keep)
        if said is not None and not self._said.is_deleted:
            self._said.text = said

    def _keep(self) -> str:
        try:
            known = self._log.feedback(self._id, bool(self._good), self._complaint, self._comment)
        except ArchivisteError as error:
            return message(error)
        return _("Thank you, it is noted.") if known else _("This question is not kept any more.")
