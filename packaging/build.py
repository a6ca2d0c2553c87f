"""Builds the bundle and tries it: `python packaging/build.py [standard|complet]`; fails when its self-test fails."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
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
    options = ["--report", str(report)]
    if given.gguf:
        options += ["--gguf", str(given.gguf)]
    with tempfile.TemporaryDirectory() as folder:
        if given.flavour == "complet":
            options += _tiny_models(Path(folder))
        return subprocess.run([str(bundle / PROGRAM), "--selftest", *options]).returncode


def _tiny_models(folder: Path) -> list[str]:
    """Options that make the self-test load an encoder and a reranker as torch runs them, of random weights."""
    subprocess.run([sys.executable, "-m", "tests.bge.tiny", str(folder)], check=True, cwd=ROOT)
    from tests.bge.tiny import CROSS_ENCODER, ENCODER

    return ["--bge", str(folder / ENCODER), "--reranker", str(folder / CROSS_ENCODER)]


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
