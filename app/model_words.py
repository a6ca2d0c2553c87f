"""What the user reads when a work on a model is over."""

from __future__ import annotations

from engine import Cancelled

from .i18n import gettext as _
from .messages import message
from .messages_models import MODEL_FLAWS
from .model_work import Done


def said_of(done: Done) -> str:
    """The sentence for the end of a work."""
    outcome = done.outcome
    if isinstance(outcome.error, Cancelled):
        return _("Stopped. What was received is kept: starting again goes on from there.")
    if outcome.error is not None:
        return message(outcome.error)
    if done.action == "check":
        if not outcome.flaws:
            return _("{name} is whole.").format(name=done.name)
        found = ", ".join(f"{flaw.path.name} ({_(MODEL_FLAWS[flaw.reason])})" for flaw in outcome.flaws)
        return _("{name} is damaged: {flaws}. Download or add it again.").format(name=done.name, flaws=found)
    return _("{name} is ready. It is used from the next start of the application.").format(name=done.name)
