"""Prints the table of faults: `python -m tests.faults.table [--json]`. As root on Linux, since disks are mounted.

`.venv-milvus/bin/python -m tests.faults.table --elsewhere`: those of the engines and servers of a larger installation.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from app import cli, i18n

from . import elsewhere
from .catalogue import FAULTS, happen


def main() -> int:
    """Let every fault happen, one after the other, and tell each in a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of functions of the catalogue")
    parser.add_argument("--demo", type=Path, metavar="DIR", help="data folder of the demo forum, made when not given")
    parser.add_argument("--elsewhere", action="store_true", help="needs the extra milvus")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    i18n.use("fr")
    lost, rows = 0, []
    with tempfile.TemporaryDirectory(prefix="pannes-") as folder:
        demo = given.demo or Path(folder) / "démo"
        if given.demo is None and cli.run(["--data", str(demo), "demo"], {}):
            return 1
        for n, fault in enumerate(elsewhere.FAULTS if given.elsewhere else FAULTS):
            if given.only and fault.run.__name__ not in given.only:
                continue
            place = Path(folder) / str(n)
            place.mkdir()
            began = time.monotonic()
            seen = happen(fault, demo, place)
            said = [line.replace(str(place), "…") for line in dict.fromkeys(seen.said)]
            same = seen.before == seen.after
            lost += not same
            rows.append(
                {
                    "fault": fault.name, "injected": fault.injected, "seen": said, "works": [*dict.fromkeys(seen.works)],
                    "before": seen.before[:12], "after": seen.after[:12], "same": same,
                    "took_s": round(time.monotonic() - began, 1),
                }
            )  # fmt: skip
            if not given.json:
                sys.stdout.write(_line(rows[-1]))
                sys.stdout.flush()
    if given.json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return 1 if lost else 0


def _line(row: dict[str, object]) -> str:
    seen, works = (" / ".join(map(str, row[name])) for name in ("seen", "works"))  # type: ignore[call-overload]
    mark = "=" if row["same"] else "≠"
    return (
        f"| {row['fault']} | {row['injected']} | {seen} | {works} |"
        f" {row['before']} {mark} {row['after']} | {row['took_s']} s |\n"
    )


if __name__ == "__main__":
    sys.exit(main())
