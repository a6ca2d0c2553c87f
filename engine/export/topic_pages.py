"""The pages of one topic of a static archive, fifty numbers of posts a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..store.exporting import StoredPost
from ..values import Topic
from .page import link, page, pager, text
from .places import Places, page_of
from .relink import Find, relink
from .words import Words

UP = "../../"  # from a page of a topic to the root
Safe = Callable[[StoredPost], str]  # the sanitised HTML of a post, with the addresses of the application


def write(
    folder: Path,
    topic: Topic,
    posts: Iterator[StoredPost],
    *,
    category: tuple[int, str],
    places: Places,
    safe: Safe,
    find: Find,
    words: Words,
) -> None:
    """Every page of a topic that has posts; `category` is its number and name. A page is in memory at a time."""
    pages = places.pages(topic.id)
    if not pages:
        return
    here = folder / "t" / str(topic.id)
    here.mkdir(parents=True)
    answer = _answer(topic, places, words)
    number, articles = 0, list[str]()

    def close() -> None:
        if articles:
            head = _head(topic, category, answer if number == pages[0] else "", words)
            steps = pager(words, pages, number)
            body = (head, steps, *articles, steps)
            title = topic.title if number == pages[0] else f"{topic.title} — {words.page_of(number, pages[-1])}"
            (here / f"{number}.html").write_text("".join(page(words, title, body, up=UP)), "utf-8", newline="\n")
            articles.clear()

    def address(path: str) -> str | None:
        there = find(path)
        return None if there is None else UP + there

    for post in posts:
        if page_of(post.number) != number:
            close()
            number = page_of(post.number)
        articles.append(_article(post, topic, relink(safe(post), address), places, words))
    close()


def _head(topic: Topic, category: tuple[int, str], answer: str, words: Words) -> str:
    number, name = category
    states = [said for on, said in _states(topic, words) if on]
    tags = "".join(f'<span class="tag">{text(tag)}</span> ' for tag in topic.tags)
    marks = "".join(f'<span class="mark">{text(said)}</span> ' for said in states)
    way = link(f"{UP}c/{number}/1.html", name)
    return f'<nav class="way">{way}</nav>\n<h1>{text(topic.title)}</h1>\n<p class="facts">{marks}{tags}{answer}</p>\n'


def _states(topic: Topic, words: Words) -> tuple[tuple[bool, str], ...]:
    return (topic.pinned, words.pinned), (topic.closed, words.closed), (topic.archived, words.archived)


def _answer(topic: Topic, places: Places, words: Words) -> str:
    """A link to the accepted answer, "" when it is not held."""
    if topic.accepted_post_id is None:
        return ""
    there = places.accepted.get(topic.id)
    return link(f"{UP}t/{topic.id}/{page_of(there)}.html#post_{there}", words.accepted_jump, "answer") if there else ""


def _article(post: StoredPost, topic: Topic, html: str, places: Places, words: Words) -> str:
    name = post.author or words.deleted_account
    shown = post.display_name and post.display_name != post.username
    user = f' <span class="user">@{text(post.username)}</span>' if shown else ""
    when = f'<time datetime="{post.created_at.isoformat()}">{text(words.date(post.created_at))}</time>'
    edited = words.edited(post.created_at, post.revised_at)
    when += f" · {text(edited)}" if edited else ""
    number = words.message(post.number)
    permalink = link(f"#post_{post.number}", number, "number", title=words.permalink)
    label = text(f"{number}, {name}")
    parts = [
        f'<article class="post" id="post_{post.number}" aria-label="{label}">\n<header><span class="author">'
        f'<strong>{text(name)}</strong>{user}</span> <span class="when">{when} {permalink}</span></header>\n'
    ]
    if post.reply_to and post.reply_to != post.number:
        there, said = places.address(f"/t/{topic.id}/{post.reply_to}"), words.in_reply_to(post.reply_to)
        if there and "#" in there:
            parts.append(f'<p class="reply">{link(UP + there, said)}</p>\n')
    parts.append(f'<div class="cooked">{html}</div>\n')
    marks = []
    if post.id == topic.accepted_post_id:
        marks.append(f'<span class="accepted">{text(words.accepted)}</span>')
    if post.likes:
        marks.append(f'<span class="likes">{text(words.likes(post.likes))}</span>')
    if marks:
        parts.append(f"<footer>{' '.join(marks)}</footer>\n")
    parts.append("</article>\n")
    return "".join(parts)
