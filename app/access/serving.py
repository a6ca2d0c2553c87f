"""How the server is opened to others: what must be ready first, HTTPS, and the limits of its connections."""

from __future__ import annotations

import logging
import ssl
from typing import Any, Final

from ..errors import CertificateUnusable
from ..settings import AppSettings
from .guard import MESSAGE_BYTES
from .opened import Access

log = logging.getLogger(__name__)

CLOSING_S: Final = 5  # for connections to end when the server does; a TLS peer that is gone would hold it for 30
CONNECTIONS: Final = 800  # at once; below the 1,024 files that a process of Linux may open


def check(app: AppSettings, access: Access) -> None:
    """Raises AccessNotReady or CertificateUnusable when the server can't be opened as it was asked."""
    access.check_ready()
    if app.certificate is None and app.key is None:
        return
    if app.certificate is None or app.key is None:
        raise CertificateUnusable(reason="pair")
    try:
        # With no password, rather than waiting for somebody to type one.
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(app.certificate, app.key, password="")
    except (OSError, ValueError) as error:  # SSLError is an OSError
        log.warning("the certificate can't be used: %s", error)
        raise CertificateUnusable(reason="unreadable", path=f"{app.certificate}, {app.key}") from error


def options(app: AppSettings) -> dict[str, Any]:
    """What `ui.run` must be told beyond the look of the application."""
    return {
        "session_middleware_kwargs": {"same_site": "strict"},  # NiceGUI's own cookie, which names a theme
        "http": "h11",  # which bounds what it reads of a header; httptools takes any amount
        "ws_max_size": MESSAGE_BYTES,
        "limit_concurrency": CONNECTIONS,
        "proxy_headers": False,  # uvicorn would believe whatever this machine says of itself: see peers.py
        "server_header": False,
        "timeout_graceful_shutdown": CLOSING_S,
        "ssl_certfile": app.certificate,
        "ssl_keyfile": app.key,
    }
