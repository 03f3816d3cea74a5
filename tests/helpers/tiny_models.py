"""Small models of transformers with random weights, and tokenizers trained on the spot: what a hub would have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

REASON = "neural parts need torch and transformers: pip install 'porism[neural]'"

TEXTS = (
    "The series converges to a limit, and its sum is rational.",
    "A prime number divides a product only where it divides a factor.",
    "Every continuous function on a closed interval has a maximum.",
    r"Let $\frac{a}{b}$ be a fraction and $x^2 + y_1 = \alpha$ an equation.",
)


def need_models() -> None:
    """Skips the tests of a module where the extra is missing."""
    torch = pytest.importorskip("torch", reason=REASON)
    pytest.importorskip("transformers", reason=REASON)
    torch.set_num_threads(1)  # for models of this size more only wait for one another


def need_encoders() -> None:
    """Skips the tests of a module where sentence-transformers is missing too."""
    need_models()
    pytest.importorskip("sentence_transformers", reason=REASON)


def write_notes(folder: Path) -> Path:
    """``notes.jsonl`` with a document of each of the texts."""
    source = folder / "notes.jsonl"
    source.write_text("".join(
        json.dumps({"id": f"n{number}", "title": f"Note {number}", "body": text}) + "\n"
        for number, text in enumerate(TEXTS)
    ))
    return source


def bpe_tokenizer(texts: Iterable[str] = TEXTS, size: int = 400, **special: str) -> Any:
    """A byte-level BPE tokenizer: any text can be read and written back."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    special = special or {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special.values()), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def word_tokenizer(texts: Iterable[str] = TEXTS, size: int = 200, limit: int = 512) -> Any:
    """A WordPiece tokenizer as BERT has, with ``[CLS]`` and ``[SEP]`` around a text.

    Its vocabulary is that of any run: all characters, and the most frequent words, the first by the alphabet of equally
    frequent ones. (The library's trainer breaks ties as it likes.)
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = {
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"
    }
    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    counts = Counter(
        word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))
    )
    letters = sorted({letter for word in counts for letter in word})
    words = sorted((word for word in counts if len(word) > 1), key=lambda word: (-counts[word], word))
    known = [*special.values(), *letters, *(f"##{letter}" for letter in letters)]
    known += words[: max(0, size - len(known))]
    tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = decoders.WordPiece()
    around = [("[CLS]", tokenizer.token_to_id("[CLS]")), ("[SEP]", tokenizer.token_to_id("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=around
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=limit, **special)


def save_t5(folder: Path, texts: Iterable[str] = TEXTS) -> Path:
    """A T5 with two layers of 16 numbers."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = bpe_tokenizer(texts)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, n_positions=64,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return _save(folder, T5ForConditionalGeneration(config), tokenizer)


def save_causal(folder: Path, positions: int = 512) -> Path:
    """A GPT-2 with two layers of 16 numbers, which writes nonsense."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = bpe_tokenizer()
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2, n_positions=positions,
        bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )
    return _save(folder, GPT2LMHeadModel(config), tokenizer)


def save_mono(folder: Path, *words: str, texts: Iterable[str] = TEXTS, **changes: Any) -> Path:
    """A T5 whose tokenizer has some words as tokens, by default *true* and *false*, and a frame's words; ``changes``
    are of its configuration."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = bpe_tokenizer(texts, 400 if texts is TEXTS else 600)
    tokenizer.add_tokens(list(words) or ["true", "false"])
    torch.manual_seed(0)
    config = T5Config(**{
        "vocab_size": len(tokenizer), "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2,
        "n_positions": 128, "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id,
        "initializer_factor": 2.0, "decoder_start_token_id": tokenizer.pad_token_id, **changes,
    })
    return _save(folder, T5ForConditionalGeneration(config), tokenizer)


def save_bart(folder: Path) -> Path:
    """A BART with one layer of 16 numbers and 32 positions."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = bpe_tokenizer(bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=32,
        bos_token_id=tokenizer.bos_token_id, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id, forced_eos_token_id=tokenizer.eos_token_id,
    )
    return _save(folder, BartForConditionalGeneration(config), tokenizer)


def save_bert(folder: Path, texts: Iterable[str] = TEXTS, limit: int = 512) -> Path:
    """A BERT with two layers of 16 numbers that reads ``limit`` tokens."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = word_tokenizer(texts, limit=limit)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=limit, pad_token_id=tokenizer.pad_token_id,
    )
    return _save(folder, BertForMaskedLM(config), tokenizer)


def save_cross_encoder(folder: Path, limit: int = 64, seed: int = 0, labels: int = 1) -> Path:
    """A sequence classification of 16 numbers: what sentence-transformers calls a cross-encoder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = word_tokenizer(limit=limit)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=limit, pad_token_id=tokenizer.pad_token_id, initializer_range=0.5, num_labels=labels,
    )
    _save(folder, BertForSequenceClassification(config), tokenizer)
    described = folder / "tokenizer_config.json"
    names = {"model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
    described.write_text(json.dumps(json.loads(described.read_text()) | names))
    return folder


def save_albert(folder: Path, limit: int = 512) -> Path:
    """An ALBERT of 16 numbers that tells two classes apart, as a classifier of right answers does."""
    import torch
    from transformers import AlbertConfig, AlbertForSequenceClassification

    tokenizer = word_tokenizer(limit=limit)
    torch.manual_seed(0)
    config = AlbertConfig(
        vocab_size=len(tokenizer), embedding_size=8, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=limit, pad_token_id=tokenizer.pad_token_id, num_labels=2,
        initializer_range=0.5,
    )
    return _save(folder, AlbertForSequenceClassification(config), tokenizer)


def save_encoder(folder: Path, texts: Iterable[str] = TEXTS, limit: int = 64, seed: int = 0) -> Path:
    """An encoder of sentence-transformers: a BERT of 16 numbers with mean pooling."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel

    tokenizer = word_tokenizer(texts, limit=limit)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=limit, pad_token_id=tokenizer.pad_token_id, initializer_range=0.3,
    )
    inner = _save(folder.with_name(f"{folder.name}-inner"), BertModel(config), tokenizer)
    SentenceTransformer(modules=[Transformer(str(inner)), Pooling(16)], device="cpu").save(str(folder))
    return folder


def save_splade(
    folder: Path, texts: Iterable[str] = TEXTS, limit: int = 64, seed: int = 0, static: bool = False
) -> Path:
    """A sparse encoder of sentence-transformers: a masked language model of 16 numbers with SPLADE's pooling.

    With ``static`` queries need no model: each token has a weight of its own.
    """
    import torch
    from sentence_transformers import SparseEncoder
    from sentence_transformers.base.modules import Router, Transformer
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = word_tokenizer(texts, limit=limit)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=limit, pad_token_id=tokenizer.pad_token_id, initializer_range=0.6,
    )
    model = BertForMaskedLM(config)
    model.cls.predictions.bias.data -= 2.0  # many terms have no weight in a text
    inner = _save(folder.with_name(f"{folder.name}-inner"), model, tokenizer)
    modules: list[Any] = [Transformer(str(inner), transformer_task="fill-mask"), SpladePooling("max")]
    if static:
        table = SparseStaticEmbedding(modules[0].tokenizer, torch.rand(len(tokenizer)) * 3)
        modules = [Router.for_query_document(query_modules=[table], document_modules=modules)]
    SparseEncoder(modules=modules, device="cpu").save(str(folder))
    return folder


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
