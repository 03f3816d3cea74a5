"""The settings of late interaction."""

from __future__ import annotations

from dataclasses import dataclass

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings


@dataclass(frozen=True, slots=True)
class ColbertModel(RetrieverSettings):
    """How documents are ranked by their tokens.

    ``store`` is the name that ``porism encode`` gave to the tokens of an index; empty where the index has those of one
    encoder only. ``fields`` are those of a query that are read (all if none is named). Of each query token the
    documents with a token near one of the ``probes`` nearest centroids are found; by the centroids of their tokens
    (those alone whose cosine with some query token is at least ``threshold``) the best ``candidates`` are chosen, whose
    tokens are compared. So there are ``candidates`` results at most. ``exhaustive`` compares the tokens of all
    documents. ``device`` is where queries are encoded.

    :raises ConfigError: a setting is out of its range.
    """

    store: str = ""
    fields: tuple[str, ...] = ()
    probes: int = 4
    candidates: int = 1_000
    threshold: float = 0.0
    exhaustive: bool = False
    device: str = "auto"
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("fields", "tuned_on"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name, number in (("probes", self.probes), ("candidates", self.candidates)):
            if number < 1:
                raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1.")
        if not -1 <= self.threshold <= 1:
            raise ConfigError(f"the threshold cannot be {self.threshold}", hint="It is a cosine: from -1 to 1.")
