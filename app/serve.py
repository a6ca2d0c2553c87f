"""Runs the web server: opens the archive, registers the pages, listens, and closes everything at the end."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine import ArchivisteError, Settings

from . import desktop, frozen, instance, mending, shared_secret
from .errors import unusable
from .i18n import gettext as _
from .messages import message
from .resources import resource
from .settings import AppSettings
from .supervisor import Supervisor

if TYPE_CHECKING:
    from .state import State

log = logging.getLogger(__name__)

RECONNECT_TIMEOUT_S = 30.0  # a laptop that slept finds its page again
SECRET_FILE = "secret"  # signs the cookies


class _PortTaken(Exception):
    """Another program listens there."""


def run(app: AppSettings, engine: Settings, *, show: bool | None = None) -> int:
    """Serve until interrupted, or until the window is closed; the exit status of the command.

    `show` opens the browser; by default when somebody is there to see it (a terminal, a desktop application).
    """
    if show is None:
        show = sys.stderr.isatty() or frozen.is_desktop()
    folder = engine.data / instance.SERVER_FOLDER
    try:
        # 1. What can fail is tried before anything is opened.
        if instance.is_open(engine.data):
            return _lead_there(engine.data, show=show or app.native)
        app = _on_free_port(app)
        with instance.hold(engine.data) as mine:
            return _run(app, engine, show=show) if mine else _lead_there(engine.data, show=show or app.native)
    except ArchivisteError as error:
        failure = message(error)
    except _PortTaken:
        taken = _("Port {port} is already taken: Archiviste may be open. Close it, or choose another port.")
        failure = taken.format(port=app.port)
    except OSError as error:
        log.exception("the data folder can't be used")
        failure = message(unusable(engine.data, error))
    _say(failure)
    desktop.tell(folder, failure)
    return 1


def _lead_there(data: Path, *, show: bool) -> int:
    """Somebody starts it a second time: they see the one that is open."""
    instance.ask_to_front(data)
    address = instance.address(data)
    if address is None:
        _say(_("Archiviste is starting or closing. Wait a few seconds."))
        return 1
    _say(_("Archiviste is already open at {address}").format(address=address))
    if show and not instance.has_window(data):
        desktop.show_in_browser(address)
    return 0


def _run(app: AppSettings, engine: Settings, *, show: bool) -> int:
    folder = engine.data / instance.SERVER_FOLDER
    secret = _secret(folder / SECRET_FILE)
    if app.shared_secret:  # a cookie that one replica signed is read by the others
        secret = shared_secret.read(app.shared_secret).derive("cookies").hex()
    # 2. NiceGUI reads this variable when it is imported, and writes to the working directory otherwise.
    os.environ["NICEGUI_STORAGE_PATH"] = str(folder / "storage")
    from .access import serving
    from .state import State

    mended = mending.at_start(engine.data)
    for said in mended:
        _say(said)
    state = State(app, engine)
    state.mended = mended
    # 3. Serve, with the worker as a child.
    worker = Supervisor(engine.data, told=lambda code: _say(message(code)))
    try:
        serving.check(app, state.access)
        if state.replica is None:  # which writes nothing
            worker.start()
        _serve(state, worker, secret=secret, show=show)
    except KeyboardInterrupt:  # how a server is meant to end
        return 0
    except SystemExit as end:  # the server could not start after all
        return 1 if end.code else 0
    finally:
        worker.stop()
        state.close()
    return 0


def _serve(state: State, worker: Supervisor, *, secret: str, show: bool) -> None:
    import nicegui
    from nicegui import ui

    from . import beside, pages
    from .access import network, serving
    from .components import browser_storage
    from .waiting import Waiting

    app = state.app
    addresses = network.addresses(app)
    here = network.address_here(app)
    window = desktop.Window(
        state.engine.data, here, closed=nicegui.app.shutdown, failed=lambda: desktop.show_in_browser(here)
    )

    def ready() -> None:
        for address in addresses:
            _say(_("Archiviste answers at {address}").format(address=address))
        instance.announce(state.engine.data, here, window=app.native)
        if app.native:
            window.open()
        elif show:
            desktop.show_in_browser(here)
        state.questions.submit(state.warm_up)

    # Spawned children must not inherit a process that has threads, locks and models.
    nicegui.run.process_pool_start_method = "spawn"
    beside.install(state)
    nicegui.app.on_startup(ready)
    nicegui.app.on_startup(state.follow)
    nicegui.app.on_startup(lambda: browser_storage.follow_erasures(state))
    nicegui.app.on_shutdown(window.end)
    nicegui.app.on_shutdown(worker.stop)  # here as well: a SIGTERM ends the process right after this
    nicegui.app.on_shutdown(state.close)
    pages.register(state)
    if state.replica is not None:
        nicegui.app.add_middleware(Waiting, replica=state.replica, access=state.access)
    ui.run(
        host=app.host, port=app.port, title="Archiviste", favicon=resource("assets", "icons", "archiviste.svg"),
        language="fr" if app.language == "fr" else "en-US", dark=None, reload=False, show=False, storage_secret=secret,
        reconnect_timeout=RECONNECT_TIMEOUT_S, show_welcome_message=False, tailwind=False, **serving.options(app),
    )  # fmt: skip


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            # As the server will: connections of the past that are still closing don't count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _on_free_port(app: AppSettings) -> AppSettings:
    """The same settings; with another port when theirs is taken and nobody would read it, in a window."""
    if _is_free(app.host, app.port):
        return app
    if not app.native or app.lan:
        raise _PortTaken
    with socket.socket(socket.AF_INET6 if ":" in app.host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((app.host, 0))
        return replace(app, port=int(probe.getsockname()[1]))


def _secret(path: Path) -> str:
    """The secret that signs this installation's cookies; made at its first start, for its owner only."""
    try:
        kept = path.read_text("ascii").strip()
    except FileNotFoundError:
        kept = ""
    if len(kept) >= 32:
        return kept
    made = secrets.token_urlsafe(32)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(made)
    return made


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - the command line's own words
