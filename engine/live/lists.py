"""The forum's own lists: its name, its public categories and tags. Kept as `site.json` and `categories.json`."""

from __future__ import annotations

from pathlib import Path

from ..discourse import public_json, visibility
from ..discourse.api import Forum, Gone
from ..discourse.json_lists import read_lists
from ..discourse.saved_json import LIST_NAMES, Record, SavedFolder, identifier, record_at, records_at, string
from ..sources import SkipReason
from .raw_folder import write

MAX_DEPTH = 5  # of categories; Discourse allows three
_SIGNS = ("categories", "post_types", "notification_types")  # of a Discourse in what /site.json says


class Lists:
    """What the forum says of itself when a sync begins; a category that it does not list is asked for when met.

    `public_tags` is None when every tag that is served is public: a member of the team is served others.
    """

    def __init__(self, forum: Forum, folder: Path) -> None:
        self._forum, self._folder = forum, folder
        self._asked: set[int] = set()
        site = _site(forum)
        listed = forum.get("/categories.json", [("include_subcategories", "true")])
        info = forum.get("/site/basic-info.json")
        self.public_tags = _public_tags(forum) if forum.key else None
        self.title = "" if isinstance(info, Gone) else string(info, "title")
        self._categories = public_json.categories(records_at(site, "categories"))
        below = [] if isinstance(listed, Gone) else records_at(record_at(listed, "category_list"), "categories")
        write(folder / LIST_NAMES[0], {"category_list": {"categories": public_json.categories(below)}})
        self._write()

    def verdict(self, category_id: int | None) -> SkipReason | None:
        """Why what stands in this category is private; None when it is public."""
        reason = visibility.category_reason(category_id, self.verdicts)
        wanted = category_id
        # A big forum lists only some of its categories, and one may be younger than the lists.
        for _ in range(MAX_DEPTH):
            if reason is not SkipReason.UNKNOWN_CATEGORY or wanted is None or wanted in self._asked:
                break
            self._asked.add(wanted)
            shown = self._forum.get(f"/c/{wanted}/show.json")
            if isinstance(shown, Gone):
                break
            category = record_at(shown, "category")
            self._categories += public_json.categories([category])
            self._write()
            reason = visibility.category_reason(category_id, self.verdicts)
            wanted = identifier(category, "parent_category_id")
        return reason

    def _write(self) -> None:
        site = {"title": self.title, "base_url": self._forum.where.base_url, "categories": self._categories}
        write(self._folder / LIST_NAMES[1], site)
        lists = read_lists(SavedFolder(self._folder, (), paths(self._folder)))
        self.verdicts: visibility.Verdicts = lists.verdicts or {}


def paths(folder: Path) -> tuple[Path, ...]:
    """The files of the lists."""
    return tuple(folder / name for name in LIST_NAMES)


def still_open(forum: Forum) -> None:
    """Raise ForumUnavailable when the forum shows nothing at all any more, as once a login is required."""
    _site(forum)


def _site(forum: Forum) -> Record:
    site = forum.get("/site.json")
    if not isinstance(site, Gone):
        if any(sign in site for sign in _SIGNS):
            return site
        raise forum.unavailable("not_discourse")
    if site.kind == "elsewhere":
        raise forum.unavailable("redirected", host=site.host)
    if forum.key and site.status in (401, 403):
        raise forum.unavailable("key_refused")
    if site.kind == "not_logged_in":
        raise forum.unavailable("login_required")
    raise forum.unavailable("blocked" if site.status in (401, 403) else "not_discourse")


def _public_tags(forum: Forum) -> frozenset[str]:
    """The tags that anybody sees; none when only members may read the forum."""
    shown = forum.get("/tags.json", anonymous=True)
    if isinstance(shown, Gone):
        return frozenset()
    holders = [shown]
    for name in ("tag_groups", "categories"):
        holders += records_at(record_at(shown, "extras"), name)
    tags = [tag for holder in holders for tag in records_at(holder, "tags")]
    return frozenset(filter(None, (string(tag, "name") or string(tag, "text") or string(tag, "id") for tag in tags)))
