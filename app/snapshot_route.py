"""/instantane/…: the folder of the snapshots, for replicas, by the shared secret; nobody else sees it.

Contents never change under their name, so a browser's cache or a half-read answer can't mix two of them.
"""

from __future__ import annotations

import hmac
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from engine.snapshot import card as cards
from engine.snapshot import folder as places
from engine.snapshot.source import PATH

from . import shared_secret
from .access.access_published import FILE as ACCESS
from .snapshots import PURPOSE
from .state import State


def register(state: State) -> None:
    """Serve the folder of the settings, on a primary that has a shared secret."""
    import nicegui

    folder = state.app.snapshots
    if folder is None or state.app.shared_secret is None or state.app.replica_of:
        return
    wanted = f"Bearer {shared_secret.read(state.app.shared_secret).bearer(PURPOSE)}".encode()

    @nicegui.app.get(f"{PATH}/{{path:path}}")
    def file(request: Request, path: str) -> Response:
        given = request.headers.get("authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, wanted):
            return Response(status_code=404)
        if path == places.CURRENT:
            return _current(folder, request.headers.get("if-none-match", ""))
        return _file(folder, path)


def _current(folder: Path, known: str) -> Response:
    name = places.current_name(folder)
    if name is None:
        return Response(status_code=204)
    mark = {"ETag": f'"{name}"', "Cache-Control": "no-cache"}
    if known == mark["ETag"]:
        return Response(status_code=304, headers=mark)
    return Response(f"{name}\n", media_type="text/plain", headers=mark)


def _file(folder: Path, path: str) -> Response:
    kind, _slash, name = path.rpartition("/")
    plain = kind == places.FILES and cards.is_hash(name)
    plain |= not kind and (path == ACCESS or (path.endswith(places.CARD) and cards.is_name(path[: -len(places.CARD)])))
    found = folder / path
    if not plain or not found.is_file():
        return Response(status_code=404)
    # Not to be packed on its way: its size and its parts are those of the file.
    headers = {"Content-Encoding": "identity", "Cache-Control": "no-cache"}
    return FileResponse(found, media_type="application/octet-stream", headers=headers)
