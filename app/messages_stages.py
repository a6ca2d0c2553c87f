"""What a work under way is doing, in the words of its progress line: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .i18n import N_

STAGES: Final[Mapping[str, str]] = MappingProxyType({
    "turn": N_("Waiting until another task has finished writing"),
    "import": N_("Import"),
    "lexical": N_("Keyword index"),
    "encode": N_("Reading the messages for their meaning"),
    "dense": N_("Index by meaning"),
    "evaluate": N_("Evaluation"),
    "export_json": N_("Writing the messages as JSON"),
    "export_html": N_("Writing the pages"),
    "sync_posts": N_("Looking for new messages"),
    "sync_topics": N_("Reading the topics"),
    "sync_recheck": N_("Second look at the topics"),
    "sync_uploads": N_("Images and files"),
    "download": N_("Download"),
    "copy": N_("Copy"),
    "verify": N_("Verification"),
    "compare": N_("Comparison with the source"),
    "erase_look": N_("Looking for what is to be erased"),
    "erase": N_("Erasure"),
    "backup": N_("Backup"),
    "restore": N_("Restoring"),
    "snapshot": N_("Publishing for the servers that read a copy"),
})  # fmt: skip
