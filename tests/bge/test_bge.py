"""The real FlagEmbedding code on a tiny random model of bge-m3's architecture, saved by the test. `make test-bge`."""

import os
import socket

import numpy as np
import pytest

from engine.archive import build_index, open_archive
from engine.errors import ModelUnavailable
from engine.models import bge, load_models
from engine.values import Mode
from tests.factories import forum, save, settings

HIDDEN = 32


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder as bge-m3's: XLM-RoBERTa, its tokenizer, and the two extra heads."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    path = tmp_path_factory.mktemp("modèles") / "bge-m3 d’essai"
    texts = [item.parts.text for item in forum() if hasattr(item, "parts")]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(
        texts, trainers.UnigramTrainer(vocab_size=400, special_tokens=special, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>",
        unk_token="<unk>", pad_token="<pad>", mask_token="<mask>", model_max_length=512,
    ).save_pretrained(path)  # fmt: skip
    torch.manual_seed(1)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=514, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(path)
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), path / "colbert_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), path / "sparse_linear.pt")
    return path


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
    chosen = settings(tmp_path, bge_model=str(folder))
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
