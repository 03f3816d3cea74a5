"""The provenance of a run: what made it, which topics it was tuned on, how long each query took.

A run has its provenance in memory, and in a record beside its file (``results.run.provenance.json`` for
``results.run``). So a report can tell when a run is evaluated on the topics that it was tuned on.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from porism.errors import FormatError, Problem

FORMAT = 2
"""The version of the record's format."""

_ENDING = ".provenance.json"

_HEAD = 256
"""The number of bytes at the start of a record that contain the digest."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a run.

    :param made_by: what made the run, as plain values for JSON: its ``kind`` and parameters.
    :param tuned_on: the topics whose judgments influenced the ranking of *their own* results. Results that a
        cross-validation held out are not tuned on their topics.
    :param evidence: a record of each tuning behind the run, as plain values for JSON.
    :param seconds: topic → wall-clock seconds of its query.
    """

    made_by: Mapping[str, Any] = field(default_factory=dict)
    tuned_on: tuple[str, ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(dict.fromkeys(self.tuned_on)))
        object.__setattr__(self, "evidence", tuple(self.evidence))

    @classmethod
    def merged(cls, sources: Iterable[Provenance | None], made_by: Mapping[str, Any] | None = None) -> Provenance:
        """The provenance of a run made of others, with all topics that they were tuned on and all their evidence.

        The seconds are not merged: whether times add up depends on how the run was made.
        """
        known = [source for source in sources if source is not None]
        evidence: dict[bytes, Mapping[str, Any]] = {}
        for source in known:
            for record in source.evidence:
                evidence.setdefault(orjson.dumps(record, option=orjson.OPT_SORT_KEYS), record)
        tuned_on = tuple(topic for source in known for topic in source.tuned_on)
        return cls(made_by or {}, tuned_on, tuple(evidence.values()))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; :meth:`from_dict` is the inverse."""
        return {
            "made_by": dict(self.made_by),
            "tuned_on": list(self.tuned_on),
            "evidence": [dict(record) for record in self.evidence],
            "seconds": dict(self.seconds),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Provenance:
        """The inverse of :meth:`to_dict`.

        :raises FormatError: a part is missing or has a wrong type.
        """
        made_by: Any
        tuned_on: Any
        evidence: Any
        seconds: Any
        made_by, tuned_on, evidence, seconds = map(value.get, ("made_by", "tuned_on", "evidence", "seconds"))
        sound = (
            isinstance(made_by, dict)
            and isinstance(tuned_on, list) and all(isinstance(topic, str) for topic in tuned_on)
            and isinstance(evidence, list) and all(isinstance(record, dict) for record in evidence)
            and isinstance(seconds, dict)
            and all(isinstance(time, (int, float)) and math.isfinite(time) for time in seconds.values())
        )
        if not sound:
            raise FormatError("the record of a run lacks a part, or a part is of another kind")
        return cls(made_by, tuple(tuned_on), tuple(evidence), seconds)


def record_path(run_path: Path) -> Path:
    """The record of a run file: beside it, with ``.provenance.json`` added to its name."""
    return run_path.with_name(f"{run_path.name}{_ENDING}")


def record_bytes(provenance: Provenance, run_digest: str) -> bytes:
    """The record of a run with this digest, as JSON.

    :raises FormatError: the provenance has values that JSON does not allow, such as numbers that are not finite.
    """
    record = {"format": FORMAT, "run_digest": run_digest, **provenance.to_dict()}
    try:
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError) as error:
        raise FormatError(f"the provenance of a run cannot be written as JSON ({error})") from error


def _plain(value: Any) -> Any:
    """Converts other mappings and sets, and values of NumPy, to types of JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a plain value")


def read_record(content: bytes, where: str) -> tuple[Provenance, str]:
    """The provenance in a record, and the digest of its run.

    :raises FormatError: it is not such a record, or of another version.
    """
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"the record beside the run is not JSON ({error})", where=where) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT or not isinstance(value.get("run_digest"), str):
        raise FormatError("this is not the record of a run, or one of another version", where=where)
    try:
        return Provenance.from_dict(value), value["run_digest"]
    except FormatError as error:
        raise FormatError(error.what, where=where) from error


def find_record(run_path: Path, digest: Callable[[], str]) -> tuple[Provenance | None, Problem | None]:
    """The provenance of the run in a file, or the reason why the record beside it is not used.

    If that record is missing or of another run, another one in the folder with this digest is used: files are renamed,
    copied and packed without their records. Of several, the one with the most tuning topics is taken.
    """
    own = {record_path(run_path), record_path(Path(os.path.realpath(run_path)))}
    problem: Problem | None = None
    for path in sorted(own):
        try:
            provenance, run_digest = read_record(path.read_bytes(), path.name)
        except FileNotFoundError:
            continue
        except FormatError as error:
            reason = error.what
        except OSError as error:
            reason = f"the record cannot be read ({error.strerror or error})"
        else:
            if run_digest == digest():
                return provenance, None
            tuned = len(provenance.tuned_on)
            reason = "the record is of another run or of another state of this one" + (
                f", which was tuned on {tuned:,} topic{'' if tuned == 1 else 's'}" if tuned else ""
            )
        problem = Problem(path.name, f"{reason}; it is not used")
    others = list(_records_of(sorted({path.parent for path in own}), digest))
    if others:
        return max(others, key=lambda other: len(other.tuned_on)), None
    return None, problem


def _records_of(folders: Iterable[Path], digest: Callable[[], str]) -> Iterator[Provenance]:
    """The provenances in the records of some folders for the run with this digest."""
    paths: list[Path] = []
    for folder in folders:
        with suppress(OSError):  # a folder that cannot be listed
            paths += sorted(folder.glob(f"*{_ENDING}"))
    if not paths:
        return
    expected = digest()
    for path in paths:
        try:
            with open(path, "rb") as file:
                if expected.encode() not in file.read(_HEAD):
                    continue
            provenance, run_digest = read_record(path.read_bytes(), path.name)
        except (OSError, FormatError):  # not a readable record
            continue
        if run_digest == expected:
            yield provenance
