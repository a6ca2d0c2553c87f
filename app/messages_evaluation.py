"""What the user reads when an evaluation can't be made: a part of the table of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchiveFormatError, ArchivisteError, ModelUnavailable, StoreError

from .i18n import N_

EVALUATION: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (ArchiveFormatError, "questions_syntax"): N_(
        "The questions can’t be read: {path}, line {where}. Nothing was measured. Correct the file."
    ),
    (ArchiveFormatError, "questions_empty"): N_("There is no question in this file: {path}. Nothing was measured."),
    (ArchiveFormatError, "questions_field"): N_(
        "Question “{where}” of {path}: “{field}” is missing or can’t be used. Nothing was measured."
    ),
    (ArchiveFormatError, "questions_unknown_field"): N_(
        "Question “{where}” of {path}: “{field}” is not a known field. Nothing was measured. Correct its name."
    ),
    (ArchiveFormatError, "questions_duplicate"): N_(
        "Two questions of {path} have the same name: “{where}”. Nothing was measured. Rename one of them."
    ),
    (ArchiveFormatError, "questions_no_qrels"): N_(
        "The expected answers of {path} are missing. Put qrels.tsv beside it: question, message, grade."
    ),
    (ArchiveFormatError, "questions_qrels"): N_(
        "Line {where} of {path} can’t be used. It needs a question of the other file, the number of a message and a"
        " grade."
    ),
    (StoreError, "reports"): N_("The reports can’t be written here: {path}. Name another folder with --out."),
    (StoreError, "questions"): N_(
        "The question set can’t be written: {path}. It is as it was. See whether the disk is full or protected."
    ),
    (ModelUnavailable, "evaluate"): N_(
        "This archive can’t be searched by meaning here, so that can’t be measured. Index it to the end (archiviste"
        " index --wait), or measure bm25 alone."
    ),
    (ModelUnavailable, "evaluate_rerank"): N_(
        "No model can rerank the results here, so that can’t be measured. Name its folder in your settings."
    ),
})  # fmt: skip
