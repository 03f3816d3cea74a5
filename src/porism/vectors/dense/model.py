"""The settings of dense retrieval, and of the indexes that find near vectors without comparing all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings
from porism.settings import Settings

Search = Literal["exact", "hnsw", "ivfpq"]
"""Whether all vectors are compared, or those that a graph or lists of near ones lead to."""


_MIN_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Hnsw(Settings):
    """A graph of near vectors: each has ``links`` neighbours, chosen among ``build`` when it is added (Malkov and
    Yashunin, *Efficient and robust approximate nearest neighbor search using HNSW graphs*, 2016).

    :raises ConfigError: a number is out of its range.
    """

    links: int = 32
    build: int = 200

    def __post_init__(self) -> None:
        _positive(links=self.links, build=self.build)


@dataclass(frozen=True, slots=True)
class IvfPq(Settings):
    """Lists of near vectors, each stored as ``bytes`` product-quantised numbers of 8 bits (Jégou, Douze and Schmid,
    *Product quantization for nearest neighbor search*, 2011). Of ``lists`` 0 is four times the square root of the
    number of vectors.

    :raises ConfigError: a number is out of its range.
    """

    lists: int = 0
    bytes: int = 48

    def __post_init__(self) -> None:
        _positive(bytes=self.bytes)
        if self.lists < 0:
            raise ConfigError(f"there cannot be {self.lists} lists", hint="Use 0 or more.")


@dataclass(frozen=True, slots=True)
class Approximate(Settings):
    """Which indexes of near vectors are built beside the vectors of an index; segments with fewer than ``least``
    vectors get none, and are searched exactly."""

    hnsw: Hnsw | None = None
    ivfpq: IvfPq | None = None
    least: int = 5_000

    def of(self, search: Search) -> Hnsw | IvfPq | None:
        """The settings of one of them, None where it is not built."""
        return {"exact": None, "hnsw": self.hnsw, "ivfpq": self.ivfpq}[search]


@dataclass(frozen=True, slots=True)
class DenseModel(RetrieverSettings):
    """How documents are ranked by their vectors.

    ``encoder`` is the name that ``porism encode`` gave to an encoder of the index; empty where the index has one only.
    ``fields`` are those of a query that are read (all if none is named), and of a query with more than ``query_length``
    tokens its beginning and its end (None: as much as the encoder reads, cut as its settings say). ``search`` is exact,
    or by an index of near vectors that was built: then the candidates that a graph leads to, or the best of ``probes``
    lists, are compared exactly with the stored vectors. Candidates are ``breadth``, or ``rescored`` times as many as
    results where that is more. ``device`` is where queries are encoded.

    :raises ConfigError: a setting is out of its range.
    """

    encoder: str = ""
    fields: tuple[str, ...] = ()
    query_length: int | None = None
    search: Search = "exact"
    breadth: int = 128
    probes: int = 32
    rescored: int = 4
    device: str = "auto"
    tuned_on: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("fields", "tuned_on"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.search not in get_args(Search):
            raise ConfigError(f"search cannot be {self.search!r}", hint=f"Choose from {', '.join(get_args(Search))}.")
        _positive(breadth=self.breadth, probes=self.probes, rescored=self.rescored)
        if self.query_length is not None and self.query_length < _MIN_TOKENS:
            raise ConfigError(
                f"query_length cannot be {self.query_length}",
                hint=f"Use {_MIN_TOKENS} or more tokens, special ones among them; 128, for example.",
            )


def _positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1.")
