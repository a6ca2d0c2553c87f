"""Which HTML is not given to a tree builder, and what is read of it."""

import pytest

from engine.discourse import tangled
from engine.discourse.cooked import parse
from engine.discourse.plain_text import lay_out


def test_a_long_and_well_formed_post_is_not_tangled():
    assert not tangled.is_tangled("<p>un <b>mot</b> et <i><a href=x>un lien</a></i></p>" * 2_000)


def test_many_tags_or_much_formatting_left_open_are_tangled():
    assert tangled.is_tangled("<p>" * (tangled.MANY_TAGS + 1))
    assert tangled.is_tangled("<b>" * tangled.FEW_TAGS)
    assert not tangled.is_tangled("<b>" * (tangled.FEW_TAGS - 1))


@pytest.mark.parametrize("hostile", [
    "<div>" * 700, "<div>" * 400 + "</x>" * 400, "<aside class=quote>" * 400 + "</aside>" * 400,
    "&x " * (tangled.MAX_REFERENCES + 1), "<p " + " ".join(f"a{n}=1" for n in range(2_000)) + ">",
    "<p " + " ".join(f"a{n}='>'" for n in range(2_000)) + ">", "<p " + "a " * 4_000,
])  # fmt: skip
def test_depth_end_tags_of_nothing_references_and_attributes_without_end_are_tangled(hostile):
    assert tangled.is_tangled(hostile)


@pytest.mark.parametrize("honest", [
    "<ul>" + "<li>un" * 2_000 + "</ul>", "<p>un<br><img src=x>" * 2_000, "<blockquote>" * 20 + "x" + "</blockquote>" * 20,
    f"<img alt='{'un mot ' * 2_000}' src=x>", "un mot &amp; " * 10_000, '<a href="?a=1&b=2">x</a>' * 5_000,
])  # fmt: skip
def test_what_people_write_at_length_is_not(honest):
    assert not tangled.is_tangled(honest)


def test_without_a_tree_the_text_is_the_same_for_simple_html():
    simple = "<p>Un &eacute;t&eacute;<br>\nchaud</p>\n<ul><li>a</li><li>b &lt; c</li></ul><script>x()</script>fin"
    assert lay_out(tangled.strip_tags(simple)) == parse(simple).text


def test_a_dropped_element_without_end_hides_only_what_follows():
    assert lay_out(tangled.strip_tags("<p>avant</p><style>p{} <p>après</p>")) == "avant"
