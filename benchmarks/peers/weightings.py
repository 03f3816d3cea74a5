"""Weightings beside bm25s, rank_bm25, scikit-learn and gensim: equal scores, or the difference explained.

::

    python -m benchmarks peers weightings --data ../shared/data
    python -m benchmarks peers weightings --data ../shared/data --effectiveness

Documents are the answers of the collection with their questions (without those that have no term of the channel),
queries all of a topic's title, question and tags; each peer gets the terms that Porism's analysis makes of them, one
channel at a time. For each pair of a peer's model and a weighting every document's score of every query of both years
is compared: *deviation* is the largest difference over the largest score of its query. Where the definitions differ,
what the peer should give is computed from Porism's scores and the difference named, and that is compared. *ms* are
medians over the topics of 2021, 1,000 results each, one thread, from terms to ranking; both take turns in one process,
and of each topic the fastest of ``--rounds`` counts.

``--effectiveness`` instead ranks by every weighting: parameters by grid on the topics of 2020, reported on those of
2021. Prints tables, and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import RESULTS, WORK
from benchmarks.common.bench import print_table, versions
from benchmarks.common.task import YEARS, judgments
from benchmarks.peers.weighting_libraries import PEERS, Comparison, Given
from porism import AnalysisConfig, Document, Query, ReaderOptions, Run, open_source, read_topics
from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.lab.evaluate import evaluate_run
from porism.lab.tuning import GridSearch, RunObjective, tune
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings import weighting_named
from porism.retrieve.weightings.base import LexicalChannel
from porism.search.sources.indexing import index_documents

TEXT, FORMULAS = "words", ("tokens", "subtrees")

Terms = dict[str, dict[str, list[str]]]
"""Channel → id → terms, with repetition."""

B = [0.5, 0.75, 1.0]
K1 = [1.2, 2.5, 5.0]
C = [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
SLOPE = [0.1, 0.2, 0.3, 0.5]

GRIDS: Mapping[str, Mapping[str, Any]] = {
    "bm25": {"k1": K1, "b": B},
    "bm25-robertson": {"k1": K1, "b": B},
    "bm25-atire": {"k1": K1, "b": B},
    "bm25+": {"k1": K1, "b": B},
    "bm25l": {"k1": K1, "b": B},
    "bm25-adapt": {"b": [0.25, *B]},
    "bm25t": {"b": [0.25, *B]},
    "tfldp": {"b": [0.25, *B]},
    "Lnu.ltb": {"slope": SLOPE},
    "Lnu.ltn": {"slope": SLOPE},
    "Lnb.ltb": {"slope": SLOPE},
    "dnb.dtb": {"slope": SLOPE},
    "lnc.ltc": {},
    "ltc.ltc": {},
    "ntc.ntc": {},
    "atc.atc": {},
    "Ltu.npb": {"slope": SLOPE},
    "tf-idf": {"smooth": [1, 0], "sublinear": [0, 1]},
    "pl2": {"c": C},
    "inl2": {"c": C},
    "dph": {},
    "dirichlet": {"mu": [50, 100, 200, 500, 1000, 2000]},
    "jelinek-mercer": {"lambda": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]},
    "impact": {},
}
"""Weighting → the parameters tried on the topics of 2020."""


class Collection:
    """The index of some channels, and the terms of its documents and of the topics."""

    def __init__(self, data: Path, work: Path) -> None:
        config = AnalysisConfig(text=(TEXT,), formulas=FORMULAS)
        analyzer = Analyzer(config)
        index, kept = work / "index", work / "terms.json"
        if not kept.exists():
            options = ReaderOptions(unit="answer", comments=False)
            documents = list(open_source(data / "arqmath-mini", format="arqmath", options=options))
            model = SearchModel({name: ChannelSettings() for name in (TEXT, *FORMULAS)})
            index_documents(documents, index, config=config, model=model)
            kept.write_text(json.dumps(terms_of(documents, analyzer)))
        self.snapshot = Snapshot.open(index)
        self.documents: Terms = json.loads(kept.read_text())
        self.qrels = {year: judgments(data, year, set(self.documents[TEXT])) for year in YEARS}
        self.topics: dict[str, Terms] = {}
        for year in YEARS:
            topics = read_topics(data / "arqmath-topics" / year / f"Topics_Task1_{year}.xml")
            self.topics[year] = terms_of([topic for topic in topics if topic.id in self.qrels[year]], analyzer)

    def retriever(self, channel: str, name: str, settings: Mapping[str, float]) -> LexicalRetriever:
        """Search of one channel by one weighting."""
        own = {key: value for key, value in settings.items() if key in ("k1", "b", "delta")}
        parameters = {key: value for key, value in settings.items() if key not in own}
        weighting = weighting_named(name, **own, parameters=parameters)
        return LexicalRetriever(self.snapshot.segments, {channel: LexicalChannel(1.0, weighting)})


def terms_of(entries: Sequence[Document | Query], analyzer: Analyzer) -> Terms:
    """The terms of documents or topics: of the text, and of each formula."""
    terms: Terms = {name: {} for name in (TEXT, *FORMULAS)}
    known: dict[tuple[str, str], Mapping[str, list[str]]] = {}
    for entry in entries:
        for name in terms:
            terms[name][entry.id] = []
        for content in entry.fields.values():
            terms[TEXT][entry.id] += analyzer.content_terms(content, [TEXT])[TEXT]
            for formula in content.formulas:
                key = formula.notation, formula.source
                if key not in known:
                    known[key] = analyzer.formula_terms(formula, FORMULAS).terms
                for name in FORMULAS:
                    terms[name][entry.id] += known[key][name]
    return terms


def porism_scores(retriever: LexicalRetriever, channel: str, given: Given, query: Sequence[str]) -> np.ndarray:
    """The score of each document; 0 where no term occurs."""
    results = retriever.search_terms([{channel: Counter(query)}], len(given.ids))[0]
    scores = np.zeros(len(given.ids))
    scores[[given.position[doc_id] for doc_id in results.ids]] = results.scores
    return scores


def compare(
    collection: Collection, channel: str, given: Given, comparison: Comparison, rounds: int, most: int | None
) -> dict[str, Any]:
    """One row: deviation of the scores, and times of both."""
    retriever = collection.retriever(channel, comparison.weighting, comparison.settings)
    peer = comparison.build(given, comparison.settings)
    worst, count = 0.0, 0
    queries = [query for year in YEARS for query in collection.topics[year][channel].values() if query][:most]
    for whole in queries:
        for query in comparison.asked(whole, given):
            ours = porism_scores(retriever, channel, given, query)
            theirs = peer.scores(query)
            expected = comparison.expected(ours, query, given, comparison.settings)
            worst = max(worst, float(np.abs(theirs - expected).max() / max(np.abs(theirs).max(), 1e-9)))
            count += 1
    timed: dict[str, list[float]] = {"porism": [], "peer": []}
    for query in list(collection.topics["2021"][channel].values())[:most]:
        if not query:
            continue
        terms = [{channel: Counter(query)}]
        both = (partial(retriever.search_terms, terms, 1000), partial(peer.top, query))
        taken = [[seconds(work) for work in both] for _ in range(rounds)]
        for name, times in zip(timed, zip(*taken, strict=True), strict=True):
            timed[name].append(min(times))
    return {
        "channel": channel, "peer": comparison.title, "weighting": comparison.weighting,
        "settings": dict(comparison.settings), "queries": count, "deviation": worst, "note": comparison.note,
        "ms": {name: 1000 * median(times) for name, times in timed.items()},
    }


def seconds(work: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def effectiveness(collection: Collection, channel: str, name: str) -> dict[str, Any]:
    """The best parameters on the topics of 2020, and what they give on both years."""
    space = dict(GRIDS[name])

    def run_of(year: str, settings: Mapping[str, Any]) -> Run:
        retriever = collection.retriever(channel, name, settings)
        queries = collection.topics[year][channel]
        found = retriever.search_terms([{channel: Counter(query)} for query in queries.values()], 1000)
        return Run({
            topic: list(zip(results.ids, results.scores.tolist(), strict=True))
            for topic, results in zip(queries, found, strict=True)
        })

    chosen: Mapping[str, Any] = {}
    if space:
        objective = RunObjective(lambda settings: run_of("2020", settings), collection.qrels["2020"], "nDCG'")
        chosen = tune(objective, space, GridSearch()).parameters
    measured = {
        year: evaluate_run(run_of(year, chosen), collection.qrels[year], ["nDCG'", "MAP'"]).aggregated
        for year in YEARS
    }
    return {
        "channel": channel, "weighting": name, "chosen": dict(chosen),
        **{f"{year} {measure}": value for year, values in measured.items() for measure, value in values.items()},
    }


def main() -> None:
    """Runs one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with arqmath-mini and arqmath-topics")
    add("--effectiveness", action="store_true", help="rank by every weighting instead")
    add("--channels", default="",
        help="of words, tokens, subtrees (by default the first two; with --effectiveness words and subtrees)")
    add("--weightings", default="", help="some of them (default: all)")
    add("--rounds", type=int, default=5, help="times that each topic is asked (default: 5)")
    add("--most", type=int, help="only so many topics, to try things out")
    add("--work", type=Path, default=WORK / "weightings", help="where index and terms are made, and stay")
    add("--results", type=Path, default=RESULTS, help="where JSON is written")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    collection = Collection(options.data, options.work)
    wanted = set(filter(None, options.weightings.split(",")))
    rows: list[dict[str, Any]] = []
    if options.effectiveness:
        for channel in (options.channels or "words,subtrees").split(","):
            for name in GRIDS:
                if not wanted or name in wanted:
                    rows.append(effectiveness(collection, channel, name))
                    print(rows[-1], flush=True)
        table = [["channel", "weighting", "chosen on 2020", *(f"{y} {m}" for y in YEARS for m in ("nDCG'", "MAP'"))]]
        table += [[
            row["channel"], row["weighting"], ", ".join(f"{key} {value:g}" for key, value in row["chosen"].items()),
            *(f"{row[f'{y} {m}']:.3f}" for y in YEARS for m in ("nDCG'", "MAP'")),
        ] for row in rows]
    else:
        for channel in (options.channels or "words,tokens").split(","):
            given = Given.of(collection.documents[channel])
            for comparison in PEERS:
                if not wanted or comparison.weighting in wanted:
                    rows.append(compare(collection, channel, given, comparison, options.rounds, options.most))
                    print(rows[-1], flush=True)
        table = [["channel", "peer", "weighting", "queries", "deviation", "peer ms", "Porism ms"]]
        table += [[
            row["channel"], row["peer"], row["weighting"], str(row["queries"]), f"{row['deviation']:.1e}",
            f"{row['ms']['peer']:.2f}", f"{row['ms']['porism']:.2f}",
        ] for row in rows]
    print_table(table)
    for peer, note in {row["peer"]: row["note"] for row in rows if row.get("note")}.items():
        print(f"{peer} differs: {note}")
    options.results.mkdir(parents=True, exist_ok=True)
    known = versions() | {name: version(name) for name in ("rank_bm25", "scikit-learn", "gensim")}
    output = options.results / ("weightings-effectiveness.json" if options.effectiveness else "weightings.json")
    output.write_text(json.dumps({"versions": known, "rows": rows}, indent=2) + "\n")
    print(f"written to {output}")


if __name__ == "__main__":
    main()
