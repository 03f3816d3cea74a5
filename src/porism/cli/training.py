"""``porism train``: models that are learnt from the texts and formulas of an index."""

from __future__ import annotations

import click

from porism.cli.grouping import Entry, SectionedGroup

METHODS = {
    "Vectors of terms and formulas": {
        "word2vec": Entry("training_vectors:word2vec", "Vectors of terms, by word2vec."),
        "fasttext": Entry("training_vectors:fasttext", "Vectors of terms, by fastText."),
        "positional": Entry("training_vectors:positional", "Vectors of terms, by positional word2vec."),
        "decontextualised": Entry("training_neural:decontextualised", "Vectors of terms, averaged from a transformer."),
        "tangent-cft": Entry("training_formulas:tangent_cft", "Vectors of formulas, by fastText over their trees."),
        "formula-encoder": Entry("training_formulas:formula_encoder", "An encoder of formulas."),
    },
    "Transformers": {
        "pairs": Entry("training_pairs:pairs", "Mine training pairs from an index."),
        "encoder": Entry("training_encoders:encoder", "An encoder of texts."),
        "reranker": Entry("training_rerankers:reranker", "A reranker."),
        "language-model": Entry("training_language:language_model", "A language model, trained further."),
    },
    "Tokenizers": {
        "tokenizer": Entry("training_tokenizers:tokenizer", "Byte-pair encoding of LaTeX, text, or both."),
        "extended": Entry("training_neural:extended", "A transformer with the tokens of a tokenizer of LaTeX."),
    },
}


@click.group(cls=SectionedGroup, sections=METHODS)
def train() -> None:
    """Learn models from the texts and formulas of an index, and keep them in its folder."""
