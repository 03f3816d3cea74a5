"""All methods of fusion by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from porism.errors import ConfigError
from porism.lab.fusion.base import Fusion, LearnedFusion
from porism.lab.fusion.combinations import CombANZ, CombMAX, CombMED, CombMIN, CombMNZ, CombSUM, Linear
from porism.lab.fusion.majority import IBC, WIBC
from porism.lab.fusion.ranks import ISR, RRF, Borda, Condorcet, LogISR
from porism.lab.fusion.regression import RBC
from porism.lab.fusion.table import FusionTable
from porism.runs.run import Run
from porism.settings import read_named

FUSIONS: Mapping[str, type[Fusion]] = {
    method.name: method
    for method in (
        RRF, Borda, CombSUM, CombMNZ, CombANZ, CombMIN, CombMAX, CombMED, ISR, LogISR, Linear, Condorcet, IBC, WIBC, RBC
    )
}
"""Method name → its class."""

LEARNED: tuple[str, ...] = tuple(sorted(name for name, method in FUSIONS.items() if issubclass(method, LearnedFusion)))
"""The names of methods that can learn from judgments."""


def make_fusion(method: str, parameters: Mapping[str, Any] | None = None) -> Fusion:
    """The fusion of this name, with parameters as plain values.

    :raises ConfigError: there is no such method; as :class:`SettingError`, it has no such parameter, or not with such a
        value.
    """
    return read_named(FUSIONS, method, parameters, "fusion")


def fuse(
    runs: Sequence[Run] | FusionTable, method: str | Fusion = "rrf", *, depth: int = 1000, name: str | None = None,
    **parameters: Any,
) -> Run:
    """Fuses runs: ``fuse([a, b], "rrf", k=60)``.

    :param method: a name of :data:`FUSIONS`, with its parameters; or a fusion that has them.
    :param depth: how many results each topic keeps.
    :param name: of the new run; that of the method if not given.
    :raises ConfigError: the method or a parameter does not exist or does not fit; there are no runs.
    """
    if isinstance(method, Fusion):
        if parameters:
            raise ConfigError(f"{next(iter(parameters))!r} is given beside a fusion that has its parameters")
        return method.fuse(runs, depth=depth, name=name)
    return make_fusion(method, parameters).fuse(runs, depth=depth, name=name)
