"""The choices of this installation: defaults, settings file, environment, command line, in that order.

Read once at start and passed down; nothing else reads the environment.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import platformdirs

from engine import Settings, SettingsError, build_settings

from .i18n import LANGUAGES

FILE = "settings.toml"
PREFIX = "ARCHIVISTE_"
DATA_VARIABLE = "ARCHIVISTE_DATA"
LOOPBACK = ("127.0.0.1", "localhost", "::1")  # other machines will need a passphrase first
LOG_LEVELS = ("debug", "info", "warning", "error")
QUEUES = ("redis://", "rediss://")
NUMBERS = {"port": (1, 65535), "update_every_hours": (0, 8760)}

# Variables that are not simply ARCHIVISTE_<FIELD>. Both halves have a `language`: the plain name is the
# archive's (it changes the index), LANG is the screen's.
_APP_VARIABLES = {"ARCHIVISTE_LANG": "language"}
_ENGINE_VARIABLES = {"ARCHIVISTE_LLM": "llm_model", "ARCHIVISTE_BGE": "bge_model"}
_TRUE = frozenset({"1", "true", "yes", "on", "oui"})
_FALSE = frozenset({"0", "false", "no", "off", "non"})


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The choices of the screen and of the server."""

    host: str = "127.0.0.1"
    """Address that the server listens on: 127.0.0.1, localhost or ::1, this machine only."""

    port: int = 8080
    """Port that the server listens on."""

    native: bool = False
    """Whether the application opens its own window rather than a browser."""

    language: str = "fr"
    """Language of the screen: "fr" or "en"."""

    log_level: str = "warning"
    """Least severe events written to the logs."""

    update_every_hours: int = 0
    """Hours between two updates of the archive while the application runs (at most 8760); 0 makes none."""

    update_source: Path | None = None
    """What an update reads: a backup, a folder where new backups arrive (the newest is read), or saved topics."""

    queue_url: str = ""
    """Redis that carries tasks to the worker (redis://HOST:PORT/0); a file of the data folder when it is not given."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that was chosen."""

    app: AppSettings
    engine: Settings


@dataclass(slots=True)
class _Layer:
    app: dict[str, Any] = field(default_factory=dict)
    engine: dict[str, Any] = field(default_factory=dict)


def user_data() -> Path:
    """The per-user data folder, used when nobody names another."""
    return Path(platformdirs.user_data_dir("Archiviste", appauthor=False, roaming=False))


def load(
    environ: Mapping[str, str],
    *,
    data: Path | None = None,
    default_data: Path | None = None,
    app: Mapping[str, Any] | None = None,
) -> Choices:
    """The choices of all four layers; `data` and `app` are the command line's.

    Raises SettingsError for an unknown key, a bad value or a settings file that can't be read.
    """
    folder = data or _path(environ.get(DATA_VARIABLE)) or default_data or user_data()
    folder = folder.expanduser().absolute()
    layers = (_from_file(folder / FILE), _from_environment(environ), _Layer(app=dict(app or {})))
    return Choices(
        app=_build_app(layer.app for layer in layers),
        engine=build_settings(folder, *(layer.engine for layer in layers)),
    )


def _path(value: str | None) -> Path | None:
    return Path(value) if value else None


def _from_file(path: Path) -> _Layer:
    try:
        document = tomllib.loads(path.read_text("utf-8-sig"))  # Windows' Notepad writes a BOM
    except (FileNotFoundError, NotADirectoryError):
        return _Layer()
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise SettingsError(key=FILE, value=str(path), reason="file", why=str(error)) from error
    layer = _Layer()
    for section, values in document.items():
        if section not in ("app", "engine") or not isinstance(values, dict):
            raise SettingsError(key=section, value=str(path), reason="unknown")
        getattr(layer, section).update(values)
    return layer


def _from_environment(environ: Mapping[str, str]) -> _Layer:
    app_names = {f"{PREFIX}{f.name.upper()}": f.name for f in fields(AppSettings) if f.name != "language"}
    app_names |= _APP_VARIABLES
    engine_names = {f"{PREFIX}{f.name.upper()}": f.name for f in fields(Settings) if f.name != "data"}
    engine_names |= _ENGINE_VARIABLES
    layer = _Layer()
    for name, value in sorted(environ.items()):
        if not name.startswith(PREFIX) or name == DATA_VARIABLE or not value:
            continue  # an empty variable is how shells say "not set"
        if name in app_names:
            layer.app[app_names[name]] = value
        elif name in engine_names:
            layer.engine[engine_names[name]] = value
        else:
            raise SettingsError(key=name, value=value, reason="unknown")
    return layer


def _build_app(layers: Iterable[Mapping[str, Any]]) -> AppSettings:
    known = {f.name: str(f.type) for f in fields(AppSettings)}
    values: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if key not in known:
                raise SettingsError(key=key, value=str(value), reason="unknown")
            values[key] = _coerce(key, value, known[key])
    return AppSettings(**values)


def _coerce(key: str, value: Any, kind: str) -> Any:
    if kind == "bool":
        word = str(value).lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
    elif kind == "int":
        if not isinstance(value, bool) and str(value).isascii() and str(value).isdigit():
            low, high = NUMBERS[key]
            if not low <= int(value) <= high:
                raise SettingsError(key=key, value=value, reason="bounds", low=low, high=high)
            return int(value)
    elif kind.startswith("Path"):
        return Path(str(value)).expanduser().absolute() if value else None
    elif key == "queue_url":
        if not value or str(value).startswith(QUEUES):
            return str(value)
    elif key == "host":
        if value in LOOPBACK:
            return value
        raise SettingsError(key=key, value=str(value), reason="loopback")
    elif value in {"language": LANGUAGES, "log_level": LOG_LEVELS}[key]:
        return value
    raise SettingsError(key=key, value=str(value), reason="kind")
