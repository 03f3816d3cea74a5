"""What tuning chose, with the evidence: in memory, in files, and in the provenance of runs made with it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.errors import ConfigError, FormatError, SourceError, pluralise
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.trials import Trial, shown
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.files.text import write_whole

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Tuned:
    """Parameters and the topics that chose them.

    :param score: the mean over these topics: what was maximised, no estimate of anything.
    :param trials: all that was tried, in the order of the space.
    :param context: what else the evidence says: space, search, objective, versions, time.
    """

    parameters: Mapping[str, Any]
    score: float
    topics: tuple[str, ...]
    trials: tuple[Trial, ...]
    context: Mapping[str, Any]

    def evidence(self) -> dict[str, Any]:
        """All of it as plain values for JSON; :meth:`from_evidence` is the inverse."""
        return {
            "kind": "tuning",
            "parameters": dict(self.parameters),
            "score": self.score,
            "topics": list(self.topics),
            **self.context,
            "trials": [_written(trial) for trial in self.trials],
        }

    @classmethod
    def from_evidence(cls, record: Mapping[str, Any]) -> Tuned:
        """What :meth:`evidence` wrote.

        :raises FormatError: the record is of another kind.
        """
        context = dict(record)
        try:
            if context.pop("kind") != "tuning":
                raise ValueError("its kind is another")
            parameters, score = dict(context.pop("parameters")), float(context.pop("score"))
            topics = _words(context.pop("topics"))
            trials = tuple(_read(trial) for trial in context.pop("trials"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"this is not a record of a tuning ({error})") from error
        return cls(parameters, score, topics, trials, context)

    def provenance(self) -> Provenance:
        """For a run made with these parameters: tuned on these topics."""
        return Provenance(tuned_on=self.topics, evidence=(self.evidence(),))

    def applied(self, run: Run) -> Run:
        """The run, which was made with these parameters, now saying so."""
        return _with(run, self.provenance())

    def summary(self) -> str:
        """A line for people: what was chosen, how good it was, and where that was measured."""
        return (
            f"{shown(self.parameters)}: {_measure(self.context)} {self.score:.4f} "
            f"on the {pluralise(len(self.topics), 'topic')} that chose it"
        )


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold: the topics held out, what the others chose, and what that is worth on those held out.

    ``values`` is topic → value; a topic for which the measure is undefined is absent.
    """

    topics: tuple[str, ...]
    tuned: Tuned
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Parameters by fold, each chosen without the topics that it is used for; and those for any other topics.

    :param whole: what the topics of all folds together choose, for topics that are in none.
    """

    folds: tuple[Fold, ...]
    whole: Tuned
    context: Mapping[str, Any]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of all folds."""
        return tuple(topic for fold in self.folds for topic in fold.topics)

    @property
    def values(self) -> dict[str, float]:
        """Topic → value, of the parameters that were chosen without the topic."""
        return {topic: value for fold in self.folds for topic, value in fold.values.items()}

    @property
    def score(self) -> float:
        """The mean of these values; NaN if there is none."""
        values = self.values
        return math.fsum(values.values()) / len(values) if values else math.nan

    def evidence(self) -> dict[str, Any]:
        """All of it as plain values for JSON; :meth:`from_evidence` is the inverse.

        ``trials`` has for each configuration its training score in each fold and on all topics, None where it was not
        tried or failed.
        """
        searches = [*(fold.tuned for fold in self.folds), self.whole]
        tables = [{value_key(trial.parameters): trial for trial in tuned.trials} for tuned in searches]
        trials = []
        for key, parameters in {key: trial.parameters for table in tables for key, trial in table.items()}.items():
            tried = [table.get(key) for table in tables]
            scores = [trial.score if trial else None for trial in tried]
            written = {"parameters": dict(parameters), "scores": scores[:-1], "all": scores[-1]}
            problems = [trial.problem if trial else None for trial in tried]
            trials.append(written | ({"problems": problems} if any(problems) else {}))
        return {
            "kind": "cross-validation",
            "score": None if math.isnan(self.score) else self.score,
            "folds": [
                {
                    "held_out": list(fold.topics),
                    "parameters": dict(fold.tuned.parameters),
                    "training_score": fold.tuned.score,
                    "values": dict(fold.values),
                }
                for fold in self.folds
            ],
            "all": {"parameters": dict(self.whole.parameters), "training_score": self.whole.score},
            **self.context,
            "trials": trials,
        }

    @classmethod
    def from_evidence(cls, record: Mapping[str, Any]) -> CrossValidated:
        """What :meth:`evidence` wrote, but for on how many topics each trial is defined.

        :raises FormatError: the record is of another kind.
        """
        context = dict(record)
        try:
            if context.pop("kind") != "cross-validation":
                raise ValueError("its kind is another")
            context.pop("score")
            given, whole, written = list(context.pop("folds")), context.pop("all"), list(context.pop("trials"))
            held_out = [_words(fold["held_out"]) for fold in given]
            folds = []
            for number, fold in enumerate(given):
                training = tuple(topic for part in held_out if part is not held_out[number] for topic in part)
                values = {str(topic): float(value) for topic, value in fold["values"].items()}
                tuned = _search_of(fold, training, written, number, context)
                folds.append(Fold(held_out[number], tuned, values))
            every = tuple(topic for part in held_out for topic in part)
            result = cls(tuple(folds), _search_of(whole, every, written, len(given), context), context)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(f"this is not a record of a cross-validation ({error})") from error
        return result

    def provenance(self) -> Provenance:
        """For the run of held-out rankings: not tuned on its own topics, with the evidence of the folds."""
        return Provenance(evidence=(self.evidence(),))

    def applied(self, runs: Sequence[Run], rest: Run | None = None, name: str | None = None) -> Run:
        """The rankings held out: of ``runs[f]``, made with the parameters of fold ``f``, the topics of that fold.

        Topics in no fold come from ``rest``, made with the parameters of ``whole``; without it they are left out.

        :raises ConfigError: there are not as many runs as folds.
        """
        if len(runs) != len(self.folds):
            given = f"{pluralise(len(runs), 'run')} for {pluralise(len(self.folds), 'fold')}"
            raise ConfigError(f"{given}: there must be as many", hint="Give one a fold.")
        fold_of = {topic: number for number, fold in enumerate(self.folds) for topic in fold.topics}
        made_by: dict[str, Any] = {"kind": "cross-validation", "folds": [dict(f.tuned.parameters) for f in self.folds]}
        rankings: dict[str, list[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        sources: list[Provenance] = []
        for number, run in enumerate([*runs, *([] if rest is None else [rest])]):
            taken = {topic for topic in run if fold_of.get(topic, len(runs)) == number}
            rankings |= {topic: run[topic] for topic in run if topic in taken}
            if run.provenance is not None:
                # What the run was tuned on besides counts for these topics no more than for any others.
                tuned_on = tuple(topic for topic in run.provenance.tuned_on if topic in taken)
                sources.append(Provenance(tuned_on=tuned_on, evidence=run.provenance.evidence))
                seconds |= {topic: time for topic, time in run.provenance.seconds.items() if topic in taken}
                made_by.setdefault("of", dict(run.provenance.made_by))
        merged = Provenance.merged([*sources, self.provenance()], made_by)
        provenance = Provenance(merged.made_by, merged.tuned_on, merged.evidence, seconds)
        ordered = {topic: rankings[topic] for topic in runs[0] if topic in rankings} if runs else {}
        return Run(ordered | rankings, name or (runs[0].name if runs else "porism"), provenance=provenance)

    def summary(self) -> str:
        """Lines for people: the held-out mean, and what each fold chose."""
        count = len(self.topics)
        where = f"{pluralise(count, 'topic')} in {pluralise(len(self.folds), 'fold')}"
        lines = [f"{_measure(self.context)} {self.score:.4f}, held out, {where}"]
        for number, fold in enumerate(self.folds, 1):
            lines.append(f"fold {number}: {shown(fold.tuned.parameters)} ({fold.tuned.score:.4f} in training)")
        lines.append(f"all: {shown(self.whole.parameters)} ({self.whole.score:.4f} in training), for other topics")
        return "\n".join(lines)


def save_tuned(path: str | os.PathLike[str], tuned: Tuned | CrossValidated) -> None:
    """Writes what was tuned with its evidence, as JSON; the file appears whole or not at all.

    :raises SourceError: it cannot be written.
    """
    content = {"porism_tuned": _FORMAT, **tuned.evidence()}
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def load_tuned(path: str | os.PathLike[str]) -> Tuned | CrossValidated:
    """Reads what :func:`save_tuned` wrote.

    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: it is something else.
    """
    try:
        record = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON ({error})", where=str(path)) from error
    if not isinstance(record, dict) or record.pop("porism_tuned", None) != _FORMAT:
        raise FormatError("this is not a file of tuned parameters, or one of another version", where=str(path))
    kind = CrossValidated if record.get("kind") == "cross-validation" else Tuned
    try:
        return kind.from_evidence(record)
    except FormatError as error:
        raise FormatError(error.what, where=str(path)) from error


def _with(run: Run, added: Provenance) -> Run:
    """The run with more provenance, its own kept."""
    own = run.provenance or Provenance()
    merged = Provenance.merged([own, added], own.made_by)
    return run.with_provenance(Provenance(merged.made_by, merged.tuned_on, merged.evidence, own.seconds))


def _written(trial: Trial) -> dict[str, Any]:
    written: dict[str, Any] = {"parameters": dict(trial.parameters), "score": trial.score, "defined": trial.defined}
    return written | ({"problem": trial.problem} if trial.problem else {})


def _read(trial: Mapping[str, Any]) -> Trial:
    score = trial["score"]
    return Trial(
        dict(trial["parameters"]), None if score is None else float(score), int(trial["defined"]), trial.get("problem")
    )


def _search_of(
    chosen: Mapping[str, Any], topics: tuple[str, ...], trials: Sequence[Mapping[str, Any]], number: int,
    context: Mapping[str, Any],
) -> Tuned:
    """One of the searches of a cross-validation: that of a fold, or the last, of all topics."""
    tried = []
    for trial in trials:
        score = [*trial["scores"], trial["all"]][number]
        problem = trial["problems"][number] if "problems" in trial else None
        if score is not None or problem:
            defined = 0 if score is None else len(topics)
            tried.append(Trial(dict(trial["parameters"]), None if score is None else float(score), defined, problem))
    return Tuned(dict(chosen["parameters"]), float(chosen["training_score"]), topics, tuple(tried), context)


def _words(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("topics are not a list of ids")
    return tuple(names)


def _measure(context: Mapping[str, Any]) -> str:
    objective = context.get("objective")
    return str(objective.get("measure", "score")) if isinstance(objective, Mapping) else "score"
