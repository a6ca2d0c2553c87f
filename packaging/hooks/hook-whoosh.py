"""Whoosh loads columns and languages by name."""

from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("whoosh")
