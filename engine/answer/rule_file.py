"""The files of the gate: the rules that come with the application, and those of a moderator laid over them.

A moderator's file changes a rule by naming its id and what differs, adds one under a new id, and turns one off with
`off = true`. It is taken whole or not at all, and never when one of its own test phrases fails.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import GateFileError
from .rules import Rule, Rules, caught, says_something

SHIPPED = "fr.toml"
WITHIN_MAX = 30

_FIELDS = {"except": "exceptions"} | {f.name: f.name for f in fields(Rule) if f.name != "exceptions"}
_PATTERNS = ("orders", "asked", "verbs", "objects", "about", "phrases", "exceptions", "unless_before")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LINE = re.compile(r"at line (\d+)")
_HEADER = re.compile(r"^\s*\[\[\s*rules\s*\]\]", re.MULTILINE)


@cache
def shipped() -> Rules:
    """The rules that come with the application."""
    text = files(__package__).joinpath("gate_rules", SHIPPED).read_text(encoding="utf-8")
    return _File(SHIPPED, text).laid_over(Rules(()))


def overlaid(path: Path) -> Rules:
    """The shipped rules with those of a moderator's file. Raises GateFileError, which says where it is wrong."""
    try:
        text = path.read_text("utf-8-sig")  # Windows' Notepad writes a BOM
    except (OSError, UnicodeDecodeError) as error:
        raise GateFileError(path=path.name, line=1, reason="unreadable") from error
    return _File(path.name, text).laid_over(shipped())


class _File:
    """One file being read: its text tells on which line a mistake stands."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text

    def laid_over(self, base: Rules) -> Rules:
        try:
            document = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = _LINE.search(str(error))
            last = len(self.text.splitlines()) or 1  # "at end of document"
            raise self.wrong("syntax", line=int(found[1]) if found else last) from error
        rules = {rule.id: rule for rule in base.rules}
        own: list[tuple[int, Rule]] = []
        for n, table in enumerate(self._tables(document)):
            rule = self._rule(n, table, rules)
            rules[rule.id] = rule
            # Only the file's own phrases are tried: what it changes may rightly fail those of the shipped rule.
            catch = rule.must_catch if "must_catch" in table else ()
            own.append((n, replace(rule, must_catch=catch, must_pass=rule.must_pass if "must_pass" in table else ())))
        found_rules = Rules(
            tuple(rules.values()),
            asking=base.asking + self._words(document, "asking"),
            polite=base.polite + self._words(document, "polite"),
            sms={**base.sms, **self._sms(document)},
        )
        for n, rule in own:
            self._try(n, rule, found_rules)
        return found_rules

    def _tables(self, document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        for key in document:
            if key not in ("rules", "asking", "polite", "sms"):
                raise self.wrong("unknown", key=key)
        tables = document.get("rules", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.wrong("kind", key="rules")
        return tables

    def _rule(self, n: int, table: Mapping[str, Any], known: Mapping[str, Rule]) -> Rule:
        name = table.get("id")
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise self.wrong("id", n, "id")
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in _FIELDS:
                raise self.wrong("unknown", n, key)
            values[_FIELDS[key]] = self._value(n, key, value)
        rule = replace(known[name], **values) if name in known else Rule(**{"reason": "", **values})
        if not rule.reason.strip():
            raise self.wrong("reason", n, "reason", id=name)
        # A topic alone is never enough: a verb needs its object, and an expression two words.
        verbs = bool(rule.orders or rule.asked or rule.verbs)
        if verbs != bool(rule.objects) or not (verbs or rule.phrases):
            raise self.wrong("intent", n, "id", id=name)
        lonely = next((phrase for phrase in rule.phrases if len(phrase.split()) < 2), None)
        if lonely is not None:
            raise self.wrong("lonely", n, "phrases", value=lonely)
        return rule

    def _value(self, n: int, key: str, value: object) -> object:
        if key in ("off", "after"):
            good = isinstance(value, bool)
        elif key == "within":
            good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= WITHIN_MAX
        elif key in ("id", "reason"):
            good = isinstance(value, str)
        else:
            good = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
            if good and isinstance(value, list):
                if _FIELDS[key] in _PATTERNS and not all(says_something(item) or item == "@" for item in value):
                    good = False
                value = tuple(value)
        if not good:
            raise self.wrong("kind", n, key)
        return value

    def _words(self, document: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = document.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and says_something(item) for item in value):
            raise self.wrong("kind", key=key)
        return tuple(value)

    def _sms(self, document: Mapping[str, Any]) -> dict[str, str]:
        value = document.get("sms", {})
        if not isinstance(value, dict) or not all(isinstance(word, str) for word in value.values()):
            raise self.wrong("kind", key="sms")
        return value

    def _try(self, n: int, rule: Rule, rules: Rules) -> None:
        """Its test phrases, with this rule alone."""
        alone = replace(rules, rules=(rule,))
        for phrase in () if rule.off else rule.must_catch:
            if not caught(alone, phrase):
                raise self.wrong("passes", n, phrase, id=rule.id, value=phrase)
        for phrase in rule.must_pass:
            if caught(alone, phrase):
                raise self.wrong("caught", n, phrase, id=rule.id, value=phrase)

    def wrong(
        self, reason: str, n: int | None = None, key: str = "", *, line: int = 0, **facts: object
    ) -> GateFileError:
        """The error, at that line or at the first one of rule `n` (of the file) that holds `key`."""
        return GateFileError(path=self.path, line=line or self._line(n, key), reason=reason, key=key, **facts)

    def _line(self, n: int | None, key: str) -> int:
        start, end = 0, len(self.text)
        headers = [found.start() for found in _HEADER.finditer(self.text)]
        if n is not None and n < len(headers):
            start, end = headers[n], [*headers, end][n + 1]
        found = re.compile(rf"(?<![\w-]){re.escape(key)}").search(self.text, start, end) if key else None
        return self.text.count("\n", 0, found.start() if found else start) + 1
