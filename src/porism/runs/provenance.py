"""Where a run comes from: what made it, which topics it was tuned on, how long each query took.

A run carries its provenance in memory, and in a record beside its file (``results.run.provenance.json`` for
``results.run``), so that a report can say when it shows a run on the topics that chose the run's own parameters.
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
"""The digest is among the first bytes of a record."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a run comes from.

    :param made_by: what made it and with which parameters, as plain values for JSON: ``kind`` and what else there is.
    :param tuned_on: the topics whose judgments had a part in choosing how *their own* results are ranked. Results that
        a cross-validation held out are not tuned on their topics.
    :param evidence: a record of each tuning behind the run, as plain values for JSON.
    :param seconds: topic → wall-clock seconds that its query took.
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
        """That of a run made of others: tuned on all that its sources were tuned on, with all their evidence.

        The seconds are not merged: whether times add up depends on what was made of the sources.
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
        """The provenance that :meth:`to_dict` wrote.

        :raises FormatError: a part is missing or of another kind.
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
    """Where the record of a run file lies: beside it, ``.provenance.json`` added to its name."""
    return run_path.with_name(f"{run_path.name}{_ENDING}")


def record_bytes(provenance: Provenance, run_digest: str) -> bytes:
    """The record of a run with this digest, as JSON.

    :raises FormatError: the provenance holds what JSON cannot: other than plain values, or a number that is not finite.
    """
    record = {"format": FORMAT, "run_digest": run_digest, **provenance.to_dict()}
    try:
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError) as error:
        raise FormatError(f"the provenance of a run cannot be written as JSON ({error})") from error


def _plain(value: Any) -> Any:
    """Mappings and sequences of other types, and NumPy's numbers, as JSON has them."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a plain value")


def read_record(content: bytes, where: str) -> tuple[Provenance, str]:
    """The provenance in a record, and the digest of the run that it is of.

    :raises FormatError: it is no such record, or one of another version.
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
    """The provenance of the run in a file, or why the record beside it is not used.

    If that is missing or of another run, any record in the folder that is of a run with this digest will do: files are
    renamed, copied and packed without it. Of several the one that names the most topics is taken.
    """
    own = {record_path(run_path), record_path(Path(os.path.realpath(run_path)))}
    problem: Problem | None = None
    for path in sorted(own):
        try:
            provenance, of = read_record(path.read_bytes(), path.name)
        except FileNotFoundError:
            continue
        except FormatError as error:
            reason = error.what
        except OSError as error:
            reason = f"the record cannot be read ({error.strerror or error})"
        else:
            if of == digest():
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
    """What the records in some folders say of the run with this digest."""
    paths: list[Path] = []
    for folder in folders:
        with suppress(OSError):  # a folder that cannot be listed
            paths += sorted(folder.glob(f"*{_ENDING}"))
    if not paths:
        return
    wanted = digest()
    for path in paths:
        try:
            with open(path, "rb") as file:
                if wanted.encode() not in file.read(_HEAD):
                    continue
            provenance, of = read_record(path.read_bytes(), path.name)
        except (OSError, FormatError):  # it is no record of this run as far as can be read
            continue
        if of == wanted:
            yield provenance
