"""The guide's page on several machines says what the code does: its commands, variables and settings exist."""

import dataclasses
import re
import shlex

import pytest

from app import arguments, settings
from app.access.roles import ALIVE, READY
from app.resources import resource
from engine.settings import Settings
from tests.app.test_typography import FAULTS

ROOT = resource()
PAGE = (ROOT / "docs" / "plusieurs-machines.md").read_text("utf-8")
COMPOSE = (ROOT / "packaging" / "compose" / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```\n(.*?)^```", re.DOTALL | re.MULTILINE)


def lines(page):
    """The lines of its blocks."""
    return [line for block in BLOCK.findall(page) for line in block.splitlines()]


def commands(page):
    """Every command of ours, as words: in blocks, and between backticks."""
    said = [line.partition("#")[0].strip() for line in lines(page)]
    said += [" ".join(found.split()) for found in re.findall(r"`((?:archiviste|docker compose) [^`]+)`", page)]
    for line in said:
        if found := re.match(
            r"(?:docker compose exec primary archiviste|docker compose run --rm primary|archiviste) (.+)", line
        ):
            yield shlex.split(found[1])


def example(word):
    """A value in the place of a word that stands for one."""
    return {"DOSSIER": "/srv/instantanes", "ADRESSE": "http://192.168.1.10:8080", "ADDRESS": "x"}.get(word, word)


@pytest.mark.parametrize("page", [PAGE, COMPOSE], ids=["guide", "compose"])
def test_every_command_is_one(page):
    known = list(commands(page))
    assert len(known) >= 5
    for words in known:
        arguments.parse([example(word) for word in words])


def test_the_variables_of_the_page_are_settings():
    given = dict(re.findall(r"^export (ARCHIVISTE_\w+)=(\S+)$", "\n".join(lines(PAGE)), re.MULTILINE))
    choices = settings.load(given)
    assert choices.app.snapshots and choices.app.queue_url and choices.engine.index_url and choices.app.drain_s


def test_the_settings_that_it_names_exist():
    known = {field.name for kind in (settings.AppSettings, Settings) for field in dataclasses.fields(kind)}
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE)) | {"snapshots", "hosts"}
    assert named <= known, named - known
    assert {"index_url", "queue_url", "snapshots", "metrics_from", "drain_s", "encoder_url"} <= named


def test_it_names_the_addresses_of_health():
    assert f"`{ALIVE}`" in PAGE and f"`{READY}`" in PAGE and "`/metrics`" in PAGE


def test_the_guide_leads_to_it():
    assert "plusieurs-machines.md" in (ROOT / "docs" / "guide.md").read_text("utf-8")


@pytest.mark.parametrize("fault", FAULTS)
def test_its_french_is_well_set(fault):
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+", "¤", BLOCK.sub("", PAGE))
    if fault == "plain space inside a number":
        prose = re.sub(r"^\|[ \-|:]+\|$", "", prose, flags=re.MULTILINE)
    if fault == "two spaces":
        prose = re.sub(r"(?m)^ +", "", prose)
    found = re.search(FAULTS[fault], prose)
    assert found is None, prose[max(0, found.start() - 40) : found.end() + 40]
