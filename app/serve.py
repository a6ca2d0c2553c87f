"""Runs the web server: opens the archive, registers the pages, listens, and closes everything at the end."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine import ArchivisteError, Settings

from .i18n import gettext as _
from .messages import message
from .resources import resource
from .settings import AppSettings
from .supervisor import Supervisor

if TYPE_CHECKING:
    from .state import State

log = logging.getLogger(__name__)

RECONNECT_TIMEOUT_S = 30.0  # a laptop that slept finds its page again
SECRET_FILE = "secret"
SERVER_FOLDER = "server"  # of the data folder: NiceGUI's storage and the secret of its cookies


def run(app: AppSettings, engine: Settings, *, show: bool | None = None) -> int:
    """Serve until interrupted; the exit status of the command.

    `show` opens the browser; by default when somebody is there to see it (a terminal, a desktop application).
    """
    if show is None:
        show = bool(getattr(sys, "frozen", False)) or sys.stderr.isatty()
    # 1. What can fail is tried before anything is opened.
    if not _is_free(app.host, app.port):
        taken = _("Port {port} is already taken: Archiviste may be open. Close it, or choose another port.")
        _say(taken.format(port=app.port))
        return 1
    folder = engine.data / SERVER_FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        secret = _secret(folder / SECRET_FILE)
        # 2. NiceGUI reads this variable when it is imported, and writes to the working directory otherwise.
        os.environ["NICEGUI_STORAGE_PATH"] = str(folder / "storage")
        from .state import State

        state = State(app, engine)
    except ArchivisteError as error:
        _say(message(error))
        return 1
    except OSError:
        log.exception("the data folder can't be used")
        _say(_("The data folder can’t be used: {path}.").format(path=engine.data))
        return 1
    # 3. Serve, with the worker as a child.
    worker = Supervisor(engine.data, told=lambda code: _say(message(code)))
    try:
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

    from . import pages
    from .access import OnlyThisServer

    app = state.app
    address = f"http://[{app.host}]:{app.port}" if ":" in app.host else f"http://{app.host}:{app.port}"

    def ready() -> None:
        _say(_("Archiviste answers at {address}").format(address=address))
        state.questions.submit(state.warm_up)

    # Spawned children must not inherit a process that has threads, locks and models.
    nicegui.run.process_pool_start_method = "spawn"
    nicegui.app.add_middleware(OnlyThisServer, port=app.port)
    nicegui.app.on_startup(ready)
    nicegui.app.on_shutdown(worker.stop)  # here as well: a SIGTERM ends the process right after this
    nicegui.app.on_shutdown(state.close)
    pages.register(state)
    native = app.native and _has_native_window()
    ui.run(
        host=app.host, port=app.port, title="Archiviste", favicon=resource("assets", "icons", "archiviste.svg"),
        language="fr" if app.language == "fr" else "en-US", dark=None, reload=False, show=show and not native,
        native=native, window_size=(1200, 850) if native else None, storage_secret=secret,
        reconnect_timeout=RECONNECT_TIMEOUT_S, show_welcome_message=False, tailwind=False,
    )  # fmt: skip


def _has_native_window() -> bool:
    """Whether a window of our own can be opened; otherwise the browser does."""
    try:
        import webview  # noqa: F401
    except Exception:  # pywebview fails in many ways where GTK, Qt or .NET are not there
        log.info("no native window on this machine", exc_info=True)
        return False
    return True


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
