"""What a server does for what stands beside it: a balancer, replicas, Prometheus. Next to nothing without settings."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp

from engine import SettingsError

from . import health
from .access import guard
from .state import State


def install(state: State) -> None:
    """Put the guard before the pages, with what it answers by itself; before the server starts.

    Raises SettingsError where a library that a setting asks for is missing.
    """
    import nicegui

    health.register(state)
    guard.install(state.access, around=_measured(state) if state.app.metrics_from else lambda app: app)
    state.access.keep_published()
    if state.app.drain_s:
        from .draining import Drain

        nicegui.app.on_startup(Drain(state).listen)


def _measured(state: State) -> Callable[[ASGIApp], ASGIApp]:
    try:
        from .metrics import Metrics
    except ImportError as error:
        raise SettingsError(key="metrics_from", value=state.app.metrics_from, reason="metrics_library") from error
    return Metrics(state).measured
