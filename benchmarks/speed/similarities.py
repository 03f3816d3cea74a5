"""How fast token similarity matrices are built, and in how much memory, beside gensim.

::

    python -m benchmarks speed similarities --index DIR
    python -m benchmarks speed similarities --index DIR --sizes 10000,50000 --gensim-sizes 1000,5000

The terms are those of a channel of an index, the most frequent first; where a channel has fewer, terms are made up of
halves of others. Vectors are made up from a seed: 300 dimensions, 200 clusters. Each case runs in a process of its own,
one after the other; *peak MiB* is the largest resident set of that process, *base MiB* what it had before the build.
*CPU s* are seconds of processor time of all its threads, which other programs disturb less than *s*, the time that
passed. gensim's LevenshteinSimilarityIndex (distances up to 3), WordEmbeddingSimilarityIndex (exact, exponent 4) and
SparseTermSimilarityMatrix (100, symmetric) compare term by term, so they get smaller vocabularies. The last column is
the share of gensim's cells that Porism's matrix has too, where it was built of the same terms.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks import RESULTS

DIMENSIONS = 300
CLUSTERS = 200
ALPHA = {"lexical": 1.0, "semantic": 0.0, "combined": 0.6}


def material(index: str, channel: str, size: int) -> tuple[list[str], Any, Any]:
    """``size`` terms in code-point order, their document frequencies and vectors."""
    from porism.index import Snapshot
    from porism.vectors.similarity import channel_vocabulary

    with Snapshot.open(index) as snapshot:
        found = channel_vocabulary(snapshot, channel, size)
    frequency = dict(zip(found.terms, found.df.tolist(), strict=True))
    rng = np.random.default_rng(0)
    while len(frequency) < size:
        first, second = (found.terms[int(number)] for number in rng.integers(len(found.terms), size=2))
        frequency.setdefault(first[: len(first) // 2 + 1] + second[len(second) // 2 :], 1)
    terms = sorted(frequency)
    centres = rng.normal(size=(CLUSTERS, DIMENSIONS))[rng.integers(CLUSTERS, size=size)]
    vectors = (rng.normal(size=(size, DIMENSIONS)) + centres).astype(np.float32)
    return terms, np.array([frequency[term] for term in terms]), vectors


def porism_matrix(kind: str, terms: list[str], df: Any, vectors: Any) -> Any:
    """Porism's matrix as (indptr, columns, values)."""
    from porism.vectors.similarity import SimilaritySettings, token_similarities

    settings = SimilaritySettings(alpha=ALPHA[kind])
    return token_similarities(terms, vectors, settings, frequencies=df)


def gensim_matrix(kind: str, terms: list[str], df: Any, vectors: Any) -> Any:
    """gensim's matrix of the same kind, as a SciPy matrix whose columns are terms in order of rarity."""
    from gensim.corpora import Dictionary
    from gensim.models import KeyedVectors, TfidfModel
    from gensim.similarities import (
        LevenshteinSimilarityIndex,
        SparseTermSimilarityMatrix,
        WordEmbeddingSimilarityIndex,
    )

    dictionary = Dictionary()
    dictionary.token2id = {term: number for number, term in enumerate(terms)}
    dictionary.id2token = dict(enumerate(terms))
    dictionary.dfs = dict(enumerate(df.tolist()))
    dictionary.num_docs = int(df.max()) + 1
    if kind == "lexical":
        index: Any = LevenshteinSimilarityIndex(dictionary, alpha=1.8, beta=5.0, max_distance=3)
    else:
        keyed = KeyedVectors(DIMENSIONS)
        keyed.add_vectors(terms, vectors)
        index = WordEmbeddingSimilarityIndex(keyed, threshold=0.0, exponent=4.0)
    tfidf = TfidfModel(dictionary=dictionary)
    return SparseTermSimilarityMatrix(index, dictionary, tfidf, symmetric=True, dominant=False, nonzero_limit=100)


def case(tool: str, kind: str, size: int, index: str, channel: str) -> dict[str, Any]:
    """Builds one matrix in this process."""
    terms, df, vectors = material(index, channel, size)
    make = porism_matrix if tool == "porism" else gensim_matrix
    make(kind, terms[:200], df[:200], vectors[:200])  # what is loaded and compiled once
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started, processor = time.perf_counter(), time.process_time()
    made = make(kind, terms, df, vectors)
    figures: dict[str, Any] = {
        "tool": tool, "kind": kind, "terms": size, "seconds": round(time.perf_counter() - started, 2),
        "cpu_seconds": round(time.process_time() - processor, 2), "base_mib": round(base),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "cells": len(made.columns) if tool == "porism" else int(made.matrix.nnz),
    }
    if tool == "gensim":
        figures["shared"] = round(shared_cells(made.matrix, porism_matrix(kind, terms, df, vectors)), 4)
    return figures


def shared_cells(theirs: Any, ours: Any) -> float:
    """The share of the cells of gensim's matrix that are in Porism's with the same value, to within 1e-4."""
    from scipy import sparse

    count = theirs.shape[0]
    own = sparse.csr_matrix((ours.values, ours.columns, ours.indptr), shape=(count, count))
    other = theirs.T.tocsr().tocoo()
    return float(np.mean(np.abs(np.asarray(own[other.row, other.col]).ravel() - other.data) < 1e-4))


def main() -> int:
    """Runs the cases one after the other; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True, help="an index folder, whose terms are compared")
    parser.add_argument("--channel", default="words")
    parser.add_argument("--sizes", default="10000,50000", help="numbers of terms for Porism")
    parser.add_argument("--gensim-sizes", default="1000,5000", help="numbers of terms for both")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds after which a case is stopped")
    parser.add_argument("--case", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        tool, kind, size = given.case
        print(json.dumps(case(tool, kind, int(size), given.index, given.channel)))
        return 0
    peers = [int(size) for size in given.gensim_sizes.split(",") if size]
    sizes = sorted({*(int(size) for size in given.sizes.split(",") if size), *peers})
    cases = [("porism", kind, size) for size in sizes for kind in ALPHA]
    cases += [("gensim", kind, size) for size in peers for kind in ("lexical", "semantic")]
    rows: list[dict[str, Any]] = []
    failed = False
    print(
        f"{'tool':8}{'kind':10}{'terms':>8}{'s':>10}{'CPU s':>10}{'base MiB':>10}{'peak MiB':>10}{'cells':>12}"
        "  shared"
    )
    for tool, kind, size in cases:
        command = [sys.executable, "-m", "benchmarks.speed.similarities", "--index", given.index]
        command += ["--channel", given.channel, "--case", tool, kind, str(size)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=given.limit, check=False)
        except subprocess.TimeoutExpired:
            print(f"{tool:8}{kind:10}{size:8,}  stopped after {given.limit:,.0f} s", flush=True)
            continue
        if done.returncode:
            print(f"{tool:8}{kind:10}{size:8,}  failed: {done.stderr.strip().splitlines()[-1:]}", flush=True)
            failed = True
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        rows.append(row)
        print(
            f"{tool:8}{kind:10}{size:8,}{row['seconds']:10.1f}{row['cpu_seconds']:10.1f}{row['base_mib']:10,}"
            f"{row['peak_mib']:10,}{row['cells']:12,}  {row.get('shared', '')}", flush=True,
        )
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "similarities.json").write_text(json.dumps(rows, indent=1))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
