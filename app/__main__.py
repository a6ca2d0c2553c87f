"""Entry point: dispatches to a role of the executable and does nothing else at import."""

from __future__ import annotations

import multiprocessing
import os
import sys


def main() -> int:
    """The `archiviste` command."""
    from app import frozen

    frozen.repair()
    if sys.argv[1:2] == ["llm-child"]:
        # Its streams are the pipe to its parent: they stay as they are.
        from engine.models import llm_child

        return llm_child.main()
    if sys.argv[1:2] == ["index-probe"]:
        from engine.index import probe_child

        return probe_child.main(sys.argv[2:])
    if sys.argv[1:2] == ["erase-scan"]:
        from engine.erase import scan_child

        return scan_child.main(sys.argv[2:])
    if sys.argv[1:2] == ["window"]:
        from app import window

        return window.main(sys.argv[2:])
    if sys.argv[1:2] == ["--selftest"]:
        from app import selftest

        return selftest.main(sys.argv[2:])
    from app import cli, logs, settings

    # Before anything can write: a windowed executable has no streams.
    logs.repair_streams(settings.user_data())
    return cli.run(frozen.arguments(), os.environ)


# Spawned children import this module again, under the second name.
if __name__ in {"__main__", "__mp_main__"}:
    multiprocessing.freeze_support()
    if __name__ == "__main__":
        sys.exit(main())
