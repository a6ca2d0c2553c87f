"""Builds the bundle and tries it: `python packaging/build.py [standard|complet]`; fails when its self-test fails."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAVOURS = ("standard", "complet")
PROGRAM = "archiviste.exe" if sys.platform == "win32" else "archiviste"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flavour", nargs="?", choices=FLAVOURS, default=FLAVOURS[0])
    parser.add_argument("--gguf", type=Path, help="small language model that the self-test loads")
    given = parser.parse_args()
    dist = ROOT / "dist" if given.flavour == "standard" else ROOT / "dist" / given.flavour
    began = time.monotonic()
    subprocess.run(
        [
            sys.executable, "-m", "PyInstaller", str(ROOT / "packaging" / "archiviste.spec"), "--noconfirm",
            "--log-level", "WARN", "--distpath", str(dist), "--workpath", str(ROOT / "build" / given.flavour),
        ],
        check=True, env={**os.environ, "ARCHIVISTE_FLAVOUR": given.flavour},
    )  # fmt: skip
    bundle = dist / "archiviste"
    print(f"{bundle}: {_megabytes(bundle):.0f} MB, built in {time.monotonic() - began:.0f} s", flush=True)
    report = dist / f"selftest-{given.flavour}.json"
    options = ["--gguf", str(given.gguf)] if given.gguf else []
    return subprocess.run([str(bundle / PROGRAM), "--selftest", "--report", str(report), *options]).returncode


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
