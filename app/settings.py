"""The choices of this installation: defaults, settings file, environment, command line, in that order.

Read once at start and passed down; nothing else reads the environment.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import platformdirs

from engine import ForumUnavailable, Settings, SettingsError, build_settings, forum_address

from .i18n import LANGUAGES

FILE = "settings.toml"
PREFIX = "ARCHIVISTE_"
DATA_VARIABLE = "ARCHIVISTE_DATA"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = "0.0.0.0"  # every address of this machine
REPLICAS_S = 300  # for which an engine elsewhere keeps what replicas may still read, unless it is told otherwise
LOG_LEVELS = ("debug", "info", "warning", "error")
QUEUES = ("redis://", "rediss://")
NUMBERS = {"port": (1, 65535), "update_every_hours": (0, 8760), "sync_every_hours": (0, 8760),
           "question_days": (1, 3650),
           "reader_session_days": (1, 365), "moderator_session_hours": (1, 720), "drain_s": (0, 300)}  # fmt: skip

# Variables that are not simply ARCHIVISTE_<FIELD>. Both halves have a `language`: the plain name is the
# archive's (it changes the index), LANG is the screen's.
_APP_VARIABLES = {"ARCHIVISTE_LANG": "language"}
_ENGINE_VARIABLES = {"ARCHIVISTE_LLM": "llm_model", "ARCHIVISTE_BGE": "bge_model"}
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_TRUE = frozenset({"1", "true", "yes", "on", "oui"})
_FALSE = frozenset({"0", "false", "no", "off", "non"})


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The choices of the screen and of the server."""

    host: str = "127.0.0.1"
    """Address that the server listens on: this machine only (127.0.0.1, localhost or ::1), unless `lan` is chosen."""

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

    sync_every_hours: int = 0
    """Hours between two updates from the forum itself while the application runs (at most 8760); 0 makes none."""

    sync_url: str = ""
    """Address of that forum, as https://forum.example.org; a key is only read from the environment."""

    queue_url: str = ""
    """Redis that carries tasks to the worker (redis://HOST:PORT/0); a file of the data folder when it is not given."""

    question_log: bool = True
    """Whether the questions asked on the pages are kept, without who asked, so that moderators see what is missing."""

    question_days: int = 365
    """Days after which a question is erased from the log (at most 3650)."""

    lan: bool = False
    """Whether other machines of the network may come, each person with a passphrase."""

    hosts: str = ""
    """Other names under which the server is reached, as that of a reverse proxy; commas between them."""

    trusted_proxies: str = ""
    """Addresses or networks of the reverse proxies that may tell for whom they ask; commas between them."""

    certificate: Path | None = None
    """Certificate to serve HTTPS with, and those that signed it (PEM)."""

    key: Path | None = None
    """Private key of the certificate (PEM)."""

    reader_session_days: int = 30
    """Days for which the readers' passphrase lets in (at most 365)."""

    moderator_session_hours: int = 12
    """Hours for which the moderators' passphrase lets in (at most 720)."""

    snapshots: Path | None = None
    """Folder where a snapshot of the archive is published with each index, for replicas; none is without it."""

    replica_of: str = ""
    """Folder of snapshots, or address of the primary, that this server reads a copy of; empty: it is no replica."""

    shared_secret: Path | None = None
    """File of the secret that a primary and its replicas share: who came in at one of them is in at all."""

    metrics_from: str = ""
    """Addresses or networks that may read /metrics (Prometheus), commas between them; empty: there is no /metrics."""

    drain_s: int = 0
    """Seconds for which the server goes on after it was told to stop, for a balancer to lead people elsewhere."""


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
    chosen = _build_app(layer.app for layer in layers)
    defaults = {} if chosen.snapshots is None else {"index_kept_s": REPLICAS_S}
    return Choices(chosen, build_settings(folder, defaults, *(layer.engine for layer in layers)))


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
    return _together(AppSettings(**values))


def _together(app: AppSettings) -> AppSettings:
    """The settings, where one depends on another."""
    if app.lan:
        return replace(app, host=EVERYWHERE) if app.host in LOOPBACK else app
    if app.host not in LOOPBACK:
        raise SettingsError(key="host", value=app.host, reason="loopback")
    return app


def listed(value: str) -> tuple[str, ...]:
    """The parts of a setting that holds several."""
    return tuple(part.strip().lower() for part in value.split(",") if part.strip())


def _is_network(part: str) -> bool:
    try:
        ipaddress.ip_network(part, strict=False)
    except ValueError:
        return False
    return True


def _is_host(part: str) -> bool:
    return _HOST.fullmatch(part) is not None or _is_network(part)


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
    elif key == "replica_of":
        text = str(value)
        if not text or text.startswith(("https://", "http://")):
            return text.rstrip("/")
        return str(Path(text).expanduser().absolute())
    elif key == "sync_url":
        return _forum(str(value)) if value else ""
    elif key == "host":
        if value in LOOPBACK or _is_network(str(value)):
            return value
        raise SettingsError(key=key, value=str(value), reason="loopback")
    elif key in _PARTS:
        if all(map(_PARTS[key], listed(str(value)))):
            return str(value)
    elif value in {"language": LANGUAGES, "log_level": LOG_LEVELS}[key]:
        return value
    raise SettingsError(key=key, value=str(value), reason="kind")


def _forum(url: str) -> str:
    try:
        return forum_address(url).base_url
    except ForumUnavailable as error:  # it names the address without a name and password
        raise SettingsError(key="sync_url", value=str(error.details["url"]), reason="kind") from error


_PARTS = {"hosts": _is_host, "trusted_proxies": _is_network, "metrics_from": _is_network}
