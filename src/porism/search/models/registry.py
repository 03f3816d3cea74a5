"""The kinds of retrievers, by name; everything that opens a model of search does it here.

A new kind is a module with its settings, its retriever and a :class:`~porism.retrieve.kinds.DocumentKind` or
:class:`~porism.retrieve.kinds.FormulaKind`, and a line here; for one of a wing, in
:mod:`porism.search.models.wings`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError
from porism.index import JointSnapshot, Snapshot
from porism.retrieve.base import FormulaRanker, Retriever, RetrieverSettings
from porism.retrieve.documents.named_models import lexical_kind
from porism.retrieve.formulas.matching import STRUCTURE
from porism.retrieve.kinds import Finds, RetrieverKind
from porism.retrieve.meaning.retriever import MEANING
from porism.search.models.wings import from_wing, open_sparse_channels, sparse_providers, wing_kinds
from porism.settings import SettingError, nearest

LEXICAL = lexical_kind(open_sparse_channels, sparse_providers)

_CORE = (LEXICAL, STRUCTURE, MEANING)

_SUMS = ("search.models.sums.kind:SUM", "search.models.sums.kind:FORMULA_SUM")
"""The kinds of sums, by name because their parts are of kinds of this registry."""


class _Kinds(Mapping[str, RetrieverKind[Any]]):
    """Those of the core, then those of wings, each of which is imported when nothing before it is what is asked for."""

    def _kinds(self) -> Iterator[RetrieverKind[Any]]:
        yield from _CORE
        yield from map(from_wing, _SUMS)
        yield from wing_kinds()

    def __getitem__(self, name: str) -> RetrieverKind[Any]:
        for kind in self._kinds():
            if kind.name == name:
                return kind
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (kind.name for kind in self._kinds())

    def __len__(self) -> int:
        return sum(1 for _ in self._kinds())


RETRIEVERS: Mapping[str, RetrieverKind[Any]] = _Kinds()
"""The kinds by the names that settings give them (``kind = "..."``)."""

DEFAULT_KINDS: Mapping[Finds, str] = MappingProxyType({"documents": LEXICAL.name, "formulas": STRUCTURE.name})
"""The kind that settings of a search for documents or for formulas have where they name none."""


def retriever_kind(named: str) -> RetrieverKind[Any]:
    """A kind by its name.

    :raises SettingError: there is none of this name.
    """
    if named not in RETRIEVERS:
        raise SettingError(f"there is no kind of model {named!r}", path=("kind",), hint=nearest(named, RETRIEVERS))
    return RETRIEVERS[named]


def named_in(kinds: Iterable[RetrieverKind[Any]], named: str) -> RetrieverSettings | None:
    """The model that a name stands for in the first of some kinds that has it, None where none has.

    ``dense:mpnet`` is the model ``dense`` with the encoding ``mpnet`` of an index.

    :raises SettingError: it is a model that has none to choose.
    """
    name, colon, artifact = named.partition(":")
    for kind in kinds:
        if name in kind.models:
            model: RetrieverSettings = kind.models[name]
            if not colon:
                return model
            if not artifact or all(needed.name for needed in kind.artifacts(model)):
                raise SettingError(
                    f"there is no model {named!r}: {name!r} has no encoder of an index to choose", path=("model",),
                    hint=f"Use {name}.",
                )
            chosen: RetrieverSettings = kind.choose(model, artifact)
            return chosen
    return None


def kind_of(model: RetrieverSettings) -> RetrieverKind[Any]:
    """The kind that a model belongs to.

    :raises ConfigError: it is of none.
    """
    for kind in RETRIEVERS.values():
        if type(model) is kind.settings:
            return kind
    raise ConfigError(f"{type(model).__name__} is not a model of search", hint=f"There are {', '.join(RETRIEVERS)}.")


def open_retriever(snapshot: Snapshot, analyzer: Analyzer, model: RetrieverSettings) -> Retriever:
    """What searches the documents of a snapshot by a model of any kind; ``analyzer`` is that of the index.

    :raises ConfigError: the index lacks what the model needs.
    """
    kind = kind_of(model)
    _check_joint(snapshot, kind, model)
    return kind.documents(snapshot, analyzer, model)


def open_formula_ranker(snapshot: Snapshot, analyzer: Analyzer, model: RetrieverSettings) -> FormulaRanker:
    """What searches the formulas of a snapshot by a model; ``analyzer`` is that of the index.

    :raises ConfigError: the model finds no formulas, or the index lacks what it needs.
    """
    kind = kind_of(model)
    _check_joint(snapshot, kind, model)
    return kind.formulas(snapshot, analyzer, model)


def _check_joint(snapshot: Snapshot, kind: RetrieverKind[Any], model: RetrieverSettings) -> None:
    """Checks that all indexes of a joint snapshot have what the model reads beside the segments."""
    if isinstance(snapshot, JointSnapshot):
        if not kind.joint and len(snapshot.indexes) > 1:
            raise ConfigError(
                f"models of the kind {kind.name!r} search one index, and here are {len(snapshot.indexes)}",
                hint="Name one index, or another model.",
            )
        for artifact, name in kind.artifacts(model):
            snapshot.check_artifact(artifact, name)
