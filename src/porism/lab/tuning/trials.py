"""Objectives tried at configurations: each at most once, whatever asks for it; what fails is reported and skipped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, OnProblem, PorismError, Problem, QueryError
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.space import Configuration, Space, UnknownParameter
from porism.lab.tuning.store import TrialStore
from porism.settings import nearest

Objective = Callable[[Configuration], Mapping[str, float]]
"""Parameters → topic → value, higher better; a topic for which the measure is undefined is absent."""

_DIGITS = 12
"""So many decimals has a score."""

OnProgress = Callable[[int, "int | None"], None]
"""Called after each configuration with how many are done and how many there will be, if that is known."""


@runtime_checkable
class KnownObjective(Protocol):
    """An objective that says which it is: what :mod:`porism.lab.tuning.objectives` makes."""

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it has values for."""
        ...

    @property
    def digest(self) -> str:
        """Of all that its values depend on besides the parameters; empty if that cannot be known."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What it measures, of what and by which judgments, as plain values for the evidence."""
        ...


@dataclass(frozen=True, slots=True)
class Trial:
    """A configuration and its score on the topics of a search; None if it failed there, and then ``problem`` says why.

    ``defined`` is the number of topics that the score is the mean of.
    """

    parameters: Mapping[str, Any]
    score: float | None
    defined: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Values by topic (float64 [T]): NaN where undefined, infinite where the objective gave no finite number."""

    values: NDArray[np.float64]
    seconds: float
    problem: str | None = None


class Trials:
    """The trials of one objective for some topics; what was tried is known and not tried again.

    :raises ConfigError: a store is given and the objective does not say which it is.
    :raises QueryError: the objective has no values for a topic.
    """

    def __init__(
        self, objective: Objective, topics: Iterable[str], *, store: TrialStore | None = None,
        on_progress: OnProgress | None = None, on_problem: OnProblem | None = None,
    ) -> None:
        self.objective = objective
        self.topics = tuple(dict.fromkeys(topics))
        self.row = {topic: number for number, topic in enumerate(self.topics)}
        self.evaluated = 0
        """How many configurations were evaluated, not found in the store."""
        self.seconds = 0.0
        """How long the evaluations took, also those that were found in the store."""
        self._store = store
        self._on_progress = on_progress
        self._on_problem = on_problem
        self.total: int | None = None
        """How many configurations there will be, if that is known."""
        self._outcomes: dict[str, _Outcome] = {}
        self._told: set[str] = set()
        if not self.topics:
            raise QueryError("there are no topics to tune on")
        known = objective if isinstance(objective, KnownObjective) else None
        self.about: dict[str, Any] = dict(known.describe()) if known else {}
        self._digest = known.digest if known else ""
        if self._digest:
            self.about["digest"] = self._digest
        elif store is not None:
            raise ConfigError(
                "the objective does not say which it is, so its trials cannot be kept",
                hint="Name what it depends on (RunObjective(…, name=…)), or tune without a store.",
            )
        if known and (strange := [topic for topic in self.topics if topic not in known.topics]):
            raise QueryError(
                f"{len(strange):,} of {len(self.topics):,} topics have no judgments, first {strange[0]}",
                hint=nearest(strange[0], known.topics[:20]),
            )

    def outcome(self, configuration: Configuration, key: str | None = None) -> _Outcome:
        """The values of a configuration by topic; ``key`` is that of the configuration, if it is known.

        :raises SourceError: the store cannot be written.
        """
        key = value_key(configuration) if key is None else key
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._outcomes[key] = self._tried(configuration)
            self.seconds += outcome.seconds
            if self._on_progress:
                self._on_progress(len(self._outcomes), self.total)
        return outcome

    def on(self, configuration: Configuration, key: str, rows: NDArray[np.int64]) -> Trial:
        """The trial of a configuration for the topics of these rows; the values of others have no part in it."""
        outcome = self.outcome(configuration, key)
        if outcome.problem:
            return self._failed(configuration, outcome.problem)
        values = outcome.values[rows]
        if not np.isfinite(values).all():
            if np.isinf(values).any():
                topic = self.topics[int(rows[int(np.flatnonzero(np.isinf(values))[0])])]
                return self._failed(configuration, f"the value for topic {topic} is not a finite number")
            values = values[~np.isnan(values)]
        if not len(values):
            return self._failed(configuration, "the measure is undefined for all topics")
        # Equal but for the rounding of sums is equal: noise decides nothing.
        return Trial(configuration, round(math.fsum(values.tolist()) / len(values), _DIGITS), len(values))

    def rows(self, topics: Iterable[str]) -> NDArray[np.int64]:
        """The rows of topics."""
        return np.array([self.row[topic] for topic in topics], np.int64)

    def _failed(self, configuration: Configuration, problem: str) -> Trial:
        """A trial without a score; a failure is reported once, however many folds it fails for."""
        key = value_key(configuration)
        if key not in self._told:
            self._told.add(key)
            if self._on_problem:
                self._on_problem(Problem(shown(configuration), f"{problem}: skipped"))
        return Trial(configuration, None, 0, problem)

    def _tried(self, configuration: Configuration) -> _Outcome:
        if self._store is not None and (kept := self._store.find(self._digest, configuration)):
            return _Outcome(self._columns(kept[0]), kept[1])
        started = time.perf_counter()
        try:
            values = dict(self.objective(dict(configuration)))
            if not all(isinstance(value, (int, float, np.number)) for value in values.values()):
                raise ValueError("a value is not a number")
            columns = self._columns(values)
        except UnknownParameter:  # of the space, not of this configuration
            raise
        except (PorismError, ArithmeticError, ValueError) as error:
            reason = str(error) or type(error).__name__
            return _Outcome(np.empty(0), time.perf_counter() - started, reason.rstrip("."))
        seconds = time.perf_counter() - started
        self.evaluated += 1
        if self._store is not None and all(map(math.isfinite, values.values())):
            self._store.add(self._digest, configuration, values, seconds)
        return _Outcome(columns, seconds)

    def _columns(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        columns = np.full(len(self.topics), np.nan)
        for topic, value in values.items():
            row = self.row.get(topic)
            if row is not None:
                columns[row] = value if math.isfinite(value) else math.inf  # NaN is for what is undefined
        return columns


class Exploration:
    """The trials of one search for some of the topics; :meth:`score` is what the search calls."""

    def __init__(self, trials: Trials, topics: Sequence[str]) -> None:
        self._trials = trials
        self._rows = trials.rows(topics)
        self._found: dict[str, Trial] = {}

    def score(self, configuration: Configuration) -> float:
        """The mean over the topics; minus infinity if the configuration failed."""
        key = value_key(configuration)
        trial = self._found.get(key)
        if trial is None:
            trial = self._found[key] = self._trials.on(configuration, key, self._rows)
        return -math.inf if trial.score is None else trial.score

    def sorted(self, space: Space) -> tuple[Trial, ...]:
        """The trials in the order of the space."""
        return tuple(sorted(self._found.values(), key=lambda trial: space.position(trial.parameters)))

    def best(self, trials: Sequence[Trial]) -> Trial:
        """The trial of the highest score, the first of equal ones.

        :raises ConfigError: all failed.
        """
        sound = [trial for trial in trials if trial.score is not None]
        if not sound:
            if not trials:
                raise ConfigError("the search tried no configuration")
            first = trials[0]
            raise ConfigError(
                f"all {len(trials):,} configurations failed", where=shown(first.parameters),
                hint=f"This one: {first.problem}.",
            )
        return max(sound, key=lambda trial: trial.score or 0.0)  # max keeps the first; no score here is None


def shown(configuration: Configuration) -> str:
    """A configuration in a line: ``k=60, weights=[0.3, 0.7]``."""
    return ", ".join(f"{path}={value}" for path, value in configuration.items())
