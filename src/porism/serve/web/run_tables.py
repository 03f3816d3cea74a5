"""Runs measured for the laboratory pages: all of them beside a baseline, and one of them topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.lab.evaluate import Qrels, RunComparison, TestResult, compare_runs, parse_measures
from porism.lab.evaluate.significance import TIE
from porism.runs.run import Run
from porism.serve.web.known_questions import GradeScale

MAX_MEASURES = 12
DEPTH = 1_000
"""Of each ranking so many results count, as in `porism evaluate`."""


def measures_of(text: str, scale: GradeScale) -> tuple[str, ...]:
    """The measures of a text, or those that are shown first; binary ones with the lowest relevant grade of a scale.

    :raises ConfigError: there is no such measure.
    :raises QueryError: there are too many.
    """
    if text.strip():
        measures = tuple(map(repr, parse_measures(text[:1_000])))
        if len(measures) > MAX_MEASURES:
            raise QueryError(f"there are {len(measures)} measures", hint=f"Choose up to {MAX_MEASURES}.")
        return measures
    if scale.relevant == 1:
        return ("nDCG'", "AP'(rel=1)", "P'(rel=1)@10", "Bpref(rel=1)", "Judged@10", "NumRet(rel=1)")
    return ("nDCG'", "AP'", "P'@10", "bpref", "judged@10", "num_rel_ret")


def compared(runs: Sequence[Run], qrels: Qrels, measures: Sequence[str], baseline: int = 0) -> RunComparison:
    """Runs scored and tested as by `porism compare`; without SciPy by permutation and not by t-test.

    :raises QueryError: a run and the judgments have no topic in common.
    """
    return compare_runs(
        runs, qrels, measures, baseline=baseline, test="t-test" if find_spec("scipy") else "permutation", depth=DEPTH
    )


@dataclass(frozen=True, slots=True)
class RunTableRow:
    """A line of a table: a run or a topic, its values, and their differences from the baseline's where there is one."""

    name: str
    values: tuple[float | None, ...]
    differences: tuple[float | None, ...] = ()
    tests: tuple[TestResult | None, ...] = ()
    marks: str = ""


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """Rows in the order asked for, with the measures as columns; ``counts`` says which of them are summed."""

    measures: tuple[str, ...]
    counts: tuple[bool, ...]
    rows: tuple[RunTableRow, ...]
    sort: str
    falls: bool
    legend: tuple[str, ...]

    @property
    def measure(self) -> str:
        """The measure that rows are sorted by, or else the first: that of the plots."""
        name = self.sort.removeprefix("difference ")
        return name if name in self.measures else self.measures[0]


def table_of_runs(comparison: RunComparison, sort: str = "", falls: bool = True) -> MeasureTable:
    """A row for each run, with its tests against the baseline.

    :raises QueryError: the table cannot be sorted by that.
    """
    measures = comparison.measures
    rows = [
        RunTableRow(
            evaluation.run_name, tuple(map(known, evaluation.aggregated.values())),
            tests=tuple(comparison.tests[measure].get(evaluation.run_name) for measure in measures),
            marks=("‡" if number == comparison.baseline and len(comparison.names) > 1 else "")
            + ("†" if evaluation.tuned_on else ""),
        )
        for number, evaluation in enumerate(comparison.evaluations)
    ]
    return _table(comparison, rows, sort, falls, tuple(comparison.legend()))


def table_of_topics(comparison: RunComparison, name: str, sort: str = "", falls: bool = True) -> MeasureTable:
    """A row for each topic of a run, with the differences from the baseline where the run is another one.

    :raises QueryError: the table cannot be sorted by that.
    """
    own, measures = comparison[name], comparison.measures
    baseline = comparison.evaluations[comparison.baseline]
    has_differences = baseline.run_name != name
    gaps = [comparison.differences(name, measure) for measure in measures] if has_differences else []
    rows = [
        RunTableRow(
            topic, tuple(known(own.per_topic[measure].get(topic)) for measure in measures),
            tuple(gap.get(topic) for gap in gaps), marks="–" if topic in own.missing_topics else "",
        )
        for topic in comparison.topics
    ]
    return _table(comparison, rows, sort, falls, tuple(own.notes()))


def known(value: float | None) -> float | None:
    """A value, None in place of NaN."""
    return None if value is None or value != value else value


def _table(
    comparison: RunComparison, rows: list[RunTableRow], sort: str, falls: bool, legend: tuple[str, ...]
) -> MeasureTable:
    measures = comparison.measures
    own = comparison.evaluations[0]
    if sort:
        numbers = {name: number for number, name in enumerate(measures)}
        column = sort.removeprefix("difference ")
        if sort != "name" and (column not in numbers or (column != sort and not any(row.differences for row in rows))):
            raise QueryError(
                f"the table cannot be sorted by {sort[:200]!r}", hint=f"Choose from name, {', '.join(measures)}."
            )
        if sort == "name":
            rows = sorted(rows, key=lambda row: _natural(row.name), reverse=falls)
        else:

            def value(row: RunTableRow) -> float | None:
                return (row.values if column == sort else row.differences)[numbers[column]]

            known = [row for row in rows if value(row) is not None]
            known.sort(key=lambda row: value(row) or 0.0, reverse=falls)
            rows = [*known, *(row for row in rows if value(row) is None)]
    counts = tuple(own.is_count(measure) for measure in measures)
    return MeasureTable(measures, counts, tuple(rows), sort, falls, legend)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key by which A.2 comes before A.10."""
    parts: list[tuple[int, int, str]] = []
    digits = ""
    for character in f"{name} ":
        if character.isascii() and character.isdigit():
            digits += character
            continue
        if digits:
            parts.append((0, int(digits[:18]), digits))
            digits = ""
        parts.append((1, 0, character))
    return parts


def changes(comparison: RunComparison, name: str, measure: str) -> tuple[int, int, int]:
    """Topics that are better, equal and worse than the baseline's."""
    gaps = comparison.differences(name, measure).values()
    better, worse = sum(gap > TIE for gap in gaps), sum(gap < -TIE for gap in gaps)
    return better, len(gaps) - better - worse, worse


def values_by_run(comparison: RunComparison, measure: str) -> dict[str, NDArray[np.float64]]:
    """Run → value of each topic [T], NaN where the measure is undefined."""
    of_runs = {evaluation.run_name: evaluation.per_topic[measure] for evaluation in comparison.evaluations}
    return {
        name: np.array([values.get(topic, np.nan) for topic in comparison.topics], np.float64)
        for name, values in of_runs.items()
    }
