"""The pages, registered by one call so that nothing of NiceGUI is built at import."""

from __future__ import annotations

from .. import theme
from ..state import State
from . import ask, not_found, search, topic


def register(state: State) -> None:
    """Make every page known to the server."""
    theme.install()
    ask.register(state)
    search.register(state)
    topic.register(state)
    not_found.register(state)
