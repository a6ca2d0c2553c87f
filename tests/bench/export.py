"""Time, memory and size of an export in both formats, and of its import. `python -m tests.bench.export DATA`.

Runs the commands that a person types, in processes of their own. DATA is an archive to spare: its table of jobs grows.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.bench.speed import archiviste, row, timed

TARGET_S = 120  # for each format, of an archive of 20,000 posts


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = Path(sys.argv[1])
    posts = json.loads(timed(archiviste(data, "status", "--json"))[2])["posts"]
    database = (data / "archive.db").stat().st_size
    print(f"{posts} public posts, archive.db of {database / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as name:
        for format_ in ("json", "html"):
            folder = Path(name) / format_
            elapsed, memory, _ = timed(archiviste(data, "export", str(folder), "--format", format_))
            found = [path for path in folder.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in found)
            row(f"export as {format_}, whole command", f"{elapsed:.1f} s", f"≤ {TARGET_S} s for 20,000 posts")
            row("  posts a second", f"{posts / elapsed:.0f}", "")
            row("  peak memory", f"{memory:.0f} MB", "")
            row("  files", f"{len(found)}", "")
            row("  size, and share of the database", f"{size / 1e6:.1f} MB, {size / database:.2f}", "")
            if format_ == "html":
                shards = [path.stat().st_size for path in (folder / "search" / "w").iterdir()]
                row("  largest file of the search", f"{max(shards) / 1e3:.0f} kB", "")
                row(
                    "  what a search page begins with",
                    f"{(folder / 'search/setup.js').stat().st_size / 1e3:.0f} kB",
                    "",
                )
        elapsed, memory, _ = timed(archiviste(Path(name) / "again", "import", str(Path(name) / "json")))
        row("import of the JSON into an empty archive", f"{elapsed:.1f} s", "")
        row("  peak memory", f"{memory:.0f} MB", "")


if __name__ == "__main__":
    main()
