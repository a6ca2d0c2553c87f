"""Votes of polls: Discourse keeps them beside the post, its HTML shows none. Here they enter it, option by option."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .copy_text import NULL, Row
from .saved_json import Record, integer, records_at, string

TABLES = {
    "polls": ("id", "post_id", "results", "status"),
    "poll_options": ("id", "poll_id", "digest", "anonymous_votes"),
    "poll_votes": ("poll_option_id",),
}
_OPTION = re.compile(r"<li\b[^<>]*?\bdata-poll-option-id=[\"']?([0-9A-Za-z]{1,64})[^<>]*>", re.IGNORECASE)
# Values of polls.results and polls.status; what only voters or the team may see is not public.
_ALWAYS, _WHEN_CLOSED, _CLOSED = b"0", b"2", b"1"
_MARK = '<span class="poll-votes" data-votes="{}"></span>'


def with_votes(cooked: str, votes: Mapping[str, int]) -> str:
    """The HTML of a post with the number of votes (by id of option) at the head of each option."""
    if not votes or "data-poll-option-id" not in cooked:
        return cooked
    return _OPTION.sub(lambda found: found[0] + (_MARK.format(votes[found[1]]) if found[1] in votes else ""), cooked)


def votes_in(record: Record) -> dict[str, int]:
    """Votes by id of option, as the JSON of a post tells them to everyone."""
    return {
        string(option, "id"): votes
        for poll in records_at(record, "polls")
        for option in records_at(poll, "options")
        if (votes := integer(option, "votes")) is not None and votes >= 0
    }


@dataclass(slots=True)
class Polls:
    """The polls of a dump; only the pass that fills it changes it. Nobody's own vote is kept."""

    posts: dict[int, int] = field(default_factory=dict)  # by poll, when everyone may see its results
    options: dict[int, tuple[int, str, int]] = field(default_factory=dict)  # (poll, id in the HTML, votes of nobody)
    votes: Counter[int] = field(default_factory=Counter)  # by option

    def add(self, row: Row) -> None:
        """Take one row of TABLES in; ValueError when a value is not what its column holds."""
        fields = row.fields
        match row.table:
            case "polls" if fields[1] != NULL:
                if fields[2] == _ALWAYS or (fields[2] == _WHEN_CLOSED and fields[3] == _CLOSED):
                    self.posts[int(fields[0])] = int(fields[1])
            case "poll_options" if fields[1] != NULL:
                nobodys = 0 if fields[3] == NULL else int(fields[3])
                self.options[int(fields[0])] = (int(fields[1]), fields[2].decode("ascii", "replace"), nobodys)
            case "poll_votes" if fields[0] != NULL:
                self.votes[int(fields[0])] += 1

    def by_post(self) -> dict[int, dict[str, int]]:
        """Votes by id of option, of each post with a poll."""
        found: dict[int, dict[str, int]] = {}
        for option, (poll, digest, nobodys) in self.options.items():
            if poll in self.posts:
                found.setdefault(self.posts[poll], {})[digest] = self.votes[option] + nobodys
        return found
