"""FlagEmbedding runs models that transformers names in tables and loads by name: only those of bge-m3's kind go in."""

from PyInstaller.utils.hooks import collect_submodules

# "bloom" is imported whole by peft, "encoder_decoder" and "auto" by transformers itself.
MODELS = ("auto", "bloom", "encoder_decoder", "roberta", "xlm_roberta")

hiddenimports = [
    "sentencepiece",
    *collect_submodules("transformers", filter=lambda name: not name.startswith("transformers.models.")),
    *(name for model in MODELS for name in collect_submodules(f"transformers.models.{model}")),
]
module_collection_mode = "pyz+py"  # transformers' decorators read the sources of the models that they stand on
