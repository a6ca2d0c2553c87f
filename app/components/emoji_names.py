"""Emoji by the names that Discourse gives them: ":bike:" is a bicycle, what nobody knows stays its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rich.emoji import Emoji

_NAME: Final = re.compile(r":([\w+-]{1,60}):(?:t[2-6]:)?")  # with the tone of a skin, which we leave out
# Discourse's own names, and those younger than rich's list.
_OURS: Final[Mapping[str, str]] = MappingProxyType({
    "slight_smile": "🙂", "slightly_smiling_face": "🙂", "slight_frown": "🙁", "thinking": "🤔", "rofl": "🤣",
    "upside_down_face": "🙃", "crazy_face": "🤪", "hugs": "🤗", "star_struck": "🤩", "raised_eyebrow": "🤨",
    "face_with_raised_eyebrow": "🤨", "partying_face": "🥳", "pleading_face": "🥺",
    "exploding_head": "🤯",
    "smiling_face_with_three_hearts": "🥰", "face_with_monocle": "🧐", "shushing_face": "🤫", "hot_face": "🥵",
    "cold_face": "🥶", "yawning_face": "🥱", "face_with_hand_over_mouth": "🤭", "nerd_face": "🤓", "lying_face": "🤥",
    "rolling_eyes": "🙄", "face_vomiting": "🤮", "nauseated_face": "🤢", "sneezing_face": "🤧",
    "drooling_face": "🤤",
    "money_mouth_face": "🤑", "zipper_mouth_face": "🤐", "clown_face": "🤡", "saluting_face": "🫡",
    "melting_face": "🫠",
    "shrug": "🤷", "man_shrugging": "🤷\u200d♂️", "woman_shrugging": "🤷\u200d♀️", "facepalm": "🤦",
    "man_facepalming": "🤦\u200d♂️", "woman_facepalming": "🤦\u200d♀️", "bowing_man": "🙇\u200d♂️",
    "bowing_woman": "🙇\u200d♀️", "raising_hand_man": "🙋\u200d♂️", "raising_hand_woman": "🙋\u200d♀️",
    "construction_worker_man": "👷\u200d♂️", "construction_worker_woman": "👷\u200d♀️", "crossed_fingers": "🤞",
    "handshake": "🤝", "call_me_hand": "🤙", "pinching_hand": "🤏", "palms_up_together": "🤲", "fu": "🖕",
    "orange_heart": "🧡", "brown_heart": "🤎", "white_heart": "🤍", "plunger": "🪠", "screwdriver": "🪛",
    "toolbox": "🧰",
})  # fmt: skip


def pictured(alt: str) -> str:
    """What to show for an emoji's text: the character of a known name, any other text as it is."""
    named = _NAME.fullmatch(alt)
    if named is None:
        return alt
    own = _OURS.get(named[1])
    return own or Emoji.replace(f":{named[1]}:")
