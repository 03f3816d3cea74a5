"""Neural models alone and in sums on all development sets, and on which topics they help.

::

    porism encode MODEL --index DIR/arqmath.index          # for each index of DIR, and each model
    python -m benchmarks effectiveness neural --data ../shared/data --work DIR --models default,dense,colbert
    python -m benchmarks effectiveness neural --data ../shared/data --work DIR --models default,FILE.toml \\
        --sums default:0.4+FILE.toml:0.6

The sets are those of :mod:`development`, except for names; ``--sets arqmath2021`` reports on that year. Each model
after the first is measured alone and, unless ``--sums`` says otherwise, in a sum of equal weights with the first, and
all are in one sum. Printed are means, paired differences to the first model with bootstrap intervals of 95 % and the
p-value of a paired t-test, uncorrected; then the same by length of the topics and by their share of mathematics, for
ARQMath 2021 by category, difficulty and dependency, and for ``proofwiki`` by category. A model for which an index has
nothing encoded is left out there. ``--json`` writes all of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.common.bench import print_table
from benchmarks.effectiveness.development import Task, all_tasks, task_parser
from porism import Run
from porism.corpus import read_topic_information
from porism.errors import ConfigError
from porism.lab.evaluate import (
    Breakdown,
    RunComparison,
    breakdown,
    compare_runs,
    groups_by,
    length_groups,
    math_share_groups,
)
from porism.retrieve import RetrieverSettings
from porism.search.models.models import read_model
from porism.search.models.registry import kind_of
from porism.search.models.sums.retriever import Part, SumModel

COLUMNS = ("category", "difficulty", "dependency")


def parts_of(spelled: str) -> dict[str, float]:
    """The models of a sum, ``default:0.4+dense:0.6``, and their weights; equal ones where none are given.

    :raises ValueError: a weight is not a number, or there is only one model.
    """
    found: dict[str, float] = {}
    parts = spelled.split("+")
    for part in parts:
        name, _, weight = part.partition(":")
        found[name] = float(weight) if weight else 1 / len(parts)
    if len(found) < 2:
        raise ValueError(f"{spelled} is not a sum of two models or more")
    return found


def sum_of(weights: Mapping[str, float], models: Mapping[str, RetrieverSettings]) -> SumModel:
    """The weighted sum of models by name."""
    return SumModel({
        Path(name).stem: Part(weight, settings={"kind": kind_of(model).name, **model.to_dict()})
        for name, weight in weights.items() for model in [models[name] if name in models else read_model(name)]
    })


def chosen_models(names: Sequence[str], sums: Sequence[str] | None) -> dict[str, RetrieverSettings]:
    """What is measured, by name: the models alone, then the sums."""
    models = {name: read_model(name) for name in names}
    if sums is None:
        sums = [f"{names[0]}+{name}" for name in names[1:]]
        if len(names) > 2:
            sums = [*sums, "+".join(names)]
    return models | {spelled: sum_of(parts_of(spelled), models) for spelled in sums}


def measured(task: Task, models: Mapping[str, RetrieverSettings]) -> RunComparison:
    """The models on a set, compared with the first.

    :raises ConfigError: the first cannot search the index.
    """
    runs: list[Run] = []
    for name, model in models.items():
        try:
            runs.append(task.run(model).renamed(name))
        except ConfigError as error:
            if not runs:
                raise
            print(f"{task.name}: {name} is left out: {error}", file=sys.stderr)
    return compare_runs(runs, task.judged, [task.measure])


def information(task: Task, data: Path) -> Mapping[str, Mapping[str, str]]:
    """What is known of the topics of a set: topic → column → value; of most sets nothing."""
    if task.name.startswith("arqmath"):
        year = task.name.split()[-1]
        table = data / "arqmath-topics" / year / f"Task1_ARQMath{int(year) - 2019}_Topic_Information.csv"
        return read_topic_information(table) if table.exists() else {}
    if task.name.startswith("proofwiki"):
        found = {query.id: task.index.document(query.id).metadata.get("category", "") for query in task.queries}
        return {topic: {"category": category if isinstance(category, str) else "; ".join(category)}
                for topic, category in found.items()}
    return {}


def breakdowns(
    task: Task, comparison: RunComparison, known: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Iterator[Breakdown]:
    """The models on groups of topics.

    :param known: what is known of the topics: topic → column → value.
    """
    groups = {"length": length_groups(task.queries), "share of mathematics": math_share_groups(task.queries)}
    columns = {column for row in known.values() for column in row}
    groups |= {column: groups_by(known, column) for column in COLUMNS if column in columns}
    for by, members in groups.items():
        yield breakdown(comparison.evaluations, members, by=by, baseline=0)


def rows_of(task: Task, comparison: RunComparison) -> list[list[str]]:
    """A line for each model."""
    (measure,) = comparison.measures
    rows = []
    for evaluation in comparison.evaluations:
        found = comparison.tests[measure].get(evaluation.run_name)
        rows.append([
            task.name, evaluation.run_name, f"{evaluation.aggregated[measure]:.4f}",
            *((f"{found.difference:+.4f}", _interval(found.interval), f"{found.p_value:.3f}") if found else [""] * 3),
        ])
    return rows


def group_rows(part: Breakdown) -> list[list[str]]:
    """A line for each group and model."""
    rows = [[part.by, "topics", "model", "mean", "difference", "95 %"]]
    for group, runs in part.values.items():
        for name, values in runs.items():
            (measure,) = values
            found = part.difference(group, name, measure)
            rows.append([
                group, str(len(part.topics[group])), name, f"{values[measure]:.3f}",
                *((f"{found.difference:+.3f}", _interval(found.interval, 3)) if found else ("", "")),
            ])
    return rows


def _interval(ends: tuple[float, float], digits: int = 4) -> str:
    return f"{ends[0]:+.{digits}f} to {ends[1]:+.{digits}f}"


def main() -> None:
    """Measures the models that the command line names."""
    parser = task_parser(__doc__, "arqmath2020,proofwiki,mathlib,sample", "default,dense")
    parser.add_argument("--sums", help="default:0.4+dense:0.6, …, separated by commas; - for none")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    sums = None if given.sums is None else [one for one in given.sums.split(",") if one != "-"]
    models = chosen_models(given.models.split(","), sums)
    rows = [["set", "model", "mean", "difference", "95 %", "p"]]
    parts: list[tuple[Task, Breakdown]] = []
    values: dict[str, Any] = {}
    for task in all_tasks(given.data, given.work, given.sets.split(",")):
        comparison = measured(task, models)
        rows += rows_of(task, comparison)
        values[task.name] = comparison.to_dict(per_topic=True)
        found = list(breakdowns(task, comparison, information(task, given.data)))
        parts += [(task, part) for part in found]
        values[task.name]["breakdowns"] = [part.to_dict() for part in found]
    print_table(rows)
    for task, part in parts:
        print(f"\n{task.name}, {task.measure} by {part.by}")
        print_table(group_rows(part))
    if given.json:
        given.json.write_text(json.dumps(values, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
