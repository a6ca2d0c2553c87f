"""Downloads models from the Hugging Face hub: resumable, verified, published whole. The home of huggingface_hub.

`hf_hub_download` is not called: since 2.x it throws away what an interrupted download had (its pull request 4228),
hours of it on a slow line. Its own `http_get` resumes, and is given a file that stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import DiskFull, DownloadFailed, StoreError
from ..values import OnProgress
from . import fetching, shelf
from .catalogue import Entry, ModelFile

NEWEST = "main"
METADATA_S = 30.0
STATUS = {401: "refused", 403: "refused", 404: "not_found", 429: "busy", 503: "busy"}


@dataclass(frozen=True, slots=True)
class _Offer:
    """A file as the hub offers it: its commit, its size, and its hash (of the file, or of git's blob)."""

    path: str
    url: str
    commit: str
    size: int
    etag: str

    @property
    def part(self) -> str:
        """The name of what is there of it; another content has another name."""
        return f"{self.path}.{self.etag[:12]}.part"


def pull(
    entry: Entry,
    data: Path,
    *,
    endpoint: str | None = None,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> shelf.Installed:
    """Download a model into the data folder, from where an earlier try stopped; returns it once it is whole there.

    `endpoint` is the hub's address when it is not the usual one. Raises DownloadFailed, DiskFull, StoreBusy.
    """
    with fetching.workshop(data, entry.name) as made, _translated(entry.repo, made):
        # 1. What the hub offers, all of one commit, and whether it is what the catalogue knows.
        offers = _offers(entry, endpoint)
        total = sum(offer.size for offer in offers)
        have = sum(_size(made / offer.path) or _size(made / offer.part) for offer in offers)
        fetching.room_for(total - have, made)
        # 2. The bytes that are missing.
        meter = fetching.Meter("download", total, on_progress, check)
        before = 0
        for offer in offers:
            if not _size(made / offer.path):
                _fetch(offer, made, before, meter)
            before += offer.size
        # 3. Every file read again, the ones of an earlier try too.
        meter = fetching.Meter("verify", total, on_progress, check)
        files, before = [], 0
        for offer in offers:
            files.append(_verified(offer, made, before, meter))
            before += offer.size
        # 4. Its place among the models, in one step.
        wanted = {offer.path for offer in offers}
        for stray in [path for path in made.rglob("*") if path.is_file()]:
            if stray.relative_to(made).as_posix() not in wanted:
                stray.unlink()
        model = shelf.Installed(
            name=entry.name, role=entry.role, at=made, files=tuple(files), added_at=datetime.now(UTC),
            repo=entry.repo, revision=offers[0].commit, licence=entry.licence,
        )  # fmt: skip
        return shelf.publish(model, made, data)


def _offers(entry: Entry, endpoint: str | None) -> list[_Offer]:
    hub = _library()
    offers: list[_Offer] = []
    revision = entry.revision or NEWEST
    for file in entry.files:
        url = hub.hf_hub_url(entry.repo, file.path, revision=revision, endpoint=endpoint)
        told = hub.get_hf_file_metadata(url, token=False, timeout=METADATA_S, library_name="archiviste")
        if told.commit_hash is None or told.etag is None or told.size is None:
            raise DownloadFailed(reason="server", path=entry.repo)
        known = (file.size, file.sha256 if len(told.etag) == 64 else None)
        if any(k is not None and k != t for k, t in zip(known, (told.size, told.etag), strict=True)):
            raise DownloadFailed(reason="changed", path=f"{entry.repo}/{file.path}")
        revision = told.commit_hash
        url = hub.hf_hub_url(entry.repo, file.path, revision=revision, endpoint=endpoint)
        offers.append(_Offer(file.path, url, revision, told.size, told.etag))
    return offers


def _fetch(offer: _Offer, made: Path, before: int, meter: fetching.Meter) -> None:
    from huggingface_hub.file_download import http_get

    part = made / offer.part
    part.parent.mkdir(parents=True, exist_ok=True)
    # A range of a compressed answer is no range of the file.
    headers = {"User-Agent": "archiviste", "Accept-Encoding": "identity"}
    with part.open("ab") as file:
        meter.at(before + file.tell())
        counted = cast(BinaryIO, _Counted(file, lambda there: meter.at(before + there)))
        http_get(offer.url, counted, resume_size=file.tell(), headers=headers, expected_size=offer.size)
        file.flush()
        os.fsync(file.fileno())
    part.replace(made / offer.path)


def _verified(offer: _Offer, made: Path, before: int, meter: fetching.Meter) -> ModelFile:
    """The file with its hash. One that is not what the hub told is removed: nothing of it can be used."""
    path = made / offer.path
    sha256 = shelf.sha256(path, lambda done: meter.at(before + done))
    told = sha256 if len(offer.etag) == 64 else _git_hash(path)
    if told != offer.etag or _size(path) != offer.size or not shelf.looks_right(path):
        path.unlink()
        raise DownloadFailed(reason="damaged", path=offer.path)
    return ModelFile(offer.path, offer.size, sha256)


def _git_hash(path: Path) -> str:
    """The name that git gives to a content: small files have no other hash on the hub."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class _Counted:
    """A file that tells where it is after each write."""

    def __init__(self, file: BinaryIO, told: shelf.Heard) -> None:
        self._file, self._told = file, told

    def write(self, block: bytes) -> int:
        written = self._file.write(block)
        self._told(self._file.tell())
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def _translated(repo: str, made: Path) -> Iterator[None]:
    """What the library and the disk raise, as our own errors."""
    hub = _library()
    import httpx2  # what the library speaks HTTP with; its errors are not wrapped
    from huggingface_hub import errors

    try:
        yield
    except errors.OfflineModeIsEnabled as error:
        raise DownloadFailed(reason="offline", path=repo) from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.RemoteEntryNotFoundError) as error:
        # The hub answers 401 for a repository that doesn't exist as for one that it hides.
        gated = isinstance(error, errors.GatedRepoError)
        raise DownloadFailed(reason="refused" if gated else "not_found", path=repo) from error
    except errors.HfHubHTTPError as error:
        reason = STATUS.get(error.response.status_code, "server")
        raise DownloadFailed(reason=reason, path=repo, status=error.response.status_code) from error
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise DownloadFailed(reason="unreachable", path=hub.constants.ENDPOINT) from error
    except (httpx2.HTTPError, errors.FileMetadataError) as error:
        raise DownloadFailed(reason="cut", path=repo) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(path=str(made)) from error
        if error.errno is None:  # how the library says that fewer bytes came than announced
            raise DownloadFailed(reason="cut", path=repo) from error
        raise StoreError(path=str(made), reason=error.strerror or str(error)) from error


def _library() -> Any:
    """huggingface_hub, told to be silent: the progress is ours, and nothing of this machine is told."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import huggingface_hub
    import huggingface_hub.constants
    import huggingface_hub.utils

    hub: Any = huggingface_hub
    hub.utils.disable_progress_bars()
    hub.utils.logging.set_verbosity_error()
    return hub


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
