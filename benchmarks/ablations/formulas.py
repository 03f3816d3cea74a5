"""What each part of formula search is worth on ARQMath Task 2: all parts, all but one, one alone.

::

    python -m benchmarks ablations formulas --data ../shared/data
    python -m benchmarks ablations formulas --data ../shared/data --parts parts.toml --models NAME,NAME

A *part* is a set of parameters of the model with the values that switch it off. By default each channel is a part
(n-grams together), and each number of the model whose name ends in ``weight``. ``--parts`` names a TOML file of others,
a table for each, in which a dotted key reaches into what the model holds::

    [alignment]
    alignment_weight = 0.0
    [layout]
    "channels.tangent-l.weight" = 0.0

``--variants`` names a TOML file of the same form whose tables are variants of the model to try as they are;
``--models`` other models of the library (all by default). Prints measures of both years with the difference to the
whole model, ± its standard error over topics (paired), and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import RESULTS, WORK
from benchmarks.common.bench import print_table, versions
from benchmarks.common.formula_index import FormulaSearch, build_formula_index, channels_of, formula_model
from benchmarks.common.formula_task import FIELD, formula_judgments, prepare_formulas
from benchmarks.common.task import YEARS, read_entries
from porism import PorismError, Run
from porism.formula import EXTRACTORS
from porism.lab.evaluate import Evaluation, evaluate_run
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FORMULA_MODELS

MEASURES = ("nDCG'", "MAP'", "bpref")

Changes = Mapping[str, Any]
"""Parameters by (dotted) name, and their values."""


def changed(model: Any, changes: Changes) -> Any:
    """The model with other parameters; the keys of mappings and the fields of dataclasses inside it can be named.

    :raises KeyError: the model has no such parameter.
    """
    for name, value in changes.items():
        model = _with(model, name.split("."), value, name)
    return model


def _with(held: Any, path: Sequence[str], value: Any, name: str) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(held, Mapping):
        if rest and first not in held:
            raise KeyError(f"{name}: there is no {first}")
        return {**held, first: _with(held.get(first), rest, value, name)}
    if not is_dataclass(held) or first not in {field.name for field in fields(held)}:
        raise KeyError(f"{name}: there is no {first}")
    return replace(held, **{first: _with(getattr(held, first), rest, value, name)})  # type: ignore[type-var]


def parts_of(model: Any) -> dict[str, Changes]:
    """The parts that can be told from the model itself: channels of positive weight, and other weights.

    Channels that differ in the number at the end of their name (``tokens-2``, ``tokens-3``) are one part.
    """
    parts: dict[str, Changes] = {}
    for field in fields(model):
        held = getattr(model, field.name)
        if isinstance(held, Mapping) and any(key in EXTRACTORS for key in held):
            for channel, settings in held.items():
                path = f"{field.name}.{channel}" + (".weight" if is_dataclass(settings) else "")
                if getattr(settings, "weight", settings):
                    group = re.sub(r"-\d+$", "", channel)
                    parts[group] = {**parts.get(group, {}), path: 0.0}
        elif field.name.endswith("weight") and isinstance(held, float) and held:
            parts[field.name] = {field.name: 0.0}
    return parts


def ablations(parts: Mapping[str, Changes]) -> dict[str, Changes]:
    """Name of the variant → its changes: all but each part, and each part alone."""
    variants: dict[str, Changes] = {f"without {name}": off for name, off in parts.items()}
    if len(parts) > 2:
        for name in parts:
            variants[f"{name} alone"] = {
                key: value for other, off in parts.items() if other != name for key, value in off.items()
            }
    return variants


def other_models() -> list[str]:
    """The names of the library's models, each model once and the default left out."""
    names: list[str] = []
    for name in FORMULA_MODELS:
        known = [DEFAULT_FORMULA_MODEL, *map(formula_model, names)]
        if formula_model(name) not in known:
            names.append(name)
    return names


