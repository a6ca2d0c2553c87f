"""What starts the server with the session: each system reads back the very command that was meant."""

import plistlib
import shutil
import subprocess
import sys
from argparse import Namespace
from xml.etree import ElementTree

from app import autostart, autostart_command, i18n, settings

ODD = ["/opt/Archiviste/archiviste", "--data", '/home/Zoé/données "100 %" $HOME', "serve"]
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def test_a_systemd_unit_keeps_each_word_whole():
    unit = autostart.systemd_unit(ODD, folder=None, description="50 %")
    assert (
        'ExecStart="/opt/Archiviste/archiviste" "--data" "/home/Zoé/données \\"100 %%\\" $$HOME" "serve"'
        in unit.splitlines()
    )
    assert "Description=50 %%" in unit
    assert "WorkingDirectory" not in unit


def test_systemd_finds_no_fault_with_the_unit(tmp_path):
    check = shutil.which("systemd-analyze")
    assert check, "part of Debian's systemd"
    unit = tmp_path / "archiviste.service"
    unit.write_text(autostart.systemd_unit([sys.executable, *ODD[1:]], folder=str(tmp_path), description="Archiviste"))
    done = subprocess.run([check, "verify", str(unit)], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if str(unit) in line]) == (0, [])


def test_a_windows_task_keeps_each_word_whole_and_has_no_time_limit():
    document = autostart.task_xml(
        ["C:\\Program Files\\A&B\\archiviste-app.exe", "--data", "C:\\Données de Zoé\\", "serve"],
        user="PC\\Zoé", description="<Archiviste>",
    )  # fmt: skip
    root = ElementTree.fromstring(document.split("?>", 1)[1])
    action = root.find(f"{TASK}Actions/{TASK}Exec")
    assert action.findtext(f"{TASK}Command") == "C:\\Program Files\\A&B\\archiviste-app.exe"
    assert action.findtext(f"{TASK}Arguments") == '--data "C:\\Données de Zoé\\\\" serve'
    assert root.findtext(f"{TASK}Settings/{TASK}ExecutionTimeLimit") == "PT0S"
    assert root.findtext(f"{TASK}Triggers/{TASK}LogonTrigger/{TASK}UserId") == "PC\\Zoé"


def test_a_launch_agent_comes_back_after_a_crash_only():
    agent = plistlib.loads(autostart.launch_agent(ODD, folder="/ici", log="/journal"))
    assert agent["ProgramArguments"] == ODD
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert (agent["Label"], agent["WorkingDirectory"]) == ("org.archiviste.Archiviste", "/ici")


def test_the_command_writes_the_file_says_so_and_takes_it_away(tmp_path, monkeypatch, capsys):
    i18n.use("en")
    asked = tmp_path / "asked"
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{systemctl.parent}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "platform", "linux")
    choices = settings.load({}, data=tmp_path / "données")
    unit = tmp_path / "config" / "systemd" / "user" / "archiviste.service"

    assert autostart_command.run(Namespace(action="on"), choices) == 0
    assert f'"{tmp_path / "données"}"' in unit.read_text()
    assert asked.read_text().splitlines() == ["--user daemon-reload", "--user enable --now archiviste.service"]
    assert autostart_command.run(Namespace(action="status"), choices) == 0
    assert str(unit) in capsys.readouterr().out
    assert autostart_command.run(Namespace(action="off"), choices) == 0
    assert not unit.exists()
    assert asked.read_text().splitlines()[-1] == "--user disable --now archiviste.service"


def test_a_system_that_refuses_is_told_with_its_command(tmp_path, monkeypatch, capsys):
    i18n.use("en")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert autostart_command.run(Namespace(action="on"), settings.load({}, data=tmp_path / "d")) == 1
    assert "systemctl --user daemon-reload" in capsys.readouterr().err
