"""Many runs scored on the same topics, and tested against one of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError, pluralise
from porism.lab.evaluate.bootstrap import Interval, check_bootstrap, confidence_intervals
from porism.lab.evaluate.evaluation import Evaluation, Missing, check_missing, evaluate_run, shared_topics
from porism.lab.evaluate.judgments import Qrels
from porism.lab.evaluate.measures import DEFAULT_MEASURES, Measure, distinct_measures, parse_measure
from porism.lab.evaluate.significance import TIE, PairedTest, holm, paired_t_test, permutation_tests, stars, wilcoxon
from porism.lab.evaluate.tables import aligned, shown, some
from porism.runs.run import Run
from porism.settings import nearest

T = TypeVar("T")

Test = Literal["t-test", "wilcoxon", "permutation"]
TESTS: Mapping[str, str] = {
    "t-test": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "permutation": "paired permutation test",
}
"""The tests by name, and what they are called in a table; all are two-tailed."""

Correction = Literal["holm", "none"]
CORRECTIONS: Mapping[str, str] = {"holm": "Holm–Bonferroni", "none": "not corrected"}
"""How p-values are corrected for the number of runs, and what that is called in a table."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One measure of a run beside that of the baseline.

    ``difference`` is that of the aggregated values, run − baseline, over the ``topics`` for which the measure is
    defined for both, and ``interval`` its bootstrap interval. ``adjusted`` is the p-value corrected by Holm–Bonferroni
    for the number of runs that the baseline is tested against, or as it is where nothing shall be corrected. ``wins``,
    ``ties`` and ``losses`` count topics; values that differ by rounding only are ties. Without a topic in common the
    difference is 0 and p is 1.
    """

    p_value: float
    adjusted: float
    statistic: float
    difference: float
    interval: Interval
    wins: int
    ties: int
    losses: int

    __test__ = False  # pytest takes the name for that of a test class

    @property
    def topics(self) -> int:
        """How many topics were compared."""
        return self.wins + self.ties + self.losses

    @property
    def stars(self) -> str:
        """``**`` for a corrected p-value below 0.01, ``*`` below 0.05, else nothing."""
        return stars(self.adjusted)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an infinite statistic becomes None."""
        statistic = self.statistic if math.isfinite(self.statistic) else None
        return asdict(self) | {"statistic": statistic, "interval": list(self.interval)}


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Runs scored on the same topics by the same measures, and tests of each against the ``baseline``-th.

    ``tests`` is measure → run → result, without the baseline. ``notes`` say what a reader must know: runs that were
    tuned on these topics, topics left out, names that were made unique.
    """

    evaluations: tuple[Evaluation, ...]
    baseline: int
    tests: Mapping[str, Mapping[str, TestResult]]
    test: Test = "t-test"
    level: float = 0.95
    notes: tuple[str, ...] = field(default=())
    correction: Correction = "holm"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs, each once, in the order given."""
        return tuple(evaluation.run_name for evaluation in self.evaluations)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that count, the same for all runs."""
        return self.evaluations[0].topics

    @property
    def corrected(self) -> str:
        """``corrected`` or ``not corrected``: what p-values are for the number of runs."""
        return "not corrected" if self.correction == "none" else "corrected"

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self.evaluations[0].aggregated)

    def __getitem__(self, run: str) -> Evaluation:
        """The evaluation of a run by its name here.

        :raises ConfigError: there is no such run.
        """
        return self.evaluations[_numbered(run, self.names)]

    def differences(self, run: str, measure: str | Measure) -> dict[str, float]:
        """Topic → value of the run minus that of the baseline, where both are defined.

        :raises ConfigError: there is no such run, or the measure was not computed.
        """
        name = repr(parse_measure(measure))
        mine, other = self[run], self.evaluations[self.baseline]
        mine[name]  # an unknown measure is refused in the evaluation's words
        return _differences(mine.per_topic[name], other.per_topic[name])

    def to_dict(self, per_topic: bool = False) -> dict[str, Any]:
        """The comparison as plain values for JSON; ``per_topic`` adds topic → measure → value to each run."""
        return {
            "baseline": self.names[self.baseline],
            "test": self.test,
            "correction": self.correction,
            "level": self.level,
            "runs": [evaluation.to_dict(per_topic=per_topic) for evaluation in self.evaluations],
            "tests": {
                measure: {run: result.to_dict() for run, result in results.items()}
                for measure, results in self.tests.items()
            },
            "notes": list(self.notes),
        }

    def table(self) -> str:
        """The comparison as text: a line a run with its aggregated values, starred where they differ significantly.

        Wins, ties and losses against the baseline are by the first measure. A run that was tuned on these topics is
        marked with a dagger.
        """
        marks = {
            measure: [results[run].stars if run in results else "" for run in self.names]
            for measure, results in self.tests.items()
        }
        room = {measure: max(map(len, column)) for measure, column in marks.items()}  # so that digits stay in line
        rows = [["run", *(measure + " " * room[measure] for measure in self.measures), "wins/ties/losses"]]
        for number, evaluation in enumerate(self.evaluations):
            first = self.tests[self.measures[0]].get(evaluation.run_name)
            rows.append([
                marked_name(evaluation, number == self.baseline),
                *(
                    f"{shown(value)}{marks[measure][number].ljust(room[measure])}"
                    for measure, value in evaluation.aggregated.items()
                ),
                f"{first.wins}/{first.ties}/{first.losses}" if first else "–",
            ])
        return "\n".join([*aligned(rows), *self.legend()])

    def legend(self) -> list[str]:
        """What the table's marks mean, and the notes, a line each."""
        lines = [pluralise(len(self.topics), "topic")]
        if len(self.evaluations) > 1:
            lines.append(
                f"wins, ties and losses by topic, {self.measures[0]}; * p < 0.05, ** p < 0.01 against "
                f"{self.names[self.baseline]} (‡), two-tailed {TESTS[self.test]}, {CORRECTIONS[self.correction]}"
            )
        return [*lines, *self.notes]


