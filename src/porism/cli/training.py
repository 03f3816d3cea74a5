"""``porism train``: models that are learnt from the texts and formulas of an index."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.grouping import Entry, SectionedGroup
from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo

METHODS = {
    "Vectors of terms and formulas": {
        "word2vec": Entry("training_vectors:word2vec", "Vectors of terms, by word2vec."),
        "fasttext": Entry("training_vectors:fasttext", "Vectors of terms, by fastText."),
        "positional": Entry("training_vectors:positional", "Vectors of terms, by positional word2vec."),
        "decontextualised": Entry("training_neural:decontextualised", "Vectors of terms, averaged from a transformer."),
        "tangent-cft": Entry("training:tangent_cft", "Vectors of formulas, by fastText over their trees."),
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


@click.command()
@index_option
@click.option("--dimensions", type=int, default=100, show_default=True, help="Numbers of a vector.")
@click.option("--window", type=int, default=5, show_default=True,
              help="Words on either side of a word that it is learnt from.")
@click.option("--epochs", type=int, default=5, show_default=True, help="How often each formula is read.")
@click.option("--negative", type=int, default=5, show_default=True, help="Negative samples for each pair of words.")
@click.option("--min-n", type=int, default=3, show_default=True, help="The shortest n-grams of a word.")
@click.option("--max-n", type=int, default=6, show_default=True, help="The longest n-grams of a word.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other numbers give other vectors.")
@click.option("--workers", type=int, default=1, show_default=True,
              help="Threads; with more than one, no two trainings give the same vectors.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def tangent_cft(
    index_path: Path, dimensions: int, window: int, epochs: int, negative: int, min_n: int, max_n: int,
    seed: int, workers: int, quiet: bool,
) -> None:
    """Learn vectors of formulas from the formulas of an index, and keep them in its folder.

    Tangent-CFT is fastText over the tuples of both trees of a formula. Training needs gensim
    (pip install 'porism[embeddings]'); searching by the vectors does not.
    """
    import time
    from dataclasses import replace

    from porism.vectors.formula_vectors.tangent_cft import TRAINING, train_tangent_cft

    settings = replace(
        TRAINING, dimensions=dimensions, window=window, epochs=epochs, negative=negative, min_n=min_n, max_n=max_n,
        seed=seed, workers=workers,
    )
    started = time.monotonic()
    with counting_progress("training", quiet) as progress:
        path = train_tangent_cft(index_path, settings, on_progress=progress)
    if not quiet:
        size = path.stat().st_size / 1e6
        echo(f"trained in {time.monotonic() - started:.1f} s: {path} ({size:.1f} MB)")
