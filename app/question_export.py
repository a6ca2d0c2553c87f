"""The question log as a question file that `evaluate` reads: what readers liked becomes what is expected."""

from __future__ import annotations

from collections.abc import Iterable

from engine.evaluate.questions import Expect, Question
from engine.index.french import Analyse
from engine.values import PostId

from .question_values import Group, Logged, Outcome, grouped

LIKED, UNANSWERED = "liked", "unanswered"  # tags


def questions(rows: Iterable[Logged], analyse: Analyse) -> tuple[Question, ...]:
    """One question for those that say the same, the most asked first, none that nobody judged and that was answered.

    Posts that a liked answer cites are expected of it. A question that never got a good answer expects one, by posts
    that nobody has named yet: a moderator names them, or says that an abstention is right.
    """
    found = (_question(group) for group in grouped((row for row in rows if row.text), analyse))
    return tuple(question for question in found if question is not None)


def _question(group: Group) -> Question | None:
    identifier = f"journal-{group.rows[0].id}"
    liked = [row for row in group.rows if row.good]
    posts = tuple(dict.fromkeys(PostId(post_id) for row in liked for post_id in row.sources))
    if posts:
        return Question(identifier, group.question, post_ids=posts, tags=(LIKED,))
    if liked:  # a silence or a refusal that its reader found right
        expect = Expect.DECLINE if liked[-1].outcome is Outcome.DECLINED else Expect.ABSTAIN
        return Question(identifier, group.question, tags=(LIKED,), expect=expect)
    if any(row.unanswered for row in group.rows):
        comments = dict.fromkeys(row.comment for row in group.rows if row.comment)
        return Question(
            identifier, group.question, tags=(UNANSWERED,), notes=" / ".join(comments), expect=Expect.ANSWER
        )  # fmt: skip
    return None
