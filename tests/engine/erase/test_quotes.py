"""Quotes of erased posts: by the post they name, by their words, and nothing around them."""

from hypothesis import given
from hypothesis import strategies as st

from engine.erase.quotes import elements, said_in, without_erased, without_titles

QUOTE = (
    '<aside class="quote" data-username="bob" data-post="2" data-topic="7">\n<div class="title"> bob:</div>\n'
    "<blockquote>\n<p>Mes <em>mots</em> &agrave; moi</p>\n</blockquote>\n</aside>\n<p>Réponse</p>"
)


def erase(cooked, *, places=(), words=()):
    return without_erased(cooked, places=frozenset(places), is_erased=lambda said: said in words, gap="[effacé]")


def test_a_quote_of_an_erased_post_keeps_whom_it_quotes():
    left, count = erase(QUOTE, places=[(7, 2)])
    assert count == 1 and "mots" not in left
    assert left.startswith('<aside class="quote" data-username="bob"') and left.endswith("</aside>\n<p>Réponse</p>")
    assert "<p>[effacé]</p>" in left


def test_another_post_of_the_same_topic_stays():
    assert erase(QUOTE, places=[(7, 3), (8, 2)]) == (QUOTE, 0)


def test_a_quote_without_attribution_is_known_by_its_words():
    cooked = "<blockquote><p>Mes mots à moi</p></blockquote><p>oui</p>"
    assert list(said_in(cooked)) == ["mes mots à moi"]
    left, count = erase(cooked, words=["mes mots à moi"])
    assert (count, "Mes mots" in left, left.endswith("<p>oui</p>")) == (1, False, True)


def test_a_quote_inside_a_quote_goes_alone():
    outer = f'<aside class="quote" data-post="9" data-topic="7"><blockquote><p>Autre</p>{QUOTE}</blockquote></aside>'
    left, count = erase(outer, places=[(7, 2)])
    assert count == 1 and "<p>Autre</p>" in left and "mots" not in left and "Réponse" in left


def test_bbcode_that_was_never_cooked():
    text = '[quote="bob, post:2, topic:7, full:true"]Mes mots[/quote] oui [quote="al, post:3, topic:7"]non[/quote]'
    left, count = erase(text, places=[(7, 2)])
    assert (count, left) == (
        1, '[quote="bob, post:2, topic:7, full:true"][effacé][/quote] oui [quote="al, post:3, topic:7"]non[/quote]',
    )  # fmt: skip


def test_bbcode_of_a_migrated_forum_is_known_by_its_words():
    text = '<p>[quote="al":58c396e0]Mes <em>mots</em> à moi[/quote:58c396e0]</p><p>[quote]Autre[/quote]</p>'
    assert list(said_in(text)) == ["mes mots à moi", "autre"]
    left, count = erase(text, words=["mes mots à moi"])
    assert (count, left) == (1, '<p>[quote="al":58c396e0][effacé][/quote:58c396e0]</p><p>[quote]Autre[/quote]</p>')


def test_the_title_that_went_goes_from_links_and_above_quotes():
    cooked = (
        '<aside class="quote" data-post="4" data-topic="7"><div class="title"><img src="x">'
        '<a href="https://f.example/t/mon-secret/7/4">Mon secret</a></div><blockquote>Autre</blockquote></aside>'
        '<a href="/t/mon-secret/7">là</a> <a href="/t/autre/8">ailleurs</a>'
    )
    left = without_titles(cooked, topics=frozenset({7}), title="Sujet effacé")
    assert "secret" not in left and ">Sujet effacé</a>" in left and '"/t/sujet/7/4"' not in cooked
    assert "/t/sujet/7/4" in left and '<a href="/t/autre/8">ailleurs</a>' in left


@given(st.text(alphabet="<>/\"'= asideblockquotep", max_size=200))
def test_any_markup_is_read_in_pieces_that_fit(cooked):
    above = elements(cooked)
    while above:
        element = above.pop()
        assert element.start < element.inner <= element.inner_end <= element.end <= len(cooked)
        above += element.children
    assert erase(cooked) == (cooked, 0)


def test_hostile_nesting_takes_no_time():
    deep = "<blockquote>" * 20_000 + "mots"
    assert erase(deep, places=[(1, 1)]) == (deep, 0)
    assert erase("<aside " + '="' * 50_000, places=[(1, 1)])[1] == 0
    assert erase("[quote=x]" * 20_000, places=[(1, 1)])[1] == 0
