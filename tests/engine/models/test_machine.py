"""What the machine gives to a language model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.models import machine
from tests.factories import settings

GIB = 1 << 30


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.gguf"
    with path.open("wb") as file:
        file.truncate(2 * GIB)  # a sparse file: no byte is written
    return path


def test_cores_and_memory_are_those_of_a_machine() -> None:
    assert 1 <= machine.physical_cores() <= (os.cpu_count() or 1)
    assert machine.memory_bytes() > GIB


@pytest.mark.parametrize(
    ("memory", "values", "context"),
    [
        (8 * GIB, {}, 4096),  # 3,000 of evidence, 400 of answer, 600 of instructions
        (8 * GIB, {"evidence_tokens": 3200}, 5120),
        (5 * GIB, {}, 2048),  # no room: the prompt is made smaller
        (1 * GIB, {}, 2048),
        (8 * GIB, {"evidence_tokens": 200}, 2048),
        (1 * GIB, {"llm_context_tokens": 8192}, 8192),  # a choice is a choice
    ],
)
def test_the_context_holds_what_is_wanted_where_there_is_memory(
    tmp_path: Path, model: Path, memory: int, values: dict[str, int], context: int
) -> None:
    assert machine.context_tokens(settings(tmp_path, **values), model, memory=memory) == context


def test_a_model_that_is_not_there_is_reported_later(tmp_path: Path) -> None:
    assert machine.context_tokens(settings(tmp_path), tmp_path / "absent.gguf", memory=8 * GIB) == 4096


def test_the_batch_is_chosen_or_follows_the_cores(tmp_path: Path) -> None:
    assert machine.batch_tokens(settings(tmp_path)) in (machine.BATCH, machine.LARGE_BATCH)
    assert machine.batch_tokens(settings(tmp_path, llm_batch_tokens=64)) == 64


@pytest.mark.parametrize("tokens", [1, 511])
def test_a_context_too_small_for_anything_is_refused(tmp_path: Path, tokens: int) -> None:
    with pytest.raises(SettingsError) as refused:
        settings(tmp_path, llm_context_tokens=tokens)
    assert refused.value.details["reason"] == "bounds"


@pytest.mark.parametrize(
    "url", ["machine:8000", "ftp://machine/v1", "http://", "http://moi:motdepasse@machine/v1", "http://machine:x/"]
)
def test_an_address_that_is_none_or_holds_a_key_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings(tmp_path, llm_url=url)
    assert refused.value.details["reason"] == "url"
    assert "motdepasse" not in str(refused.value)


def test_an_empty_address_is_none(tmp_path: Path) -> None:
    assert settings(tmp_path, llm_url=" ").llm_url is None
    assert settings(tmp_path, llm_url="http://machine:8000/v1").llm_url == "http://machine:8000/v1"
