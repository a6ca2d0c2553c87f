"""What the figures of answers depend on, and one digest of it all: other conditions, other answers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from ..answer import gate, zones
from ..answer.answering import Answerer
from ..answer.prompt import prompt_fingerprint
from ..archive import Archive
from ..errors import IndexMissing
from ..index import generations
from ..index.generations import Manifest
from ..retrieve import combine
from ..settings import Settings
from .matrix import versions
from .questions import QuestionSet

# Files of a data folder that change what is answered.
LOCAL = (combine.FILE, gate.FILE, zones.FILE)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run of answers was made with."""

    questions: QuestionSet
    settings: Settings
    manifest: Manifest
    counts: tuple[int, int, int]  # posts, topics, categories
    versions: dict[str, str]
    answerer: str  # as it was asked for: "auto" takes what there is
    model: str  # what wrote, as far as it has a name
    prompts: str  # fingerprint of the prompts of answers
    local: dict[str, str]  # sha256 of the files of the data folder that change answers, "" for an absent one
    judge: str  # the judge's name and the fingerprint of its prompts, "" without one

    @property
    def digest(self) -> str:
        """Sixteen hex digits that change with anything that changes an answer."""
        told = asdict(self) | {"questions": self.questions.sha256}
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]


def gather(archive: Archive, questions: QuestionSet, answerer: Answerer, judge: str) -> Conditions:
    """The conditions of an archive as it is now. Raises IndexMissing."""
    settings, manifest = archive.settings, generations.read_manifest(archive.settings)
    if manifest is None:
        raise IndexMissing()
    return Conditions(
        questions=questions, settings=settings, manifest=manifest, counts=archive.store.counts(), versions=versions(),
        answerer=answerer, model=_model(archive, answerer), prompts=prompt_fingerprint(),
        local={name: _sha256(archive, name) for name in LOCAL}, judge=judge,
    )  # fmt: skip


def _model(archive: Archive, answerer: Answerer) -> str:
    models, settings = archive.models, archive.settings
    if answerer == "remote" or (answerer == "auto" and models.remote is not None):
        return f"{settings.llm_url or ''} {settings.llm_remote_model or ''}".strip()
    if answerer in ("llm", "auto") and models.generate_name is not None:
        return models.generate_name()
    return ""


def _sha256(archive: Archive, name: str) -> str:
    path = archive.settings.data / name
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
