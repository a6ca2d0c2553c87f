"""What a larger installation needs is neither installed by default nor missed: one machine stays as simple as it was."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = {"milvus", "redis", "metrics", "replicas"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = {
    "milvus-lite": "milvus_lite", "pymilvus": "pymilvus", "redis": "redis", "prometheus-client": "prometheus_client",
    "cryptography": "cryptography",
}  # fmt: skip
WORK = """
import sys
data, absent = sys.argv[1], sys.argv[2:]
sys.modules.update(dict.fromkeys(absent))  # as where they are not installed: importing one fails
from app import cli
for command in (["search", "freins"], ["ask", "Que faire quand mes freins grincent ?"], ["status"], ["index", "--wait"]):
    assert cli.run(["--data", data, *command], {}) == 0, command
import app.serve, app.state, app.pages, app.worker, app.access.serving
"""


def names(requirements: list[str]) -> set[str]:
    """The distributions that requirements name."""
    return {re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0].lower() for requirement in requirements}


def test_no_dependency_of_the_default_install_is_one_of_a_larger_installation():
    larger = set().union(*(names(PROJECT["optional-dependencies"][extra]) for extra in EXTRAS))
    assert larger == set(MODULES)  # so that the next test names them all
    assert not larger & names(PROJECT["dependencies"])


def test_one_machine_works_without_any_of_them(demo_data, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(demo_data, data, ignore=shutil.ignore_patterns("*.db-shm", "*.db-wal"))
    command = [sys.executable, "-c", WORK, data, *MODULES.values()]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("target", ["demo", "run"])
def test_a_newcomer_installs_no_extra(target):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rule = re.search(rf"^{target}:(.*)$", makefile, re.MULTILINE)
    base = re.search(r"^\$\(VENV\)/\.base:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert rule and rule[1].split() == ["$(VENV)/.base"]
    assert base and "--editable ." in base[1] and "[" not in base[1].replace("[ ", "")
