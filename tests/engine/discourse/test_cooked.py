"""HTML of posts to text: the author's own words, and what stands apart from them."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.discourse.cooked import clean_html, parse, useful_chars
from engine.discourse.plain_text import _CONTROL, _SURROGATE
from engine.sources import Attachment, CookedText, Quote

QUOTE = """<aside class="quote no-group" data-username="bruno" data-post="4" data-topic="12">
<div class="title">
<div class="quote-controls"></div>
<img alt="" width="24" height="24" src="/user_avatar/f/bruno/48/1.png" class="avatar"> bruno:</div>
<blockquote>
<p>Taillez en mars.</p>
</blockquote>
</aside>
"""


@pytest.mark.parametrize(
    ("cooked", "text"),
    [
        ("", ""),
        ("  \n ", ""),
        ("<p>Un</p>\n<p>Deux</p>", "Un\nDeux"),
        ("<p>Un<br>\nDeux</p>", "Un\nDeux"),
        ("<p>Un<br><br><br><br>Deux</p>", "Un\n\nDeux"),
        ("<p>Un\n  mot\u00a0: \u202f«\u00a0ici\u00a0»</p>", "Un mot : « ici »"),
        ("<ul>\n<li>Un</li>\n<li>Deux</li>\n</ul>", "Un\nDeux"),
        ("<ul><li><p>Un</p></li><li>Deux<ul><li>Trois</li></ul></li></ul>", "Un\nDeux\nTrois"),
        ("<h2>Titre</h2>Corps<hr>Fin", "Titre\nCorps\nFin"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a b\n1 2"),
        ("<p>Un <strong>mot</strong>s<em>é</em> <code>x = 1</code></p>", "Un motsé x = 1"),
        ('<p>Merci <a class="mention" href="/u/alice">@alice</a> !</p>', "Merci @alice !"),
        (
            '<a class="hashtag-cooked" href="/c/1"><svg><use href="#f"></use></svg><span>jardin</span></a>',
            "jardin",
        ),
        ('<p>Voir <a href="https://x.fr">ce lien</a>.</p>', "Voir ce lien."),
        ('<p>Oui <img src="/images/emoji/t/smile.png" class="emoji" alt=":smile:"> non</p>', "Oui non"),
        ("<p>Non</p><script>alert(1)</script><style>p{}</style><!-- rien -->", "Non"),
        ("<details><summary>Plus</summary>Suite</details>", "Plus\nSuite"),
        ('<p style="display: none">caché</p><p>vu</p>', "vu"),
        ("<p>a &lt;script&gt; &amp; b</p>", "a <script> & b"),
        ("<p>non fermé <b>gras<p>suite</i>", "non fermé gras\nsuite"),
        ("texte nu", "texte nu"),
        ("<frameset><frame>", ""),
    ],
)
def test_the_authors_words(cooked, text):
    assert parse(cooked) == CookedText(text)


def test_a_quote_is_the_other_members_words():
    parts = parse(QUOTE + "<p>Je préfère avril.</p>")
    assert parts.text == "Je préfère avril."
    assert parts.quotes == (Quote("bruno", "Taillez en mars.", 12, 4),)
    assert parts.attachments == ()


def test_a_bare_blockquote_is_a_quote_of_nobody_known():
    parts = parse("<blockquote><p>Taillez.</p></blockquote><p>Oui.</p>")
    assert (parts.text, parts.quotes) == ("Oui.", (Quote("", "Taillez."),))


def test_a_quote_inside_a_quote_is_told_once_and_apart():
    inner = QUOTE.replace("bruno", "chloé").replace("Taillez en mars.", "Quand ?")
    parts = parse(QUOTE.replace("<p>Taillez", inner + "<p>Taillez"))
    assert [(quote.author, quote.text) for quote in parts.quotes] == [
        ("bruno", "Taillez en mars."),
        ("chloé", "Quand ?"),
    ]
    assert parts.text == ""


def test_old_quotes_name_their_author_only_above_the_words():
    old = QUOTE.replace(' data-username="bruno"', "")
    assert parse(old).quotes[0].author == "bruno"
    linked = old.replace(" bruno:", ' <a href="/t/9">Un sujet</a>')
    assert parse(linked).quotes[0].author == ""


def test_attributions_that_are_no_numbers_are_lost_and_the_quote_kept():
    odd = QUOTE.replace('"4"', '"x"').replace('"12"', '"99999999999999999999"')
    assert parse(odd).quotes == (Quote("bruno", "Taillez en mars."),)


def test_a_block_of_code_is_kept_apart_with_its_indentation():
    parts = parse("<p>Ceci :</p><pre><code>\nif x:\n\ty = 1  \n</code></pre><p>marche</p>")
    assert parts.text == "Ceci :\nmarche"
    assert parts.code == ("if x:\n\ty = 1",)


def test_code_that_is_quoted_stays_in_the_quote():
    parts = parse("<blockquote><pre><code>a = 1\nb = 2</code></pre></blockquote>")
    assert (parts.code, parts.quotes[0].text) == ((), "a = 1\nb = 2")


@pytest.mark.parametrize("name", ["spoiler", "spoiled", "spoiler-blurred"])
def test_a_spoiler_is_set_apart(name):
    parts = parse(f'<p>Fin : <span class="{name}">il gagne</span>.</p><div class="{name}"><p>vraiment</p></div>')
    assert parts.text == "Fin : ."
    assert parts.spoilers == ("il gagne", "vraiment")


def test_files_and_images_are_attachments_and_decoration_is_not():
    parts = parse(
        '<p><a class="attachment" href="/uploads/f.pdf">facture.pdf</a> (3 Ko)</p>'
        '<div class="lightbox-wrapper"><a class="lightbox" href="/original/1.png">'
        '<img src="/small/1.png" alt="rosier"><div class="meta"><span class="filename">rosier</span>'
        '<span class="informations">800×600</span></div></a></div>'
        '<img src="/u/2.png?v=1"><img class="avatar" src="/a.png"><img src="/gfx/smiley/h.gif" alt=":)">'
        '<img src="data:image/png;base64,AA"><img>'
        '<a class="attachment" href="javascript:alert(1)">clic</a><video src="/v.mp4">non lu</video>'
        '<video><source src="/w.mp4"><a href="/w.mp4">/w.mp4</a></video>'
    )
    assert parts.text == "facture.pdf (3 Ko)\nclic"
    assert parts.attachments == (
        Attachment("/uploads/f.pdf", "facture.pdf"),
        Attachment("/original/1.png", "rosier"),
        Attachment("/u/2.png?v=1", "2.png"),
        Attachment("/v.mp4", "v.mp4"),
        Attachment("/w.mp4", "w.mp4"),
    )


def test_a_onebox_leaves_its_title_once():
    parts = parse(
        '<p>Voir :</p><aside class="onebox allowlistedgeneric"><header class="source"><img src="/i.png">'
        '<a href="https://x.fr/a">x.fr</a></header><article class="onebox-body">'
        '<img src="/t.png" class="thumbnail"><h3><a href="https://x.fr/a">Tailler\n les rosiers</a></h3>'
        "<p>Résumé.</p></article></aside>"
        '<div class="onebox lazyYT" data-youtube-title="La taille"><a href="/v"><img src="/t.jpg"></a></div>'
    )
    assert parts == CookedText("Voir :\nTailler les rosiers\nLa taille")


def test_a_poll_leaves_its_options():
    parts = parse(
        '<div class="poll"><div class="poll-container"><ul><li data-poll-option-id="a">Mars</li>'
        '<li data-poll-option-id="b">Avril</li></ul></div><div class="poll-info"><p>'
        '<span class="info-number">0</span><span class="info-label">votants</span></p></div>'
        '<div class="poll-buttons"><a>Voter</a></div></div>'
    )
    assert parts.text == "Mars\nAvril"


@pytest.mark.parametrize(
    ("cooked", "text"),
    [
        (
            "<p>L&amp;eacute;gumes &amp;amp; &amp;laquo;&amp;nbsp;fleurs&amp;#233;&amp;raquo;</p>",
            "Légumes & « fleursé»",
        ),
        ("<p>&amp;lt;script&amp;gt; &amp;#60;b&amp;#x3e;</p>", "&lt;script&gt; &#60;b&#x3e;"),
        ("<p>R&amp;D, &amp;inconnu; et &amp;copy_me;</p>", "R&D, &inconnu; et &copy_me;"),
        ("<p>[b:0a1b2c3d]Gras[/b:0a1b2c3d] [url=http://x:0a1b2c3d]x[/url:0a1b2c3d]</p>", "Gras x"),
        ("<p>[list:0a1b2c3d][*:0a1b2c3d]un[/*:m:0a1b2c3d][*:0a1b2c3d]deux[/list:u:0a1b2c3d]</p>", "un\ndeux"),
        ("<p>à [14:29] voir [note] et tableau[i]</p>", "à [14:29] voir [note] et tableau[i]"),
        ("<p>Bien <!-- s:) --><img src='/smilies/a.gif'><!-- s:) --> &lt;!-- s;) --&gt;vu</p>", "Bien vu"),
        ("<p>a\u200bb\ufeff \u202ec\u2066d\u00ade\x07f\x9bg</p>", "ab cdefg"),
        ("<p>a&#x200b;b&#x202e;c&#1;d</p>", "abcd"),
        ("<p>un\u2028deux\u2029trois\r\nquatre</p>", "un deux trois quatre"),
        ("<p>e\u0301te\u0301</p>", "été"),
        ("<p>\ud83c seul</p>", "\ufffd seul"),
    ],
)
def test_scars_of_migrations_are_healed(cooked, text):
    assert parse(cooked).text == text


def test_leftover_quotes_become_quotes():
    parts = parse('<p>[quote="bruno":0a1b2c3d]Mars.[/quote:0a1b2c3d]</p>\n<p>Avril.</p>')
    assert (parts.text, parts.quotes) == ("Avril.", (Quote("bruno", "Mars."),))
    parts = parse("<p>[quote=“bruno, post:4, topic:12”]Un.</p><p>Deux.[/quote] Trois.</p>")
    assert (parts.text, parts.quotes) == ("Trois.", (Quote("bruno", "Un.\nDeux.", 12, 4),))


def test_useful_characters_are_letters_and_digits():
    assert useful_chars(CookedText("C’est là : 42 !\n__ 👍")) == len("Cestlà42")


def test_cleaned_html_keeps_its_markup_and_loses_its_controls():
    assert clean_html("<p>a\x00\u202eb\u00a0: <b>é\t</b>\r\n</p>") == "<p>ab\u00a0: <b>é\t</b>\n</p>"


HOSTILE = {
    "nested divs": "<div>" * 20_000 + "fin",
    "nested quotes": "<blockquote>" * 100_000 + "fin",
    "a megabyte of <": "<" * 1_000_000,
    "a tag without end": "<" + "a" * 1_000_000,
    "formatting left open": "<p>" + "".join(f"<b a={i}>" for i in range(5_000)) + "<p>x</p>" * 5_000,
    "formatting left open, few tags": "<p>" + "".join(f"<b a={i}>" for i in range(299)) + "</p>" + "<p>x</p>" * 149,
    "bbcode openers": "[quote]" * 100_000,
    "nested bbcode": '[quote="a"]x' * 20_000 + "[/quote]" * 20_000,
    "brackets": "[" * 1_000_000,
    "half a bbcode tag": "[quote=" * 100_000,
    "ampersands": "&" * 500_000,
    "entities": "&amp;eacute;" * 80_000,
    "comments": "&lt;!-- s" * 100_000,
    "attributes": "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">",
    "quotes in quotes, closed": "<aside class=quote>" * 9_500 + "</aside>" * 9_500,
    "marks on a letter": "e" + "\u0301\u0323" * 300_000,
    "a long post": "<p>" + "mot " * 15_000 + "</p>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_posts_take_a_time_in_proportion_to_their_length(name):
    start = time.perf_counter()
    parse(HOSTILE[name])
    assert time.perf_counter() - start < 5  # measured: under 0.5 s; the quadratic ways take minutes


def test_the_text_of_a_tangled_post_is_kept_without_its_scripts():
    parts = parse("<blockquote>" * 30_000 + "<p>é&lt;<br>fin</p><script>non<b></script><style>p{}</style>ici")
    assert parts.text == "é<\nfin\nici"


MARKUP = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from([
            "<p>", "</p>", "<br>", "<li>", "<aside class=quote data-username=é>", "</aside>", "<blockquote>",
            "<pre>", "</pre>", "<span class=spoiler>", "</span>", "[quote=a]", "[/quote]", "[spoiler]",
            "[/spoiler]", "[b:abcde]", "&amp;eacute;", "&lt;", "&#x202e;", "&#11;", "&#0;", "<!--", "-->",
            "<table>", "<td>", "<svg>", "<a href=x>", "<img src=x alt='\u0301'>", "<template>", "<select>",
            "<math>", "<title>", "<plaintext>", "\u0301", "\x0b",
        ]),
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(MARKUP)
@example("&amp;#11;")
@example("&amp;#x0b;&amp;#8238;")
def test_any_text_gives_clean_nfc_text(cooked):
    parts = parse(cooked)
    texts = [parts.text, *parts.code, *parts.spoilers]
    texts += [t for quote in parts.quotes for t in (quote.author, quote.text)]
    texts += [t for attachment in parts.attachments for t in (attachment.url, attachment.name)]
    for text in texts:
        assert not _CONTROL.search(text) and not _SURROGATE.search(text)
        assert unicodedata.is_normalized("NFC", text)
        text.encode()
    assert "\n\n\n" not in parts.text and "  " not in parts.text
    assert parts.text == parts.text.strip()


@given(st.text(alphabet=st.characters(blacklist_characters="&[<$", blacklist_categories=["Cs"])))
def test_text_that_was_parsed_stays_as_it_is(text):
    once = parse(text).text
    assert parse(once.replace("\n", "<br>")).text == once


def test_videos_and_lost_images_are_attachments_too():
    cooked = (
        '<div class="video-placeholder-container" data-video-src="/uploads/a.mp4"></div>'
        '<img src="/images/transparent.png" data-orig-src="upload://abc.png" alt="roue">'
        '<img src="/uploads/b.png" data-orig-src="upload://def.png" alt="autre">'
    )
    assert [(file.url, file.name) for file in parse(cooked).attachments] == [
        ("/uploads/a.mp4", "a.mp4"), ("upload://abc.png", "roue"), ("/uploads/b.png", "autre"),
    ]  # fmt: skip
