"""SQLite, the truth: what the archive holds, and the vectors that were ever computed."""

from .archive import ArchiveStore, PostRow
from .database import connect
from .filters import allowed
from .importing import import_source
from .vectors import VectorStore

__all__ = ["ArchiveStore", "PostRow", "VectorStore", "allowed", "connect", "import_source"]
