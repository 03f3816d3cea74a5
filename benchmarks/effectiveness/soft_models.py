"""The ten systems of ARQMath 2021 and the soft models of 2022 on a collection: tuned on 2020, reported on 2021.

::

    python -m benchmarks effectiveness soft_models --data ../shared/data --work FOLDER
    python -m benchmarks effectiveness soft_models --data ../shared/data --work FOLDER --transformer MODEL

Trains what is not in FOLDER yet: tokenizers, an index with the channels of both papers, embeddings, similarity
matrices. Of the models of 2022 the α and softness of each matrix, the γ of each channel (title in questions and
answers) and β are chosen by grid on the topics of 2020; those of 2021 are as published. Then each system answers both
years' topics, and all of them with the default search are fused, with weights chosen on 2020. All runs are in
FOLDER/runs, for ``porism compare``.

``--transformer`` is a folder or name of a Hugging Face model for the two rows with decontextualised embeddings; its
vectors come from the first ``--transformer-documents`` of the collection. Prints tables, writes JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import RESULTS
from benchmarks.common.bench import print_table, versions
from benchmarks.common.task import YEARS, judgments
from benchmarks.effectiveness.soft_setting import SPACES, Setting, Variant
from porism import Query, Run, read_topics
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import fuse
from porism.lab.tuning import CoordinateSearch, tune_fusion
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.published import SYSTEMS_2021, SYSTEMS_2022
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.lexical.settings import ChannelSettings

MEASURES = ["nDCG'", "MAP'"]
DEPTH = 1000
GAMMAS = (1.0, 2.0, 5.0)
SOFTNESS = (0.1, 0.2, 0.4, 0.7, 1.0)
KEPT = 8
"""Of each channel of an interpolation so many of its best choices are tried with those of the other."""
BETAS = tuple(round(0.1 * step, 1) for step in range(1, 10))
BARE = ("mg", "pz", "scm")
"""Systems of 2021 that are also asked over bare answers."""

Choice = tuple[str, str, float, float]
"""Channel, similarity matrix, γ, softness."""

Scores = np.ndarray
"""The score of each document for each topic (float64, topics × documents)."""


class Topics:
    """One year's topics with the judgments of the collection's documents."""

    def __init__(self, data: Path, year: str, ids: Sequence[str]) -> None:
        self.year = year
        self.queries: list[Query] = list(read_topics(data / "arqmath-topics" / year / f"Topics_Task1_{year}.xml"))
        self.qrels = judgments(data, year, set(ids))
        place = {doc_id: number for number, doc_id in enumerate(ids)}
        self.judged: list[tuple[int, np.ndarray, np.ndarray]] = []
        for position, query in enumerate(self.queries):
            gains = self.qrels.get(query.id)
            if gains:
                self.judged.append((
                    position, np.array([place[doc] for doc in gains], np.int64), np.array(list(gains.values()), float)
                ))

    def mean_ndcg(self, scores: Scores) -> float:
        """nDCG' of the first 1,000 by scores."""
        values: list[float] = []
        for topic, documents, gains in self.judged:
            of_topic = scores[topic]
            last = np.partition(of_topic, -DEPTH)[-DEPTH] if len(of_topic) > DEPTH else 0.0
            found = of_topic[documents]
            values.append(_ndcg(np.where(found >= last, found, 0.0), gains))
        return float(np.mean(values))


