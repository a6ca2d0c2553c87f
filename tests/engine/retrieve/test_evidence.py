"""Evidence: which posts are numbered, and what is read with them."""

import pytest

from engine.archive import open_archive
from engine.retrieve import evidence as room
from engine.values import Citation, Contribution, FusedPost, PostId, PostNumber, Role, TopicId
from engine.verdicts import SourceState
from tests.factories import WORD_MODELS, forum, post, save, settings, topic


@pytest.fixture
def gather(tmp_path):
    """Imports items and gathers the evidence of posts ranked by hand."""

    def run(items, ranked, question="une question", **values):
        save(tmp_path, items)
        chosen = settings(tmp_path, **values)
        with open_archive(chosen, WORD_MODELS) as archive:
            fused = [
                FusedPost(PostId(i), 1 / n, (Contribution("lexical", n, 1.0, 1 / n),)) for n, i in enumerate(ranked, 1)
            ]
            return room.gather(question, fused, store=archive.store, analyser=archive.analyser, settings=chosen)

    return run


def thread(size, topic_id=1):
    return [
        topic(topic_id, f"Sujet {topic_id}"),
        *(
            post(topic_id * 1000 + n, f"Message numéro {n} du sujet.", topic_id=topic_id, number=n)
            for n in range(1, size + 1)
        ),
    ]


def roles(item):
    return [(c.role, c.post_number) for c in item.context]


def test_a_post_is_read_with_its_parent_the_opening_post_and_its_neighbours(gather):
    items = thread(20)
    items[10] = post(1010, "La réponse.", number=10, reply_to=4)
    (only,) = gather(items, [1010])
    assert roles(only) == [
        (Role.PARENT, 4), (Role.OPENING, 1), (Role.BEFORE, 9), (Role.AFTER, 11), (Role.BEFORE, 8), (Role.AFTER, 12),
        (Role.BEFORE, 7), (Role.AFTER, 13),
    ]  # fmt: skip
    assert only.n == 1 and only.url == "/t/sujet-1/1/10" and only.text == "La réponse."


def test_a_parent_that_is_also_the_opening_post_is_read_once(gather):
    items = thread(5)
    items[3] = post(1003, "La réponse.", number=3, reply_to=1)
    assert roles(gather(items, [1003], evidence_neighbours=1)[0]) == [
        (Role.PARENT, 1),
        (Role.BEFORE, 2),
        (Role.AFTER, 4),
    ]


def test_a_topic_gives_one_number_and_a_long_one_two(gather):
    items = thread(12, 1) + thread(4, 2)
    found = gather(items, [1005, 1011, 1008, 2002, 2003], long_topic_posts=12)
    assert [(e.n, e.post_id) for e in found] == [(1, 1005), (2, 1011), (3, 2002)]
    assert [e.post_id for e in gather(items, [1005, 1011, 2002], long_topic_posts=13)] == [1005, 2002]


def test_a_cited_post_is_not_repeated_as_the_neighbour_of_another(gather):
    found = gather(thread(12), [1005, 1006], long_topic_posts=2)
    assert all(c.post_id not in (1005, 1006) for e in found for c in e.context)


def test_a_post_that_asks_gives_its_place_to_the_ranked_reply_after_it(gather):
    items = [
        topic(1, "Cire ?"),
        post(1, "Cire ou huile ?", number=1),
        post(2, "La cire.", number=2),
        post(3, "Merci", number=3),
    ]
    assert [e.post_id for e in gather(items, [1, 3, 2])] == [3]
    assert [e.post_id for e in gather(items, [1])] == [1]


def test_a_post_without_words_is_no_evidence(gather):
    assert gather([topic(1), post(1, ""), post(2, "Oui.", number=2)], [1, 2])[0].post_id == 2


def test_a_post_that_left_the_store_is_no_evidence(gather):
    assert gather(thread(3), [999, 1002])[0].post_id == 1002


def test_the_budget_drops_context_then_evidence_but_never_the_first(gather):
    items = [topic(i, f"Sujet {i}") for i in range(1, 6)]
    items += [post(i, "mot " * 400, topic_id=i) for i in range(1, 6)]
    found = gather(items, [1, 2, 3, 4, 5], evidence_tokens=900)
    assert [e.n for e in found] == [1, 2]
    assert [e.n for e in gather(items, [1, 2], evidence_tokens=200)] == [1]


def test_a_very_long_post_is_read_where_the_question_is_answered(gather):
    text = "Rien ici. " * 3000 + "La clé de douze suffit. " + "Rien là. " * 3000
    (only,) = gather([topic(1), post(1, text)], [1], question="quelle clé de douze")
    assert "La clé de douze suffit." in only.text and len(only.text) <= room.EVIDENCE_CHARS


def test_evidence_of_the_tiny_forum_carries_addresses_of_the_forum(gather):
    (first, *_) = gather(forum(), [22])
    assert first.url == "https://forum.exemple/t/quelle-huile-pour-la-chaîne-?/2/2"
    assert (first.category, first.author, first.title) == (
        "Atelier",
        "alice",
        "Quelle huile pour la chaîne ?",
    )


def test_a_cited_post_is_followed_after_it_was_read(tmp_path):
    items = [topic(1), *(post(n, f"Message numéro {n}.", topic_id=1, number=n) for n in (1, 2, 3, 4))]
    save(tmp_path, items)
    with open_archive(settings(tmp_path), WORD_MODELS) as archive:
        digests = {row.id: row.digest for row in archive.store.posts(PostId(n) for n in (1, 2, 3, 4)).values()}
        cited = [
            Citation(n, PostId(n), TopicId(1), PostNumber(n), "", "", "", digests[PostId(n)]) for n in (1, 2, 3, 4)
        ]
        later = [topic(1), post(1, "Message numéro 1.", number=1, likes=9), post(2, "Corrigé.", number=2, edited=1)]
        save(tmp_path, [*later, post(4, "Message numéro 4.", number=4)], accept_removals=True)
        assert archive.sources_now(cited) == {
            1: SourceState.HELD, 2: SourceState.EDITED, 3: SourceState.GONE, 4: SourceState.HELD,
        }  # fmt: skip


def test_what_is_read_carries_what_changes_when_it_is_edited(gather):
    (first, *_) = gather(thread(3), [1002])
    assert first.digest and len({first.digest, *(near.digest for near in first.context)}) == 3
