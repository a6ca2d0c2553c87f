"""What a command writes: its answer to standard output, everything about the work to standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Final

from .documents import Document
from .messages import message

DONE: Final = 0  # exit statuses; wrong usage is argparse's 2
FAILED: Final = 1

# What a terminal could take for a command, should a forum's text hold some.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def print_lines(*lines: str) -> None:
    """The answer of the command: the one place that writes to stdout."""
    sys.stdout.write("".join(_CONTROL.sub("", line) + "\n" for line in lines))
    sys.stdout.flush()


def print_json(document: Document) -> None:
    """The answer of the command as one JSON document."""
    print_lines(*json.dumps(document, ensure_ascii=False, indent=2).splitlines())


def say(sentence: str) -> None:
    """Something about the work rather than its result."""
    sys.stderr.write(_CONTROL.sub("", sentence) + "\n")
    sys.stderr.flush()


def notices(codes: Iterable[str]) -> None:
    """What the engine has to say about its answer."""
    for code in codes:
        say(message(code))
