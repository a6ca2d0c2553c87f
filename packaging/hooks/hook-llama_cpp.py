"""llama.cpp's libraries are opened by path, all from llama_cpp/lib."""

from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_base, package = get_package_paths("llama_cpp")
binaries = [(str(path), "llama_cpp/lib") for path in (Path(package) / "lib").iterdir() if path.is_file()]
