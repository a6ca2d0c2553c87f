"""What may say who somebody is does not stay in a text that is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.masking import MASK, masked


@pytest.mark.parametrize(
    "text",
    [
        "jean.dupont+forum@exemple.fr", "JEAN@exemple.co.uk", "élodie@forêt.fr",
        "06 12 34 56 78", "06.12.34.56.78", "06-12-34-56-78", "0612345678", "01/23/45/67/89", "05\u00a056 12\u202f34 56",
        "+33 6 12 34 56 78", "+33 (0)6 12 34 56 78", "0033612345678", "+1 (555) 123-4567", "+32 470 12 34 56",
        "192.168.1.10", "10.0.0.1", "2001:db8::8a2e:370:7334", "fe80::1", "::1",
        "123456789012", "1840575123456",
    ],
)  # fmt: skip
def test_it_is_masked_wherever_it_stands(text):
    assert masked(text) == MASK
    assert masked(f"Écrivez à {text}, merci.") == f"Écrivez à {MASK}, merci."
    assert masked(f"({text})") == f"({MASK})"
    assert masked(f"{text}.") == f"{MASK}."


@pytest.mark.parametrize(
    "text",
    [
        "Des pneus 700x28 pour 82 kg à 5,5 bars ?", "entre 2010 2015 et 2020", "à 12:30:45", "std::vector en C++ 17",
        "la version 1.2.3", "10 000 000 de km", "ISO 4210-2", "Shimano 6902-2RS et 7K-0480", "le lot 00 12 22 33",
        "@tontonrayon", "le 24/06/2019 et le 2019-06-24", "256.1.1.1", "un rapport 11-34:50", "+ 10 % sur 20 ans",
    ],
)  # fmt: skip
def test_what_a_question_is_about_stays(text):
    assert masked(text) == text


@given(st.text(st.sampled_from("0123456789 .:-+@aFé[…](\n"), max_size=60))
def test_masking_twice_changes_nothing_more(text):
    once = masked(text)
    assert masked(once) == once
