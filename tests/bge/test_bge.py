"""The real loading code on a tiny random model of bge-m3's architecture, saved by the tests. `make test-bge`."""

import os
import socket

import numpy as np
import pytest

from engine.archive import open_archive
from engine.errors import ModelUnavailable
from engine.feeding import build_index
from engine.models import bge, load_models
from engine.values import Mode
from tests.bge.tiny import HIDDEN
from tests.factories import forum, save, settings

TEXTS = (
    "Régler un frein.",
    "Une chaîne",
    "mot " * 900,
    "é",
    "",
    *(f"Le message numéro {n}, " * n for n in range(1, 25)),
)


@pytest.fixture(scope="session")
def embed(folder):
    return bge.load(folder)


def test_vectors_are_finite_of_norm_one_and_in_the_order_of_the_texts(embed):
    texts = ["Régler un frein.", "Une chaîne", "mot " * 900, "é"]
    rows = embed(texts, "passage")
    assert rows.shape == (4, HIDDEN) and rows.dtype == np.float32
    assert np.isfinite(rows).all() and np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert np.allclose(embed([text], "query")[0], row, atol=1e-4)


def test_no_text_gives_no_row(embed):
    assert embed([], "passage").shape == (0, HIDDEN)


def test_the_name_changes_with_the_weights(folder, tmp_path):
    import shutil

    other = tmp_path / folder.name
    shutil.copytree(folder, other)
    assert bge.name(other) == bge.name(folder)
    (other / "config.json").write_text((other / "config.json").read_text() + " ")
    assert bge.name(other) != bge.name(folder)


def test_an_archive_is_indexed_and_searched_with_it_without_the_network(folder, tmp_path, monkeypatch):
    def refuse(self, address):
        raise AssertionError(f"network call to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    chosen = settings(tmp_path, bge_model=str(folder), bge_precision="fp32")
    save(tmp_path, forum())
    models = load_models(chosen)
    build_index(chosen, models)
    with open_archive(chosen, models) as archive:
        assert archive.status().dense_model == bge.name(folder)
        assert archive.agreement()
        found = archive.search("poncer les patins", mode=Mode.DENSE)
        assert found.notices == () and len(found.hits) == 10
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"


def test_a_folder_that_is_no_model_is_named(tmp_path):
    with pytest.raises(ModelUnavailable):
        bge.name(tmp_path / "nulle part")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable) as caught:
        bge.load(tmp_path)
    assert caught.value.details["path"] == str(tmp_path)


@pytest.fixture(scope="session")
def library(folder):
    """The same model as FlagEmbedding alone runs it."""
    from FlagEmbedding import BGEM3FlagModel

    return BGEM3FlagModel(str(folder), use_fp16=False, devices="cpu")


def test_vectors_are_those_of_the_librarys_own_encode(embed, library):
    expected = library.encode(list(TEXTS), batch_size=12, max_length=512)["dense_vecs"]
    assert np.abs(embed(TEXTS, "passage") - expected).max() < 1e-5


def test_a_single_query_runs_the_model_once(embed, library, passes):
    expected = library.encode(["poncer les patins"], max_length=512)["dense_vecs"]
    assert passes == [1, 1]  # the library's own way
    passes.clear()
    assert np.abs(embed(["poncer les patins"], "query") - expected).max() < 1e-5
    assert passes == [1]


def test_texts_go_through_the_model_once_in_batches_of_near_lengths(embed, passes):
    embed(TEXTS, "passage")
    assert sum(passes) == len(TEXTS) and max(passes) == bge.BATCH


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_a_lower_precision_has_its_own_name_and_close_vectors(folder, embed, precision):
    assert bge.name(folder, precision) == f"{bge.name(folder)}-{precision}"
    lower, exact = bge.load(folder, precision)(TEXTS, "passage"), embed(TEXTS, "passage")
    assert lower.shape == exact.shape and lower.dtype == np.float32
    assert np.allclose(np.linalg.norm(lower, axis=1), 1, atol=1e-5)
    assert (lower * exact).sum(axis=1).min() >= 0.99 and not np.array_equal(lower, exact)


def test_full_precision_after_a_lower_one_is_untouched(folder, embed):
    bge.load(folder, "int8"), bge.load(folder, "bf16")
    assert np.array_equal(bge.load(folder)(TEXTS[:2], "query"), embed(TEXTS[:2], "query"))


def test_a_precision_that_changes_the_vectors_is_refused(folder, tmp_path):
    import shutil

    from safetensors.torch import load_file, save_file

    spoilt = tmp_path / "bge-m3 gâté"
    shutil.copytree(folder, spoilt)
    weights = load_file(spoilt / "model.safetensors")
    for n in range(2):
        inner, outer = (f"encoder.layer.{n}.{part}.dense.weight" for part in ("intermediate", "output"))
        weights[inner] *= 30
        weights[outer] *= 30
        # One huge weight that nothing reads: harmless in fp32, but in 8 bits all others of its matrix round to zero.
        weights[inner][0, 0], weights[outer][:, 0] = 1e6, 0.0
    save_file(weights, spoilt / "model.safetensors", metadata={"format": "pt"})
    bge.load(spoilt)
    with pytest.raises(ModelUnavailable) as caught:
        bge.load(spoilt, "int8")
    assert caught.value.details["reason"] == "precision"
    assert caught.value.details["precision"] == "int8" and caught.value.details["cosine"] < 0.99


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("fpu sse2 avx2", "fp32"), ("fpu avx512_bf16 sse2", "bf16"), ("fpu amx_tile amx_bf16", "bf16"), ("", "fp32")],
)
def test_auto_is_bf16_only_where_the_processor_multiplies_it(tmp_path, monkeypatch, flags, expected):
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\nbogomips\t: 1\n")
    monkeypatch.setattr(bge, "CPU_FACTS", tmp_path / "cpuinfo")
    assert bge.resolve("auto") == expected
    monkeypatch.setattr(bge, "CPU_FACTS", tmp_path / "absent")
    assert bge.resolve("auto") == "fp32" and bge.resolve("int8") == "int8"


def test_only_a_folder_of_bge_m3s_own_shape_reads_the_forums_vectors(folder, tmp_path):
    import json

    assert not bge.is_m3(folder) and not bge.is_m3(tmp_path / "nulle part")
    assert load_models(settings(tmp_path, bge_model=str(folder), bge_precision="fp32")).reads == frozenset()
    own = tmp_path / "bge-m3"
    own.mkdir()
    (own / "config.json").write_text(json.dumps(bge.M3))
    assert not bge.is_m3(own)  # an encoder of that shape, without bge-m3's own heads
    (own / "colbert_linear.pt").touch()
    assert bge.is_m3(own)
    name = bge.name(own)
    reads = load_models(settings(tmp_path, bge_model=str(own), bge_precision="fp32")).reads
    assert reads == {"discourse:bge-m3", f"discourse:bge-m3+{name}"}
