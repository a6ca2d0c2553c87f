"""Links and quotes of a post's HTML, as topics."""

import pytest

from engine.store.links import targets

HERE = "forum.exemple"


@pytest.mark.parametrize(
    ("cooked", "found"),
    [
        ('<a href="/t/un-sujet/12/3">x</a>', {12}),
        ('<a href="/t/12/3">x</a>', {12}),
        ('<a href="/t/12">x</a>', {12}),
        ('<a href="https://forum.exemple/t/35mm/12">x</a>', {12}),
        ('<a href="http://FORUM.exemple/t/x/12?u=alice">x</a>', {12}),
        ('<a href="https://forum.exemple/forum/t/x/12#p">x</a>', {12}),
        ('<a href="https://meta.exemple/t/x/12">x</a>', set()),
        ('<aside class="quote" data-post="1" data-topic="12">', {12}),
        ('<a href="/t/x/12"></a><a href="/t/y/13"></a><a href="/t/x/12"></a>', {12, 13}),
        ('<a href="/tag/t/12">x</a>', {12}),
        ('<a href="/u/t">x</a> /t/x/12', set()),
        ('<a href="/t/12abc">x</a>', set()),
        ('<a href="/t/x/99999999999999999999">x</a>', set()),
        ("", set()),
    ],
)
def test_targets(cooked, found):
    assert targets(cooked, host=HERE) == found
