"""Whether the posts that a sentence cites hold what it says: figures, dates, names, quotations, negation, words.

It finds what is not there. True words put together wrongly pass: a sentence without doubts is supported as far as can
be told, no more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..errors import ModelUnavailable
from ..index.french import Analyse, fold
from ..seams import Embed
from ..values import Evidence
from ..verdicts import ClaimCheck, Doubt, DoubtCode
from . import closeness, dates, figures, names, negation
from .citations import cited_sentences, quotable, without
from .sentences import split

# Part of what a sentence speaks of that its sources must name. With an encoder, a sentence under the first is judged
# by meaning; without one, only those under the second are doubted. Measured on the pairs of claims_fr.yml that are not
# held out (`make claims-report`).
NAMED_SHARE, NAMED_SHARE_ALONE = 0.5, 0.18

# The guide's own words: they say nothing of the subject.
SPEECH = """
    membre membres message messages sujet sujets fil forum archive archives discussion discussions réponse réponses
    répondre question extrait extraits source sources avis conseil conseils conseiller recommander préconiser suggérer
    indiquer préciser expliquer rappeler ajouter écrire dire signaler mentionner évoquer raconter résumer rapporter
    noter estimer penser trouver voici voilà cependant toutefois ainsi donc enfin également aussi surtout selon après
    certains plusieurs autre autres quelques utilisateur utilisateurs communauté personne vaut mieux falloir faut
    pouvoir peut devoir doit être est avoir faire fait possible nécessaire important suffit suffire permet permettre
    convient plus moins très bien pas ne bonjour merci espérer espère aider aide utile utiles plaisir hésiter bonne
    lecture voir consulter lire suivants résumé bref conclusion savoir détails
    """.split()
# The guide says that the archive does not answer.
NOTHING_FOUND = re.compile(
    r"\b(?:n ai|n a|n avons|n ont|ne) (?:\w+ ){0,3}(?:pas|rien|aucun\w*)\b.{0,60}"
    r"\b(?:trouv|repon|parl|evoqu|mention|precis|abord)"
    r"|\baucun\w* (?:\w+ ){0,2}(?:message|membre|discussion|sujet|extrait|reponse)"
    r"|\bpersonne n (?:en )?(?:a )?(?:parl|evoqu|repon|abord)"
)
# "Deux membres", "les deux": what the guide counts, not what a post says.
COUNTED = re.compile(r"\s*(?:autres )?(?:membres|messages|avis|personnes|réponses|sujets|cas|options|points)\b")
ALL_OF_THEM = re.compile(r"\b(?:les|tous|toutes|ces|ses) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the cited posts hold, with what was said around them and when."""

    held: names.Held
    figures: tuple[tuple[figures.Figure, frozenset[str]], ...]  # with the terms of what each counts
    dates: tuple[dates.Date, ...]
    years: frozenset[int]
    posts: tuple[str, ...]  # the cited ones
    sentences: tuple[str, ...]  # theirs, then those around them
    clauses: tuple[negation.Clause, ...]

    @classmethod
    def of(cls, cited: Sequence[Evidence], analyse: Analyse) -> _Sources:
        near = [post for item in cited for post in item.context]
        # As a model has read them.
        spoken = [_plain(quotable(text)) for text in (*(i.text for i in cited), *(post.text for post in near))]
        labels = [_plain(text) for item in cited for text in (item.title, item.category, item.author)]
        texts = (*spoken, *labels, *(_plain(post.author) for post in near))
        moments = [*(item.created_at for item in cited), *(post.created_at for post in near)]
        sentences = tuple(sentence.text for text in spoken for sentence in split(text))
        return cls(
            names.Held.of(texts, analyse),
            tuple((figure, _counted(figure, analyse)) for text in texts for figure in _facts(text).figures),
            (
                *(date for text in texts for date in dates.find(text)),
                *(dates.Date(0, 0, "", moment.year, moment.month, moment.day) for moment in moments),
            ),
            frozenset(moment.year for moment in moments),
            tuple(spoken[: len(cited)]),
            sentences,
            negation.clauses(sentences, analyse),
        )


