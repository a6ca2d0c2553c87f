"""The titles that make good first questions."""

from dataclasses import replace

from engine.store import ArchiveStore
from engine.store.subjects import asked_titles, other_titles
from engine.values import PostId
from tests.factories import ATELIER, BISTROT, FREINS, SITE, post, save, topic


def asked(folder, *topics, limit=4, read=asked_titles):
    items = [SITE, ATELIER, FREINS, BISTROT, *topics]
    for number, each in enumerate(topics):
        items += [post(100 + 10 * number + n, topic_id=each.id, number=n) for n in (1, 2)]
    save(folder, items)
    store = ArchiveStore(folder)
    try:
        return read(store, limit)
    finally:
        store.close()


def test_questions_come_from_several_categories_solved_and_liked_ones_first(tmp_path):
    solved = replace(topic(1, "Comment régler des freins à patins ?", category=2), accepted_post_id=PostId(102))
    liked = replace(topic(2, "Quelle huile pour la chaîne ?", category=2), likes=9)
    other = topic(3, "Où dormir sur la route du lac ?", category=3)
    assert asked(tmp_path, other, liked, solved) == (solved.title, other.title, liked.title)
    assert asked(tmp_path, other, liked, solved, limit=1) == (solved.title,)


def test_what_is_no_question_or_got_no_reply_is_left_out(tmp_path):
    lonely = topic(9, "Quelqu’un a-t-il déjà répondu ici ?")
    save(tmp_path, [SITE, ATELIER, lonely, post(901, topic_id=9, number=1)])
    assert asked(tmp_path, topic(1, "Vends un vélo"), topic(2, "Un avis ?"), topic(3, "Long " * 30 + "?")) == ()


def test_labels_and_twins_disappear(tmp_path):
    twins = topic(1, "[Résolu] Quel pneu pour la pluie ?"), topic(2, "quel  pneu pour la pluie ?")
    assert [title.casefold() for title in asked(tmp_path, *twins)] == ["quel pneu pour la pluie ?"]


def test_titles_that_are_no_questions_are_there_for_want_of_better(tmp_path):
    topics = topic(1, "Régler des freins à patins"), topic(2, "Quel pneu pour la pluie ?")
    assert asked(tmp_path, *topics, read=other_titles) == ("Régler des freins à patins",)
