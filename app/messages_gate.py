"""What the user reads when the moderators' rules can't be used: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, GateFileError

from .i18n import N_

GATE_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    GateFileError: N_(
        "The rules of {path} can’t be used (line {line}). The rules that come with the application stay in force."
        " Correct this file or remove it."
    ),
})  # fmt: skip

GATE_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (GateFileError, "unreadable"): N_(
        "The file {path} can’t be read. The rules that come with the application stay in force. Save it again as"
        " plain text (UTF-8), or remove it."
    ),
    (GateFileError, "syntax"): N_(
        "Line {line} of {path} is not written as it should be: a quotation mark, a comma or a bracket may be missing."
        " The rules that come with the application stay in force."
    ),
    (GateFileError, "unknown"): N_(
        "Line {line} of {path}: “{key}” is not a word of this file. The rules that come with the application stay in"
        " force. Correct this word or remove it."
    ),
    (GateFileError, "kind"): N_(
        "Line {line} of {path}: what “{key}” is given can’t be used. The rules that come with the application stay in"
        " force. Correct it on the pattern of the other rules."
    ),
    (GateFileError, "id"): N_(
        "Line {line} of {path}: this rule needs a name, “id”, in lower case letters, digits and hyphens. The rules that"
        " come with the application stay in force."
    ),
    (GateFileError, "reason"): N_(
        "Line {line} of {path}: the rule “{id}” has no sentence, “reason”, to show. The rules that come with the"
        " application stay in force."
    ),
    (GateFileError, "intent"): N_(
        "Line {line} of {path}: the rule “{id}” needs verbs and objects, or expressions. The rules that come with the"
        " application stay in force."
    ),
    (GateFileError, "lonely"): N_(
        "Line {line} of {path}: “{value}” is a single word, which would turn away a whole subject; an expression has"
        " two words or more. The rules that come with the application stay in force."
    ),
    (GateFileError, "passes"): N_(
        "Line {line} of {path}: the rule “{id}” should catch “{value}” and lets it pass. The rules that come with the"
        " application stay in force. Correct the rule or this test phrase."
    ),
    (GateFileError, "caught"): N_(
        "Line {line} of {path}: the rule “{id}” should let “{value}” pass and catches it. The rules that come with the"
        " application stay in force. Correct the rule or this test phrase."
    ),
})  # fmt: skip
