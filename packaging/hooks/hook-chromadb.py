"""Chroma names its parts in settings and loads them by name; its compiled half is a package of its own."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

PARTS = (
    "chromadb.api",
    "chromadb.auth",
    "chromadb.db",
    "chromadb.execution",
    "chromadb.migrations",
    "chromadb.telemetry",
    "chromadb.utils",
)

hiddenimports = ["chromadb_rust_bindings", *(name for part in PARTS for name in collect_submodules(part))]
datas = collect_data_files("chromadb", includes=["migrations/**", "**/*.yml", "**/*.json"]) + copy_metadata("chromadb")
