"""Snapshots for replicas: what a reader of the published generation needs, published to a folder and fetched from one.

Knows nothing of the application: who may fetch, and who reads what was fetched, is told elsewhere.
"""

from .card import Card, File
from .copies import assemble, copy_of, forget_copies, mend
from .fetching import fetch
from .folder import current, sweep
from .publishing import publish
from .source import Source, open_source

__all__ = [
    "Card",
    "File",
    "Source",
    "assemble",
    "copy_of",
    "current",
    "fetch",
    "forget_copies",
    "mend",
    "open_source",
    "publish",
    "sweep",
]
