"""The values that one parameter may take: a list, a range, or the convex combinations of several weights."""

from __future__ import annotations

import json
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from porism.errors import ConfigError
from porism.settings import Path, SettingError, Settings, dotted, nearest, read_settings

Value = Any
"""A plain value as JSON has it: a number, a word, true or false, None, or a list or table of these."""

LINE_POINTS = 10
"""So many values has a range for grid and coordinate search where neither step nor points are given."""
_MAX_POINTS = 1_000_000
_EXACT = 1e-9
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False)


class Parameter(ABC):
    """What a search needs to know of a parameter. ``size`` points can be counted off, in the order of the space."""

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int: ...

    @property
    def continuous(self) -> bool:
        """Whether random search draws from more than the points."""
        return False

    @abstractmethod
    def point(self, number: int) -> Value: ...

    @abstractmethod
    def draw(self, generator: random.Random) -> Value: ...

    @abstractmethod
    def position(self, value: Value) -> tuple[float, ...]:
        """Where the value is in the order of the space."""

    @property
    def directions(self) -> int:
        """How many lines coordinate search follows through a value: one for each weight, else one."""
        return 1

    @abstractmethod
    def line(self, value: Value, direction: int) -> Sequence[Value]:
        """The values on one of the lines through this one, in the order of the space."""

    @abstractmethod
    def to_plain(self) -> Any:
        """As :func:`read_parameter` reads it."""


def value_key(value: Value) -> str:
    """The same text for equal values only: 60 and 60.0 are equal, 1 and true are not; tables in whatever order."""
    return _ENCODER.encode(_canonical(value))


def _canonical(value: Value) -> Value:
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_canonical(entry) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): _canonical(entry) for key, entry in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class Choices(Parameter):
    """Any of the values given, in this order; of equal ones the first counts.

    :raises ConfigError: there is none, or a value is not plain (a NaN is not).
    """

    values: tuple[Value, ...]
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        distinct: dict[str, Value] = {}
        try:
            for value in self.values:
                distinct.setdefault(value_key(value), value)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"a value to choose from is not a plain value ({error})") from error
        if not distinct:
            raise ConfigError("there is no value to choose from")
        object.__setattr__(self, "values", tuple(distinct.values()))
        object.__setattr__(self, "_numbers", {key: number for number, key in enumerate(distinct)})

    @property
    def size(self) -> int:
        return len(self.values)

    def point(self, number: int) -> Value:
        return self.values[number]

    def draw(self, generator: random.Random) -> Value:
        return self.values[int(generator.random() * self.size)]

    def position(self, value: Value) -> tuple[float, ...]:
        return (self._numbers.get(value_key(value), math.inf),)

    def line(self, value: Value, direction: int) -> Sequence[Value]:
        return self.values

    def to_plain(self) -> list[Value]:
        return list(self.values)


