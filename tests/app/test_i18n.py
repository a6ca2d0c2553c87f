"""The French catalogue is complete and well set; numbers and dates are French."""

import ast
import re
import string
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from babel.messages.pofile import read_po

from app import i18n
from app.resources import resource

ROOT = resource()
CATALOGUE = ROOT / "i18n/fr/LC_MESSAGES/archiviste.po"
OPERATORS = re.compile(r"\b(?:auteur|catégorie|étiquette|titre|avant|après):")


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")
    yield
    i18n.use("fr")


def _read(path):
    with path.open("rb") as source:
        return {m.id: m for m in read_po(source, locale="fr") if m.id}


@pytest.fixture(scope="module")
def catalogue():
    return _read(CATALOGUE)


def _forms(value):
    return value if isinstance(value, tuple) else (value,)


def _placeholders(text):
    braces = {name for _, name, _, _ in string.Formatter().parse(text.replace("%", "")) if name is not None}
    return braces | set(re.findall(r"%(?:\(\w+\))?[sdr]", text))


def test_the_catalogue_holds_exactly_the_sentences_of_the_code(catalogue, tmp_path):
    template = tmp_path / "archiviste.pot"
    command = ["-q", "extract", "-F", "i18n/babel.cfg", "-o", str(template), "."]
    program = "from babel.messages.frontend import main; main()"
    subprocess.run([sys.executable, "-c", program, *command], cwd=ROOT, check=True, capture_output=True)
    extracted = set(_read(template))
    assert extracted - set(catalogue) == set(), "run `make i18n`, then translate"
    assert set(catalogue) - extracted == set(), "run `make i18n`"


def test_no_sentence_hides_from_the_extraction(catalogue):
    """A call inside an f-string is not seen by it before Python 3.12, nor a message that is not a literal."""
    known = {form for said in catalogue for form in _forms(said)[:1]}
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "N_", "ngettext"):
                said = node.args[0]
                if isinstance(said, ast.Constant):
                    assert said.value in known, f"{path.name}:{node.lineno}"


def test_every_sentence_is_translated_and_none_is_doubtful(catalogue):
    doubtful = [m.id for m in catalogue.values() if m.fuzzy]
    missing = [m.id for m in catalogue.values() if not all(_forms(m.string))]
    assert (doubtful, missing) == ([], [])


def test_a_plural_has_both_french_forms(catalogue):
    assert all(len(_forms(m.string)) == len(_forms(m.id)) for m in catalogue.values())


def test_placeholders_are_the_same_on_both_sides(catalogue):
    for m in catalogue.values():
        for said, translated in zip(_forms(m.id), _forms(m.string), strict=True):
            assert _placeholders(said) == _placeholders(translated), said
            assert said.endswith("\n") == translated.endswith("\n"), said


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        ("plain space before a high mark", r" (?:[;:!?»]|%(?![(sdr]))"),
        ("no thin space before ; ! ?", r"[^\u202f\s?!][;!?]"),
        ("no space before a colon", r"[^\u00a0]:(?=\s|$)"),
        ("no hard space inside « »", r"«[^\u00a0]|[^\u00a0]»"),
        ("straight apostrophe", r"'"),
        ("straight quotation mark", r'"'),
        ("three dots", r"\.\.\."),
        ("capital without its accent", r"\bA (?:la|quel|partir)\b|\bEtat\b|\bEcri"),
        ("tutoiement", r"\b(?:tu|toi|ton|ta|tes)\b"),
    ],
)
def test_french_typography(catalogue, fault, pattern):
    translated = [form for m in catalogue.values() for form in _forms(m.string)]
    assert [form for form in translated if re.search(pattern, OPERATORS.sub("", form))] == [], fault


def test_english_shows_the_msgids():
    i18n.use("en")
    assert i18n.gettext("The archive is empty.") == "The archive is empty."
    assert i18n.ngettext("{n} topic", "{n} topics", 2) == "{n} topics"


def test_zero_and_one_are_singular_in_french():
    forms = [i18n.ngettext("{n} topic", "{n} topics", n) for n in (0, 1, 2)]
    assert forms == ["{n} sujet", "{n} sujet", "{n} sujets"]


def test_an_unknown_language_is_french():
    i18n.use("tlh")
    assert i18n.language() == "fr"


def test_numbers_are_written_in_french():
    assert i18n.number(425_000) == "425\u202f000"
    assert i18n.decimal(37.44) == "37,4"
    assert i18n.percent(0.374, digits=1) == "37,4\u00a0%"
    assert i18n.percent(1) == "100\u00a0%"


def test_dates_are_written_in_french():
    noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    assert i18n.date_long(noon) == "29 novembre 2026"
    assert i18n.date_short(noon) == "29 nov. 2026"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0 s"), (0.44, "0,4 s"), (9.99, "10 s"), (20, "20 s"), (59.6, "1 min"), (60, "1 min"),
     (200, "3 min 20 s"), (3600, "1 h 00 min"), (7500, "2 h 05 min")],
)  # fmt: skip
def test_durations_are_written_to_the_useful_precision(seconds, written):
    assert i18n.duration(seconds) == written.replace(" ", "\u00a0")
