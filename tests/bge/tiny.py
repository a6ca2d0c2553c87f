"""Tiny random models of bge-m3's and bge-reranker-v2-m3's architecture: `python -m tests.bge.tiny FOLDER` saves both."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.factories import forum

HIDDEN = 32
ENCODER, CROSS_ENCODER = "bge-m3 d’essai", "reclasseur d’essai"  # their folders


def encoder(path):
    """A folder as bge-m3's: XLM-RoBERTa, its tokenizer, and the two extra heads."""
    import torch
    from transformers import XLMRobertaModel

    vocabulary = tokenizer(path)
    torch.manual_seed(1)
    XLMRobertaModel(config(vocabulary)).save_pretrained(path)
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), path / "colbert_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), path / "sparse_linear.pt")
    return path


def cross_encoder(path):
    """A folder as bge-reranker-v2-m3's: XLM-RoBERTa with one label for a pair."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    vocabulary = tokenizer(path)
    torch.manual_seed(2)
    model = XLMRobertaForSequenceClassification(config(vocabulary, num_labels=1))
    with torch.no_grad():
        for weights in model.classifier.parameters():  # scores that are not all alike
            weights.mul_(40)
    model.save_pretrained(path)
    return path


def tokenizer(path):
    """A tokenizer of XLM-RoBERTa's kind, trained on the tiny forum."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(
        [item.parts.text for item in forum() if hasattr(item, "parts")],
        trainers.UnigramTrainer(vocab_size=400, special_tokens=special, unk_token="<unk>"),
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>",
        unk_token="<unk>", pad_token="<pad>", mask_token="<mask>", model_max_length=512,
    ).save_pretrained(path)  # fmt: skip
    return made.get_vocab_size()


def config(vocabulary, **values):
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=vocabulary, hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=514, pad_token_id=1, bos_token_id=0, eos_token_id=2, **values,
    )  # fmt: skip


if __name__ == "__main__":
    encoder(Path(sys.argv[1]) / ENCODER)
    cross_encoder(Path(sys.argv[1]) / CROSS_ENCODER)
