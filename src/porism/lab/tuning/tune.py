"""The best configuration for some topics, alone or once for each fold of a cross-validation."""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from porism.errors import ConfigError, OnProblem
from porism.lab.evaluate.splits import k_fold
from porism.lab.tuning.search import GridSearch, Search, search_record
from porism.lab.tuning.space import Space
from porism.lab.tuning.store import TrialStore
from porism.lab.tuning.trials import Exploration, KnownObjective, Objective, OnProgress, Trial, Trials
from porism.lab.tuning.tuned import CrossValidated, Fold, Tuned
from porism.version import __version__


def tune(
    objective: Objective, space: Space | Mapping[str, Any], search: Search | None = None,
    topics: Iterable[str] | None = None, *, store: TrialStore | None = None, on_progress: OnProgress | None = None,
    on_problem: OnProblem | None = None,
) -> Tuned:
    """Searches for the configuration with the highest mean over the topics.

    The mean is that over the topics for which the measure is defined, rounded to twelve decimals. Of equal
    configurations the first in the order of the space is chosen. A configuration that fails (the objective raises a
    PorismError, an arithmetic or a value error, or has a value that is not finite) is reported and skipped. What the
    choice is worth elsewhere is not in its score: these topics made it.

    :param space: a :class:`Space`, or plain values for :meth:`Space.read`.
    :param search: :class:`GridSearch` if not given.
    :param topics: all that the objective has, if it says so and they are not given.
    :raises ConfigError: the space cannot be searched so, or all configurations failed.
    :raises QueryError: there are no topics, or one without judgments.
    """
    space, search = Space.read(space), search or GridSearch()
    trials = Trials(objective, _topics(objective, topics), store=store, on_progress=on_progress, on_problem=on_problem)
    trials.total = search.total(space)
    explored, best = _explored(trials, space, search, trials.topics)
    return Tuned(best.parameters, best.score or 0.0, trials.topics, explored, _context(trials, space, search))


def cross_validate(
    objective: Objective, space: Space | Mapping[str, Any], search: Search | None = None,
    folds: int | Sequence[Iterable[str]] = 5, *, seed: int = 0, store: TrialStore | None = None,
    on_progress: OnProgress | None = None, on_problem: OnProblem | None = None,
) -> CrossValidated:
    """Tunes once for each fold, on the topics of the others, and takes the values of the fold from what that chose.

    So no topic's judgments have a part in choosing the parameters that rank it. Topics in no fold have what all folds
    together choose. As :func:`tune` otherwise; what is evaluated for one search is not evaluated again for another.

    :param folds: the topics of each fold, or how many folds to make of all topics (with ``seed``).
    :raises ConfigError: as :func:`tune`; there are fewer than two folds, an empty one, or a topic is in two.
    """
    space, search = Space.read(space), search or GridSearch()
    if isinstance(folds, int):
        parts = k_fold(_topics(objective, None), folds, seed=seed)
    else:
        parts = tuple(tuple(dict.fromkeys(part)) for part in folds)
    topics = [topic for part in parts for topic in part]
    if len(parts) < 2 or not all(parts):
        raise ConfigError("cross-validation needs two folds at least, and topics in each")
    if len(set(topics)) < len(topics):
        twice = Counter(topics).most_common(1)[0][0]
        raise ConfigError(f"the topic {twice} is in two folds", hint="Then it would not be held out.")
    trials = Trials(objective, topics, store=store, on_progress=on_progress, on_problem=on_problem)
    trials.total = search.total(space)
    searches = [
        (f"fold {number}", tuple(topic for part in parts if part is not held_out for topic in part))
        for number, held_out in enumerate(parts, 1)
    ]
    choices: list[tuple[tuple[str, ...], tuple[Trial, ...], Trial]] = []
    for name, training in (*searches, ("all folds", tuple(topics))):
        try:
            choices.append((training, *_explored(trials, space, search, training)))
        except ConfigError as error:
            where = f"{name}, {error.where}" if error.where else name
            raise ConfigError(error.what, where=where, hint=error.hint) from error
    context = _context(trials, space, search)
    *tuned, whole = [
        Tuned(best.parameters, best.score or 0.0, training, explored, context) for training, explored, best in choices
    ]
    made = []
    for held_out, chosen in zip(parts, tuned, strict=True):
        values = trials.outcome(chosen.parameters).values[trials.rows(held_out)]
        # A value that is not finite is one that the choice could not know of: as good as undefined.
        made.append(Fold(held_out, chosen, {
            topic: value for topic, value in zip(held_out, values.tolist(), strict=True) if np.isfinite(value)
        }))
    return CrossValidated(tuple(made), whole, context)


def _explored(trials: Trials, space: Space, search: Search, topics: Sequence[str]) -> tuple[tuple[Trial, ...], Trial]:
    exploration = Exploration(trials, topics)
    search.explore(space, exploration.score)
    explored = exploration.sorted(space)
    return explored, exploration.best(explored)


def _topics(objective: Objective, topics: Iterable[str] | None) -> tuple[str, ...]:
    if topics is not None:
        return tuple(topics)
    if isinstance(objective, KnownObjective):
        return objective.topics
    raise ConfigError("the objective does not say which topics it has", hint="Give the topics.")


def _context(trials: Trials, space: Space, search: Search) -> dict[str, Any]:
    """What the evidence says besides parameters and scores."""
    return {
        "space": space.to_plain(),
        "search": search_record(search),
        "objective": trials.about,
        "ties": "the first in the order of the space",
        "seconds": round(trials.seconds, 3),
        "time": datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds"),
        "versions": {"porism": __version__, "python": platform.python_version(), "numpy": np.__version__},
    }
