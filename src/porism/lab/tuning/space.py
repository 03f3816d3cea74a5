"""The parameters of a search and their values, and settings with other values at dotted paths."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.lab.tuning.parameters import Parameter, read_parameter
from porism.settings import SettingError, dotted, nearest

Configuration = Mapping[str, Any]
"""Dotted path → value: one value for each parameter of a space, in the space's order."""


class UnknownParameter(SettingError):
    """A dotted path that leads to no setting."""


@dataclass(frozen=True, slots=True)
class Space:
    """The parameters of a search, by dotted path (``k``, ``feedback.documents``, ``channels.tokens.weight``).

    The *order of the space* decides between configurations of equal score: that with the earlier value of the first
    parameter comes first. Then comes that with the earlier value of the second, and so on.

    :raises ConfigError: there is no parameter, or one path leads into another.
    """

    parameters: Mapping[str, Parameter]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        if not self.parameters:
            raise ConfigError("there is no parameter to tune", hint="Name one with its values, e.g. k = [10, 60].")
        for path in self.parameters:
            for other in self.parameters:
                if other.startswith(f"{path}."):
                    raise ConfigError(f"{other!r} is a part of {path!r}", hint="Tune one of them.")

    @classmethod
    def read(
        cls, given: Mapping[str, Any] | Space, *, at: tuple[str | int, ...] = (), systems: int | None = None
    ) -> Space:
        """A space from plain values, as a recipe has them; see :func:`~porism.lab.tuning.parameters.read_parameter`.

        :raises ConfigError: as the class; a :class:`~porism.settings.SettingError` for a parameter's values.
        """
        if isinstance(given, Space):
            return given
        if not isinstance(given, Mapping):
            raise SettingError(f"the parameters must be a table, not {given!r}", path=at)
        return cls({
            str(path): read_parameter(values, at=(*at, str(path)), systems=systems) for path, values in given.items()
        })

    @property
    def size(self) -> int:
        """How many configurations there are, counting the points only."""
        return math.prod(parameter.size for parameter in self.parameters.values())

    @property
    def continuous(self) -> bool:
        """Whether random search draws from more than the points."""
        return any(parameter.continuous for parameter in self.parameters.values())

    def point(self, number: int) -> dict[str, Any]:
        """The configuration of this number; the last parameter varies fastest."""
        values: list[Any] = []
        for parameter in reversed(list(self.parameters.values())):
            number, index = divmod(number, parameter.size)
            values.append(parameter.point(index))
        return dict(zip(self.parameters, reversed(values), strict=True))

    def points(self) -> Iterator[dict[str, Any]]:
        """All configurations, in the order of the space."""
        return map(self.point, range(self.size))

    def middle(self) -> dict[str, Any]:
        """The configuration of the middle point of each parameter."""
        return {path: parameter.point(parameter.size // 2) for path, parameter in self.parameters.items()}

    def draw(self, generator: random.Random) -> dict[str, Any]:
        """A configuration at random."""
        return {path: parameter.draw(generator) for path, parameter in self.parameters.items()}

    def position(self, configuration: Configuration) -> tuple[tuple[float, ...], ...]:
        """Sorts configurations by the order of the space."""
        return tuple(parameter.position(configuration[path]) for path, parameter in self.parameters.items())

    def to_plain(self) -> dict[str, Any]:
        """As :meth:`read` reads it."""
        return {path: parameter.to_plain() for path, parameter in self.parameters.items()}


def with_parameters(settings: Mapping[str, Any], values: Configuration) -> dict[str, Any]:
    """The settings with other values at dotted paths; what lies beside the paths is shared, nothing is changed.

    A path leads through tables by name and through lists by number from 0: ``channels.tokens.weight``, ``weights.0``.
    A name that itself has dots is found too.

    :raises UnknownParameter: a path leads nowhere; the error's ``path`` ends with the part that does not exist.
    """
    result: Any = dict(settings)
    for path, value in values.items():
        result = _replaced(result, path.split("."), value, path, ())
    return dict(result)


def _replaced(node: Any, parts: Sequence[str], value: Any, path: str, done: tuple[str | int, ...]) -> Any:
    if not parts:
        return value
    if isinstance(node, Mapping):
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            if name in node:
                return {**node, name: _replaced(node[name], parts[length:], value, path, (*done, name))}
        hint = nearest(parts[0], map(str, node), "".join(f"{part}." for part in done))
    elif isinstance(node, (list, tuple)):
        if parts[0].isascii() and parts[0].isdigit() and int(parts[0]) < len(node):
            index = int(parts[0])
            changed = _replaced(node[index], parts[1:], value, path, (*done, index))
            return [*node[:index], changed, *node[index + 1 :]]
        hint = f"{dotted(done)} is a list of {len(node)}, counted from 0."
    else:
        hint = f"{dotted(done)} is {node!r} and has no parts."
    raise UnknownParameter(f"there is no setting {path!r}", path=(*done, parts[0]), hint=hint)
