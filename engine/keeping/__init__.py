"""Backups of a whole data folder: one file that holds it as it was at one moment, and puts it back.

Knows nothing of the application: what to leave out and what to clean comes with a `Choice`.
"""

from .contents import BACKUPS, Choice
from .manifest import Head, Manifest
from .restoring import check, unpack
from .saving import ENDING, Saved, save
from .swapping import put_in_place

__all__ = ["BACKUPS", "ENDING", "Choice", "Head", "Manifest", "Saved", "check", "put_in_place", "save", "unpack"]
