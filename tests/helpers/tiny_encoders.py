"""Small encoders with random weights, and pairs that they can learn in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiny_models import save_bert, word_tokenizer

from porism.lab.train.pairs.base import Pair

SUBJECTS = "group ring field graph prime limit series matrix lattice module knot sheaf".split()
PROPERTIES = "finite open closed bounded simple free".split()

PAIRS = [
    Pair(f"what is a {one} {subject}", f"a {subject} that is {one} has a {one} part", (f"no {subject} of that sort",),
         "titles", scores=(2.0, 0.5))
    for subject in SUBJECTS for one in PROPERTIES
]
"""72 questions with their answers, a negative and the scores of a teacher."""

TEXTS = [text for pair in PAIRS for text in (pair.anchor, pair.positive, *pair.negatives)]


def save_encoder(folder: Path) -> Path:
    """A BERT with two layers of 16 numbers, mean pooling and the words of the pairs."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    bert = save_bert(folder.with_name(f"{folder.name}-bert"), TEXTS, limit=32)
    SentenceTransformer(modules=[Transformer(str(bert)), Pooling(16, "mean")], device="cpu").save_pretrained(
        str(folder), create_model_card=False
    )
    return folder


def hits(folder: Path, prefix: str = "") -> float:
    """The share of anchors whose positive is the nearest of all."""
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(folder), device="cpu")
    anchors = model.encode([f"{prefix}{pair.anchor}" for pair in PAIRS], normalize_embeddings=True)
    texts = model.encode([pair.positive for pair in PAIRS], normalize_embeddings=True)
    return float(((anchors @ texts.T).argmax(1) == range(len(PAIRS))).mean())


__all__ = ["PAIRS", "TEXTS", "hits", "save_encoder", "word_tokenizer"]
