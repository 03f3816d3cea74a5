"""All weightings by their names: what a model's channel can ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.retrieve.weightings.adaptive import BM25T, BM25Adapt, TFldp
from porism.retrieve.weightings.base import BM25, BM25Plus, Weighting
from porism.retrieve.weightings.bm25 import BM25L, BM25Atire, BM25Robertson
from porism.retrieve.weightings.impact import Impact
from porism.retrieve.weightings.language import Dirichlet, JelinekMercer
from porism.retrieve.weightings.randomness import DPH, PL2, InL2
from porism.retrieve.weightings.smart import FREQUENCY, NORMALISATION, RARITY, Smart
from porism.retrieve.weightings.tfidf import TfIdf
from porism.settings import nearest

SMART = "ddd.qqq"
"""The key of :data:`WEIGHTINGS` for all names in the SMART notation, such as ``Lnu.ltb``."""

Parameters = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NamedWeighting:
    """A weighting as it can be chosen: what it is, and what can be set.

    ``settings`` are those of a channel that it uses (``k1``, ``b``, ``delta``), and ``delta`` is what a channel's delta
    of 0 stands for. ``parameters`` are its own, with their defaults (None: from the collection, or another parameter).
    """

    description: str
    make: Callable[..., Weighting]
    settings: tuple[str, ...] = ()
    delta: float = 0.0
    parameters: Mapping[str, float | None] = field(default_factory=dict)


def _tf_idf(smooth: float, sublinear: float, norm: float) -> Weighting:
    for name, value in (("smooth", smooth), ("sublinear", sublinear)):
        if value not in (0, 1):
            raise ConfigError(f"tf-idf cannot have {name} = {value}", hint="Use 1 (yes) or 0 (no).")
    if norm not in (0, 1, 2):
        raise ConfigError(f"tf-idf cannot have norm = {norm}", hint="Use 2 (Euclidean), 1 (sum) or 0 (none).")
    return TfIdf(bool(smooth), bool(sublinear), int(norm))


def _bm25_plus(k1: float, b: float, delta: float, absent: float) -> Weighting:
    if absent not in (0, 1):
        raise ConfigError(f"BM25+ cannot have absent = {absent}", hint="Use 1 (yes) or 0 (no).")
    return BM25Plus(k1, b, delta, bool(absent))


def _jelinek_mercer(**parameters: float) -> Weighting:
    return JelinekMercer(parameters["lambda"])


WEIGHTINGS: Mapping[str, NamedWeighting] = MappingProxyType({
    "bm25": NamedWeighting("BM25 as Lucene computes it, with exact lengths", BM25, ("k1", "b")),
    "bm25-robertson": NamedWeighting(
        "BM25 with the original inverse document frequency; frequent terms do not count", BM25Robertson, ("k1", "b")
    ),
    "bm25-atire": NamedWeighting("BM25 of the search engine ATIRE", BM25Atire, ("k1", "b")),
    "bm25+": NamedWeighting(
        "BM25 that gives each occurring term at least δ, with absent = 1 also terms that do not occur", _bm25_plus,
        ("k1", "b", "delta"), delta=1.0, parameters={"absent": 0.0},
    ),
    "bm25l": NamedWeighting("BM25 that favours long documents by δ", BM25L, ("k1", "b", "delta"), delta=0.5),
    "bm25-adapt": NamedWeighting(
        "BM25 with a k1 a term, from the information that repetition gives; k1 for terms without", BM25Adapt,
        ("k1", "b"),
    ),
    "bm25t": NamedWeighting("BM25 with a k1 a term, from the log-logistic model of its frequencies", BM25T, ("b",)),
    "tfldp": NamedWeighting("TFl∘δ∘p×IDF, logarithms in place of saturation", TFldp, ("b", "delta"), delta=1.0),
    SMART: NamedWeighting(
        "TF·IDF in the SMART notation: three letters for documents, three for queries, such as Lnu.ltb", Smart,
        parameters={"slope": 0.25, "pivot": None, "query_slope": None, "query_pivot": None},
    ),
    "tf-idf": NamedWeighting(
        "TF·IDF and the cosine as scikit-learn computes them", _tf_idf,
        parameters={"smooth": 1.0, "sublinear": 0.0, "norm": 2.0},
    ),
    "pl2": NamedWeighting("Divergence from randomness: Poisson, Laplace", PL2, parameters={"c": 1.0}),
    "inl2": NamedWeighting(
        "Divergence from randomness: inverse document frequency, Laplace", InL2, parameters={"c": 1.0}
    ),
    "dph": NamedWeighting("Divergence from randomness: hypergeometric, Popper; no parameter", DPH),
    "dirichlet": NamedWeighting(
        "Query likelihood with Dirichlet smoothing", Dirichlet, parameters={"mu": 2000.0}
    ),
    "jelinek-mercer": NamedWeighting(
        "Query likelihood with Jelinek–Mercer smoothing", _jelinek_mercer, parameters={"lambda": 0.7}
    ),
    "impact": NamedWeighting("The frequency itself, which learnt weights of terms are stored as", Impact),
})
"""Name → weighting. ``ddd.qqq`` stands for every name in the SMART notation (:mod:`~.smart` has the letters)."""

_ALIASES = MappingProxyType({
    "bm25-lucene": "bm25", "bm25plus": "bm25+", "bm25-plus": "bm25+", "bm25-l": "bm25l", "bm25-t": "bm25t",
    "bm25-adpt": "bm25-adapt", "tfidf": "tf-idf",
})
_CHANNEL = ("k1", "b", "delta")


def weighting_named(
    name: str, k1: float = 1.2, b: float = 0.75, delta: float = 0.0, parameters: Parameters | None = None
) -> Weighting:
    """The weighting of a name of :data:`WEIGHTINGS`, or in the SMART notation (``Lnu.ltb``), with its numbers.

    An empty name is BM25, or BM25+ with a ``delta`` above 0. ``k1`` and ``b`` count where the weighting has them. A
    ``delta`` of 0 stands for the weighting's own.

    :raises ConfigError: there is no such weighting, it has no such parameter, or one is out of its range.
    """
    own = dict(parameters or {})
    if not name:
        name = "bm25" if delta == 0 else "bm25+"
    name = _ALIASES.get(name.lower(), name)
    smart = is_smart(name)
    if name == SMART or not (smart or name.lower() in WEIGHTINGS):
        raise ConfigError(f"there is no weighting {name!r}", hint=_meant(name))
    known = WEIGHTINGS[SMART if smart else name.lower()]
    values = _checked(name, known, own)
    if delta != 0 and "delta" not in known.settings:
        raise ConfigError(f"the weighting {name!r} has no delta", hint="Leave it out, or choose bm25+ or bm25l.")
    given = {"k1": k1, "b": b, "delta": delta if delta != 0 else known.delta}
    if smart:
        documents, queries = name.split(".")
        values |= {"documents": documents, "queries": queries}
    return known.make(**{setting: given[setting] for setting in known.settings}, **values)


def is_smart(name: str) -> bool:
    """Whether a name is of the form of the SMART notation and no weighting's own; its letters may be wrong."""
    documents, point, queries = name.partition(".")
    return bool(point) and name != SMART and len(documents) == len(queries) == 3 and (documents + queries).isalpha()


def _checked(name: str, known: NamedWeighting, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters given, over the defaults."""
    for parameter, value in given.items():
        if parameter not in known.parameters:
            if parameter in _CHANNEL:
                hint = f"It is a setting of the channel: write {parameter} beside the weighting's name."
            elif known.parameters:
                hint = nearest(parameter, known.parameters)
            else:
                hint = f"It has none but {' and '.join(known.settings)} of the channel." if known.settings else (
                    "It has none."
                )
            raise ConfigError(f"the weighting {name!r} has no parameter {parameter!r}", hint=hint)
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ConfigError(f"the weighting {name!r} cannot have {parameter} = {value!r}", hint="Use a number.")
    return {**known.parameters, **given}


def _meant(name: str) -> str:
    """The name that may have been meant."""
    if len(name) == 3 and all(map(str.__contains__, map("".join, (FREQUENCY, RARITY, NORMALISATION)), name)):
        return f"The SMART notation has letters for documents and for queries: {name}.{name}."
    hint = nearest(name, [*WEIGHTINGS, *_ALIASES])
    return hint if hint.startswith("Did") else f"{nearest('', WEIGHTINGS).rstrip('.')} (such as Lnu.ltb)."