@dataclass(frozen=True, slots=True)
class _Facts:
    """The dates, codes and quantities of a text, and its other words."""

    dates: tuple[dates.Date, ...]
    codes: tuple[str, ...]
    figures: tuple[figures.Figure, ...]
    words: str


def check(
    text: str, evidence: Sequence[Evidence], *, analyse: Analyse, embed: Embed | None = None
) -> tuple[ClaimCheck, ...]:
    """The verdict on each sentence of a resolved answer that claims something, in order; spans of `text`."""
    by_number = {item.n: item for item in reversed(evidence)}
    known: dict[tuple[int, ...], _Sources] = {}
    found: list[ClaimCheck] = []
    for sentence in cited_sentences(text):
        cited = tuple(n for n in sentence.cited if n in by_number)
        said = _plain(sentence.text)
        if not makes_claim(said, analyse):
            continue
        doubts: tuple[Doubt, ...] = (Doubt(DoubtCode.UNCITED),)
        if cited:
            if cited not in known:
                known[cited] = _Sources.of([by_number[n] for n in cited], analyse)
            doubts = tuple(_doubts(said, known[cited], analyse, embed))
        found.append(ClaimCheck(sentence.start, sentence.end, cited, doubts))
    return tuple(found)


def drop(text: str, checks: Sequence[ClaimCheck]) -> tuple[str, tuple[ClaimCheck, ...], tuple[str, ...]]:
    """The text without its unsupported sentences, the checks of those that stay, and the words of those that left."""
    bad = {check.start for check in checks if not check.supported}
    left = [sentence for sentence in cited_sentences(text) if sentence.start in bad]
    shorter, place = without(text, left), 0
    stay: list[ClaimCheck] = []
    for check in checks:
        if check.supported:
            said = text[check.start : check.end]
            place = shorter.index(said, place)
            stay.append(replace(check, start=place, end=place + len(said)))
            place += len(said)
    return shorter, tuple(stay), tuple(sentence.text for sentence in left)


def makes_claim(sentence: str, analyse: Analyse) -> bool:
    """Whether a sentence says something of its subject: no courtesy, heading, question, nor "je n'ai rien trouvé"."""
    facts = _facts(sentence)
    if facts.figures or facts.dates or facts.codes:
        return True
    bare = sentence.strip(" \u00a0\u202f*_#-•–—\n")
    if not bare or bare.endswith((":", "?")) or sentence.lstrip().startswith(("#", "**")):
        return False
    return bool(_subject(sentence, analyse)) and not NOTHING_FOUND.search(_folded(sentence))


def _doubts(sentence: str, sources: _Sources, analyse: Analyse, embed: Embed | None) -> Iterator[Doubt]:
    facts = _facts(sentence)
    lacking: dict[DoubtCode, list[str]] = {}
    for date in facts.dates:
        if not dates.tells(date, sources.dates, years=sources.years) and not _is_plain_number(date, sources):
            lacking.setdefault(DoubtCode.DATE, []).append(date.text)
    for figure in facts.figures:
        if (code := _figure_doubt(figure, sentence, sources, analyse)) is not None:
            lacking.setdefault(code, []).append(figure.text)
    wrong_names = (
        *names.unknown_codes(sentence, sources.held),
        *names.unknown_names(sentence, sources.held, analyse),
    )
    if wrong_names:
        lacking[DoubtCode.NAME] = list(wrong_names)
    if quotes := names.unknown_quotes(sentence, sources.held):
        lacking[DoubtCode.QUOTE] = list(quotes)
    if negation.contradicted(sentence, sources.clauses, analyse):
        lacking[DoubtCode.NEGATION] = list(negation.turning_words(sentence))
    yield from (Doubt(code, tuple(dict.fromkeys(tokens))) for code, tokens in lacking.items())
    if not lacking and (missing := _unnamed(sentence, facts, sources, analyse, embed)):
        yield Doubt(DoubtCode.WORDS, missing)


