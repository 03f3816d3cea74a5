"""All development sets at once: what a model of search is worth on each, so that no setting is chosen on one alone.

::

    python -m benchmarks effectiveness development --data ../shared/data --models default,plain,FILE.toml

The sets are ``arqmath-mini`` with the topics of 2020 (nDCG'), ``proofwiki`` (given a statement, find those that its
proof needs; nDCG@10, the statement itself left out), ``mathlib`` (from an informal name to declarations; nDCG@10),
``planetmath`` (from synonyms and defined terms to entries, from entries to related ones; nDCG@10), ``conjectures``
(from docstrings to declarations; nDCG@10), the bundled sample (nDCG'@10), 60 queries of our own about names, labels
and definitions (:mod:`names`, nDCG@10), and 52 short questions of our own, such as "derivative of $x^n$" or a formula
alone, about ``arqmath-mini``, ``napkin``, ``planetmath`` and the sample together (``short``, nDCG@10; judged by one
reader among the first eight results of the default and five variants). Indexes are made once in ``--work`` and kept.
Printed is the mean of each model on each set and, for models after the first, the difference to the first ± its paired
standard error; ``--halves`` adds the means over every other topic, so that what one half chooses the other can confirm.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import porism
from benchmarks import WORK
from benchmarks.common.bench import print_table
from benchmarks.effectiveness.names import name_judgments, name_queries, unit_judgments
from porism.corpus import split_math
from porism.lab.evaluate import evaluate_run, restrict_qrels
from porism.retrieve import RetrieverSettings
from porism.sample import ENTRIES, QRELS, QUERIES
from porism.search.models.models import read_model

SHORT = Path(__file__).parent / "short"


@dataclass(frozen=True)
class Task:
    """A development set: queries with their judgments over one index, and the measure that counts."""

    name: str
    index: porism.Index
    queries: Sequence[porism.Query]
    qrels: Mapping[str, Mapping[str, int]]
    measure: str
    without_itself: bool = False
    depth: int = 10

    def run(self, model: RetrieverSettings | None = None) -> porism.Run:
        """What a model finds.

        :raises ConfigError: the index lacks what the model needs.
        """
        index = self.index if model is None else self.index.with_models(model)
        run = index.run(self.queries, self.depth + self.without_itself)
        if self.without_itself:
            run = porism.Run({
                topic: [(found, score) for found, score in run[topic] if found != topic][: self.depth]
                for topic in run
            }, run.name)
        return run

    @property
    def judged(self) -> dict[str, Mapping[str, int]]:
        """The judgments of the queries."""
        return {query.id: self.qrels[query.id] for query in self.queries}

    def scores(self, model: RetrieverSettings | None = None) -> NDArray[np.float64]:
        """The measure of each topic (float64), in the order of the queries."""
        found = evaluate_run(self.run(model), self.judged, [self.measure])
        values = found.per_topic[next(iter(found.per_topic))]
        return np.array([values.get(query.id, 0.0) for query in self.queries])


def write_proofwiki(data: Path, path: Path) -> int:
    """The statements as JSONL: ``id``, ``text``, and as metadata their type and category."""
    count = 0
    with path.open("w", encoding="utf-8") as file, (data / "proofwiki" / "statements.jsonl").open() as lines:
        for line in lines:
            entry = json.loads(line)
            file.write(json.dumps({key: entry[key] for key in ("id", "text", "type", "category")}) + "\n")
            count += 1
    return count


def build(path: Path, source: Callable[[], Path], options: porism.ReaderOptions | None = None) -> porism.Index:
    """Opens an index, which is made if need be."""
    return build_of(path, lambda: [source()], options)


def build_of(
    path: Path, sources: Callable[[], Sequence[Path]], options: porism.ReaderOptions | None = None
) -> porism.Index:
    """Opens an index of several sources, which is made if need be."""
    if not (path / "manifest.json").exists():
        started = time.monotonic()
        report = porism.index_sources(sources(), path, options=options)
        print(f"{path.name}: {report.documents:,} documents in {time.monotonic() - started:.0f} s", flush=True)
    return porism.open_index(path)


def _written(path: Path, write: Callable[[Path, Path], int], data: Path) -> Path:
    if not path.exists():
        write(data, path)
    return path


def arqmath(data: Path, work: Path, year: str = "2020") -> Task:
    """Task 1 on ``arqmath-mini``."""
    index = build(work / "arqmath.index", lambda: data / "arqmath-mini")
    topics = data / "arqmath-topics" / year
    qrels = _judged(topics / f"qrel_task1_{year}.tsv", index)
    queries = [topic for topic in porism.read_topics(topics / f"Topics_Task1_{year}.xml") if topic.id in qrels]
    return Task(f"arqmath {year}", index, queries, qrels, "nDCG'", depth=1000)


def _judged(path: Path, index: porism.Index) -> Mapping[str, Mapping[str, int]]:
    qrels = porism.read_qrels(path)
    known = {doc_id for judged in qrels.values() for doc_id in judged if doc_id in index}
    return restrict_qrels(qrels, known)


def proofwiki(data: Path, work: Path, part: str = "dev") -> Task:
    """From a statement to those that its proof uses."""
    index = build(
        work / "proofwiki.index", lambda: _written(work / "proofwiki.jsonl", write_proofwiki, data),
        porism.ReaderOptions(metadata_fields=("type", "category")),
    )
    qrels: dict[str, dict[str, int]] = {}
    for line in (data / "proofwiki" / f"premises.{part}.tsv").read_text().splitlines():
        topic, _, found, gain = line.split()
        qrels.setdefault(topic, {})[found] = int(gain)
    queries = [
        porism.Query(topic, {"query": index.document(topic).fields["body"]}) for topic in qrels if topic in index
    ]
    return Task("proofwiki" if part == "dev" else f"proofwiki {part}", index, queries, qrels, "nDCG@10", True)


def mathlib(data: Path, work: Path) -> Task:
    """From an informal name to declarations."""
    index = build(work / "mathlib.index", lambda: data / "mathlib" / "Mathlib")
    judged = porism.read_qrels(data / "mathlib" / "dev-qrels.txt")
    id_of = {
        name: next(iter(index.declarations.documents(name)), name) for of_names in judged.values() for name in of_names
    }
    qrels = {topic: {id_of[name]: gain for name, gain in of_names.items()} for topic, of_names in judged.items()}
    return Task("mathlib", index, tabbed_queries(data / "mathlib" / "dev-queries.tsv"), qrels, "nDCG@10")


def planetmath(data: Path, work: Path) -> Iterator[Task]:
    """From synonyms and defined terms to entries, and from entries to related ones."""
    folder = data / "planetmath"
    index = build(
        work / "planetmath.index", lambda: folder / "docs.jsonl", porism.ReaderOptions(metadata_fields=("type",))
    )
    for part in ("synonyms", "defines", "related"):
        queries = tabbed_queries(folder / f"{part}.tsv")
        qrels = porism.read_qrels(folder / f"{part}.qrels")
        yield Task(f"planetmath {part}", index, queries, qrels, "nDCG@10", part == "related")


def conjectures(data: Path, work: Path) -> Task:
    """From docstrings to declarations."""
    folder = data / "conjectures"
    index = build(work / "conjectures.index", lambda: folder / "docs.jsonl")
    qrels = porism.read_qrels(folder / "qrels.dev.txt")
    return Task("conjectures", index, tabbed_queries(folder / "queries.dev.tsv"), qrels, "nDCG@10")


def tabbed_queries(path: Path) -> list[porism.Query]:
    """The queries of a file with an id, a tab, and words with formulas between dollars in each line."""
    lines = (line.partition("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return [porism.Query(topic, {"query": split_math(text)}) for topic, _, text in lines]


def sample(work: Path) -> Task:
    """The bundled sample."""
    index = build(work / "sample.index", lambda: ENTRIES)
    queries = [
        porism.Query(entry["id"], {"query": split_math(entry["query"])})
        for entry in map(json.loads, QUERIES.read_text(encoding="utf-8").splitlines())
    ]
    return Task("sample", index, queries, porism.read_qrels(QRELS), "nDCG'@10")


def names(data: Path, work: Path) -> Iterator[Task]:
    """The judged names, labels and definitions, a task for each collection."""
    napkin = build(work / "napkin.index", lambda: data / "napkin")
    for collection, index in (
        ("napkin", napkin), ("proofwiki", proofwiki(data, work).index), ("sample", sample(work).index),
    ):
        qrels = name_judgments(collection, index)
        yield Task(f"names: {collection}", index, name_queries(collection), qrels, "nDCG@10")


def short(data: Path, work: Path) -> Task:
    """Short questions, as they are typed."""
    index = build_of(
        work / "short.index",
        lambda: [data / "arqmath-mini", data / "napkin", ENTRIES, data / "planetmath" / "docs.jsonl"],
        porism.ReaderOptions(metadata_fields=("type",)),
    )
    lines = (line.split("\t") for line in (SHORT / "questions.tsv").read_text(encoding="utf-8").splitlines())
    queries = [replace(index.question(text, guess_formulas=True).query, id=topic) for topic, text in lines]
    return Task("short", index, queries, unit_judgments(SHORT / "qrels.txt", index), "nDCG@10")


def all_tasks(data: Path, work: Path, sets: Iterable[str]) -> Iterator[Task]:
    """The sets of these names."""
    for name in sets:
        if name.startswith("arqmath"):
            yield arqmath(data, work, name.removeprefix("arqmath") or "2020")
        elif name.startswith("proofwiki"):
            yield proofwiki(data, work, name.removeprefix("proofwiki-") if "-" in name else "dev")
        elif name == "mathlib":
            yield mathlib(data, work)
        elif name == "planetmath":
            yield from planetmath(data, work)
        elif name == "conjectures":
            yield conjectures(data, work)
        elif name == "sample":
            yield sample(work)
        elif name == "short":
            yield short(data, work)
        elif name == "names":
            yield from names(data, work)


def compare(
    tasks: Sequence[Task], models: Mapping[str, RetrieverSettings | None], halves: bool = False
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Prints the table of the models on the sets; task → model → scores of the topics."""
    found = {task.name: {name: task.scores(model) for name, model in models.items()} for task in tasks}
    rows = [["set", "model", "mean", "difference", *(["even", "odd"] if halves else [])]]
    for task in tasks:
        base = found[task.name][next(iter(models))]
        for name, scores in found[task.name].items():
            difference = scores - base
            error = difference.std(ddof=1) / len(difference) ** 0.5
            rows.append([
                f"{task.name} ({len(scores):,}), {task.measure}", name, f"{scores.mean():.4f}",
                f"{difference.mean():+.4f} ± {error:.4f}" if difference.any() else "",
                *([f"{scores[::2].mean():.4f}", f"{scores[1::2].mean():.4f}"] if halves else []),
            ])
    print_table(rows)
    return found


def task_parser(description: str | None, sets: str, models: str) -> argparse.ArgumentParser:
    """What reads a command line that names development sets and models, with these by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK / "development")
    parser.add_argument("--sets", default=sets)
    parser.add_argument("--models", default=models, help="names, or FILE.toml, separated by commas")
    return parser


def main() -> None:
    """Compares the models that the command line names."""
    parser = task_parser(__doc__, "arqmath2020,proofwiki,mathlib,planetmath,conjectures,sample,names,short", "default")
    parser.add_argument("--halves", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    tasks = list(all_tasks(given.data, given.work, given.sets.split(",")))
    compare(tasks, {name: read_model(name) for name in given.models.split(",")}, given.halves)


if __name__ == "__main__":
    main()
