"""The gate before the archive: which questions are turned away without a search nor a model, by which rule and why.

A net, not the border: what no pattern foresaw passes, and meets the evidence and the prompt.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ..errors import GateFileError
from . import rule_file, rules
from .rough_words import Names
from .rules import Rule, Rules

log = logging.getLogger(__name__)

FILE = "gate.toml"  # of the moderators, in the data folder


class Gate:
    """The rules in force in a data folder; the moderators' file is read again when it changes."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE
        self._read: tuple[object, Rules, GateFileError | None] = (None, rule_file.shipped(), None)

    def check(self, *texts: str, names: Names = lambda words: ()) -> Rule | None:
        """The first rule that catches one of these texts; `names` tells the members' names among words."""
        in_force = self.rules()
        found = (rules.caught(in_force, text, names=names) for text in texts)
        rule = next((rule for rule in found if rule), None)
        if rule:
            # The question stays out of the log: whoever asked it is in the same room.
            log.warning("a question was turned away by the rule %s", rule.id)
        return rule

    def rules(self) -> Rules:
        """The shipped rules with the moderators' changes; the shipped ones alone while their file is wrong."""
        return self._current()[1]

    def flaw(self) -> GateFileError | None:
        """What is wrong with the moderators' file, None when it is in force or absent."""
        return self._current()[2]

    def _current(self) -> tuple[object, Rules, GateFileError | None]:
        try:
            found = self._path.stat()
            seen: object = (found.st_mtime_ns, found.st_size)
        except OSError:
            seen = None
        read = self._read
        if seen != read[0]:
            read = (seen, *self._laid_over()) if seen else (None, rule_file.shipped(), None)
            self._read = read  # one assignment: other threads see the old rules or the new ones
        return read

    def _laid_over(self) -> tuple[Rules, GateFileError | None]:
        try:
            return rule_file.overlaid(self._path), None
        except GateFileError as error:
            log.warning("%s", error)
            return rule_file.shipped(), error
