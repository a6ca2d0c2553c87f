"""The key of a live forum: in the environment only, so that no settings file, no row of a job and no log holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine import ForumKey

USER_KEY: Final = "DISCOURSE_USER_API_KEY"
KEY, USERNAME = "DISCOURSE_API_KEY", "DISCOURSE_API_USERNAME"


def forum_key(environ: Mapping[str, str]) -> ForumKey:
    """The key to send to the forum; an empty one asks as anybody would."""
    user, key, name = (environ.get(variable, "").strip() for variable in (USER_KEY, KEY, USERNAME))
    return ForumKey(user_api_key=user, api_key="" if user else key, api_username="" if user else name)
