"""settings.toml as a person keeps it: one value changes, comments and order stay. The home of tomlkit.

A new text is written beside the old one and read by the loader itself before it takes its place: what the application
could not start with is never kept.
"""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Final, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engine import Settings, SettingsError, StoreError
from engine.settings import CHOICES

from .settings import FILE, LOG_LEVELS, AppSettings, Choices, load

Value = str | int | float | bool | Path | None
_TRUE, _FALSE = "on", "off"  # as the settings of the engine say yes and no

NAMES: Final = (
    *(f"app.{f.name}" for f in fields(AppSettings)),
    *(f"engine.{f.name}" for f in fields(Settings) if f.name != "data"),
)
_KINDS: Final = {f"app.{f.name}": str(f.type) for f in fields(AppSettings)} | {
    f"engine.{f.name}": str(f.type) for f in fields(Settings)
}
_LISTS: Final = {"app.language": ("fr", "en"), "app.log_level": LOG_LEVELS} | {
    f"engine.{name}": choices for name, choices in CHOICES.items()
}


def filed(data: Path) -> Choices:
    """What the file alone asks for: the choices of the next start, but for its command line. Raises SettingsError."""
    return load({}, data=data)


def value(choices: Choices, name: str) -> Value:
    """The value of a setting, by its name of NAMES."""
    section, _dot, key = name.partition(".")
    found: Value = getattr(getattr(choices, section), key)
    return found


def default(name: str) -> Value:
    """What a setting is when nobody chooses."""
    section, _dot, key = name.partition(".")
    defaults = {f.name: f.default for f in fields(AppSettings if section == "app" else Settings)}
    return cast(Value, defaults[key])


def options(name: str) -> tuple[str, ...]:
    """The only values of a setting as they are typed, () when they are not a list."""
    return (_TRUE, _FALSE) if _KINDS[name] == "bool" else _LISTS.get(name, ())


def typed(found: Value) -> str:
    """A value as a person would type it."""
    match found:
        case None:
            return ""
        case bool():
            return _TRUE if found else _FALSE
        case float():
            return f"{found:g}"
        case _:
            return str(found)


def save(data: Path, name: str, said: str) -> None:
    """Write a value as it was typed; "" goes back to the default. Raises SettingsError, StoreError: nothing changed."""
    path = data / FILE
    try:
        before = path.read_text("utf-8-sig") if path.exists() else ""
        text = changed(before, name, said)
        with tempfile.TemporaryDirectory(prefix=".settings-", dir=data) as beside:
            new = Path(beside) / FILE
            new.write_text(text, "utf-8", newline="")
            load({}, data=new.parent)
            new.replace(path)
    except TOMLKitError as error:
        raise SettingsError(key=FILE, value=str(path), reason="file", why=str(error)) from error
    except OSError as error:
        raise StoreError(path=str(path), reason=error.strerror or str(error)) from error


def changed(text: str, name: str, said: str) -> str:
    """The text of a settings file with one value changed, or gone when nothing is said."""
    document = tomlkit.parse(text)
    section, _dot, key = name.partition(".")
    if said == "":
        if key in document.get(section, {}):
            del document[section][key]
    else:
        if section not in document:
            document[section] = tomlkit.table()
        document[section][key] = _written(_KINDS[name], said)
    return tomlkit.dumps(document)


def _written(kind: str, said: str) -> str | int | float | bool:
    """The value in the type of its setting; what is none of that type stays text, and the loader says so."""
    try:
        match kind:
            case "bool":
                return {_TRUE: True, _FALSE: False}[said]
            case "int":
                return int("".join(said.split()))
            case "float":
                return float("".join(said.split()).replace(",", "."))
    except (KeyError, ValueError):
        pass
    return said
