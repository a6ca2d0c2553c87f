"""The images and files of held posts, as an export holds them: each content once.

A file comes from a backup (the table `files`) or from a live forum (`uploads/` itself); an address that has neither is
not held.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..discourse import upload_names
from ..discourse.address import Address
from ..live.uploads import local_path
from ..sources import Upload
from ..store import ArchiveStore, files
from ..store.files import FOLDER, Kept

# Files that a browser opens from a disk without running anything of them; others get another ending, to be saved first.
INERT = frozenset(
    """.7z .csv .doc .docx .flac .gz .json .m4a .md .mkv .mov .mp3 .mp4 .odp .ods .odt .oga .ogg .ogv .opus .pdf .ppt
    .pptx .rtf .tar .txt .wav .webm .xls .xlsx .zip""".split()
)
Describe = Callable[[Path, str, str], tuple[str, bool]]
"""(path, name without ending, name that its author gave) → (name to serve it under, whether it is a safe picture)."""
_OURS = "/uploads/1/"  # how the cleaner of posts knows an address of ours


@dataclass(frozen=True, slots=True)
class _Held:
    url: str  # as posts write it
    path: Path
    size: int
    name: str


class Files:
    """The files of an archive. Those of a page are copied to `folder` as they are asked for."""

    def __init__(self, store: ArchiveStore, data: Path, folder: Path, describe: Describe | None = None) -> None:
        self._folder, self._describe = folder, describe
        self._base_url = store.meta("base_url")
        self._held = {held.url: held for held in _held(store, data, self._base_url)}
        self._copied: dict[str, str] = {}  # name in the export → address from its root

    def __len__(self) -> int:
        return len(self._held)

    def image(self, url: str) -> str | None:
        """An address that the cleaner of posts lets through, None for what is not held or no safe picture."""
        return self._named(url, pictures=True)

    def file(self, url: str) -> str | None:
        """The same for any file."""
        return self._named(url, pictures=False)

    def _named(self, url: str, *, pictures: bool) -> str | None:
        held = self._held.get("".join(url.split()))
        if held is None or self._describe is None:
            return None
        name, is_picture = self._describe(held.path, held.path.stem, held.name)
        if pictures and not is_picture:
            return None
        if not is_picture and _ending(name) not in INERT:
            name += ".bin"
        if name not in self._copied:
            if not _copy(held.path, self._folder / FOLDER / name):
                return None
            self._copied[name] = f"{FOLDER}/{name}"
        return _OURS + name

    def address(self, path: str) -> str | None:
        """Where an address given by `image` leads from the root of the export."""
        return self._copied.get(path.removeprefix(_OURS)) if path.startswith(_OURS) else None

    def write_all(self, check: Callable[[], None]) -> list[Upload]:
        """Copy every file to where a backup of Discourse keeps it; what its table of uploads would say of them."""
        listed: list[Upload] = []
        same: dict[tuple[Path, str], str] = {}  # content and name → the address that it is written under
        # The original before its smaller copies, which lead to it.
        for held in sorted(self._held.values(), key=lambda one: (upload_names.is_copy(one.url), one.url)):
            check()
            key = held.path, held.name
            if key in same:
                listed.append(Upload(held.url, name=held.name, size=held.size, original=same[key]))
                continue
            place = upload_names.place_of(held.url, self._base_url)
            url = held.url
            if not place:
                place = f"default/original/1X/{len(listed)}-{held.path.name[:40]}{_ending(held.name)}"
                url = f"/{FOLDER}/{place}"
                listed.append(Upload(held.url, name=held.name, size=held.size, original=url))
            listed.append(Upload(url, upload_names.sha1_of(url), held.name, held.size))
            same[key] = url
            _copy(held.path, self._folder / FOLDER / place)
        return listed


def bytes_held(store: ArchiveStore, data: Path) -> int:
    """What all of them take, each content once."""
    return sum({held.path: held.size for held in _held(store, data, store.meta("base_url"))}.values())


def _held(store: ArchiveStore, data: Path, base_url: str) -> Iterator[_Held]:
    kept: dict[str, Kept] = files.present(data, files.kept(store))
    where = Address(base_url, "", loopback=False)
    root = (data / FOLDER).resolve()
    for url in store.upload_urls():
        if url in kept:
            yield _Held(url, files.place(data, kept[url].stored), kept[url].size, kept[url].name)
        elif (local := local_path(url, where)) is not None:
            path = root / local
            if path.is_file() and path.resolve() == path:
                yield _Held(url, path, path.stat().st_size, path.name)


def _copy(source: Path, target: Path) -> bool:
    """Whether the file was still there: it goes with the last post that shows it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        return False
    return True


def _ending(name: str) -> str:
    """ ".png", "" when there is none that a file's name should have."""
    end = PurePosixPath(name.split("?")[0].split("#")[0]).suffix.lower()
    return end if end[1:].isalnum() and end.isascii() and len(end) <= 6 else ""
