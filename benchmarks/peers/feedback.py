"""RM3 and Rocchio of Anserini and of Porism on the same terms: ``python -m benchmarks peers feedback DATA WORK``.

DATA has ``arqmath-mini`` and ``arqmath-topics``. Anserini analyses documents and topics (LaTeX as words, titles three
times), and both rank by BM25 with k1 = 0.9 and b = 0.4, with and without feedback: ten terms of ten documents, terms of
at most a tenth of the documents; λ = 0.5 for RM3, α = 1 and β = 0.75 for Rocchio. Prints nDCG' and MAP' on the topics
of 2020, or of the years named after WORK.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.common.anserini import Unavailable, find_jar, java_command
from benchmarks.common.task import Entry, judgments, prepare, read_entries
from benchmarks.contenders.base import TITLE
from benchmarks.contenders.lucene import Lucene
from porism import Run
from porism.analysis.batch import AnalyzedBatch, TermMatrix
from porism.index import IndexWriter, Snapshot
from porism.lab.evaluate import evaluate_run
from porism.retrieve import BM25, Feedback, LexicalChannel, LexicalRetriever
from porism.retrieve.feedback.expander import QueryExpander

BM25_LUCENE = LexicalChannel(1.0, BM25(0.9, 0.4))
RM3 = Feedback(method="rm3", documents=10, terms=10, original_weight=0.5, max_df=0.1)
ROCCHIO = Feedback(method="rocchio", documents=10, terms=10, alpha=1.0, beta=0.75, max_df=0.1)
CHANNEL = "words"
MEASURES = ["nDCG'", "MAP'"]
LETTERS = re.compile("[a-z0-9]+")

Counts = dict[str, int]


def texts(entries: Iterable[Entry], repeat: dict[str, int] | None = None) -> Iterator[tuple[str, str]]:
    """Id and text of each entry, in one line."""
    for entry in entries:
        yield entry.id, Lucene.flat(entry, repeat)


def analysed(java: list[str], lines: Iterable[str]) -> list[Counts]:
    """The terms of lines of text with their numbers of occurrences, as Anserini has them."""
    found = subprocess.run(
        [*java, "analyse", "text"], input="".join(f"{line}\n" for line in lines), capture_output=True, check=True,
        encoding="utf-8",
    )
    words = [line.split(" ") for line in found.stdout.split("\n")[:-1]]
    return [dict(zip(line[::2], map(int, line[1::2]), strict=True)) if line != [""] else {} for line in words]


def write_index(path: Path, ids: list[str], documents: list[Counts]) -> Snapshot:
    """An index of one channel with the terms given."""
    number: dict[str, int] = {}
    for counts in documents:
        for term in counts:
            number.setdefault(term, len(number))
    rows = [sorted((number[term], count) for term, count in counts.items()) for counts in documents]
    none = np.zeros(0, np.int32)
    matrix = TermMatrix(
        list(number), np.cumsum([0, *map(len, rows)]),
        np.array([term for row in rows for term, _ in row], np.int32),
        np.array([count for row in rows for _, count in row], np.uint16),
    )
    with IndexWriter(path, config={}) as writer:
        writer.add(AnalyzedBatch(
            ids=ids, stored=[b"{}"] * len(ids), metadata=[{}] * len(ids), fields=("body",), text={CHANNEL: matrix},
            formula_keys=[], formula_sources=[], formula_trees=[], formulas={}, occurrence_doc=none,
            occurrence_field=none.astype(np.uint16), occurrence_formula=none, occurrence_number=none,
            occurrence_id=[], occurrence_visual_id=[],
        ))
        writer.commit()
    return Snapshot.open(path)


def anserini_index(java: list[str], work: Path, documents: Path) -> Path:
    """Anserini's index of the documents, with their vectors."""
    folder, index = work / "anserini-documents", work / "anserini.index"
    folder.mkdir(exist_ok=True)
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
        for doc_id, text in texts(read_entries(documents), TITLE):
            file.write(json.dumps({"id": doc_id, "contents": text}) + "\n")
    subprocess.run(
        [*java[:-1], "io.anserini.index.IndexCollection", "-collection", "JsonCollection", "-input", str(folder),
         "-index", str(index), "-generator", "DefaultLuceneDocumentGenerator", "-threads", "1", "-storeDocvectors"],
        check=True, capture_output=True,
    )
    return index


