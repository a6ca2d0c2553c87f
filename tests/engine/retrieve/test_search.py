"""Search on the tiny forum, with real Whoosh, Chroma and SQLite."""

import pytest

from engine.errors import IndexMissing, QuerySyntaxError
from engine.retrieve import combine
from engine.values import Mode
from tests.factories import WORD_MODELS, forum, save, settings


def ids(result):
    return [hit.post_id for hit in result.hits]


@pytest.mark.parametrize("mode", list(Mode))
def test_each_leg_alone_and_both_find_the_post(tiny, mode):
    assert ids(tiny.search("poncer les patins", mode=mode))[0] == 12


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F-GABC", 41), ("f-gabc", 41), ("3,5", 41), ("3.5 mm", 41), ("C++", 42), ("taille 42", 43),
        ("été", 31), ("l'été", 31), ("L’ETE", 31), ("e\u0301te\u0301", 31), ("coeur", 44), ("cœurs", 44),
        ("aujourd'hui", 43), ("aujourd’hui", 43), ("huiles fines", 23), ("l'or", 32),
    ],
)  # fmt: skip
def test_french_and_codes_find_their_own_post_by_words_alone(tiny, text, expected):
    assert expected in ids(tiny.search(text, mode=Mode.BM25))[:2]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("freins huile auteur:alice", {12, 22, 41, 44}),
        ("freins huile @ALICE", {12, 22, 41, 44}),
        ("huile auteur:chloe", {23, 31}),
        ('lac catégorie:"Le bistrot"', {31, 32}),
        ("patins catégorie:atelier", {11, 12, 13, 21, 22, 23, 41, 42, 43, 44}),  # with what lies below it
        ("patins #freins-cables", {11, 12, 13}),
        ("pluie étiquette:réglage", {11, 12, 13}),
        ("huile avant:2014-03-12", {11, 12, 13, 21}),
        ("huile après:2015", {23, 31, 32, 41, 42, 43, 44}),
        ("message titre:freins", {11, 12, 13}),
        ('"huile fine" huile', {23}),
        ("huile -cire -fine", {11, 12, 13, 21, 31, 32, 41, 42, 43, 44}),
    ],
)
def test_conditions_hold_on_both_legs(tiny, mode, text, allowed):
    found = set(ids(tiny.search(text, mode=mode, k=50)))
    assert found <= allowed
    if mode is Mode.DENSE:  # the vector leg ranks everything that is allowed and has a vector
        assert found == allowed - {13}


def test_conditions_alone_list_the_newest_first(tiny):
    assert ids(tiny.search("auteur:alice")) == [44, 41, 22, 12]


def test_an_unknown_name_is_said(tiny):
    result = tiny.search("huile auteur:personne")
    assert result.hits == () and "unknown_author" in result.notices


@pytest.mark.parametrize(
    "text",
    [
        "(",
        '"',
        "*",
        "((()))",
        "🙂🙂",
        "   ",
        "de la",
        "C'est à vous",
        "-",
        "auteur:",
        "自転車",
        "mot " * 2500,
    ],
)
def test_nasty_searches_give_few_or_no_hits_and_never_raise(tiny, text):
    result = tiny.search(text)
    assert len(result.hits) <= 10


def test_only_stop_words_is_said(tiny):
    assert tiny.search("de la").notices == ("only_stop_words",)
    assert tiny.search("🙂").notices == ("nothing_to_search",)


def test_a_date_that_is_none_is_named(tiny):
    with pytest.raises(QuerySyntaxError) as caught:
        tiny.search("huile avant:hier")
    assert caught.value.details == {"hint": "date", "value": "hier"}


def test_contributions_add_up_to_the_score(tiny):
    for hit in tiny.search("huile pour la chaîne", k=12).hits:
        assert hit.score == sum(part.share for part in hit.contributions)
        for part in hit.contributions:
            k = combine.RANK_K if part.ranking == combine.NAME else tiny.settings.rrf_k
            assert part.share == part.weight / (k + part.rank)


def test_a_hit_links_to_its_exact_post(tiny):
    hit = tiny.search("poncer").hits[0]
    assert hit.path == "/t/régler-des-freins/1/2"
    assert hit.url == "https://forum.exemple/t/régler-des-freins/1/2"


def test_a_post_removed_since_the_index_was_built_is_not_shown(tmp_path):
    from engine.archive import open_archive
    from tests.engine.conftest import index

    save(tmp_path, forum())
    index(tmp_path)
    save(tmp_path, [item for item in forum() if getattr(item, "id", 0) != 12])
    with open_archive(settings(tmp_path), WORD_MODELS) as archive:
        assert 12 not in ids(archive.search("poncer les patins"))


def test_an_archive_without_index_says_so(tmp_path):
    from engine.archive import open_archive

    save(tmp_path, forum())
    with open_archive(settings(tmp_path), WORD_MODELS) as archive, pytest.raises(IndexMissing):
        archive.search("huile")


def test_another_encoder_than_the_index_leaves_keyword_search(tiny):
    from dataclasses import replace

    from engine.archive import open_archive

    with open_archive(tiny.settings, replace(WORD_MODELS, embed_name="autre")) as archive:
        result = archive.search("huile")
        assert result.hits and result.notices[-1] in ("encoder_differs",)
        assert {part.ranking for hit in result.hits for part in hit.contributions} == {"lexical"}


def test_an_encoder_that_cannot_be_loaded_leaves_keyword_search(tiny):
    from dataclasses import replace

    from engine.archive import open_archive
    from engine.errors import ModelUnavailable

    def broken(texts, role):
        raise ModelUnavailable(role="embed", path="/nulle/part", reason="precision")

    with open_archive(tiny.settings, replace(WORD_MODELS, embed=broken)) as archive:
        result = archive.search("huile")
        assert result.hits and result.notices == ("encoder_unavailable",)
        assert archive.search("huile", mode=Mode.DENSE).hits == ()


def test_a_second_archive_of_one_process_shares_the_vectors(tiny):
    from engine.archive import open_archive

    tiny.search("huile")  # holds the folder
    with open_archive(tiny.settings, WORD_MODELS) as second:
        here, there = (a.search("cire par temps sec", mode=Mode.DENSE) for a in (tiny, second))
        assert ids(there)[:2] == ids(here)[:2]  # the others share no word with it and tie
        with second.reading() as generation:
            assert not generation.dense.shared
