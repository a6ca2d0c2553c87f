"""What a static archive says to its readers: the engine knows no language, whoever exports gives the words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

Counted = Callable[[int], str]  # "3 messages"


@dataclass(frozen=True, slots=True)
class Words:
    """Sentences and ways of writing, all plain text. `search_*` are shown by the script of the search page."""

    language: str  # "fr"
    title: str  # of the archive
    about: str  # what this is and when it was made
    search: str
    search_hint: str
    search_needs_script: str
    search_none: str
    search_some: str  # no message holds all words
    search_loading: str
    search_more: str
    search_missing: str  # a file of the index is not there
    search_found: str  # "{n} messages", the script fills it in
    search_found_one: str
    home: str
    categories: str
    no_category: str
    closed: str
    archived: str
    pinned: str
    accepted: str
    accepted_jump: str
    pages: str  # name of the navigation between pages
    earlier: str
    later: str
    skip: str  # link to the content
    permalink: str
    deleted_account: str  # in the place of the name of a member who is gone
    topics: Counted
    messages: Counted
    likes: Counted
    number: Callable[[int], str]
    message: Callable[[int], str]  # "message 12"
    in_reply_to: Counted  # number of the post
    page_of: Callable[[int, int], str]
    date: Callable[[datetime], str]
    edited: Callable[[datetime, datetime | None], str]  # when written, when revised; "" when it says nothing
    date_short: Callable[[datetime], str]
