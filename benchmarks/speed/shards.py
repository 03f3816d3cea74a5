"""What it costs to search several indexes as one, beside one index of all their documents.

::

    python -m benchmarks speed shards SOURCE --topics TOPICS --parts 3

Indexes SOURCE whole and in parts, of which each document is in one by turns. The topics are asked of the one index; of
the parts as one (``open_index`` of several folders); and of the parts as shards that exchange statistics, in this
process, so without a network. Processor time of this process; each is asked once before, and then they take turns.
Says whether ids and scores are the same, and what the first question costs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from porism.corpus import open_source, read_topics
from porism.runs.run import Run
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.shard import IndexShard
from porism.types import Query


def build(source: Path, parts: int, work: Path) -> tuple[Path, list[Path]]:
    """An index of a source, and one of each part of it, made where they are missing."""
    documents = None
    places = [work / "whole.index", *(work / f"part-{number}.index" for number in range(parts))]
    for number, place in enumerate(places):
        if not place.exists():
            documents = documents or list(open_source(source))
            index_documents(documents if not number else documents[number - 1 :: parts], place)
    return places[0], places[1:]


def processor(work: Callable[[], object]) -> float:
    """Seconds of processor time that something takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints and writes JSON where that is wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("source", type=Path, help="a collection")
    parser.add_argument("--topics", type=Path, required=True, help="the questions")
    parser.add_argument("--parts", type=int, default=3, help="how many indexes")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is asked")
    parser.add_argument("-k", type=int, default=10, help="results of a question")
    parser.add_argument("--work", type=Path, help="where the indexes are kept; a temporary folder if not given")
    parser.add_argument("--json", type=Path, help="the file to write")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        whole, parts = build(given.source, given.parts, work)
        topics = list(read_topics(given.topics))
        first: dict[str, float] = {}
        searchers: dict[str, Callable[[Sequence[Query]], Run]] = {}
        for name, opened in (
            ("one index", lambda: open_index(whole)), ("several as one", lambda: open_index(parts)),
            ("shards", lambda: FederatedIndex([IndexShard(path.stem, open_index(path)) for path in parts])),
        ):
            index = opened()
            searchers[name] = lambda queries, index=index: index.run(queries, given.k)  # type: ignore[misc]
            first[name] = processor(lambda name=name: searchers[name](topics[:1]))  # type: ignore[misc]
        runs = {name: search(topics) for name, search in searchers.items()}
        taken: dict[str, list[float]] = {name: [] for name in searchers}
        for _ in range(given.rounds):
            for name, search in searchers.items():
                taken[name].append(processor(lambda search=search: search(topics)) / len(topics))  # type: ignore[misc]
    found = {}
    base = median(taken["one index"])
    for name, seconds in taken.items():
        same = all(list(runs[name][query.id]) == list(runs["one index"][query.id]) for query in topics)
        found[name] = {
            "milliseconds": 1000 * median(seconds), "ratio": median(seconds) / base, "first": first[name], "same": same,
        }
        print(
            f"{name:15} {1000 * median(seconds):7.2f} ms a question, {median(seconds) / base:5.2f} times; "
            f"first question {first[name]:.2f} s; {'the same' if same else 'OTHER'} results"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
