"""``porism train``: models that are learnt from the texts and formulas of an index."""

from __future__ import annotations

import click

from porism.cli.grouping import CommandEntry, SectionedGroup

METHODS = {
    "Vectors of terms and formulas": {
        "word2vec": CommandEntry("training_vectors:word2vec", "Vectors of terms, by word2vec."),
        "fasttext": CommandEntry("training_vectors:fasttext", "Vectors of terms, by fastText."),
        "positional": CommandEntry("training_vectors:positional", "Vectors of terms, by positional word2vec."),
        "decontextualised": CommandEntry("training_vectors:decontextualised", "Vectors of terms, by a transformer."),
        "tangent-cft": CommandEntry("training_formulas:tangent_cft", "Vectors of formulas, by fastText over trees."),
        "formula-encoder": CommandEntry("training_formulas:formula_encoder", "An encoder of formulas."),
    },
    "Transformers": {
        "pairs": CommandEntry("training_transformers:pairs", "Mine training pairs from an index."),
        "encoder": CommandEntry("training_transformers:encoder", "An encoder of texts."),
        "reranker": CommandEntry("training_transformers:reranker", "A reranker."),
        "language-model": CommandEntry("training_transformers:language_model", "A language model, trained further."),
    },
    "Tokenizers": {
        "tokenizer": CommandEntry("training_vectors:tokenizer", "Byte-pair encoding of LaTeX, text, or both."),
        "extended": CommandEntry("training_vectors:extended", "A transformer with the tokens of a tokenizer of LaTeX."),
    },
}


@click.group(cls=SectionedGroup, sections=METHODS)
def train() -> None:
    """Learn models from the texts and formulas of an index, and keep them in its folder."""
