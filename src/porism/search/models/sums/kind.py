"""The kind of weighted sums, and those that are known by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import DocumentKind, FormulaKind, RequiredArtifact, RetrieverKind
from porism.search.models.sums.formulas import FORMULA_KIND, FormulaSumRanker
from porism.search.models.sums.model import FormulaSumModel, Part, SumModel
from porism.search.models.sums.retriever import KIND, SumRetriever
from porism.settings import SettingError, nearest

Kinds = Mapping[str, RetrieverKind[Any]]

SUM_MODELS: Mapping[str, SumModel] = MappingProxyType({
    "neural": SumModel({"default": Part(0.5), "dense": Part(0.5)}),
})
"""``neural`` is the default model, with words and structure, and the vectors of the index's encoder."""

FORMULA_SUM_MODELS: Mapping[str, FormulaSumModel] = MappingProxyType({
    "formula-vectors": FormulaSumModel({"formula-encoder": Part(0.5), "tangent-cft": Part(0.5)}),
})
"""``formula-vectors`` is the index's encoder of formulas and its Tangent-CFT."""


def sum_kind(kinds: Callable[[], Kinds]) -> DocumentKind[SumModel]:
    """The kind of sums of models of the kinds given, which are asked for when a model is opened.

    A sum can be part of a sum.
    """
    parts = SumParts(kinds)

    def make(snapshot: Snapshot, analyzer: Analyzer, model: SumModel) -> SumRetriever:
        opened = {name: kind.documents(snapshot, analyzer, part) for name, kind, part in parts.of(model)}
        return SumRetriever(snapshot, model, opened)

    return DocumentKind(
        name=KIND, settings=SumModel, models=SUM_MODELS, channels=parts.channels, artifacts=parts.artifacts, make=make,
    )


def formula_sum_kind(kinds: Callable[[], Kinds]) -> FormulaKind[FormulaSumModel]:
    """As :func:`sum_kind`, of models that find formulas."""
    parts = SumParts(lambda: {name: kind for name, kind in kinds().items() if kind.finds == "formulas"})

    def make(snapshot: Snapshot, analyzer: Analyzer, model: FormulaSumModel) -> FormulaSumRanker:
        opened = {name: kind.formulas(snapshot, analyzer, part) for name, kind, part in parts.of(model)}
        return FormulaSumRanker(snapshot, model, opened)

    return FormulaKind(
        name=FORMULA_KIND, settings=FormulaSumModel, models=FORMULA_SUM_MODELS, channels=parts.channels,
        artifacts=parts.artifacts, make=make,
    )


class SumParts:
    """The parts of sums, which are models of some kinds."""

    def __init__(self, kinds: Callable[[], Kinds]) -> None:
        self._kinds = kinds

    def of(self, model: SumModel) -> list[tuple[str, RetrieverKind[Any], RetrieverSettings]]:
        """The parts of a sum that count: name, kind and model."""
        kinds = self._kinds()
        return [(name, *resolve_part(kinds, name, part)) for name, part in model.parts.items() if part.weight > 0]

    def channels(self, model: SumModel) -> tuple[str, ...]:
        """Those of all parts."""
        return tuple(dict.fromkeys(channel for _, kind, part in self.of(model) for channel in kind.channels(part)))

    def artifacts(self, model: SumModel) -> tuple[RequiredArtifact, ...]:
        """Those of all parts."""
        return tuple(dict.fromkeys(one for _, kind, part in self.of(model) for one in kind.artifacts(part)))


def resolve_part(kinds: Kinds, name: str, part: Part) -> tuple[RetrieverKind[Any], RetrieverSettings]:
    """The kind and the model of a part.

    :raises SettingError: there is no such kind or model, or a setting does not fit.
    """
    path = ("parts", name)
    settings = dict(part.settings)
    kind_name = settings.pop("kind", None)
    if kind_name is not None and kind_name not in kinds:
        raise SettingError(
            f"there is no kind of model {kind_name!r}", path=(*path, "settings", "kind"), hint=nearest(kind_name, kinds)
        )
    chosen = [kinds[kind_name]] if kind_name else sorted(kinds.values(), key=lambda kind: kind.finds)
    named = part.model or name
    for kind in chosen:
        if named in kind.models:
            return kind, kind.settings.from_dict(settings, kind.models[named])
    if kind_name is not None and not part.model:  # the part has a name of its own
        return chosen[0], chosen[0].settings.from_dict(settings)
    known = [model for kind in chosen for model in kind.models]
    raise SettingError(
        f"there is no model {named!r}", path=(*path, "model") if part.model else path, hint=nearest(named, known)
    )
