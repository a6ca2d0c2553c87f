"""What the elements and classes in a post's HTML mean to its text. Sets of names, no code."""

from __future__ import annotations

# fmt: off
BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
])
"""Elements whose text stands on lines of its own."""

CELLS = frozenset(["td", "th"])

DROPPED = frozenset(["embed", "head", "iframe", "noscript", "object", "script", "style", "svg", "template"])
"""Elements whose content nobody reads."""

FORMATTING = frozenset([
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
])
"""Elements that HTML5 reopens in the next block when they were not closed."""

UNCLOSED = frozenset([
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
])
"""Elements that hold nothing, or that the next one of their kind closes."""

WITH_ATTRIBUTES = frozenset([
    "a", "aside", "audio", "blockquote", "details", "div", "img", "p", "section", "span", "video",
])
"""Elements whose class or style may matter; the others are not asked, for speed."""

SPOILERS = frozenset(["spoiled", "spoiler", "spoiler-blurred"])

CHROME = frozenset([
    "quote-controls", "poll-info", "poll-buttons", "poll-ui-builder",
    # the poll widget of Twinoid's forums, whose archives were migrated with their markup
    "tid_above", "tid_bVote", "tid_footer", "tid_questionResults",
])
"""Classes of the forum's own furniture: no member wrote what it says."""

DECORATION = frozenset([
    "avatar", "emoji", "site-icon", "smiley", "smilies", "tid_ico", "ytp-thumbnail-image",
])
"""Classes of images that are not attachments."""
# fmt: on
