"""The command `autostart`: the mini PC serves the archive whenever it is on, without anybody opening it."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from . import autostart, logs, process
from .i18n import gettext as _
from .output import DONE, FAILED, print_lines, say
from .settings import Choices

CHOICES: Final = ("on", "off", "status")
LOG: Final = "autostart.log"


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", choices=CHOICES, metavar="ACTION", help=_("on, off or status"))


def run(given: Namespace, choices: Choices) -> int:
    """Write or remove the file of this system, and tell the system."""
    path = _path(choices.engine.data)
    if given.action == "status":
        print_lines(
            _("Archiviste starts with your session: {path}").format(path=path)
            if path.exists()
            else _("Archiviste does not start by itself.")
        )
        return DONE
    if given.action == "off":
        told = _tell(_OFF[_system()], path)
        path.unlink(missing_ok=True)
        print_lines(_("Archiviste no longer starts by itself. Your archive is kept."))
        return told
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_content(choices.engine.data))
    print_lines(
        _("Archiviste will start with your session, on port {port}: {path}").format(port=choices.app.port, path=path),
        *_advice(),
    )
    return _tell(_ON[_system()], path)


def _content(data: Path) -> bytes:
    # What is served, to whom and on which port stays in the settings of the data folder.
    command = process.command(data, "serve")
    needed = process.folder()
    folder = str(needed) if needed else None
    description = _("Archiviste: the archive of the forum")
    match _system():
        case "win32":
            user = f"{os.environ.get('USERDOMAIN', '')}\\{getpass.getuser()}".lstrip("\\")
            return autostart.task_xml(command, user=user, description=description).encode("utf-16")
        case "darwin":
            return autostart.launch_agent(command, folder=folder, log=str(logs.path_of(data, LOG)))
        case _:
            return autostart.systemd_unit(command, folder=folder, description=description).encode()


def _path(data: Path) -> Path:
    match _system():
        case "win32":
            return data / "autostart.xml"
        case "darwin":
            return Path.home() / "Library" / "LaunchAgents" / f"{autostart.LABEL}.plist"
        case _:
            config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
            return config / "systemd" / "user" / f"{autostart.NAME}.service"


# What tells the system; {path} is the file.
_ON: Final[dict[str, Sequence[Sequence[str]]]] = {
    "win32": (("schtasks", "/Create", "/F", "/TN", "Archiviste", "/XML", "{path}"),),
    "darwin": (("launchctl", "load", "-w", "{path}"),),
    "linux": (
        ("systemctl", "--user", "daemon-reload"),
        ("systemctl", "--user", "enable", "--now", f"{autostart.NAME}.service"),
    ),
}
_OFF: Final[dict[str, Sequence[Sequence[str]]]] = {
    "win32": (("schtasks", "/Delete", "/F", "/TN", "Archiviste"),),
    "darwin": (("launchctl", "unload", "-w", "{path}"),),
    "linux": (("systemctl", "--user", "disable", "--now", f"{autostart.NAME}.service"),),
}


def _system() -> str:
    return sys.platform if sys.platform in _ON else "linux"


def _advice() -> list[str]:
    if _system() != "linux":
        return []
    return [_("To start it before anybody logs in, once: loginctl enable-linger")]


def _tell(commands: Sequence[Sequence[str]], path: Path) -> int:
    for command in commands:
        words = [word.format(path=path) for word in command]
        try:
            done = subprocess.run(words, capture_output=True, check=False)
        except FileNotFoundError:
            status = 127
        else:
            status = done.returncode
        if status:
            say(_("The system did not accept it. The command was: {command}").format(command=" ".join(words)))
            return FAILED
    return DONE