@dataclass(frozen=True, slots=True)
class Range(Parameter, Settings):
    """Numbers from ``low`` to ``high``, both among them (``high`` if a step reaches it).

    With ``step``: ``low``, ``low + step``, …, as exact decimals. With ``points``: so many, equally far apart or, if
    ``log``, in equal ratios. With neither, random search draws from all between (``log``: uniformly in the logarithm),
    and the other searches look at ten. Whole numbers throughout where ``low``, ``high`` and ``step`` are whole: write
    ``0.0`` for a range of fractions.

    :raises ConfigError: the range is empty, not finite, or too long; ``log`` with a step or with low ≤ 0.
    """

    low: int | float
    high: int | float
    step: int | float | None = None
    points: int | None = None
    log: bool = False

    def __post_init__(self) -> None:
        shown = f"the range from {self.low} to {self.high}"
        given = (self.low, self.high, *(() if self.step is None else (self.step,)))
        if not all(math.isfinite(number) for number in given):
            raise ConfigError(f"{shown} is not finite")
        if self.low > self.high:
            raise ConfigError(f"{shown} is empty", hint="The low end comes first.")
        if self.log and self.low <= 0:
            raise ConfigError(f"{shown} has no logarithms", hint="Begin it above 0.")
        if self.step is not None and (self.log or self.points is not None):
            raise ConfigError(
                f"{shown} cannot have a step and {'be logarithmic' if self.log else 'a number of points'}",
                hint="Write points in place of the step." if self.log else "Give one of them.",
            )
        if self.step is not None and self.step <= 0:
            raise ConfigError(f"{shown} cannot have the step {self.step}", hint="Use a number above 0.")
        if self.points is not None and not 1 <= self.points <= _MAX_POINTS:
            raise ConfigError(f"{shown} cannot have {self.points:,} points", hint=f"Use 1 to {_MAX_POINTS:,}.")
        if self.step is not None and (self.high - self.low) / self.step > _MAX_POINTS:
            raise ConfigError(f"{shown} in steps of {self.step} has over {_MAX_POINTS:,} points")

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return isinstance(self.low, int) and isinstance(self.high, int) and isinstance(self.step, (int, type(None)))

    @property
    def size(self) -> int:
        return len(_points(self))

    @property
    def continuous(self) -> bool:
        return self.step is None and self.points is None and self.low < self.high

    def point(self, number: int) -> Value:
        return _points(self)[number]

    def draw(self, generator: random.Random) -> Value:
        share = generator.random()
        if not self.continuous:
            return self.point(int(share * self.size))
        if self.whole:  # each whole number owns the same share, of its logarithm if log
            low, high = self.low - 0.5, self.high + 0.5
            return min(max(round(self._between(low, high, share)), int(self.low)), int(self.high))
        return min(max(self._between(self.low, self.high, share), float(self.low)), float(self.high))

    def position(self, value: Value) -> tuple[float, ...]:
        return (float(value),)

    def line(self, value: Value, direction: int) -> Sequence[Value]:
        return _points(self)

    def to_plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"low": self.low, "high": self.high}
        plain |= {name: given for name in ("step", "points") if (given := getattr(self, name)) is not None}
        return plain | ({"log": True} if self.log else {})

    def _between(self, low: float, high: float, share: float) -> float:
        return low * (high / low) ** share if self.log else low + (high - low) * share


@lru_cache(maxsize=256, typed=True)
def _points(span: Range) -> tuple[int | float, ...]:
    """The points of a range in order, each once."""
    low, high = span.low, span.high
    if span.step is not None:
        first, step = Decimal(str(low)), Decimal(str(span.step))
        count = int((Decimal(str(high)) - first) / step * (1 + Decimal(str(_EXACT)))) + 1
        exact = [first + number * step for number in range(count)]
        return tuple(int(point) if span.whole else min(float(point), float(high)) for point in exact)
    count = LINE_POINTS if span.points is None else span.points
    if span.whole and not span.log:
        count = min(count, int(high - low) + 1)
    inner = [span._between(low, high, number / (count - 1)) for number in range(1, count - 1)]
    if span.whole:
        return tuple(dict.fromkeys([int(low), *map(round, inner), *([int(high)] if count > 1 else [])]))
    # Six digits are enough of a point that nobody chose, and can be read.
    rounded = [float(f"{point:.6g}") for point in inner]
    ends = [float(low), *rounded, *([float(high)] if count > 1 else [])]
    return tuple(sorted({min(max(point, float(low)), float(high)) for point in ends}))


