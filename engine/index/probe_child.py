"""The child that tries a vector index: looks for vectors from all over it, and says in JSON what it found."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..errors import IndexDamaged
from . import chroma
from .probe import Probe


def main(arguments: Sequence[str]) -> int:
    """Try the folder that is named."""
    try:
        found = Probe(chroma.inspect(Path(arguments[0])), None)
    except IndexDamaged as error:
        found = Probe(0, str(error.details["reason"]))
    sys.stdout.write(json.dumps(asdict(found)))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
