"""The models that the settings or the data folder name: their files are there."""

from __future__ import annotations

from ..models import shelf
from ..settings import Settings
from .findings import Finding, error, ok, warning

NAMED = ("bge_model", "llm_model", "reranker_model")


def check(settings: Settings) -> Finding:
    """Presence and size of every file; `models check` reads them whole."""
    for key in NAMED:
        path = getattr(settings, key)
        if path is not None and not path.exists():
            return error("models", "missing", setting=key, path=str(path))
    held = shelf.installed(settings.data)
    for model in held:
        for file in model.files:
            path = model.at / file.path
            if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
                return warning("models", "incomplete", model=model.name, path=str(path))
    return ok("models", "there" if held else "none", count=len(held))
