"""The files that make a system start the server with the session: systemd, Windows' tasks, launchd.

Each function gives the text of a file; nothing here touches the system.
"""

from __future__ import annotations

import plistlib
import subprocess
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

NAME: Final = "archiviste"
LABEL: Final = "org.archiviste.Archiviste"  # launchd's and macOS's name for us
RESTART_S: Final = 10  # after a crash

_TASK = """<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>{description}</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>{user}</UserId></LogonTrigger></Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>{program}</Command><Arguments>{arguments}</Arguments></Exec></Actions>
</Task>
"""


def systemd_unit(command: Sequence[str], *, folder: str | None, description: str) -> str:
    """A user unit of systemd. `folder`: the working directory that the command needs, if any."""
    place = f"WorkingDirectory={_specifiers(folder)}\n" if folder else ""
    return (
        f"[Unit]\nDescription={_specifiers(description)}\nAfter=network.target\n\n"
        f"[Service]\nExecStart={' '.join(map(_systemd_word, command))}\n{place}"
        f"Restart=on-failure\nRestartSec={RESTART_S}\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def task_xml(command: Sequence[str], *, user: str, description: str) -> str:
    """A task of Windows' scheduler, to be written in UTF-16. `user`: DOMAIN\\name."""
    program, *arguments = command
    return _TASK.format(
        program=escape(program), arguments=escape(subprocess.list2cmdline(arguments)), user=escape(user),
        description=escape(description),
    )  # fmt: skip


def launch_agent(command: Sequence[str], *, folder: str | None, log: str) -> bytes:
    """A property list for launchd. It starts again after a crash, not after an ordinary end."""
    agent = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": RESTART_S,
        "ProcessType": "Interactive",
        "StandardErrorPath": log,
    }
    return plistlib.dumps(agent | ({"WorkingDirectory": folder} if folder else {}))


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")


def _systemd_word(word: str) -> str:
    """One word of ExecStart: systemd.service(5) reads quotes, backslashes, % and $."""
    quoted = _specifiers(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{quoted}"'
