"""The models of a data folder: what is there, what is wrong with it, and what the settings make of it."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections import namedtuple
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import Cancelled, DiskFull, DownloadFailed
from engine.models import adding, catalogue, load_models, shelf
from engine.models.catalogue import ModelFile
from engine.values import Progress
from tests.factories import settings

GGUF = b"GGUF" + b"poids" * 1000
RERANKER = {
    "config.json": b'{"architectures": ["XLMRobertaForSequenceClassification"], "id2label": {"0": "LABEL_0"}}',
    "model.safetensors": (2).to_bytes(8, "little") + b"{}" + bytes(100),
    "tokenizer.json": b"{}",
    "lisezmoi.md": b"Un modele.",
}
ENCODER = {
    "config.json": b'{"architectures": ["XLMRobertaModel"]}',
    "pytorch_model.bin": b"PK\x03\x04poids",
    "colbert_linear.pt": b"PK\x03\x04",
}


def stick(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder of files, as a USB stick has them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "données"


@pytest.fixture
def gguf_file(tmp_path: Path) -> Path:
    return stick(tmp_path / "clé USB", {"Mon Modèle-Q4.gguf": GGUF}) / "Mon Modèle-Q4.gguf"


def test_an_empty_data_folder_has_no_model(data: Path) -> None:
    assert shelf.installed(data) == ()
    assert shelf.completed(settings(data)) == settings(data)


def test_a_gguf_is_copied_whole_and_found_without_being_named(data: Path, gguf_file: Path) -> None:
    heard: list[Progress] = []
    model = adding.add(gguf_file, data, on_progress=heard.append)
    gguf_file.unlink()  # the stick may leave
    assert model.path.read_bytes() == GGUF and model.path.is_relative_to(data)
    assert (model.name, model.role, model.licence) == ("mon-modele-q4", "llm", None)
    assert model.files == (ModelFile("Mon Modèle-Q4.gguf", len(GGUF), sha256(GGUF).hexdigest()),)
    assert heard[-1].stage == "copy" and heard[-1].done == heard[-1].total == len(GGUF)
    assert shelf.installed(data) == (model,)
    assert shelf.completed(settings(data)).llm_model == model.path


def test_a_gguf_may_be_left_where_it_is(data: Path, gguf_file: Path) -> None:
    model = adding.add(gguf_file, data, leave=True)
    assert model.path == gguf_file
    assert shelf.installed(data)[0].path == gguf_file
    assert not list(data.rglob("*.gguf"))
    gguf_file.unlink()
    assert [flaw.reason for flaw in shelf.flaws(model)] == ["missing"]


def test_a_data_folder_can_be_moved_with_its_models(data: Path, gguf_file: Path, tmp_path: Path) -> None:
    adding.add(gguf_file, data)
    data.rename(tmp_path / "ailleurs")
    (model,) = shelf.installed(tmp_path / "ailleurs")
    assert model.path.read_bytes() == GGUF and shelf.flaws(model) == ()


@pytest.mark.parametrize(("files", "role"), [(RERANKER, "rerank"), (ENCODER, "embed")])
def test_the_folder_of_another_model_is_known_by_its_configuration(
    data: Path, tmp_path: Path, files: dict[str, bytes], role: str
) -> None:
    model = adding.add(stick(tmp_path / "Autre", files), data)
    assert (model.name, model.role, model.path) == ("autre", role, data / "models" / "autre")
    assert [file.path for file in model.files] == sorted(set(files) - {"lisezmoi.md"})


def test_a_folder_that_holds_one_gguf_is_that_gguf(data: Path, gguf_file: Path) -> None:
    assert adding.add(gguf_file.parent, data).path.name == gguf_file.name
    stick(gguf_file.parent, {"autre.gguf": GGUF})
    with pytest.raises(DownloadFailed, match="several"):
        adding.add(gguf_file.parent, data)


@pytest.mark.parametrize(
    ("files", "source", "reason"),
    [
        ({}, "absent.gguf", "not_found"),
        ({}, "", "not_a_model"),
        ({"notes.gguf": b"Ceci n'est pas un modele."}, "notes.gguf", "not_a_model"),
        ({"notes.txt": b"Rien."}, "notes.txt", "not_a_model"),
        ({"config.json": b"{}"}, "", "not_a_model"),
        ({"config.json": b'{"architectures": ["BertModel"]}'}, "", "not_a_model"),
        ({**RERANKER, "model.safetensors": b"\xff" * 20}, "", "damaged"),
        ({**RERANKER, "tokenizer.json": b"{coup"}, "", "damaged"),
    ],
)
def test_what_is_no_model_is_refused_and_nothing_is_kept(
    data: Path, tmp_path: Path, files: dict[str, bytes], source: str, reason: str
) -> None:
    with pytest.raises(DownloadFailed) as refused:
        adding.add(stick(tmp_path / "clé", files) / source, data)
    assert refused.value.details["reason"] == reason
    assert shelf.installed(data) == ()


def test_a_file_of_the_catalogue_gets_its_name_and_licence(
    data: Path, gguf_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = replace(catalogue.entries()[0], files=(ModelFile("x.gguf", sha256=sha256(GGUF).hexdigest()),))
    monkeypatch.setattr(catalogue, "entries", lambda: (known,))
    model = adding.add(gguf_file, data)
    assert (model.name, model.licence, model.repo) == (known.name, known.licence, known.repo)


def test_a_copy_given_up_leaves_nothing_and_can_begin_again(data: Path, gguf_file: Path) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        adding.add(gguf_file, data, check=stop)
    assert shelf.installed(data) == ()
    assert adding.add(gguf_file, data).path.read_bytes() == GGUF


def test_a_disk_too_small_is_seen_before_the_copy(data: Path, gguf_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9, 1000))
    with pytest.raises(DiskFull):
        adding.add(gguf_file, data)
    assert adding.add(gguf_file, data, leave=True)  # which takes no room


def test_each_flaw_is_named(data: Path, tmp_path: Path) -> None:
    model = adding.add(stick(tmp_path / "Autre", RERANKER), data)
    assert shelf.flaws(model) == ()
    weights = model.at / "model.safetensors"
    whole = weights.read_bytes()
    for content, reason in ((whole[:-1], "size"), (whole[:-1] + b"x", "hash"), (b"\xff" * len(whole), "format")):
        weights.write_bytes(content)
        assert [(flaw.path, flaw.reason) for flaw in shelf.flaws(model)] == [(weights, reason)]
    weights.unlink()
    assert [flaw.reason for flaw in shelf.flaws(model)] == ["missing"]


def test_a_check_reports_the_bytes_of_all_files(data: Path, tmp_path: Path) -> None:
    model = adding.add(stick(tmp_path / "Autre", RERANKER), data)
    heard: list[int] = []
    shelf.flaws(model, heard.append)
    assert heard == sorted(heard) and heard[-1] == model.size


def test_the_last_model_added_is_used_and_a_setting_wins(data: Path, tmp_path: Path, gguf_file: Path) -> None:
    adding.add(gguf_file, data)
    second = adding.add(stick(tmp_path / "b", {"second.gguf": GGUF + b"2"}) / "second.gguf", data)
    assert [model.name for model in shelf.installed(data)] == ["second", "mon-modele-q4"]
    assert shelf.completed(settings(data)).llm_model == second.path
    named = settings(data, llm_model=gguf_file)
    assert shelf.completed(named) == named


def test_a_model_whose_library_is_not_installed_is_left_alone(
    data: Path, tmp_path: Path, gguf_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adding.add(gguf_file, data)
    adding.add(stick(tmp_path / "Autre", RERANKER), data)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert shelf.completed(settings(data)) == settings(data)
    models = load_models(settings(data))
    assert models.generate is None and models.rerank is None


def test_a_reranker_that_left_with_its_stick_is_not_missed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)  # its library is in another environment
    model = adding.add(stick(tmp_path / "Autre", RERANKER), data, leave=True)
    assert shelf.completed(settings(data)).reranker_model == model.at
    (model.at / "model.safetensors").unlink()
    assert shelf.installed(data) == (model,)
    assert shelf.completed(settings(data)) == settings(data)


@pytest.mark.parametrize("damage", ["{", "[]", '{"format": 2}', '{"format": 1, "role": "poète"}'])
def test_a_manifest_that_cannot_be_read_hides_its_model_only(data: Path, gguf_file: Path, damage: str) -> None:
    model = adding.add(gguf_file, data)
    other = data / "models" / "autre"
    other.mkdir()
    (other / shelf.MANIFEST).write_text(damage)
    assert shelf.installed(data) == (model,)


def test_the_manifest_says_where_the_model_comes_from(data: Path, gguf_file: Path) -> None:
    model = adding.add(gguf_file, data)
    document = json.loads((model.at / shelf.MANIFEST).read_text("utf-8"))
    assert document["files"] == [{"path": gguf_file.name, "size": len(GGUF), "sha256": sha256(GGUF).hexdigest()}]
    assert document["at"] is None and document["format"] == 1
