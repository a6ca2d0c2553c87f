"""What the settings of an archive served by several machines are for: a part of the tables of `setting_words`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from .i18n import N_


@dataclass(frozen=True, slots=True)
class Words:
    """The name and the explanation of a setting; msgids."""

    name: str
    told: str


SEVERAL: Final[Mapping[str, Words]] = MappingProxyType({
    "app.snapshots": Words(
        N_("Folder of the snapshots"),
        N_(
            "Where a copy of the archive is published with each preparation of the search, for the servers that only"
            " read it. It must lie outside of the data folder."
        ),
    ),
    "app.replica_of": Words(
        N_("Copy of"),
        N_(
            "Folder of the snapshots, or address of the main server, whose archive this server reads: it then writes"
            " nothing to it. Empty: this is the main server."
        ),
    ),
    "app.shared_secret": Words(
        N_("Shared secret"),
        N_(
            "Path of a file that holds the same secret on the primary and its replicas: who came in at one of them is"
            " in at all. What is in it is shown nowhere."
        ),
    ),
    "app.metrics_from": Words(
        N_("Who reads the measures"),
        N_("Addresses or networks of Prometheus, which reads /metrics there; commas between them. Empty: nobody."),
    ),
    "app.drain_s": Words(
        N_("Seconds before the end"),
        N_(
            "How long the server goes on after it was told to stop, so that a balancer leads people elsewhere. 0 ends"
            " at once."
        ),
    ),
})  # fmt: skip
