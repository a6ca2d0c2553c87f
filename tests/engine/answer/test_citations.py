"""Whatever a model writes, only true markers survive."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.answer.citations import citations, defang, markers, quotable, resolve, without_markers

from .samples import evidence, foreign

THREE = (evidence(1), evidence(2), evidence(3))

# Pieces from which hostile and clumsy outputs are made.
PIECES = st.sampled_from(
    [
        "[", "]", "(", ")", "[[", "]]", "[[1]]", "[[2]]", "[[99]]",
        "[[1, 2]]", "[[ 3 ]]", "[1]", "[[1", "1]]", "](", "![",
        "[[0]]", "[[01]]", "[[1-3]]", "[[1 et 2]]",
        "[[" + "9" * 5000 + "]]", "[texte](", "[ref]: ", "[ref]", "[a][b]",
        "http://", "https:", "//", "www.", "exemple", ".invalid",
        "/connexion", ".fr", ".", "@", "alice@", ":", "javascript:",
        "java", "script:", "data:text/html,", "mailto:", "/t/",
        "slug/", "12", "/3", "/p/", "/u/", "t/sujet/12/3", "<", ">",
        "</", "<a href='x'>", "<script>", "<!--", "&lt;", "&#60;",
        "&amp;", "&#91;", "&", "#x3c;", "\\", "\u200b", "\u202e",
        "\x00", "\ufeff", "［［", "］］", "１", "：／／", "。", "\n", " ",
        "\u00a0", "\t", "le cuir", "é", "œ", "192.168.1.1",
        "[url=", "[/url]", "\ud800", "\ue000", "*", "`", "xn--",
        "localhost:8080", "-", "_", "…", "!", "?", "«", "»", "0",
    ]
)  # fmt: skip
OUTPUT = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=30).map("".join),
    st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=20).map(" ".join),
)
NUMBERS = st.lists(st.integers(1, 12), unique=True, max_size=6)


@given(OUTPUT, NUMBERS)
@example("[<b>[1]](http://x)", [1])
@example("[[[99](x)]]", [99])
@example("exemple[[99]].fr", [1])
@example("hthttp://x tp://", [1])
@settings(max_examples=500, deadline=None)
def test_for_any_output_every_marker_is_in_the_evidence_and_no_link_survives(output: str, numbers: list[int]) -> None:
    sources = tuple(evidence(n) for n in numbers)
    resolved = resolve(output, sources)
    left = [int(n) for n in re.findall(r"\[\[\s*(\d+)", resolved.text)]
    assert set(left) == set(resolved.cited) <= set(numbers)
    assert re.sub(r"\[\[\d+\]\]", "", resolved.text).count("[") == 0
    assert foreign(resolved.text) == []
    assert [c.n for c in citations(resolved, sources)] == list(resolved.cited)


@given(OUTPUT, NUMBERS)
@settings(max_examples=300, deadline=None)
def test_resolving_twice_changes_nothing(output: str, numbers: list[int]) -> None:
    sources = tuple(evidence(n) for n in numbers)
    once = resolve(output, sources)
    twice = resolve(once.text, sources)
    assert (twice.text, twice.cited) == (once.text, once.cited)
    assert twice.removed_links == twice.invalid_markers == 0


@given(OUTPUT)
@example("[[<b>1]]")
@example("&amp;#91;[1]]")
@example("[\\[1]]")
@settings(max_examples=300, deadline=None)
def test_no_post_can_pass_for_a_citation_once_defanged(post: str) -> None:
    every = tuple(evidence(n) for n in range(13))
    assert resolve(defang(post), every).cited == ()
    assert resolve(quotable(post), every).cited == ()
    assert foreign(quotable(post)) == []


@pytest.mark.parametrize(
    ("written", "text", "cited", "invalid"),
    [
        ("Le cuir [[1]].", "Le cuir [[1]].", (1,), 0),
        ("Oui [[ 2 ]], non [[1]].", "Oui [[2]], non [[1]].", (2, 1), 0),
        ("Oui [[1, 2]].", "Oui [[1]][[2]].", (1, 2), 0),
        ("Oui [[1 et 3]].", "Oui [[1]][[3]].", (1, 3), 0),
        ("Oui [[1]][[2]].", "Oui [[1]][[2]].", (1, 2), 0),
        ("Oui [[1\u00a0; 2]].", "Oui [[1]][[2]].", (1, 2), 0),
        ("Oui [[2]][[2]].", "Oui [[2]][[2]].", (2,), 0),
        ("Oui [[01]].", "Oui [[1]].", (1,), 0),
        ("Oui [[99]].", "Oui.", (), 1),
        ("Oui [[1, 99]].", "Oui [[1]].", (1,), 1),
        ("Oui [[0]][[4]].", "Oui.", (), 2),
        ("Oui [[1-3]].", "Oui.", (), 1),
        ("Oui [1].", "Oui (1).", (), 0),
        ("Oui [sic].", "Oui (sic).", (), 0),
        ("", "", (), 0),
    ],
)
def test_marker_grammar(written: str, text: str, cited: tuple[int, ...], invalid: int) -> None:
    resolved = resolve(written, THREE)
    assert (resolved.text, resolved.cited, resolved.invalid_markers) == (text, cited, invalid)
    assert resolved.removed_links == 0


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Voir https://exemple.fr/a?b=c#d.", "Voir."),
        ("Voir (http://exemple.fr/a_(b)).", "Voir."),
        ("Voir ftp://exemple.fr ici", "Voir ici"),
        ("Voir HTTPS://EXEMPLE.FR ici", "Voir ici"),
        ("Voir www.exemple.fr, puis", "Voir, puis"),
        ("Voir exemple-arnaque.invalid/connexion vite", "Voir vite"),
        ("Voir exemple.com !", "Voir !"),
        ("Voir sous.domaine.exemple.co.uk.", "Voir."),
        ("Voir //exemple.fr/x ici", "Voir ici"),
        ("Voir 192.168.1.1/admin ici", "Voir ici"),
        ("Voir localhost:8080/x ici", "Voir ici"),
        ("Écrire à alice@exemple.fr ici", "Écrire à ici"),
        ("Écrire à mailto:alice@exemple.fr ici", "Écrire à ici"),
        ("Lancer javascript:alert ici", "Lancer ici"),
        ("Ouvrir data:text/html;base64,AAAA ici", "Ouvrir ici"),
        ("Voir [ce guide](https://exemple.fr) ici", "Voir ce guide ici"),
        ("Voir [ce guide](/t/slug/12/3) ici", "Voir ce guide ici"),
        ("Voir [ce guide][g] ici", "Voir ce guide ici"),
        ("Voir ![photo](https://exemple.fr/a.png) ici", "Voir photo ici"),
        ("Voir [url=https://exemple.fr]ce guide[/url] ici", "Voir ce guide ici"),
        ("Fin\n[g]: https://exemple.fr", "Fin"),
        ("Fin\n[g]: /chemin \"Titre\"", "Fin"),
        ("Voir <https://exemple.fr> ici", "Voir ici"),
        ("Un <b>mot</b> gras", "Un mot gras"),
        ("Un <img src=x onerror=alert(1)> ici", "Un ici"),
        ("Un &lt;b&gt;mot&lt;/b&gt; gras", "Un mot gras"),
        ("Voir /t/slug/12/3 ici", "Voir ici"),
        ("Voir /p/12 ici", "Voir ici"),
        ("Voir /u/alice ici", "Voir ici"),
        ("Voir t/slug/12/3 ici", "Voir ici"),
        ("Voir h&#116;tp://exemple.fr ici", "Voir ici"),
        ("Voir ht\u200btp://exemple.fr ici", "Voir ici"),
        ("Voir ｈｔｔｐ：／／exemple.fr ici", "Voir ici"),
    ],
)  # fmt: skip
def test_every_other_link_is_removed_and_counted(written: str, text: str) -> None:
    resolved = resolve(written, THREE)
    assert resolved.text == text
    assert resolved.removed_links >= 1
    assert foreign(resolved.text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Il coûte 3,50 € les 1.5 kg, soit 12 %.",
        "Il faut cirer.Il faut brosser.",
        "Et/ou le 12/05/2020, à 24/7, en km/h.",
        "M. Dupont a dit « oui ! » : c’est vrai ; bien…",
        "Tél : 5 jours. Big data : non.",
        "Le C++ et le C#, à 90 % & plus, ~ 3 * 4 = 12.",
        "- un\n- deux\n\nFin (voir plus haut).",
        "Demandez à @alice #atelier",
        "photo.jpg et document.pdf",
    ],
)
def test_ordinary_french_is_left_alone(text: str) -> None:
    resolved = resolve(text, THREE)
    assert (resolved.text, resolved.removed_links, resolved.invalid_markers) == (text, 0, 0)


def test_angle_brackets_become_quotation_marks() -> None:
    assert resolve("3 < 4 et 5 > 2", THREE).text == "3 ‹ 4 et 5 › 2"


def test_a_marker_with_a_link_target_keeps_the_marker_only() -> None:
    resolved = resolve("Oui [[1]](https://exemple.fr) et [[2]](voir plus bas).", THREE)
    assert resolved.text == "Oui [[1]] et [[2]] (voir plus bas)."
    assert resolved.cited == (1, 2)


@pytest.mark.parametrize(
    "unit", ["[", "[[1", "<a", "](", "(", "\\", "a.", "&amp;", "http:", "/t/", "[a](b", "-", "M. "]
)
def test_a_hundred_kilobytes_take_linear_time(unit: str) -> None:
    def cost(size: int) -> float:
        start = time.perf_counter()
        resolve(unit * (size // len(unit)), THREE)
        return time.perf_counter() - start

    assert cost(100_000) < 3.0  # quadratic patterns took minutes


def test_two_posts_of_one_topic_keep_two_numbers() -> None:
    sources = (evidence(1, topic=7, number=4), evidence(2, topic=7, number=9))
    found = citations(resolve("A [[2]]. B [[1]].", sources), sources)
    assert [(c.n, c.topic_id, c.post_number, c.path) for c in found] == [
        (2, 7, 9, "/t/entretien-du-cuir/7/9"),
        (1, 7, 4, "/t/entretien-du-cuir/7/4"),
    ]


def test_a_citation_is_never_added() -> None:
    assert resolve("Je n’ai rien trouvé.", THREE).cited == ()


def test_the_quote_is_the_sentence_nearest_to_the_claim() -> None:
    text = "Bonjour à tous. Le saphir nourrit le cuir en profondeur. Bonne journée."
    sources = (evidence(1, text),)
    [citation] = citations(resolve("Ce produit nourrit le cuir [[1]].", sources), sources)
    assert citation.quote == "Le saphir nourrit le cuir en profondeur."


def test_a_marker_after_the_full_stop_speaks_of_the_sentence_before() -> None:
    text = "La cire fait briller. Le savon glycériné lave bien."
    sources = (evidence(1, text),)
    [citation] = citations(resolve("Le savon lave. [[1]] La cire brille.", sources), sources)
    assert citation.quote == "Le savon glycériné lave bien."


@given(st.text(max_size=600), st.text(max_size=100))
@settings(deadline=None)
def test_a_quote_is_an_exact_slice_of_the_post(post: str, said: str) -> None:
    sources = (evidence(1, post),)
    for citation in citations(resolve(f"{said} [[1]]", sources), sources):
        assert citation.quote in post
        assert len(citation.quote) <= 240


def test_a_long_quote_is_cut_between_words() -> None:
    post = "mot " * 200
    sources = (evidence(1, post),)
    [citation] = citations(resolve("Un mot [[1]].", sources), sources)
    assert len(citation.quote) <= 240
    assert citation.quote.endswith("mot")


def test_markers_and_text_without_them() -> None:
    assert markers("a [[2]] b [[1]][[2]]") == (2, 1)
    assert without_markers("Un mot [[2]], deux [[1]][[3]].") == "Un mot, deux."