def _figure_doubt(figure: figures.Figure, sentence: str, sources: _Sources, analyse: Analyse) -> DoubtCode | None:
    if figure.weak or (not figure.kind and _counts_posts(figure, sentence)):
        return None
    held = [other for other, _ in sources.figures]
    if not figures.tells(figure, held):
        return DoubtCode.UNIT if any(figures.same_number(figure, other) for other in held) else DoubtCode.NUMBER
    # The number is there. Where the posts count this very thing, it must be of this thing.
    counted = _counted(figure, analyse)
    of_it = [other for other, things in sources.figures if counted & things and not other.weak]
    return DoubtCode.NUMBER if of_it and not any(figures.tells(figure, [other]) for other in of_it) else None


def _counts_posts(figure: figures.Figure, sentence: str) -> bool:
    before = sentence[: figure.start]
    return bool(COUNTED.match(figure.after) or (figure.text.lower() == "deux" and ALL_OF_THEM.search(before)))


def _counted(figure: figures.Figure, analyse: Analyse) -> frozenset[str]:
    """The term of the thing that a number without unit counts: "trois couches de cire" counts "couch"."""
    thing = None if figure.kind else _THING.match(figure.after)
    return frozenset(analyse(thing[1])) if thing else frozenset()


def _is_plain_number(date: dates.Date, sources: _Sources) -> bool:
    # "2000 messages" looks like a year.
    if date.year is None or date.month is not None:
        return False
    return any(float(date.year) in figure.values for figure, _ in sources.figures)


def _unnamed(sentence: str, facts: _Facts, sources: _Sources, analyse: Analyse, embed: Embed | None) -> tuple[str, ...]:
    """The words of a sentence that its sources don't hold, when they are too many for its meaning to be theirs."""
    subject = _subject(facts.words, analyse)
    missing = [word for word, terms in subject if sources.held.terms.isdisjoint(terms)]
    told = [figure for figure in facts.figures if not figure.weak]
    facts_found = len(facts.dates) + len(told) + len(facts.codes)  # all found, or this is not asked
    share = 1 - len(missing) / max(1, len(subject) + facts_found)
    if share >= (NAMED_SHARE if embed is not None else NAMED_SHARE_ALONE):
        return ()
    if embed is None:
        return tuple(missing)
    try:
        alike = closeness.says_the_same(sentence, sources.sentences, sources.posts, analyse=analyse, embed=embed)
    except ModelUnavailable:  # words alone decide, as without an encoder
        alike = share >= NAMED_SHARE_ALONE
    return () if alike else tuple(missing)


def _subject(text: str, analyse: Analyse) -> list[tuple[str, frozenset[str]]]:
    """The words of a text that say what it speaks of, with their terms."""
    speech = _speech(analyse)
    words = [(word, frozenset(analyse(word)) - speech) for word in _WORD.findall(text)]
    return [(word, terms) for word, terms in words if terms]


@lru_cache(maxsize=4)
def _speech(analyse: Analyse) -> frozenset[str]:
    return frozenset(term for word in SPEECH for term in analyse(word))


def _facts(text: str) -> _Facts:
    found = dates.find(text)
    rest = _blanked(text, [(date.start, date.end) for date in found])
    spans = names.codes(rest)
    coded = tuple(rest[start:end] for start, end in spans)
    rest = _blanked(rest, spans)
    quantities = figures.find(rest)
    return _Facts(found, coded, quantities, _blanked(rest, [(figure.start, figure.end) for figure in quantities]))


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("’", "'")


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))


_WORD = re.compile(r"\w+(?:'\w+)*")
_THING = re.compile(r"[ \u00a0\u202f](?:de |d')?([^\W\d_]{3,})")
