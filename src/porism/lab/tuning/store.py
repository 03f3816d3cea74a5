"""What objectives were found to be worth, kept on disk, so that an interrupted search goes on where it stopped."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path

import orjson

from porism.errors import FormatError, OnProblem, Problem, SourceError
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.space import Configuration

_HEADER = b'{"porism_trials":1}\n'


class TrialStore:
    """A file of trials, one line of JSON each, that only grows.

    A trial is known by its content: the digest of the objective (which stands for all but the parameters: the data,
    the judgments, the measure) and the parameters. So one file serves any number of searches, and a search over other
    values uses the trials that it shares with an earlier one. A line is written as soon as its trial is done; one that
    was cut off by an interruption, or is damaged, is reported to ``on_problem`` and tried again. Trials that failed are
    not kept.

    :raises FormatError: the file exists and is something else.
    :raises SourceError: it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], on_problem: OnProblem | None = None) -> None:
        self.path = Path(path)
        self._trials: dict[tuple[str, str], tuple[dict[str, float], float]] = {}
        self._unended = False
        self._begun = False
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
        if content != _HEADER and _HEADER.startswith(content):  # nothing, or the first line cut off: begun anew
            self._unended = bool(content)
            return
        header, *lines = content.split(b"\n")
        if header + b"\n" != _HEADER:
            raise FormatError(
                "this is not a store of trials", where=str(path), hint="Name another file; it is made if it is missing."
            )
        self._begun = True
        self._unended = bool(lines[-1])
        for number, line in enumerate(lines, 2):
            if line and line != header:  # another process may have begun the file too
                try:
                    key, trial = _read(line)
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    if on_problem:
                        where = f"{self.path.name}:{number}"
                        on_problem(Problem(where, f"the trial cannot be read ({error}): skipped"))
                else:
                    self._trials[key] = trial

    def __len__(self) -> int:
        return len(self._trials)

    def find(self, objective: str, configuration: Configuration) -> tuple[dict[str, float], float] | None:
        """What the objective of this digest is worth (topic → value), and the seconds that it took; None if unknown."""
        return self._trials.get((objective, value_key(configuration)))

    def add(self, objective: str, configuration: Configuration, values: Mapping[str, float], seconds: float) -> None:
        """Keeps a trial; when this returns, the system has it.

        :raises SourceError: the file cannot be written.
        """
        trial = {
            "objective": objective, "parameters": dict(configuration), "values": dict(values),
            "seconds": round(seconds, 6),
        }
        line = json.dumps(trial, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
        try:
            if not self._begun and self._unended:  # a first line that was cut off
                os.truncate(self.path, 0)
            with open(self.path, "ab") as file:
                file.write((b"\n" if self._unended else b"") * self._begun + _HEADER * (not self._begun) + line)
        except OSError as error:
            raise SourceError(f"cannot be written ({error.strerror or error})", where=str(self.path)) from error
        self._begun, self._unended = True, False
        self._trials[objective, value_key(configuration)] = dict(values), seconds


def _read(line: bytes) -> tuple[tuple[str, str], tuple[dict[str, float], float]]:
    trial = orjson.loads(line)
    values = {topic: float(value) for topic, value in trial["values"].items()}
    seconds = float(trial["seconds"])
    if not isinstance(trial["objective"], str) or not all(map(math.isfinite, [*values.values(), seconds])):
        raise ValueError("a part of it is of another kind")
    return (trial["objective"], value_key(trial["parameters"])), (values, seconds)
