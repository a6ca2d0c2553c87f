"""Who may do what: passphrases, sessions, roles, and the door of the server. The pages only ask `State.may`."""

from __future__ import annotations

from .keys import Session
from .opened import Access, Entered, Visitor, current
from .roles import Action, Role

__all__ = ["Access", "Action", "Entered", "Role", "Session", "Visitor", "current"]
