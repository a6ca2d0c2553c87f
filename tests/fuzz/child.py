"""One target under atheris, in a process that libFuzzer ends: python -m tests.fuzz.child TARGET FOLDER [LIBFUZZER…]

FOLDER/slowest.json tells the worst time of one input, and its length.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["engine", "app.components", "tests.fuzz.targets", "tarfile", "json", "html"]):
    from tests.fuzz.targets import TARGETS

LEAST_S = 0.001  # quicker is not worth a note


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    target, slowest = TARGETS[name], LEAST_S

    def timed(data: bytes) -> None:
        nonlocal slowest
        began = time.perf_counter()
        target(data)
        took = time.perf_counter() - began
        if took > slowest:  # libFuzzer ends the process: what is to be known is written at once
            slowest = took
            (folder / "slowest.json").write_text(json.dumps({"seconds": took, "bytes": len(data)}))
            (folder / "slowest.bin").write_bytes(data)

    more = {"custom_mutator": _inside} if name == "gzip" else {}
    atheris.Setup([sys.argv[0], *sys.argv[3:]], timed, **more)
    atheris.Fuzz()


def _inside(data: bytes, max_size: int, seed: int) -> bytes:
    """Half of the time, what a gzip holds is changed and packed again: its check sum hides it otherwise."""
    if seed % 2:
        try:
            held = gzip.decompress(data)
        except (OSError, EOFError, ValueError, gzip.zlib.error):
            return atheris.Mutate(data, max_size)
        packed = gzip.compress(atheris.Mutate(held, 4 * max_size), mtime=0)
        if len(packed) <= max_size:
            return packed
    return atheris.Mutate(data, max_size)


if __name__ == "__main__":
    main()