def _ndcg(scores: np.ndarray, gains: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    found = np.where(scores[order] > 0, gains[order], 0.0)
    discounts = 1.0 / np.log2(np.arange(2, len(gains) + 2))
    return float((found * discounts).sum() / (np.sort(gains)[::-1] * discounts).sum())


class Bench:
    """Runs models over the index, and remembers the scores of channels."""

    def __init__(self, setting: Setting, data: Path) -> None:
        self.setting = setting
        self.snapshot, self.analyzer = setting.opened()
        self.ids = [
            doc for segment in self.snapshot.segments for doc in segment.doc_ids(np.arange(segment.doc_count))
        ]
        self.topics = {year: Topics(data, year, self.ids) for year in YEARS}
        self._scores: dict[Choice, Scores] = {}

    def run(self, model: SearchModel, year: str, name: str) -> Run:
        """The first 1,000 of each topic."""
        return DocumentRetriever(self.snapshot, self.analyzer, model).search(
            self.topics[year].queries, DEPTH, name=name
        )

    def scores(self, channel: str, similarity: str, gamma: float, softness: float) -> Scores:
        """The scores of all documents for the topics of 2020 in one channel."""
        key = (channel, similarity, gamma, softness)
        if key not in self._scores:
            model = model_of({channel: settings_of(1.0, similarity, gamma, softness)})
            retriever = DocumentRetriever(self.snapshot, self.analyzer, model)
            queries = self.topics["2020"].queries
            found = np.zeros((len(queries), len(self.ids)))
            for topic, query in enumerate(queries):
                units = retriever.lexical.search_units([retriever.query_terms(query)], len(self.ids))[0]
                found[topic, units.units] = units.scores
            self._scores[key] = found
        return self._scores[key]


def settings_of(weight: float, similarity: str, gamma: float, softness: float) -> ChannelSettings:
    """Lucene's BM25 with the title γ times in questions and answers."""
    return ChannelSettings(
        round(weight, 9), 1.2, 0.75, similarity=similarity, softness=softness,
        field_weights={"*": 0.0, "body": 1.0, "title": gamma}, query_field_weights={"title": gamma, "tags": 0.0},
    )


def model_of(channels: Mapping[str, ChannelSettings]) -> SearchModel:
    """A model in which every term of a query counts as often as it stands there."""
    return SearchModel(channels, formulas_power=1.0, mass_exponent=0.0)



def tuned(bench: Bench, text: Variant, formulas: Variant | None) -> tuple[float, list[Choice], float]:
    """The best nDCG' of 2020, the choices that give it, and β."""
    topics = bench.topics["2020"]

    def ranked(variant: Variant) -> list[tuple[float, Choice]]:
        choices = [
            (variant.channel, name, gamma, softness) for name in variant.matrices for gamma in GAMMAS
            for softness in (SOFTNESS if name else (1.0,))
        ]
        return sorted(((topics.mean_ndcg(bench.scores(*one)), one) for one in choices), reverse=True)

    first = ranked(text)
    if formulas is None:
        return first[0][0], [first[0][1]], 1.0
    best: tuple[float, list[Choice], float] = (-1.0, [], 1.0)
    second = ranked(formulas)
    for _, one in first[:KEPT]:
        for _, other in second[:KEPT]:
            for beta in BETAS:
                # scores of channels are on scales of their own; the published models interpolate them as they are
                value = topics.mean_ndcg(beta * bench.scores(*one) + (1.0 - beta) * bench.scores(*other))
                if value > best[0]:
                    best = (value, [one, other], beta)
    return best


def soft_models(bench: Bench) -> dict[str, tuple[SearchModel, dict[str, Any]]]:
    """The rows of 2022 with what was chosen for each."""
    found: dict[str, tuple[SearchModel, dict[str, Any]]] = {}
    for name in SYSTEMS_2022:
        text, formulas = bench.setting.variants(name)
        if text is None:
            continue
        value, choices, beta = tuned(bench, text, formulas)
        channels = {choices[0][0]: settings_of(beta, *choices[0][1:])}
        if len(choices) > 1:
            channels[choices[1][0]] = settings_of(1.0 - beta, *choices[1][1:])
        chosen: dict[str, Any] = {"tuned": value}
        for number, (_, similarity, gamma, softness) in enumerate(choices, 1):
            chosen[f"γ{number}"] = gamma
            if similarity:
                chosen |= {f"α{number}": similarity.rpartition("-")[2], f"s{number}": softness}
        if formulas is not None:
            chosen["β"] = beta
        found[name] = replace(model_of(channels), tuned_on=DEFAULT_MODEL.tuned_on), chosen
        print(f"{name}: {value:.3f} {chosen}", flush=True)
    return found


def measured(bench: Bench, model: SearchModel, name: str, folder: Path) -> dict[str, float]:
    """Answers both years' topics, writes the runs, and scores them."""
    values: dict[str, float] = {}
    for year in YEARS:
        run = bench.run(model, year, name)
        run.write(folder / f"{name}.{year}.run")
        scored = evaluate_run(run, bench.topics[year].qrels, MEASURES).aggregated
        values |= {f"{year} {measure}": value for measure, value in scored.items()}
    return values


def ensemble(bench: Bench, folder: Path, names: Sequence[str], base: str) -> list[tuple[str, dict[str, float]]]:
    """Fusions of all systems; weights are chosen on 2020."""
    runs = {year: [Run.read(folder / f"{name}.{year}.run") for name in names] for year in YEARS}
    rows: list[tuple[str, dict[str, float]]] = []

    def add(title: str, of_year: Mapping[str, Run]) -> None:
        values: dict[str, float] = {}
        file = f"ensemble-{title.partition(' ')[0].strip(',')}"
        for year, run in of_year.items():
            run.renamed(file).write(folder / f"{file}.{year}.run")
            scored = evaluate_run(run, bench.topics[year].qrels, MEASURES).aggregated
            values |= {f"{year} {measure}": value for measure, value in scored.items()}
        rows.append((title, values))

    for method in ("rrf", "combsum", "combmnz", "ibc"):
        add(f"{method} of all", {year: fuse(runs[year], method) for year in YEARS})
    start = {f"weights.{number}": [4, 8, 16, 32] if name == base else [0, 1, 2, 4] for number, name in enumerate(names)}
    qrels = bench.topics["2020"].qrels
    given = {"weights": [16 if name == base else 1 for name in names]}
    _, result = tune_fusion(runs["2020"], "linear", start, qrels, search=CoordinateSearch(), parameters=given)
    weights = [result.parameters[f"weights.{number}"] for number in range(len(names))]
    add("linear, tuned on 2020", {year: fuse(runs[year], "linear", weights=weights) for year in YEARS})
    print("weights:", {name: weight for name, weight in zip(names, weights, strict=True) if weight})
    return rows


def table(rows: Iterable[tuple[str, Mapping[str, Any]]], extra: Sequence[str] = ()) -> None:
    columns = [f"{year} {measure}" for measure in MEASURES for year in YEARS]
    print_table([
        ("system", *extra, *columns),
        *(
            (name, *(_written(row.get(column, "")) for column in extra), *(f"{row[column]:.3f}" for column in columns))
            for name, row in rows
        ),
    ])


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--transformer")
    parser.add_argument("--transformer-documents", type=int, default=300)
    options = parser.parse_args()
    setting = Setting(options.work, options.data / "arqmath-mini", options.transformer, options.transformer_documents)
    setting.prepare()
    bench = Bench(setting, options.data)
    folder = options.work / "runs"
    folder.mkdir(exist_ok=True)
    soft = soft_models(bench)
    rows_2022 = [(name, {**chosen, **measured(bench, model, name, folder)}) for name, (model, chosen) in soft.items()]
    models: dict[str, SearchModel] = {"default": DEFAULT_MODEL, **SYSTEMS_2021}
    bare = {"*": 0.0, "body": 1.0}
    for name in BARE:
        models[f"mirmu2021-{name}-bare"] = replace(SYSTEMS_2021[f"mirmu2021-{name}"], field_weights=bare)
    rows_2021 = [(name, measured(bench, model, name, folder)) for name, model in models.items()]
    table(rows_2022, ("α1", "s1", "γ1", "α2", "s2", "γ2", "β"))
    table(rows_2021)
    names = ["default", *SYSTEMS_2021, *soft]
    fusions = ensemble(bench, folder, names, "default")
    table(fusions)
    result = RESULTS / "soft_models.json"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps({
        "settings": SPACES, "2022": dict(rows_2022), "2021": dict(rows_2021), "fusions": dict(fusions),
        "versions": versions(),
    }, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
