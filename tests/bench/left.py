"""How true the time left is that a job shows while it encodes: python -m tests.bench.left SOURCE

Imports a backup into a folder of its own and indexes it with the machine's encoder. At each tenth of the passages: what the
progress said was left, and what was left in truth.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from engine import Progress, build_index, build_settings, import_archive, load_models

STAGE = "encode"


def main(source: Path) -> None:
    said: list[tuple[float, float, float]] = []  # share done, seconds since the start, seconds said to be left

    def heard(progress: Progress) -> None:
        if progress.stage == STAGE and progress.total and progress.left_s is not None:
            said.append((progress.done / progress.total, time.monotonic(), progress.left_s))

    with tempfile.TemporaryDirectory() as folder:
        settings = build_settings(Path(folder))
        import_archive(settings, source)
        models = load_models(settings)
        started = time.monotonic()
        build_index(settings, models, on_progress=heard)
        models.close()
    end = said[-1][1]
    print(f"{end - started:.0f} s of encoding, {models.embed_name}")
    errors = []
    for tenth in range(1, 10):
        share, at, left = next(one for one in said if one[0] >= tenth / 10)
        errors.append(abs(left - (end - at)) / (end - at))
        print(f"{share:4.0%} done: {left:5.0f} s said, {end - at:5.0f} s in truth")
    print(f"median error {statistics.median(errors):.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
