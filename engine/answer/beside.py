"""The posts around the evidence as evidence of their own: what answers often stands next to what was found.

A post read with another is never cited in its place; here it gets its own number, address, author and date.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..values import ContextPost, Evidence, Role


def widened(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence, then each post around it once, numbered on from the last."""
    last = max((item.n for item in evidence), default=0)
    known = {item.post_id for item in evidence}
    added: list[Evidence] = []
    for item in evidence:
        for post in item.context:
            if post.post_id not in known:
                known.add(post.post_id)
                added.append(_beside(item, post, last + len(added) + 1))
    return (*evidence, *added)


def numbered(
    evidence: Sequence[Evidence], wide: Sequence[Evidence], cited: Collection[int]
) -> tuple[tuple[Evidence, ...], dict[int, int]]:
    """The evidence with the cited posts of the widened one, numbered without a gap; old number → new number."""
    last = max((item.n for item in evidence), default=0)
    added = [item for item in wide[len(evidence) :] if item.n in cited]
    numbers = {item.n: last + place for place, item in enumerate(added, start=1)}
    kept = (*evidence, *(replace(item, n=numbers[item.n]) for item in added))
    return kept, {item.n: item.n for item in evidence} | numbers


def _beside(item: Evidence, post: ContextPost, n: int) -> Evidence:
    found = ContextPost(
        Role.BEFORE, item.post_id, item.post_number, item.author, item.created_at, item.text, item.digest
    )
    earlier = tuple(near for near in (*item.context, found) if near.post_number < post.post_number)
    old, new = f"/{item.post_number}", f"/{post.post_number}"
    return replace(
        item, n=n, post_id=post.post_id, post_number=post.post_number, author=post.author,
        created_at=post.created_at, text=post.text, digest=post.digest, context=earlier,
        url=item.url.removesuffix(old) + new, path=item.path.removesuffix(old) + new,
    )  # fmt: skip
