"""The settings of a model that is searched in an engine outside Porism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings


@dataclass(frozen=True, slots=True)
class MilvusModel(RetrieverSettings):
    """A model whose candidates Milvus finds: the model ``of`` (a name), with ``settings`` that differ from it, ``kind``
    among them.

    The collections are those whose names begin with ``collection`` at ``uri`` (the environment variable
    ``PORISM_MILVUS_URI`` if empty, else Milvus on this machine), where ``porism export milvus`` put the index. A
    request takes ``timeout`` seconds at most.

    :raises ConfigError: the timeout is not above 0.
    """

    of: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict)
    uri: str = ""
    collection: str = "porism"
    timeout: float = 60.0
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not 0 < self.timeout < float("inf"):
            raise ConfigError(f"the timeout cannot be {self.timeout}", hint="Use a number of seconds above 0.")


@dataclass(frozen=True, slots=True)
class MilvusFormulaModel(MilvusModel):
    """As :class:`MilvusModel`, of a model that finds formulas."""
