"""pyspellchecker reads its lists of words beside its own module."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("spellchecker")
