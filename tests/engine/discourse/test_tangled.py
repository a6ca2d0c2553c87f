"""Which HTML is not given to a tree builder, and what is read of it."""

from engine.discourse import tangled
from engine.discourse.cooked import parse
from engine.discourse.plain_text import lay_out


def test_a_long_and_well_formed_post_is_not_tangled():
    assert not tangled.is_tangled("<p>un <b>mot</b> et <i><a href=x>un lien</a></i></p>" * 2_000)


def test_many_tags_or_much_formatting_left_open_are_tangled():
    assert tangled.is_tangled("<p>" * (tangled.MANY_TAGS + 1))
    assert tangled.is_tangled("<b>" * tangled.FEW_TAGS)
    assert not tangled.is_tangled("<b>" * (tangled.FEW_TAGS - 1))


def test_without_a_tree_the_text_is_the_same_for_simple_html():
    simple = "<p>Un &eacute;t&eacute;<br>\nchaud</p>\n<ul><li>a</li><li>b &lt; c</li></ul><script>x()</script>fin"
    assert lay_out(tangled.strip_tags(simple)) == parse(simple).text


def test_a_dropped_element_without_end_hides_only_what_follows():
    assert lay_out(tangled.strip_tags("<p>avant</p><style>p{} <p>après</p>")) == "avant"
