"""The images that held messages show, from the data folder: /uploads/post/name. Nothing else of the disk is served."""

from __future__ import annotations

import nicegui
from nicegui import run
from starlette.responses import FileResponse, Response

from ..components.post_images import TYPES, image_file
from ..state import State

KEPT_S = 3600  # a browser may show it again without asking; not longer, since its message may be erased


def register(state: State) -> None:
    """Make the images known to the server."""

    @nicegui.app.get("/uploads/{post}/{name}")
    async def image(post: str, name: str) -> Response:
        found = None
        if post.isascii() and post.isdigit() and len(post) <= 15:
            found = await run.io_bound(
                image_file, state.archive.store, state.engine.data, state.facts().base_url, int(post), name
            )
        if found is None:
            return Response(status_code=404)
        headers = {"Cache-Control": f"private, max-age={KEPT_S}"}
        return FileResponse(found, media_type=TYPES[found.suffix.lower()], headers=headers)
