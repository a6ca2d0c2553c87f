"""How a forecast is told, on the command line and on its page: names, amounts, and how each figure is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from . import i18n
from .capacity.bounds import Bound, advised
from .capacity.forecast import Figure, Forecast
from .capacity.points import LITE, LOCAL, MILVUS, Conditions, Rate
from .i18n import N_, ngettext
from .i18n import gettext as _

PARTS: Final[Mapping[str, str]] = MappingProxyType({
    "disk": N_("Disk"),
    "memory": N_("Memory"),
    "work": N_("Preparation"),
    "speed": N_("Searches"),
})  # fmt: skip
NAMES: Final[Mapping[str, str]] = MappingProxyType({
    "archive_bytes": N_("Messages (archive.db)"),
    "vectors_db_bytes": N_("Vectors that are kept (vectors.db)"),
    "words_bytes": N_("Index of the words"),
    "graph_bytes": N_("Index of the meaning"),
    "engine_bytes": N_("Both indexes, with the engine"),
    "snapshot_bytes": N_("A snapshot for the replicas"),
    "reader_bytes": N_("A process that answers"),
    "vectors_peak_bytes": N_("The process that builds the index of the meaning"),
    "encoder_bytes": N_("The encoder, in each process that has it"),
    "import_cpu_s": N_("Import (processor time)"),
    "words_cpu_s": N_("Index of the words (processor time)"),
    "encode_s": N_("Encoding of the texts"),
    "vectors_cpu_s": N_("Index of the meaning (processor time)"),
    "update_cpu_s": N_("Update of 650 messages (processor time)"),
    "search_cpu_ms": N_("Processor time of a search"),
    "search_p50_ms": N_("Time of a search when nobody else searches, median"),
    "search_p95_ms": N_("The same, 95 out of 100"),
    "process_per_s": N_("Searches a second, one process"),
    "machine_per_s": N_("Searches a second, a process on each core"),
})  # fmt: skip
ELSEWHERE_NAMES: Final[Mapping[str, str]] = MappingProxyType({
    "words_bytes": N_("What a reader keeps of the indexes"),
    "vectors_peak_bytes": N_("The process that sends the vectors to the engine"),
})  # fmt: skip
ENGINES: Final[Mapping[str, str]] = MappingProxyType({
    LOCAL: N_("Local engine"),
    LITE: N_("Milvus (measured with Milvus Lite)"),
    MILVUS: N_("Milvus"),
})  # fmt: skip
# What the figures mean, said once beside them.
EXPLAINED: Final = (
    N_(
        "Measured: at this size, in the conditions given below. Interpolated: between two measured sizes. Extrapolated:"
        " beyond them, along a curve (a fixed part and a power law) through what was measured."
    ),
    N_(
        "Processor time is what one core takes; all cores share the index of the meaning, import and words use one."
        " With processes enough, the searches a second are the cores divided by the processor time of one search."
        " One process serves what ten people got from one on two cores, who searched without a pause, or else one"
        " core’s part."
    ),
    N_(
        "The forums are made by a program and their vectors drawn from words: your own archive may differ. The README"
        " says how to measure it."
    ),
)
ENCODERS: Final[Mapping[str, str]] = MappingProxyType({
    "embedded": N_("embedded encoder, on the processor"),
    "bge-m3": N_("bge-m3, on the processor"),
    "server": N_("an encoder on a server"),
})  # fmt: skip
KNOWN: Final[Mapping[str, str]] = MappingProxyType({
    "measured": N_("measured"),
    "between": N_("interpolated"),
    "extrapolated": N_("extrapolated"),
    "chosen": N_("at your rate"),
    "unknown": N_("not measured"),
})  # fmt: skip
NOTES: Final[Mapping[str, str]] = MappingProxyType({
    "clock": N_("times by the clock"),
    "shared": N_("times by the clock of a machine that others used"),
    "weights": N_("random weights of its size and shape"),
})  # fmt: skip
LIMITS: Final[Mapping[str, str]] = MappingProxyType({
    "memory": N_("memory"),
    "update": N_("time of an update"),
})  # fmt: skip


def name(figure: Figure, engine: str) -> str:
    """What the figure is."""
    special = ELSEWHERE_NAMES.get(figure.name) if engine != LOCAL else None
    return _(special or NAMES[figure.name])


def amount(figure: Figure) -> str:
    """The figure with its unit."""
    value = figure.value
    if value is None:
        return "–"
    if figure.name.endswith("_bytes"):
        return i18n.size(value)
    if figure.name.endswith("_per_s"):
        return i18n.decimal(value) if value < 100 else i18n.number(value)
    if figure.name.endswith("_ms"):
        return f"{i18n.number(value)}{i18n.NBSP}ms"
    return i18n.duration(value)


def mark(figure: Figure) -> str:
    """How the figure is known, in a word."""
    return _(KNOWN[figure.known])


def where(figure: Figure) -> str:
    """Where it was measured, and by how much the curve is off at the largest size; "" where nowhere."""
    if not figure.sizes:
        return ""
    low, high = i18n.number(figure.sizes[0]), i18n.number(figure.sizes[-1])
    if figure.value is None:
        return _("at {size} only").format(size=high) if low == high else _("Milvus Lite foretells no server")
    if len(figure.sizes) == 1:
        said = _("at {size}").format(size=high)
    else:
        said = _("{count} sizes, {low} to {high}").format(count=len(figure.sizes), low=low, high=high)
    if figure.residual is None or len(figure.sizes) < 3:  # a curve through two points is off nowhere
        return said
    off = ("+" if figure.residual >= 0 else "−") + i18n.percent(abs(figure.residual), 1)
    return _("{sizes}; curve {off} at the largest").format(sizes=said, off=off)


def messages(posts: int) -> str:
    """« 5 000 000 messages »."""
    return ngettext("{n} message", "{n} messages", posts).format(n=i18n.number(posts))


def title(forecast: Forecast) -> str:
    """What the figures are of."""
    wish = forecast.wish
    return f"{messages(wish.posts)} – {_(ENGINES[forecast.engine])}"


def hypothesis(forecast: Forecast) -> str:
    """Encoder, vectors and cores that were supposed."""
    wish = forecast.wish
    return _("{encoder}; {passages} passages of {dimensions} dimensions; {cores}").format(
        encoder=_(ENCODERS[wish.encoder]),
        passages=i18n.number(forecast.passages),
        dimensions=i18n.number(wish.width),
        cores=cores(wish.cores),
    )


def advice(found: tuple[Bound, ...], *, memory_bytes: float) -> Iterator[str]:
    """Up to where one machine is enough, and why not beyond."""
    memory = i18n.size(memory_bytes)
    for bound in found:
        if bound.posts is None:
            said = _("Limit not measured: {what}.").format(what=_(LIMITS[bound.name]))
        elif bound.name == "memory":
            said = _("{memory} of memory hold the local engine and a rebuild up to about {n} messages.").format(
                memory=memory, n=rounded(bound.posts)
            )
        else:
            said = _("An update of 650 messages stays under a minute up to about {n} messages.").format(
                n=rounded(bound.posts)
            )
        yield said
    if any(bound.beyond for bound in found):
        yield _("These limits are extrapolated: no archive of that size was measured.")
    if (most := advised(found)) is not None:
        yield _(
            "Beyond about {n} messages, the local engine is no longer advised: give the indexes to Milvus (index_url)."
        ).format(n=rounded(most))


def rounded(posts: int) -> str:
    """Two figures that count: a limit is known no better."""
    digits = max(0, len(str(posts)) - 2)
    return i18n.number(posts // 10**digits * 10**digits)


def encoder(rate: Rate) -> str:
    """What was measured of an encoder, and how."""
    said = _("{encoder}: {rate} passages a second").format(
        encoder=_(ENCODERS[rate.encoder]), rate=i18n.decimal(rate.per_s, 2)
    )
    return f"{said} ({conditions(rate.conditions)})"


def conditions(met: Conditions) -> str:
    """Where something was measured, when, and with which command."""
    parts = [
        _("{processor}, {cores}, {memory}").format(
            processor=met.processor, cores=cores(met.cores), memory=i18n.size(met.memory_gb * 1e9)
        ),
        _("with {software}").format(software=met.software),
        i18n.date_long(datetime.fromisoformat(met.date).replace(tzinfo=UTC)),
    ]
    if met.load is not None:
        parts.append(_("load {load} before").format(load=i18n.decimal(met.load)))
    parts.append(_("command {command}").format(command=met.command))
    if met.note:
        parts.append(_(NOTES[met.note]))
    return " · ".join(parts)


def cores(count: int) -> str:
    """« 2 cœurs »."""
    return ngettext("{n} core", "{n} cores", count).format(n=i18n.number(count))
