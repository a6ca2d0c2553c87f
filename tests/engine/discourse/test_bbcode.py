"""BBCode left by migrations: pairs enclose, single tags are removed, brackets of members stay."""

from hypothesis import given
from hypothesis import strategies as st

from engine.discourse.bbcode import Leftover, split
from engine.discourse.plain_text import BLOCK


def test_text_without_tags_comes_back_as_it_is():
    assert split("rien [ici] ni [14:29]") == ("rien [ici] ni [14:29]", ())


def test_a_quote_leaves_a_block_mark_where_it_stood():
    assert split("avant [quote]dit[/quote] après") == (f"avant {BLOCK} après", (Leftover("quote", "dit"),))


def test_the_author_is_read_from_each_way_of_writing_it():
    written = [
        '"bruno"',
        "bruno",
        "“bruno”",
        '"bruno":0a1b2c3d',
        '"bruno, post:3, topic:8"',
        "«\u00a0bruno\u00a0»",
    ]
    for value in written:
        assert split(f"[quote={value}]x[/quote]")[1][0].author == "bruno"
    assert split('[quote="bruno, post:3, topic:8"]x[/quote]')[1] == (Leftover("quote", "x", "bruno", 8, 3),)


def test_a_tag_without_its_partner_encloses_nothing():
    assert split("[quote=a]mes mots") == ("mes mots", ())
    assert split("mes[/quote] mots[/spoiler]") == ("mes mots", ())
    text, leftovers = split("[spoiler][quote]a[/quote]b")
    assert text == f"{BLOCK}b"
    assert [leftover.marked for leftover in leftovers] == ["a"]


def test_nested_quotes_come_apart_in_their_order_of_opening():
    _, leftovers = split("[quote=a]un[quote=b]deux[/quote]trois[/quote]")
    assert [(leftover.author, leftover.marked) for leftover in leftovers] == [
        ("a", f"un{BLOCK}trois"),
        ("b", "deux"),
    ]


def test_a_spoiler_is_told_from_a_quote():
    assert split("[spoiler]fin[/spoiler]")[1] == (Leftover("spoiler", "fin"),)


@given(st.lists(st.sampled_from(["[quote=1]", "[/quote]", "[spoiler]", "[/spoiler]", "X", "Y"])).map("".join))
def test_no_word_is_lost_and_no_tag_is_left(marked):
    text, leftovers = split(marked)
    everything = text + "".join(leftover.marked for leftover in leftovers)
    assert sorted(everything.replace(BLOCK, "")) == sorted(letter for letter in marked if letter in "XY")
    assert "[" not in everything
