"""How fast positional word2vec trains, beside gensim's plain word2vec (CBOW, negative sampling).

::

    python -m benchmarks speed word2vec                                   # texts made up from a seed
    python -m benchmarks speed word2vec --index DIR --channel tokens      # those of a channel of an index

Both read the same texts with the same settings, one epoch from memory (gensim: lists of strings; here: numbers), and
take turns in one process. Figures are medians over the rounds of the seconds of an epoch and of the processor's seconds
(which other work on the machine changes less), and ratios of the processor's seconds round by round. ``plain`` is our
kernel with no positional features. Prints a table and, with ``--output``, writes JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import gensim
import numpy as np

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index import Snapshot
from porism.vectors.embeddings import Positional, TokenTexts, channel_texts
from porism.vectors.embeddings.corpus import Corpus
from porism.vectors.embeddings.positional import PositionalTrainer

MAX_LENGTH = 10_000  # gensim reads no more of a text


def made_up(tokens: int, terms: int, seed: int) -> TokenTexts:
    """Texts of 100 terms on average, with the frequencies of Zipf's law."""
    random = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, terms + 1)
    drawn = random.choice(terms, tokens, p=share / share.sum()).astype(np.int32)
    cuts = np.unique(random.integers(1, tokens, tokens // 100))
    return TokenTexts([f"t{term}" for term in range(terms)], drawn, np.array([0, *cuts, tokens], np.int64))


def of_index(path: str, channel: str) -> TokenTexts:
    """The texts of a channel."""
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, path))
        started = time.perf_counter()
        texts = channel_texts(snapshot, analyzer, channel)
        print(f"read and encoded in {time.perf_counter() - started:.1f} s")
        return texts


def by_gensim(texts: list[list[str]], settings: Positional) -> None:
    """One epoch of gensim, timed by the caller from a model that is ready."""
    model = gensim.models.Word2Vec(
        vector_size=settings.dimensions, window=settings.window, negative=settings.negative, min_count=1,
        sample=settings.sample, alpha=settings.rate, min_alpha=settings.last_rate, seed=settings.seed,
        workers=settings.workers,
    )
    model.build_vocab(texts)
    timed("gensim", lambda: model.train(texts, total_examples=len(texts), epochs=1))


TIMES: dict[str, list[tuple[float, float]]] = {}


def timed(name: str, work: Callable[[], object]) -> None:
    """Does a work and keeps its seconds and the processor's."""
    started, processor = time.perf_counter(), time.process_time()
    work()
    TIMES.setdefault(name, []).append((time.perf_counter() - started, time.process_time() - processor))


def ours(name: str, corpus: Corpus, settings: Positional) -> None:
    """One epoch of the kernel."""
    trainer = PositionalTrainer(corpus, settings)
    timed(name, lambda: trainer.train_epoch(0, lambda tokens: None))


def main() -> None:
    """Runs the comparison that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index")
    parser.add_argument("--channel", default="words")
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--terms", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--positional", type=int, default=60)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--sample", type=float, default=1e-4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    texts = of_index(given.index, given.channel) if given.index else made_up(given.tokens, given.terms, 1)
    common = {
        "dimensions": given.dimensions, "window": given.window, "sample": given.sample, "epochs": 1,
        "workers": given.workers,
    }
    settings = Positional(**common, positional=given.positional)
    plain = Positional(**common, positional=0)
    corpus = Corpus(texts, settings)
    strings = list(corpus.strings(0))
    print(f"{corpus.text_count:,} texts, {corpus.token_count:,} terms, {len(corpus.terms):,} distinct; {settings}")
    ours("positional", Corpus(TokenTexts.of([["a", "b"] * 5]), settings), settings)  # compiles
    TIMES.clear()
    for _ in range(given.rounds):
        ours("positional", corpus, settings)
        by_gensim(strings, settings)
        ours("plain", corpus, plain)
    result = {}
    for name, times in TIMES.items():
        ratios = [own[1] / other[1] for own, other in zip(times, TIMES["gensim"], strict=True)]
        seconds = median(wall for wall, _ in times)
        result[name] = {
            "seconds": round(seconds, 3), "processor": round(median(cpu for _, cpu in times), 3),
            "ratio": round(median(ratios), 3), "ratios": [round(ratio, 3) for ratio in ratios],
            "terms a second": round(corpus.token_count / seconds),
        }
        print(f"{name:11} {result[name]}")
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
