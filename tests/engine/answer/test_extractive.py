"""Answers made of sentences of the evidence."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import extractive
from engine.answer.extractive import MAX_EXTRACTS, MAX_PER_POST, Extract, written
from engine.answer.wanted import informative_terms
from engine.seams import TextRole, Vectors
from engine.values import ContextPost, Evidence, PostId, PostNumber, Role

from .samples import evidence, foreign, words

CARE = evidence(
    1,
    "Bonjour à tous. Pour nourrir le cuir, une crème incolore deux fois par an suffit. "
    "Ensuite je brosse longuement avec du crin. Merci !",
)
GLAZE = evidence(
    2,
    "Le glaçage demande de la patience. Il faut poser la cire en couches fines sur le bout de la chaussure.",
    title="Réussir un glaçage",
)


def extract(question: str, posts: Sequence[Evidence], **options: object) -> tuple[Extract, ...]:
    """The extracts alone."""
    return extractive.extract(question, posts, **options)[0]  # type: ignore[arg-type]


def texts(found: Sequence[Extract]) -> list[tuple[int, str]]:
    return [(item.n, item.sentence) for item in found]


def test_the_sentence_that_answers_comes_out_word_for_word() -> None:
    found = extract("Comment nourrir le cuir ?", (CARE, GLAZE), analyse=words)
    assert texts(found)[0] == (1, "Pour nourrir le cuir, une crème incolore deux fois par an suffit.")


def test_greetings_are_not_extracts() -> None:
    found = extract("Comment nourrir le cuir ?", (CARE, GLAZE), analyse=words)
    assert not any("Bonjour" in sentence or "Merci" in sentence for _, sentence in texts(found))


@pytest.mark.parametrize(
    "question",
    [
        "Quelle est la capitale de la Mongolie ?",
        "Recette de la pâte à crêpes sans gluten",
        "???",
        "Comment faire ?",
    ],
)
def test_a_question_nobody_speaks_of_gives_nothing(question: str) -> None:
    assert extract(question, (CARE, GLAZE), analyse=words) == ()


def test_no_evidence_gives_nothing() -> None:
    assert extract("Comment nourrir le cuir ?", (), analyse=words) == ()


def test_the_title_of_the_topic_counts() -> None:
    found = extract("couches de cire pour un glaçage", (GLAZE,), analyse=words)
    assert "Il faut poser la cire en couches fines sur le bout de la chaussure." in dict(texts(found)).values()


def test_at_most_four_extracts_two_from_one_post_in_the_order_of_the_evidence() -> None:
    posts = tuple(
        evidence(
            n,
            " ".join(f"Le cuir numéro {n}{k} aime la crème {w} du soir au matin." for k, w in enumerate(ws)),
        )
        for n, ws in enumerate(
            (("bleue", "rouge", "verte"), ("grasse", "fluide", "dure"), ("douce", "rare", "claire")), start=1
        )
    )
    found = extract("cuir crème", posts, analyse=lambda text: [w for w in words(text) if w not in {"matin", "soir"}])
    numbers = [item.n for item in found]
    assert len(found) <= MAX_EXTRACTS
    assert numbers == sorted(numbers)
    assert max(numbers.count(n) for n in numbers) <= MAX_PER_POST


def test_the_same_sentence_twice_is_given_once() -> None:
    twin = "La crème incolore nourrit le cuir sans le tacher."
    found = extract("crème pour nourrir le cuir", (evidence(1, twin), evidence(2, twin)), analyse=words)
    assert texts(found) == [(1, twin)]


def test_a_very_short_sentence_comes_with_its_neighbour() -> None:
    post = evidence(1, "Crème Saphir. Elle sent bon et elle pénètre vite.")
    found = extract("crème saphir", (post,), analyse=words)
    assert texts(found) == [(1, "Crème Saphir. Elle sent bon et elle pénètre vite.")]


def test_a_very_long_sentence_is_cut_between_words() -> None:
    post = evidence(1, "La crème saphir " + "pénètre lentement " * 60 + "le cuir.")
    [item] = extract("crème saphir", (post,), analyse=words)
    assert len(item.sentence) <= 400
    assert item.sentence.endswith(" pénètre…") or item.sentence.endswith(" lentement…")


def test_markers_links_and_markup_of_posts_are_gone() -> None:
    post = evidence(1, "La crème saphir [[2]] se trouve sur https://arnaque.invalid/x <b>ici</b> [[9]], dit-on.")
    [item] = extract("crème saphir", (post, evidence(2, "Rien.")), analyse=words)
    assert item.sentence == "La crème saphir (2) se trouve sur ici (9), dit-on."
    assert foreign(item.sentence) == []


def test_the_text_is_a_quoted_line_for_each_extract_with_its_author_and_day() -> None:
    said = [
        Extract(2, "Oui, « toujours ».", "alice", date(2014, 3, 1), 1.0),
        Extract(3, "Non.", "chez.fr", date(2020, 12, 24), 0.5),
    ]
    assert written(said) == (
        "«\u00a0Oui, “toujours”.\u00a0» — alice, 1er mars 2014 [[2]]\n«\u00a0Non.\u00a0» — chez fr, 24 décembre 2020 [[3]]"
    )


def test_words_that_ask_are_not_informative() -> None:
    assert informative_terms("Comment nourrir le cuir ?", words) == {"nourrir", "cuir"}
    assert informative_terms("Comment ?", words) == {"comment"}


def test_an_encoder_chooses_between_equals() -> None:
    def embed(sentences: Sequence[str], role: TextRole) -> Vectors:
        rows = [[1.0, 0.0] if role == "query" or "hiver" in text else [0.0, 1.0] for text in sentences]
        return np.array(rows, dtype=np.float32).reshape(len(sentences), 2)

    posts = (
        evidence(1, "La crème du cuir se pose avec un chiffon doux."),
        evidence(2, "La crème du cuir craint le sel des trottoirs en hiver."),
    )
    assert [item.n for item in extract("crème cuir", posts, analyse=words)] == [1, 2]
    assert [item.n for item in extract("crème cuir", posts, analyse=words, embed=embed)] == [2]


def test_the_encoder_sees_few_sentences() -> None:
    seen: list[int] = []

    def embed(sentences: Sequence[str], role: TextRole) -> Vectors:
        seen.append(len(sentences))
        return np.ones((len(sentences), 2), dtype=np.float32)

    posts = tuple(evidence(n, " ".join(f"Le cuir {n} et {k} boivent." for k in range(40))) for n in range(1, 7))
    extract("cuir", posts, analyse=words, embed=embed)
    assert seen == [1, 24]


def neighbour(number: int, text: str, *, role: Role = Role.AFTER, author: str = "bruno") -> ContextPost:
    when = datetime(2014, 3, 2, tzinfo=UTC)
    return ContextPost(role, PostId(5000 + number), PostNumber(number), author, when, text)


def test_a_reply_beside_what_was_found_is_cited_under_its_own_number() -> None:
    question = evidence(
        1, "Quelle crème pour nourrir le cuir ?", context=(neighbour(2, "Une crème incolore nourrit le cuir."),)
    )
    extracts, read = extractive.extract("crème pour nourrir le cuir", (question, GLAZE), analyse=words)
    assert [(item.n, item.sentence) for item in extracts] == [(3, "Une crème incolore nourrit le cuir.")]
    assert read[:2] == (question, GLAZE)
    [added] = read[2:]
    assert (added.n, added.post_id, added.post_number, added.author) == (3, 5002, 2, "bruno")
    assert (added.path, added.url) == ("/t/entretien-du-cuir/12/2", "https://forum.exemple/t/entretien-du-cuir/12/2")
    assert [post.post_number for post in added.context] == [1]


def test_neighbours_alone_never_decide_that_there_is_an_answer() -> None:
    post = evidence(
        1, "Bonjour à tous, belle journée.", title="Divers", context=(neighbour(2, "La crème nourrit le cuir."),)
    )
    assert extract("crème pour nourrir le cuir", (post,), analyse=words) == ()
    assert extract("crème pour nourrir le cuir", (post,), analyse=words, floor=0.0) != ()


@pytest.mark.parametrize(
    "post",
    [
        "Avec quelle crème nourrir le cuir ?",
        "Nourrir le cuir avec la crème de quoi",
        "Est-ce que la crème nourrit le cuir",
        "Quelqu'un sait si la crème peut nourrir le cuir",
    ],
)
def test_a_sentence_that_asks_is_no_answer(post: str) -> None:
    assert extract("crème pour nourrir le cuir", (evidence(1, post),), analyse=words) == ()


def test_a_sentence_that_leans_on_the_last_comes_with_it() -> None:
    post = evidence(
        1, "La crème de Nantes vient du port. Elle nourrit le cuir mieux que toutes les autres crèmes. Fin."
    )
    [item] = extract("nourrir le cuir", (post,), analyse=words)
    assert item.sentence.startswith("La crème de Nantes vient du port. Elle nourrit")


def test_agreement_alone_is_no_extract() -> None:
    post = evidence(1, "Oui, moi aussi. Merci pour la crème.", title="Nourrir le cuir avec une crème")
    assert extract("crème pour nourrir le cuir", (post,), analyse=words) == ()


def test_a_question_for_a_quantity_prefers_the_sentence_that_tells_one() -> None:
    posts = (
        evidence(1, "Le repas du soir est bon et le repas du midi aussi."),
        evidence(2, "Le repas du soir revient à 14 euros par personne."),
    )
    assert extract("Combien coûte le repas du soir ?", posts, analyse=words)[0].n == 2


def test_what_the_named_member_wrote_in_the_named_year_comes_first() -> None:
    posts = (
        evidence(1, "La cire protège la chaîne de la pluie.", author="bruno"),
        evidence(2, "La cire ne protège la chaîne de rien.", author="mamie", topic=13),
    )
    posts = (posts[0], replace(posts[1], created_at=datetime(2021, 5, 8, tzinfo=UTC)))
    found = extract("Que dit mamie sur la cire de la chaîne en 2021 ?", posts, analyse=words, floor=0.0)
    assert found[0].n == 2


def test_opinions_that_evolve_are_read_in_the_order_of_time() -> None:
    late = evidence(1, "La cire vaut mieux pour la chaîne, tout compte fait.", number=9)
    early = evidence(2, "Pour la chaîne la cire est une mode sans avenir.", number=2)
    posts = (replace(late, created_at=datetime(2021, 5, 8, tzinfo=UTC)), early)
    assert [item.n for item in extract("cire ou huile pour la chaîne", posts, analyse=words)] == [2, 1]


@given(st.text(max_size=60), st.lists(st.text(max_size=300), max_size=4))
def test_any_text_gives_extracts_or_nothing(question: str, posts: list[str]) -> None:
    sources = tuple(evidence(n, text) for n, text in enumerate(posts, start=1))
    for item in extract(question, sources, analyse=words):
        assert foreign(item.sentence) == []
        assert 1 <= item.n <= len(posts)


def test_six_long_posts_are_quick() -> None:
    posts = tuple(evidence(n, f"Le cuir {n} boit la crème. Puis il sèche. " * 100) for n in range(1, 7))
    start = time.perf_counter()
    extract("Comment nourrir le cuir avec de la crème ?", posts, analyse=words)
    assert time.perf_counter() - start < 2.0
