"""The kinds of weighted sums, and those that are known by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import DocumentKind, FormulaKind, RequiredArtifact, RetrieverKind
from porism.search.models.registry import RETRIEVERS, named_in
from porism.search.models.sums.retriever import (
    FORMULA_KIND,
    KIND,
    FormulaSumModel,
    FormulaSumRanker,
    Part,
    SumModel,
    SumRetriever,
)
from porism.settings import SettingError, nearest

M = TypeVar("M", bound=SumModel)

SUM_MODELS: Mapping[str, SumModel] = MappingProxyType({"neural": SumModel({"default": Part(0.5), "dense": Part(0.5)}),})
"""``neural`` is the default model, with words and structure, and the vectors of the index's encoder."""

FORMULA_SUM_MODELS: Mapping[str, FormulaSumModel] = MappingProxyType({
    "formula-vectors": FormulaSumModel({"formula-encoder": Part(0.5), "tangent-cft": Part(0.5)}),
})
"""``formula-vectors`` is the index's encoder of formulas and its Tangent-CFT."""


def parts_of(model: SumModel) -> list[tuple[str, RetrieverKind[Any], RetrieverSettings]]:
    """The parts of a sum that count: name, kind and model. A sum can be part of a sum.

    :raises SettingError: there is no such kind or model, or a setting does not fit.
    """
    formulas = isinstance(model, FormulaSumModel)
    return [(name, *resolve_part(name, part, formulas)) for name, part in model.parts.items() if part.weight > 0]


def _channels(model: SumModel) -> tuple[str, ...]:
    return tuple(dict.fromkeys(channel for _, kind, part in parts_of(model) for channel in kind.channels(part)))


def _artifacts(model: SumModel) -> tuple[RequiredArtifact, ...]:
    return tuple(dict.fromkeys(artifact for _, kind, part in parts_of(model) for artifact in kind.artifacts(part)))


def _open_documents(snapshot: Snapshot, analyzer: Analyzer, model: SumModel) -> SumRetriever:
    opened = {name: kind.documents(snapshot, analyzer, part) for name, kind, part in parts_of(model)}
    return SumRetriever(snapshot, model, opened)


def _open_formulas(snapshot: Snapshot, analyzer: Analyzer, model: FormulaSumModel) -> FormulaSumRanker:
    opened = {name: kind.formulas(snapshot, analyzer, part) for name, kind, part in parts_of(model)}
    return FormulaSumRanker(snapshot, model, opened)


def _choose(model: M, name: str) -> M:
    """The sum whose parts that need an artifact of any name have the one that is named."""
    parts = dict(model.parts)
    for part, kind, settings in parts_of(model):
        if not all(artifact.name for artifact in kind.artifacts(settings)):
            parts[part] = replace(parts[part], model=f"{parts[part].model or part}:{name}")
    return replace(model, parts=parts)


SUM = DocumentKind(
    name=KIND, settings=SumModel, models=SUM_MODELS, channels=_channels, artifacts=_artifacts, make=_open_documents,
    choose=_choose,
)
"""Sums of models of documents and of formulas."""

FORMULA_SUM = FormulaKind(
    name=FORMULA_KIND, settings=FormulaSumModel, models=FORMULA_SUM_MODELS, channels=_channels, artifacts=_artifacts,
    make=_open_formulas, choose=_choose,
)
"""Sums of models of formulas."""


def resolve_part(name: str, part: Part, formulas: bool = False) -> tuple[RetrieverKind[Any], RetrieverSettings]:
    """The kind and the model of a part.

    :param formulas: whether only models that find formulas count.
    :raises SettingError: there is no such kind or model, or a setting does not fit.
    """
    kinds = {name: kind for name, kind in RETRIEVERS.items() if kind.finds == "formulas" or not formulas}
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
        if (model := named_in([kind], named)) is not None:
            return kind, kind.settings.from_dict(settings, model)
    if kind_name is not None and not part.model:  # the part has a name of its own
        return chosen[0], chosen[0].settings.from_dict(settings)
    known = [model for kind in chosen for model in kind.models]
    raise SettingError(
        f"there is no model {named!r}", path=(*path, "model") if part.model else path, hint=nearest(named, known)
    )
