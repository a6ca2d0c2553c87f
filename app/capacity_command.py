"""The command `capacity`: what an archive of so many posts asks of its machines, measured or extrapolated."""

from __future__ import annotations

import argparse
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from engine.models.machine import memory_bytes

from . import capacity_words as words
from .capacity import here, points
from .capacity.bounds import Bound, advised, bounds
from .capacity.costs import measured_engine
from .capacity.forecast import ENCODERS, SIZES, Figure, Forecast, Wish, forecast
from .capacity.points import LOCAL
from .i18n import gettext as _
from .output import DONE, print_json, print_lines
from .printed import wrapped
from .settings import Choices

MOST_POSTS: Final = 1_000_000_000
MOST_CORES: Final = 4096
Document = dict[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of the command."""
    parser.add_argument(
        "--posts",
        type=_posts,
        nargs="+",
        metavar="N",
        help=_("numbers of messages (1, 5 and 20 million when not given)"),
    )
    parser.add_argument("--here", action="store_true", help=_("also the archive at hand: its size on the disk now"))
    parser.add_argument(
        "--encoder", choices=list(ENCODERS), default="embedded",
        help=_("who encodes the texts: embedded, bge-m3 (on the processor) or server"),
    )  # fmt: skip
    parser.add_argument(
        "--rate", type=_rate, metavar="N", help=_("passages that the encoder’s server reads in a second")
    )
    parser.add_argument(
        "--cores", type=_cores, metavar="N", help=_("cores that search (this machine’s when not given)")
    )
    parser.add_argument(
        "--memory", type=_rate, metavar="GB", help=_("memory of the machine in gigabytes (this one’s when not given)")
    )


def run(given: Namespace, choices: Choices) -> int:
    """Tell what was asked for."""
    memory = given.memory * 1e9 if given.memory else float(memory_bytes())
    held = here.look(choices.engine) if given.here else None
    sizes = given.posts or SIZES
    if held is not None and held.posts:
        sizes = (held.posts, *sizes)
    cores = given.cores or os.cpu_count() or 1
    wishes = [Wish(posts, given.encoder, given.rate, cores) for posts in sizes]
    known, rates = points.measured(), points.rates()
    found = [forecast(wish, engine, known, rates) for wish in wishes for engine in (LOCAL, measured_engine(known))]
    limits = bounds(known, width=wishes[0].width, memory_bytes=memory)
    if given.json:
        print_json(document(found, limits, memory, held))
        return DONE
    for one in found:
        print_lines(*forecast_lines(one), "")
    if held is not None:
        print_lines(*here_lines(held), "")
    print_lines(*(line for said in words.EXPLAINED for line in wrapped(_(said))), "")
    for said in words.advice(limits, memory_bytes=memory):
        print_lines(*wrapped(said))
    if given.encoder in rates and not given.rate:
        print_lines(*wrapped(words.encoder(rates[given.encoder])))
    return DONE


def forecast_lines(found: Forecast) -> Iterator[str]:
    """The figures of one size with one engine, part by part."""
    yield words.title(found)
    yield "  " + words.hypothesis(found)
    labels = {figure.name: words.name(figure, found.engine) for figure in found.figures}
    wide = max(map(len, labels.values()))
    for part, title in words.PARTS.items():
        yield f"  {_(title)}"
        for figure in found.figures:
            if figure.part == part:
                known = " ".join(filter(None, (words.mark(figure), f"({at})" if (at := words.where(figure)) else "")))
                yield f"    {labels[figure.name].ljust(wide)}  {words.amount(figure).rjust(12)}  {known}"


def here_lines(held: here.Here) -> Iterator[str]:
    """What the archive at hand weighs."""
    yield _("The archive at hand, measured now")
    for name, value in held.figures.items():
        figure = Figure(name, "disk", value, "measured")
        yield f"    {words.name(figure, LOCAL)}  {words.amount(figure)}"


def document(found: list[Forecast], limits: tuple[Bound, ...], memory: float, held: here.Here | None) -> Document:
    """`capacity --json`: bytes, seconds, searches a second; a figure that nobody measured is null."""
    return {
        "forecasts": [
            {
                "engine": one.engine, "posts": one.wish.posts, "passages": round(one.passages),
                "encoder": one.wish.encoder, "dimensions": one.wish.width, "cores": one.wish.cores,
                "rate": one.wish.rate,
                "figures": {figure.name: _figure(figure) for figure in one.figures},
            }
            for one in found
        ],
        "local_engine": {
            "memory_bytes": round(memory), "advised_up_to": advised(limits),
            "limits": {bound.name: {"posts": bound.posts, "extrapolated": bound.beyond} for bound in limits},
        },
        "here": None if held is None else asdict(held),
        "measured": [asdict(point) for point in points.measured()],
        "encoders": [asdict(rate) for rate in points.rates().values()],
    }  # fmt: skip


def _figure(figure: Figure) -> Document:
    return {
        "value": None if figure.value is None else round(figure.value, 4), "known": figure.known,
        "measured_at": list(figure.sizes),
        "residual": None if figure.residual is None else round(figure.residual, 4),
        "exponent": None if figure.exponent is None else round(figure.exponent, 4),
    }  # fmt: skip


def _posts(text: str) -> int:
    return _whole(text, MOST_POSTS)


def _cores(text: str) -> int:
    return _whole(text, MOST_CORES)


def _whole(text: str, high: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= high:
        return int(text)
    raise argparse.ArgumentTypeError(_("expected a whole number between {low} and {high}").format(low=1, high=high))


def _rate(text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = 0.0
    if 0.001 <= value <= 1e9:  # nan is neither
        return value
    raise argparse.ArgumentTypeError(_("expected a number above zero"))
