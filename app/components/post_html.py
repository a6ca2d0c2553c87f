"""HTML of a post as the forum stored it → HTML that is safe to show, and that loads nothing from the network.

The only module that imports nh3. Knows nothing about NiceGUI. Three passes: an allowlist gives well-formed
HTML whatever came in, our rewriting replaces what can't be shown as it is, a stricter allowlist has the
last word. The only thing that a browser fetches for the result is an image of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

import nh3

from engine.discourse.plain_text import lay_out
from engine.discourse.tangled import is_tangled, strip_tags

from ..i18n import gettext as _
from ..i18n import ngettext
from ..i18n import number as shown
from .emoji_names import pictured
from .post_links import SCHEMES, absolute, image_source, number, our_path, topic_path

_TEXT = frozenset({
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "s", "samp", "small",
    "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "u", "ul",
})  # fmt: skip
_READ = _TEXT | {"aside", "img", "iframe", "video", "audio", "source", "header", "article"}
_WRITTEN = _TEXT | {"figure", "figcaption", "img"}
_DROPPED = frozenset({
    "script", "style", "svg", "math", "template", "noscript", "object", "button", "select", "textarea",
})  # fmt: skip
_CELLS = {"td": {"align", "colspan", "rowspan"}, "th": {"align", "colspan", "rowspan"}, "ol": {"start"}}
_READ_ATTRIBUTES = {
    "*": {"class"},
    "a": {"href"},
    "img": {"alt", "title", "class", "src", "data-orig-src", "width", "height"},
    "div": {"class", "data-video-src"},
    "span": {"class", "data-votes"},
    "iframe": {"src"},
    "video": {"src"},
    "audio": {"src"},
    "source": {"src"},
    "aside": {"class", "data-username", "data-topic", "data-post"},
    **_CELLS,
}
_WRITTEN_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt", "width", "height", "loading"},
    "span": {"role", "tabindex", "aria-label"},
    **_CELLS,
}
_CLASSES = {
    "a": {"outside", "lightbox", "attachment"},
    "span": {"absent", "mention", "spoiler", "votes"},
    "div": {"table"},
    "figure": {"quoted", "preview", "poll"},
}

_FURNITURE = frozenset({"meta", "quote-controls", "poll-info", "poll-buttons", "anchor"})
_VOID = frozenset({"br", "hr", "img", "source"})
_QUOTE_END = "</figure><!--quote-->"  # the comment tells it from the end of a preview; the last pass drops it
_EMBEDS = frozenset({"iframe", "video", "audio"})
_HEADINGS = {"h1": "h4", "h2": "h4", "h3": "h5", "h4": "h5", "h5": "h6", "h6": "h6"}  # the page owns h1 to h3
_OUR_IMAGE = re.compile(r"/uploads/\d{1,16}/[0-9A-Za-z_-]{1,80}\.[a-z]{3,4}", re.IGNORECASE)
# Controls but the tab and the line feed, marks that turn the direction of a text, lone surrogates.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MAX_CHARS = 400_000  # of one post; beyond it a browser suffers and nobody reads


def clean(
    cooked: str,
    *,
    base_url: str = "",
    image_of: Callable[[str], str | None] = lambda url: None,
    file_of: Callable[[str], str | None] = lambda url: None,
    quoted: Callable[[int, int | None], str | None] = lambda topic, post: our_path(topic, post),
) -> str:
    """The post's HTML, safe to insert in our page; `base_url` is the forum's address, "" when unknown.

    Links to topics of the forum lead to our own topic page; every other link is marked `outside`.
    `image_of` gives our own address of an image, None for one that is not held: nothing else is ever fetched.
    `file_of` does so for any other file, `quoted` for the place (topic, post number) that a quote comes from.
    """
    source = _without_controls(cooked[:_MAX_CHARS])
    if is_tangled(source):
        return f"<p>{escape(lay_out(strip_tags(source)), quote=False)}</p>"
    readable = nh3.clean(
        source,
        tags=set(_READ),
        clean_content_tags=set(_DROPPED),
        attributes=_READ_ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel=None,
    )
    rewriting = _Rewriting(base_url.rstrip("/"), image_of, file_of, quoted)
    rewriting.feed(readable)
    rewriting.close()
    return nh3.clean(
        rewriting.result(),
        tags=set(_WRITTEN),
        clean_content_tags=set(_DROPPED | {"iframe"}),
        attributes=_WRITTEN_ATTRIBUTES,
        allowed_classes=_CLASSES,
        attribute_filter=_only_our_images if rewriting.has_images else None,
        url_schemes=SCHEMES,
        tag_attribute_values={"a": {"target": {"_blank"}}},
        link_rel="noopener noreferrer nofollow",
    )


class _Rewriting(HTMLParser):
    """Writes the well-formed HTML of the first pass again, without what needs the network."""

    def __init__(
        self,
        base_url: str,
        image_of: Callable[[str], str | None],
        file_of: Callable[[str], str | None],
        quoted: Callable[[int, int | None], str | None],
    ) -> None:
        super().__init__(convert_charrefs=True)
        self._base_url, self._image_of, self._file_of, self._quoted = base_url, image_of, file_of, quoted
        self.has_images = False
        self._enlarged: str | None = None  # our address of the image that the link being open enlarges
        self._written: list[str] = []
        self._closers: list[str] = []  # what each open element writes at its end
        self._dropped_at: int | None = None  # depth of the element whose content is being dropped
        self._unnamed_at: int | None = None  # depth of the video being open that has not told its file yet

    def result(self) -> str:
        """What was written, with every element closed."""
        return "".join(self._written) + "".join(reversed(self._closers))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = set(attributes.get("class", "").split())
        if tag in _VOID:
            if tag == "source" and self._unnamed_at is not None and attributes.get("src"):
                self._unnamed_at = None
                self._written.append("".join(self._embed(attributes["src"])))
            elif self._dropped_at is None:
                self._written.append(self._void(tag, attributes, classes))
            return
        opening, closing = "", ""
        if self._dropped_at is None:
            if classes & _FURNITURE or (tag == "div" and "title" in classes and self._quote_waits()):
                self._dropped_at = len(self._closers)
            else:
                opening, closing = self._element(tag, attributes, classes)
        self._written.append(opening)
        self._closers.append(closing)
        if tag in _EMBEDS and self._dropped_at is None:
            self._dropped_at = len(self._closers) - 1  # what a browser shows when it can't play them
            self._unnamed_at = None if attributes.get("src") else self._dropped_at

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID or not self._closers:
            return
        closing = self._closers.pop()
        self._written.append(closing)
        if tag == "a":
            self._enlarged = None
        if self._dropped_at is not None and self._dropped_at >= len(self._closers):
            if self._unnamed_at == self._dropped_at:
                self._written.append("".join(self._embed("")))
            self._dropped_at = self._unnamed_at = None

    def handle_data(self, data: str) -> None:
        if self._dropped_at is None:
            self._written.append(escape(data, quote=False))

    def _void(self, tag: str, attributes: dict[str, str], classes: set[str]) -> str:
        if tag == "source":
            return ""
        if tag != "img":
            return f"<{tag}>"
        alt = attributes.get("alt") or attributes.get("title") or ""
        if classes & {"emoji", "smiley"}:
            return escape(pictured(alt))
        if "avatar" in classes or "site-icon" in classes:
            return ""
        ours = self._enlarged or self._image_of(image_source(attributes))
        if ours is not None:
            return self._image(ours, alt, attributes)
        if classes & {"thumbnail", "onebox-avatar", "ytp-thumbnail-image"}:  # a preview is read without its picture
            return ""
        said = _("Image not loaded: {name}").format(name=alt) if alt.strip() else _("Image not loaded")
        return f'<span class="absent">{escape(said)}</span>'

    def _image(self, ours: str, alt: str, attributes: dict[str, str]) -> str:
        """An image of ours, which a link enlarges unless it stands in a link already."""
        self.has_images = True
        sides = ((side, attributes.get(side, "")) for side in ("width", "height"))
        # Its size is known before it has come: nothing moves when it does.
        size = "".join(f' {side}="{value}"' for side, value in sides if value.isascii() and value.isdigit())
        said = escape(alt or _("Image"))
        image = f'<img src="{escape(ours)}" alt="{said}"{size} loading="lazy">'
        if any(closer.endswith("</a>") for closer in self._closers):
            return image
        return f'<a class="lightbox" href="{escape(ours)}">{image}</a>'

    def _element(self, tag: str, attributes: dict[str, str], classes: set[str]) -> tuple[str, str]:
        """What an element writes at its start and at its end."""
        if tag == "a":
            return self._link(attributes.get("href", ""), classes)
        if tag == "aside":
            return self._aside(attributes, classes)
        if tag in _EMBEDS:
            return self._embed(attributes["src"]) if attributes.get("src") else ("", "")
        if attributes.get("data-video-src"):
            return self._embed(attributes["data-video-src"])
        if tag == "table":
            return '<div class="table"><table>', "</table></div>"
        if tag in _HEADINGS:
            return f"<{_HEADINGS[tag]}>", f"</{_HEADINGS[tag]}>"
        if tag in ("header", "article"):
            return "<div>", "</div>"
        if "poll" in classes:
            caption = escape(_("Poll"))
            return f'<figure class="poll"><figcaption>{caption}</figcaption>', "</figure>"
        votes = number(attributes.get("data-votes", "")) if "poll-votes" in classes else None
        if votes is not None:
            said = escape(ngettext("{n} vote", "{n} votes", votes).format(n=shown(votes)))
            return f'<span class="votes">{said}', "</span> "
        if classes & {"spoiler", "spoiled"}:
            if tag == "span":
                said = escape(_("Hidden text: show it"))
                return f'<span class="spoiler" role="button" tabindex="0" aria-label="{said}"><span>', "</span></span>"
            hidden = escape(_("Hidden text"))
            return f"<details><summary>{hidden}</summary>", "</details>"
        names = sorted(_CELLS.get(tag, set()) & attributes.keys())
        kept = "".join(f' {name}="{escape(attributes[name])}"' for name in names)
        return f"<{tag}{kept}>", f"</{tag}>"

    def _link(self, href: str, classes: set[str]) -> tuple[str, str]:
        if classes & {"mention", "mention-group", "hashtag", "hashtag-cooked"}:
            return '<span class="mention">', "</span>"
        path = topic_path(href, self._base_url)
        if path is not None:
            return f'<a href="{escape(path)}">', "</a>"
        self._enlarged = self._image_of(href) if "lightbox" in classes else None
        if self._enlarged is not None:
            return f'<a class="lightbox" href="{escape(self._enlarged)}">', "</a>"
        if "attachment" in classes and (ours := self._file_of(href)) is not None:
            return f'<a class="attachment" href="{escape(ours)}">', "</a>"
        address = absolute(href, self._base_url)
        if address is None:
            return "<span>", "</span>"
        return f'<a href="{escape(address)}" target="_blank" class="outside">', "</a>"

    def _aside(self, attributes: dict[str, str], classes: set[str]) -> tuple[str, str]:
        if "quote" not in classes:
            return '<figure class="preview">', "</figure>"
        if "withheld" in classes:  # by the import: nothing of it was kept
            caption = escape(_("A quote of a message that is not public"))
            return f'<figure class="quoted"><figcaption>{caption}</figcaption>', _QUOTE_END
        author = attributes.get("data-username", "").strip()
        topic, post = number(attributes.get("data-topic", "")), number(attributes.get("data-post", ""))
        caption = escape(_("{author} said:").format(author=author) if author else _("Quote:"))
        path = self._quoted(topic, post) if topic is not None else None
        if path is not None:
            caption = f'<a href="{escape(path)}">{caption}</a>'
        return f'<figure class="quoted"><figcaption>{caption}</figcaption>', _QUOTE_END

    def _quote_waits(self) -> bool:
        """Whether the element being opened is the title bar of a quote: its author is in our caption."""
        return bool(self._closers) and self._closers[-1] == _QUOTE_END

    def _embed(self, src: str) -> tuple[str, str]:
        ours = self._file_of(src)
        if ours is not None:
            said = escape(_("Video or sound: download the file"))
            return f'<a class="attachment" href="{escape(ours)}">{said}</a>', ""
        address = absolute(src, self._base_url)
        said = escape(_("Media not loaded"))
        if address is None:
            return f'<span class="absent">{said}</span>', ""
        return f'<a href="{escape(address)}" target="_blank" class="outside">{said}</a>', ""


def _only_our_images(tag: str, attribute: str, value: str) -> str | None:
    return value if tag != "img" or attribute != "src" or _OUR_IMAGE.fullmatch(value) else None


def _without_controls(text: str) -> str:
    """The text without characters that show nothing or turn the direction of what follows."""
    return _UNSEEN.sub("", text)