def marked_name(evaluation: Evaluation, baseline: bool = False) -> str:
    """The name of a run in a table, with ``‡`` for the baseline and ``†`` where it was tuned on these topics."""
    return f"{evaluation.run_name}{' ‡' if baseline else ''}{' †' if evaluation.tuned_on else ''}"


def compare_runs(
    runs: Iterable[Run], qrels: Qrels, measures: Iterable[Measure | str] = DEFAULT_MEASURES, *, baseline: str | int = 0,
    test: Test = "t-test", missing: Missing = "zero", depth: int | None = 1000, level: float = 0.95, seed: int = 0,
    correction: Correction = "holm",
) -> RunComparison:
    """Scores runs on the same topics and tests each against the baseline, topic by topic.

    The topics are those of the judgments, with ``missing="skip"`` those that at least one of the runs answers. A run
    without results for a topic that another one answers has 0 there, so that all are averaged over the same.

    ``baseline`` is the name of a run, its place, or ``"best"``: the run with the highest value of the first measure,
    the first of equals. P-values are corrected within each measure, for the number of runs tested, unless the
    ``correction`` is ``none``. Runs of one name are numbered.

    :raises ConfigError: an option has a wrong value, there is no such baseline, a measure does not exist.
    :raises QueryError: there is no run, or a run and the judgments have no topic in common.
    :raises FormatError: a gain is not a whole number.
    :raises MissingExtra: the t-test without SciPy.
    """
    given = list(runs)
    if not given:
        raise QueryError("there is no run to compare")
    check_missing(missing, depth)
    check_bootstrap(level)
    if test not in TESTS:
        raise ConfigError(f"there is no test {test!r}", hint=nearest(test, TESTS))
    if correction not in CORRECTIONS:
        raise ConfigError(f"there is no correction {correction!r}", hint=nearest(correction, CORRECTIONS))
    chosen = distinct_measures(measures)
    if not chosen:
        raise ConfigError("no measure is named")
    names, notes = unique_names([run.name for run in given])
    if baseline != "best" or "best" in names:
        first = _numbered(baseline, names)
    answered: set[str] = set()
    for run, name in zip(given, names, strict=True):
        answered.update(shared_topics(run.renamed(name), qrels))
    left_out = [topic for topic in qrels if topic not in answered] if missing == "skip" else []
    if left_out:
        notes.append(f"left out, answered by none: {some(left_out)}")
        qrels = {topic: gains for topic, gains in qrels.items() if topic in answered}
    evaluations = tuple(
        replace(evaluate_run(run, qrels, chosen, missing="zero", depth=depth), run_name=name)
        for run, name in zip(given, names, strict=True)
    )
    if baseline == "best" and "best" not in names:
        first = _best(evaluations)
    for evaluation in evaluations:
        if evaluation.missing_topics:
            notes.append(f"{evaluation.run_name}: counted as zero, not in the run: {some(evaluation.missing_topics)}")
    notes += [f"† {evaluation.run_name}: {evaluation.tuned_note}" for evaluation in evaluations if evaluation.tuned_on]
    if len(evaluations) > 1 and any(evaluation.tuned_on for evaluation in evaluations):
        notes.append("tests that a run marked † takes part in say nothing of topics it was not tuned on")
    tests = {
        repr(measure): _tested(repr(measure), evaluations, first, test, level, seed, correction) for measure in chosen
    }
    return RunComparison(evaluations, first, tests, test, level, tuple(notes), correction)