@dataclass(frozen=True, slots=True)
class Simplex(Parameter, Settings):
    """Weights of ``systems`` that sum to 1, each a multiple of ``step`` and ``least`` or more: all of them.

    In the order of the space the first weight grows slowest. ``{simplex = 0.1, least = 0.1}`` for two systems are the
    weights of Zhong et al. 2022 (section 3.4): α in {0.1, …, 0.9} and 1 − α.

    :raises ConfigError: 1 is not a multiple of the step, or there is no such combination.
    """

    step: float
    systems: int
    least: float = 0.0

    def __post_init__(self) -> None:
        if not 1e-6 <= self.step <= 1 or abs(round(1 / self.step) * self.step - 1) > _EXACT:
            raise ConfigError(
                f"weights in steps of {self.step} cannot sum to 1", hint="Use 0.1, 0.05, or another part of 1."
            )
        floor = self.least / self.step
        if self.least < 0 or abs(floor - round(floor)) > _EXACT * max(1, floor):
            raise ConfigError(f"the least weight {self.least} is not a multiple of the step {self.step}")
        if self.systems < 1 or self._spare < 0:
            raise ConfigError(f"{self.systems} weights of at least {self.least} cannot sum to 1")

    @property
    def _units(self) -> int:
        return round(1 / self.step)

    @property
    def _floor(self) -> int:
        return round(self.least / self.step)

    @property
    def _spare(self) -> int:
        """The units that are free to go to any weight."""
        return self._units - self.systems * self._floor

    @property
    def size(self) -> int:
        return math.comb(self._spare + self.systems - 1, self.systems - 1)

    def point(self, number: int) -> Value:
        """The combination of this number: those of a smaller first weight come before it."""
        spare, units = self._spare, []
        for others in range(self.systems - 1, 0, -1):
            taken = 0
            while number >= (block := math.comb(spare - taken + others - 1, others - 1)):
                number -= block
                taken += 1
            units.append(taken)
            spare -= taken
        return self._weights([*units, spare])

    def draw(self, generator: random.Random) -> Value:
        return self.point(min(int(generator.random() * self.size), self.size - 1))

    def position(self, value: Value) -> tuple[float, ...]:
        return tuple(map(float, value))

    @property
    def directions(self) -> int:
        return self.systems

    def line(self, value: Value, direction: int) -> Sequence[Value]:
        others = [round(weight / self.step) - self._floor for weight in value]
        others[direction] = 0
        if not sum(others):
            others = [int(other != direction) for other in range(self.systems)]
        if not sum(others):
            return [value]
        line = []
        for taken in range(self._spare + 1):
            units = _shared(others, self._spare - taken)
            units[direction] = taken
            line.append(self._weights(units))
        return line

    def to_plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"simplex": self.step, "systems": self.systems}
        return plain | ({"least": self.least} if self.least else {})

    def _weights(self, units: Sequence[int]) -> list[float]:
        step = Decimal(1) / self._units
        return [float(f"{(unit + self._floor) * step:.12g}") for unit in units]


def _shared(shares: Sequence[int], units: int) -> list[int]:
    """The units in proportion to the shares, which are not all 0, by largest remainder."""
    whole = sum(shares)
    seats = [share * units // whole for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda index: -(shares[index] * units % whole))
    for index in by_remainder[: units - sum(seats)]:
        seats[index] += 1
    return seats


def read_parameter(given: Any, *, at: Path = (), systems: int | None = None) -> Parameter:
    """A parameter from plain values.

    A list is :class:`Choices`; ``{low, high, step}``, ``{low, high, points}`` and ``{low, high, log = true}`` are
    :class:`Range`; ``{simplex = 0.1}`` is :class:`Simplex`, for ``systems`` weights where the table does not say.

    :raises SettingError: it is none of these, or has a number out of its range.
    """
    if isinstance(given, (Choices, Range, Simplex)):
        return given
    name = dotted(at)
    try:
        if isinstance(given, (list, tuple)):
            return Choices(tuple(given))
        if isinstance(given, Mapping) and "simplex" in given:
            rest = {"step": given["simplex"], "systems": systems, **given}
            del rest["simplex"]
            if rest["systems"] is None:
                raise ConfigError("it is not known how many weights there are", hint="Add systems = 3, for three.")
            return read_settings(Simplex, rest, at=at)
        if isinstance(given, Mapping):
            if not {"low", "high"} & set(given):
                known = ("low", "high", "step", "points", "log", "simplex")
                odd = next((str(key) for key in given if key not in known), "")
                raise ConfigError(
                    f"a table with {odd!r} is not a range" if odd else "a range needs a low and a high end",
                    hint=nearest(odd, known) if odd else "Write {low = 1, high = 100}.",
                )
            return read_settings(Range, given, at=at)
    except SettingError:
        raise
    except ConfigError as error:
        raise SettingError(f"{name}: {error.what}" if name else error.what, path=at, hint=error.hint) from error
    raise SettingError(
        f"{name}: {given!r} is nothing to choose from", path=at,
        hint="Write a list of values, {low = 1, high = 9, step = 2} or {simplex = 0.1}.",
    )
