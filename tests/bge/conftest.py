"""Tiny random models of bge-m3's and bge-reranker-v2-m3's architecture, saved as local folders."""

from __future__ import annotations

import pytest

from tests.bge.tiny import CROSS_ENCODER, ENCODER, cross_encoder, encoder


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder as bge-m3's."""
    return encoder(tmp_path_factory.mktemp("modèles") / ENCODER)


@pytest.fixture(scope="session")
def cross_folder(tmp_path_factory):
    """A folder as bge-reranker-v2-m3's."""
    return cross_encoder(tmp_path_factory.mktemp("modèles") / CROSS_ENCODER)


@pytest.fixture
def passes():
    """The forward passes that XLM-RoBERTa has run since the fixture was asked for, as batch sizes."""
    import torch
    from transformers import XLMRobertaModel

    seen = []

    def count(module, _args, output):
        if isinstance(module, XLMRobertaModel):
            seen.append(len(output[0]))

    hook = torch.nn.modules.module.register_module_forward_hook(count)
    yield seen
    hook.remove()