def anserini_run(java: list[str], index: Path, topics: list[tuple[str, str]], work: Path, *options: str) -> Run:
    """Anserini's run on topics given as text."""
    asked, output = work / "topics.tsv", work / "anserini.run"
    asked.write_text("".join(f"{topic}\t{text}\n" for topic, text in topics), encoding="utf-8")
    subprocess.run(
        [*java[:-1], "io.anserini.search.SearchCollection", "-index", str(index), "-topics", str(asked),
         "-topicreader", "TsvString", "-output", str(output), "-bm25", "-hits", "1000", *options],
        check=True, capture_output=True,
    )
    return Run.read(output)


def porism_run(lexical: LexicalRetriever, topics: list[tuple[str, Counts]], settings: Feedback) -> Run:
    """Porism's run on topics given as terms."""
    expander = QueryExpander(lexical.segments, lexical, settings)  # type: ignore[arg-type]
    results = {}
    for topic, counts in topics:
        terms = expander.expand({CHANNEL: {term: float(count) for term, count in counts.items()}})
        (found,) = lexical.search_terms([terms], 1000)
        results[topic] = list(zip(found.ids, found.scores.tolist(), strict=True))
    return Run(results, "porism")


def main() -> None:
    """Parses arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with arqmath-mini and arqmath-topics")
    parser.add_argument("work", type=Path, help="where indexes are made, and stay")
    parser.add_argument("years", nargs="*", default=["2020"], help="whose topics are asked (default: 2020)")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    try:
        java = java_command(find_jar(given.work), given.work / "classes")
    except Unavailable as reason:
        sys.exit(f"Anserini is missing: {reason}")
    compare(given.data, given.work, given.years, java)


def compare(data: Path, work: Path, years: list[str], java: list[str]) -> None:
    """Prints a line for each year and system."""
    prepare(data, work)
    named = list(texts(read_entries(work / "documents.jsonl"), TITLE))
    ids = [doc_id for doc_id, _ in named]
    counted = analysed(java, (text for _, text in named))
    odd = sum(not LETTERS.fullmatch(term) for term in {term for counts in counted for term in counts})
    print(f"{len(ids)} documents; {odd} terms that Anserini's RM3 leaves out, for they have other characters")
    snapshot = write_index(work / "porism.index", ids, counted)
    lexical = LexicalRetriever(snapshot.segments, {CHANNEL: BM25_LUCENE})
    index = anserini_index(java, work, work / "documents.jsonl")
    for year in years:
        topics = list(texts(read_entries(work / f"topics-{year}.jsonl")))
        terms = list(zip([topic for topic, _ in topics], analysed(java, (text for _, text in topics)), strict=True))
        qrels = judgments(data, year, set(ids))
        for name, run in (
            ("Anserini, BM25", anserini_run(java, index, topics, work)),
            ("Porism, BM25", porism_run(lexical, terms, Feedback(weight=0.0))),
            ("Anserini, RM3", anserini_run(java, index, topics, work, "-rm3")),
            ("Porism, RM3", porism_run(lexical, terms, RM3)),
            ("Anserini, Rocchio", anserini_run(java, index, topics, work, "-rocchio")),
            ("Porism, Rocchio", porism_run(lexical, terms, ROCCHIO)),
        ):
            scores = evaluate_run(run, qrels, MEASURES).aggregated
            print(year, f"{name:18}", *(f"{measure} {value:.4f}" for measure, value in scores.items()), flush=True)


if __name__ == "__main__":
    main()
