"""Units as French forums write them: what each measures and how much of its base unit it is worth."""

from __future__ import annotations

import re

from ..index.french import fold

# kind, worth in the base unit of the kind, names in the singular
TABLE = """
    time      1         s sec seconde
    time      60        min mn minute
    time      3600      h heure
    time      86400     j jour journée
    time      604800    semaine
    time      2629800   mois
    time      31557600  an année
    length    0.001     mm millimètre
    length    0.01      cm centimètre
    length    0.0254    pouce
    length    1         m mètre
    length    1000      km kilomètre borne
    area      1         m2 m²
    volume    0.001     ml millilitre
    volume    0.01      cl centilitre
    volume    1         l litre
    volume    1000      m3 m³
    mass      0.001     mg milligramme
    mass      1         g gr gramme
    mass      1000      kg kilo kilogramme
    mass      1000000   tonne
    euro      0.01      centime
    euro      1         € euro eur
    euro      1000      k€
    dollar    1         $ dollar
    pound     1         £
    franc     1         franc
    ratio     0.01      % pour_cent pourcent
    degree    1         ° °c degré
    pressure  1         bar
    pressure  0.0689476 psi
    torque    1         nm n·m n.m newton-mètre
    frequency 1         hz
    frequency 1000      khz
    frequency 1000000   mhz
    frequency 1e9       ghz
    data      1000      ko kb
    data      1000000   mo mb
    data      1e9       go gb
    data      1e12      to tb
    speed     1         km/h kmh
    power     1         w watt
    power     1000      kw
    energy    1         wh
    energy    1000      kwh
    tension   1         v volt
    charge    0.001     mah
    charge    1         ah
"""
DAY = 86400  # seconds: from there on, calendars make units unequal


def read(written: str) -> tuple[str, float]:
    """(what the unit measures, its worth in the base unit of that kind) of a unit that `PATTERN` found."""
    name = " ".join(fold(written).split())
    return UNITS[name] if name in UNITS else UNITS[name.removesuffix("s")]


UNITS: dict[str, tuple[str, float]] = {
    fold(name).replace("_", " "): (kind, float(worth))
    for kind, worth, *names in map(str.split, TABLE.strip().splitlines())
    for name in names
}
_NAMES = {name.replace("_", " ") for line in TABLE.strip().splitlines() for name in line.split()[2:]} | UNITS.keys()
# A unit with its plural, not the beginning of a word nor an elided article ("2 l’eau").
PATTERN = rf"(?:{'|'.join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))})s?(?![\w'’²³])"
