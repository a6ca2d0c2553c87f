"""The catalogue: well-formed, no name twice, and only what can be known."""

from __future__ import annotations

import re

import pytest

from engine.errors import ModelUnavailable
from engine.models import catalogue
from engine.models.catalogue import Entry, find, known, plain_name


@pytest.mark.parametrize("entry", catalogue.entries(), ids=lambda entry: entry.name)
def test_every_model_is_well_described(entry: Entry) -> None:
    assert entry.name == plain_name(entry.name)  # good as the name of a folder
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", entry.repo)
    assert entry.revision is None or re.fullmatch(r"[0-9a-f]{40}", entry.revision)
    assert entry.licence and entry.memory_gb and entry.size
    assert entry.memory_gb * 1e9 > entry.size * 1.2
    for file in entry.files:
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert ".." not in file.path and not file.path.startswith("/")
    weights = max(entry.files, key=lambda file: file.size or 0)
    assert weights.sha256, "what is loaded as code or as weights has a known hash"
    assert (entry.role == "llm") == (len(entry.files) == 1 and entry.files[0].path.endswith(".gguf"))


def test_names_are_unique_and_each_role_has_a_model() -> None:
    names = [entry.name for entry in catalogue.entries()]
    assert len(set(names)) == len(names)
    assert {entry.role for entry in catalogue.entries()} == {"llm", "embed", "rerank"}


def test_language_models_go_from_the_lightest_to_the_heaviest() -> None:
    sizes = [entry.size or 0 for entry in catalogue.entries() if entry.role == "llm"]
    assert sizes == sorted(sizes)


def test_a_model_is_found_by_its_name_in_any_case() -> None:
    assert find("Qwen3-4B").repo == "unsloth/Qwen3-4B-Instruct-2507-GGUF"


def test_a_gguf_of_the_hub_is_named_by_its_address() -> None:
    entry = find("Une-Equipe/Un.Modele-GGUF/sous/Modele_Q4.gguf")
    assert (entry.repo, entry.files[0].path) == ("Une-Equipe/Un.Modele-GGUF", "sous/Modele_Q4.gguf")
    assert (entry.name, entry.role, entry.size, entry.revision) == ("modele_q4", "llm", None, None)


@pytest.mark.parametrize("name", ["inconnu", "a/b", "a/b/c.bin", "a/../c.gguf", "a/b/../../c.gguf", "/a/b/c.gguf", ""])
def test_any_other_name_is_unknown(name: str) -> None:
    with pytest.raises(ModelUnavailable) as failure:
        find(name)
    assert failure.value.details == {"role": "catalogue", "path": name, "reason": "unknown_model"}


def test_a_file_is_known_by_its_hash() -> None:
    entry = find("qwen3-4b")
    assert known(entry.files[0].sha256 or "") == entry
    assert known("0" * 64) is None


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("C:\\Modèles\\Mon Modèle.gguf", "mon-modele"),
        ("/m/bge-m3/", "bge-m3"),
        ("...", "model"),
        ("/m/..gguf", "model"),
    ],
)
def test_a_plain_name_is_good_everywhere(path: str, name: str) -> None:
    assert plain_name(path) == name
