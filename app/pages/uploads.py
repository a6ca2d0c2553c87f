"""Images and files that held messages show, from the data folder: /uploads/post/name. Nothing else is served."""

from __future__ import annotations

from urllib.parse import quote

import nicegui
from nicegui import run
from starlette.responses import FileResponse, Response

from ..components.post_images import file_named
from ..state import State

KEPT_S = 3600  # a browser may show it again without asking; not longer, since its message may be erased


def register(state: State) -> None:
    """Make the files known to the server."""

    @nicegui.app.get("/uploads/{post}/{name}")
    async def file(post: str, name: str) -> Response:
        found = None
        if post.isascii() and post.isdigit() and len(post) <= 15:
            found = await run.io_bound(
                file_named, state.archive.store, state.archive.settings.data, state.facts().base_url, int(post), name
            )
        if found is None:
            return Response(status_code=404)
        headers = {"Cache-Control": f"private, max-age={KEPT_S}", "X-Content-Type-Options": "nosniff"}
        if found.media_type:
            return FileResponse(found.path, media_type=found.media_type, headers=headers)
        # Saved, never opened by the browser: it may be a page with scripts.
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(found.name, safe='')}"
        headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return FileResponse(found.path, media_type="application/octet-stream", headers=headers)
