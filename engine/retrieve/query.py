"""Our search grammar, both ways. Whoosh's syntax never gets a user's text, and bad input never raises.

    words  "a phrase"  -word  -"phrase"  auteur:nom  @nom  catégorie:nom  #nom  étiquette:mot  titre:mot
    avant:2015  après:2014-03  (before: and after: too; a year or a month stands for its first day)

Every operator takes a quoted value. Anything that is not an operator is words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from ..errors import QuerySyntaxError
from ..index.french import fold
from ..values import Query

MAX_CHARS = 2000  # a pasted page is a search for its beginning

_FIELD = {
    "auteur": "authors", "author": "authors", "categorie": "categories", "category": "categories",
    "etiquette": "tags", "tag": "tags", "tags": "tags", "titre": "titles", "title": "titles",
    "avant": "before", "before": "before", "apres": "after", "after": "after",
}  # fmt: skip
_NAME = {"authors": "auteur", "categories": "catégorie", "tags": "étiquette", "titles": "titre"}

_TOKEN = re.compile(
    r"""
    (?P<op>[^\W\d_]+):(?:"(?P<opquoted>[^"]*)"|(?P<opvalue>[^\s"]+))
    | (?P<sigil>[@\#])(?:"(?P<sigilquoted>[^"]*)"|(?P<sigilvalue>[^\W\d_][\w.-]*))(?=[\s"]|$)
    | (?P<minus>-)?"(?P<phrase>[^"]*)"
    | -(?P<excluded>\w[^\s"]*)
    | (?P<word>[^\s"]+)
    """,
    re.VERBOSE,
)
_QUOTES = str.maketrans({"«": '"', "»": '"', "“": '"', "”": '"', "„": '"'})
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$|(?:(?:(\d{1,2})/)?(\d{1,2})/)(\d{4})$")


def parse(text: str) -> Query:
    """The query that a text means. Raises QuerySyntaxError for an operator's date that is none."""
    found: dict[str, list[str]] = {name: [] for name in ("words", "phrases", "excluded", *_NAME)}
    dates: dict[str, date] = {}
    text = re.sub(r"[\x00-\x1f\x7f]", " ", text[:MAX_CHARS]).translate(_QUOTES)
    for match in _TOKEN.finditer(text):
        if match["op"] is not None:
            field = _FIELD.get(fold(match["op"]))
            value = (match["opquoted"] if match["opquoted"] is not None else match["opvalue"]).strip()
            if field is None and match["opquoted"] is not None:
                found["words"].append(match["op"])
                found["phrases"] += [value] if value else []
            elif field is None:
                found["words"].append(match.group())
            elif field in ("before", "after"):
                dates[field] = _parse_date(value)
            elif value:
                found[field].append(value)
        elif match["sigil"] is not None:
            value = match["sigilquoted"] if match["sigilquoted"] is not None else match["sigilvalue"]
            if value.strip():
                found["authors" if match["sigil"] == "@" else "categories"].append(value.strip())
        elif match["phrase"] is not None:
            if match["phrase"].strip():
                found["excluded" if match["minus"] else "phrases"].append(match["phrase"].strip())
        elif match["excluded"] is not None:
            found["excluded"].append(match["excluded"])
        else:
            found["words"].append(match["word"])
    return Query(**{name: tuple(values) for name, values in found.items()}, **dates)  # type: ignore[arg-type]


def format_query(query: Query) -> str:
    """A text that parses to the same query."""
    return " ".join(_parts(query))


def _parts(query: Query) -> Iterator[str]:
    yield from query.words
    for phrase in query.phrases:
        yield f'"{phrase}"'
    for excluded in query.excluded:
        yield f'-"{excluded}"'
    for field, name in _NAME.items():
        for value in getattr(query, field):
            yield f'{name}:"{value}"'
    if query.before:
        yield f"avant:{query.before.isoformat()}"
    if query.after:
        yield f"après:{query.after.isoformat()}"


def _parse_date(value: str) -> date:
    match = _DATE.match(value)
    if match is None:
        raise QuerySyntaxError(hint="date", value=value)
    year, month, day = (match[1], match[2], match[3]) if match[1] else (match[6], match[5], match[4])
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError as error:
        raise QuerySyntaxError(hint="date", value=value) from error
