"""Quotes of what is not public leave a placeholder; every other word of the post stays."""

import time

from hypothesis import given
from hypothesis import strategies as st

from engine.discourse.withheld import PLACEHOLDER, withhold


def quote(topic, post, words):
    at = f' data-topic="{topic}"' + (f' data-post="{post}"' if post else "")
    return (
        f'<aside class="quote no-group" data-username="eve"{at}><div class="title">eve:</div>'
        f"<blockquote>{words}</blockquote></aside>"
    )


def private(topic, post):
    return topic == 9 or (topic, post) == (1, 4)


def test_a_private_quote_leaves_a_placeholder():
    assert withhold(f"<p>a</p>{quote(9, 1, 'secret')}<p>b</p>", private) == f"<p>a</p>{PLACEHOLDER}<p>b</p>"
    assert withhold(quote(9, None, "secret"), private) == PLACEHOLDER
    assert withhold(quote(1, 4, "secret"), private) == PLACEHOLDER


def test_other_quotes_and_previews_stay_as_they_are():
    cooked = quote(1, 3, "dit") + '<aside class="onebox"><a href="x">y</a></aside>' + quote(404, 1, "parti")
    assert withhold(cooked, private) == cooked


def test_a_private_quote_inside_a_public_one_goes_alone_and_one_inside_it_goes_with_it():
    outer = quote(1, 3, "avant" + quote(9, 1, "secret" + quote(1, 3, "dedans")) + "après")
    assert withhold(outer, private) == quote(1, 3, "avant" + PLACEHOLDER + "après")


def test_several_private_quotes_and_one_never_closed():
    assert withhold(f"a{quote(9, 1, 's')}b{quote(9, 2, 's')}c", private) == f"a{PLACEHOLDER}b{PLACEHOLDER}c"
    unclosed = '<p>a</p><aside class="quote" data-topic="9" data-post="1"><blockquote>secret'
    assert withhold(unclosed, private) == f"<p>a</p>{PLACEHOLDER}"


def test_attributes_are_read_in_any_order_and_with_any_quotes():
    for tag in ("<ASIDE data-post=1 data-topic=9 class=quote>", "<aside data-topic='9' class='quote'>"):
        assert withhold(f"{tag}secret</aside>", private) == PLACEHOLDER


PIECES = st.lists(
    st.sampled_from(["<p>mot</p>", "<aside>", "</aside>", '<aside data-topic="9">', '<aside data-topic="1">', "x"])
)


@given(PIECES)
def test_nothing_of_a_private_quote_is_ever_left(pieces):
    marked = [f"{piece}zz" if piece == '<aside data-topic="9">' else piece for piece in pieces]
    assert "zz" not in withhold("".join(marked), private)


@given(PIECES)
def test_twice_is_once(pieces):
    once = withhold("".join(pieces), private)
    assert withhold(once, private) == once


def test_quotes_whose_tags_never_end_take_a_time_in_proportion_to_their_length():
    began = time.process_time()
    for hostile in ("<aside" * 300_000, "<aside data-topic=1" * 100_000 + ">", "<aside>" * 200_000 + 'data-topic="9"'):
        withhold(hostile + "data-topic", private)
    assert time.process_time() - began < 5  # 0.2 s on a quiet machine


def test_a_tag_inside_an_attribute_is_none():
    assert (
        withhold('<p>a</p><aside title="<aside" data-topic="9">secret</aside>b', private) == f"<p>a</p>{PLACEHOLDER}b"
    )