def _tested(
    measure: str, evaluations: Sequence[Evaluation], baseline: int, test: Test, level: float, seed: int,
    correction: Correction,
) -> dict[str, TestResult]:
    """Run → result for one measure, p-values corrected for the number of runs or not."""
    others = [evaluation for number, evaluation in enumerate(evaluations) if number != baseline]
    reference = evaluations[baseline].per_topic[measure]
    differences = [_differences(evaluation.per_topic[measure], reference) for evaluation in others]
    values = [np.array(list(by_topic.values()), np.float64) for by_topic in differences]
    outcomes = _p_values(values, test, seed)
    intervals = _intervals(values, level, seed)
    raw = [outcome.p_value for outcome in outcomes]
    adjusted = holm(raw) if correction == "holm" else raw
    results: dict[str, TestResult] = {}
    for number, evaluation in enumerate(others):
        column, outcome = values[number], outcomes[number]
        scale = 1 if evaluation.is_count(measure) else 1 / max(1, len(column))
        wins, losses = int((column > TIE).sum()), int((column < -TIE).sum())
        low, high = (end * scale * len(column) for end in intervals[number])
        results[evaluation.run_name] = TestResult(
            outcome.p_value, adjusted[number], outcome.statistic, float(column.sum()) * scale, (low, high),
            wins, len(column) - wins - losses, losses,
        )
    return results


def _p_values(columns: Sequence[NDArray[np.float64]], test: Test, seed: int) -> list[PairedTest]:
    if test == "t-test":
        return [paired_t_test(column) for column in columns]
    if test == "wilcoxon":
        return [wilcoxon(column) for column in columns]
    return _by_size(columns, lambda together: permutation_tests(together, seed=seed))


def _intervals(columns: Sequence[NDArray[np.float64]], level: float, seed: int) -> list[Interval]:
    """The interval of each mean difference; (0, 0) without a topic."""
    def compute(together: NDArray[np.float64]) -> Sequence[Interval]:
        return confidence_intervals(together, level, seed=seed) if len(together) else [(0.0, 0.0)] * together.shape[1]

    return _by_size(columns, compute)


def _by_size(columns: Sequence[NDArray[np.float64]], compute: Callable[[NDArray[np.float64]], Sequence[T]]) -> list[T]:
    """What is computed of the columns of each length together; as a rule there is one: runs have the same topics."""
    results: dict[int, T] = {}
    for size in {len(column) for column in columns}:
        places = [place for place, column in enumerate(columns) if len(column) == size]
        results.update(zip(places, compute(np.stack([columns[place] for place in places], axis=1)), strict=True))
    return [results[place] for place in range(len(columns))]


def _differences(mine: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {topic: value - other[topic] for topic, value in mine.items() if topic in other}


def unique_names(names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The names, those that occur more than once numbered from the second on, and a note on each of these."""
    unique: list[str] = []
    taken = set(names)
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        chosen, number = name, seen[name]
        while number > 1 and (chosen := f"{name} ({number})") in taken:
            number += 1
        taken.add(chosen)
        unique.append(chosen)
    notes = [
        f"{times} runs are named {name}: they are numbered in the order given"
        for name, times in seen.items() if times > 1
    ]
    return tuple(unique), notes


def _numbered(run: str | int, names: Sequence[str]) -> int:
    """The place of a run by its name or place."""
    if isinstance(run, str):
        if run not in names:
            raise ConfigError(f"there is no run {run!r}", hint=nearest(run, names))
        return list(names).index(run)
    if not -len(names) <= run < len(names):
        raise ConfigError(f"there is no run at place {run}", hint=f"There are {len(names)}, from 0.")
    return run % len(names)


def _best(evaluations: Sequence[Evaluation]) -> int:
    measure = next(iter(evaluations[0].aggregated))
    values = [evaluation.aggregated[measure] for evaluation in evaluations]
    return max(range(len(values)), key=lambda number: (not math.isnan(values[number]), values[number], -number))