class Laboratory:
    """The task and one index of its formulas, on which models are tried."""

    def __init__(self, data: Path, work: Path, models: Sequence[Any], jobs: int | None) -> None:
        task = work / "task"
        task.mkdir(parents=True, exist_ok=True)
        counts = prepare_formulas(data, task)
        print(", ".join(f"{count:,} {name}" for name, count in counts.items()), flush=True)
        formulas = {entry.id: entry.fields[FIELD][0][1] for entry in read_entries(task / "documents.jsonl")}
        channels = channels_of(*models)
        self.index = work / ("index-" + "-".join(channels))
        if not self.index.exists():
            build_formula_index(formulas.items(), self.index, channels, jobs, models[0])
        self.topics = {year: list(read_entries(task / f"topics-{year}.jsonl")) for year in YEARS}
        self.qrels = {year: formula_judgments(data, year, set(formulas)) for year in YEARS}
        self.search: FormulaSearch | None = None

    def evaluate(self, model: Any, k: int) -> dict[str, Evaluation]:
        """Year → how good the model's rankings are."""
        if self.search is None:
            self.search = FormulaSearch(self.index, model)
        else:
            self.search.use(model)
        return {
            year: evaluate_run(
                Run({topic.id: self.search.ask(topic.fields[FIELD][0][1], k) for topic in topics}), self.qrels[year],
                MEASURES,
            )
            for year, topics in self.topics.items()
        }


def differences(found: Evaluation, whole: Evaluation) -> dict[str, tuple[float, float]]:
    """Measure → mean difference over topics, and its standard error."""
    result: dict[str, tuple[float, float]] = {}
    for measure in whole.aggregated:
        one, other = found.per_topic[measure], whole.per_topic[measure]
        paired = np.array([one[topic] - other[topic] for topic in other if topic in one])
        result[measure] = float(paired.mean()), float(paired.std(ddof=1) / np.sqrt(len(paired)))
    return result


def rows_of(found: Mapping[str, Mapping[str, Evaluation]], reference: str) -> list[list[str]]:
    """The table: one line a variant."""
    rows = [["", *(f"{year} {measure}" for year in YEARS for measure in MEASURES),
             *(f"{year} change of nDCG'" for year in YEARS)]]
    for name, years in found.items():
        row = [name, *(f"{years[year][measure]:.3f}" for year in YEARS for measure in MEASURES)]
        for year in YEARS:
            mean, error = next(iter(differences(years[year], found[reference][year]).values()))
            row.append("" if name == reference else f"{mean:+.3f} ± {error:.3f}")
        rows.append(row)
    return rows


def main() -> int:
    """Parses arguments, tries all variants, prints the table and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with arqmath-mini and arqmath-topics")
    add("--model", default="", help="the model whose parts are taken away (default: the library's default)")
    add("--parts", type=Path, help="TOML file of parts (default: channels and weights of the model)")
    add("--variants", type=Path, help="TOML file of variants to try besides")
    add("--models", default=",".join(other_models()), help="other models to try (default: %(default)s)")
    add("-k", type=int, default=1000, help="results a topic (default: 1000)")
    add("--jobs", type=int, help="analysing processes (default: all cores)")
    add("--work", type=Path, default=WORK / "formula-ablations", help="where the index is made, and stays")
    add("--results", type=Path, default=RESULTS, help="where formula-ablations.json is written")
    options = parser.parse_args()
    model = formula_model(options.model)
    parts = tomllib.loads(options.parts.read_text()) if options.parts else parts_of(model)
    changes: dict[str, Changes] = ablations(parts)
    if options.variants:
        changes |= tomllib.loads(options.variants.read_text())
    models = {"all": model}
    left_out: dict[str, str] = {}
    for name, change in changes.items():
        try:
            models[name] = changed(model, change)
        except (KeyError, PorismError) as error:  # such as a model that nothing is left of
            left_out[name] = str(error)
    models |= {name: formula_model(name) for name in options.models.split(",") if name}
    laboratory = Laboratory(options.data, options.work, list(models.values()), options.jobs)
    found: dict[str, dict[str, Evaluation]] = {}
    for name, one in models.items():
        print(f"  {name}", flush=True)
        try:
            found[name] = laboratory.evaluate(one, options.k)
        except PorismError as error:
            left_out[name] = str(error)
    print()
    print_table(rows_of(found, "all"))
    for name, reason in left_out.items():
        print(f"\nleft out: {name}: {reason}")
    options.results.mkdir(parents=True, exist_ok=True)
    output = options.results / "formula-ablations.json"
    output.write_text(json.dumps({
        "versions": versions(), "k": options.k, "left_out": left_out,
        "variants": {
            name: {
                year: {
                    "measures": dict(zip(MEASURES, evaluation.aggregated.values(), strict=True)),
                    "differences": dict(zip(
                        MEASURES, differences(evaluation, found["all"][year]).values(), strict=True
                    )),
                }
                for year, evaluation in years.items()
            }
            for name, years in found.items()
        },
    }, indent=2) + "\n")
    print(f"\nwritten to {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
