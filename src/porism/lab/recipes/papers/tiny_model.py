"""A tiny language model with random weights, made on the spot: what the scale ``smoke`` trains encoders from."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import orjson

from porism.extras import need
from porism.sample import ENTRIES
from porism.system.files.durable import remove_tree

LIBRARIES = ("torch", "transformers", "sentence_transformers", "datasets", "accelerate")
"""What training an encoder needs."""

_SPECIAL = {
    "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
}
_WORDS = 400
_TOKENS = 64


def can_train() -> bool:
    """Whether the libraries are installed that training an encoder needs."""
    return all(find_spec(library) is not None for library in LIBRARIES)


def write_tiny_model(folder: Path) -> Path:
    """A BERT with one layer of 16 numbers, whose WordPiece vocabulary is that of the bundled sample. A folder that is
    there stays as it is; it appears whole or not at all.

    :raises MissingExtra: torch or transformers is not installed.
    """
    if folder.exists():
        return folder
    torch = need("torch", "neural", "training an encoder")
    transformers = need("transformers", "neural", "training an encoder")
    part = folder.with_name(f".{folder.name}.part")
    remove_tree(part)
    entries = [orjson.loads(line) for line in ENTRIES.read_bytes().splitlines()]
    texts = [f"{entry['title']} {entry['body']}" for entry in entries]
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=_tokenizer(texts), model_max_length=_TOKENS, **_SPECIAL
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=_TOKENS, pad_token_id=tokenizer.pad_token_id,
    )
    transformers.BertModel(config).save_pretrained(part)
    tokenizer.save_pretrained(part)
    os.replace(part, folder)
    return folder


def _tokenizer(texts: Iterable[str]) -> object:
    """WordPiece over all characters and the most frequent words, of equally frequent ones the first by the alphabet."""
    library = need("tokenizers", "neural", "training an encoder")
    normalizer, splitter = library.normalizers.BertNormalizer(), library.pre_tokenizers.BertPreTokenizer()
    counts = Counter(word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    letters = sorted({letter for word in counts for letter in word})
    words = sorted((word for word in counts if len(word) > 1), key=lambda word: (-counts[word], word))
    known = [*_SPECIAL.values(), *letters, *(f"##{letter}" for letter in letters), *words[:_WORDS]]
    model = library.models.WordPiece({word: at for at, word in enumerate(known)}, unk_token="[UNK]")
    tokenizer = library.Tokenizer(model)
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = library.decoders.WordPiece()
    around = [("[CLS]", known.index("[CLS]")), ("[SEP]", known.index("[SEP]"))]
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=around
    )
    return tokenizer
