"""The kind of models that are searched in Milvus, and those that are known by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError
from porism.index import Snapshot
from porism.retrieve.base import Retriever, RetrieverSettings
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.kinds import DocumentKind, RequiredArtifact, RetrieverKind
from porism.search.models.sums.kind import parts_of, resolve_part
from porism.search.models.sums.retriever import FormulaSumModel, Part, SumModel, SumRetriever
from porism.serve.backends.milvus import MilvusBackend
from porism.serve.exported.dense import ExportedDense
from porism.serve.exported.lexical import DOCUMENTS, ExportedLexical
from porism.serve.exported.model import MilvusModel
from porism.serve.exported.opening import OpenExport, open_export
from porism.serve.exported.retriever import ExportedRetriever
from porism.serve.exported.tokens import ExportedTokens
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.dense.model import DenseModel
from porism.vectors.splade.channels import open_encoded

KIND = "milvus"


def _resolved(model: MilvusModel) -> tuple[RetrieverKind[Any], RetrieverSettings]:
    return resolve_part(model.of, Part(settings=model.settings))


def _channels(model: MilvusModel) -> tuple[str, ...]:
    kind, inner = _resolved(model)
    return kind.channels(inner)


def _artifacts(model: MilvusModel) -> tuple[RequiredArtifact, ...]:
    kind, inner = _resolved(model)
    return kind.artifacts(inner)


def _make(snapshot: Snapshot, analyzer: Analyzer, model: MilvusModel) -> ExportedRetriever:
    inner = _resolved(model)[1]
    check_exported(inner)
    backend = MilvusBackend(model.uri, model.collection, model.timeout)
    export = open_export(backend, snapshot)
    return ExportedRetriever(KIND, model, export, search_export(export, snapshot, analyzer, inner))


MILVUS_MODELS: Mapping[str, MilvusModel] = MappingProxyType({"milvus": MilvusModel()})
"""``milvus`` is the default model, whose candidates Milvus finds."""


def search_export(
    export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: RetrieverSettings
) -> Retriever:
    """What searches by a model whose candidates an engine finds; of the index are scores, documents and all else.

    :raises ConfigError: a model of this kind is not searched in engines, or the index lacks what it needs.
    :raises EngineError: the engine lacks what the model needs.
    """
    check_exported(model)
    if isinstance(model, SearchModel):
        export.require(DOCUMENTS, "the terms of the documents")
        return DocumentRetriever(
            snapshot, analyzer, model, partial(ExportedLexical, export), open_encoded=open_encoded
        )
    if isinstance(model, DenseModel):
        return ExportedDense(export, snapshot, analyzer, model)
    if isinstance(model, ColbertModel):
        return ExportedTokens(export, snapshot, analyzer, model)
    assert isinstance(model, SumModel)
    return SumRetriever(snapshot, model, {
        name: search_export(export, snapshot, analyzer, part) for name, _, part in parts_of(model)
    })


def check_exported(model: RetrieverSettings) -> None:
    """Whether a model is of a kind that engines search, with all its parts where it is a sum.

    :raises ConfigError: it is not.
    """
    if isinstance(model, SumModel) and not isinstance(model, FormulaSumModel):
        for _, _, part in parts_of(model):
            check_exported(part)
    elif not isinstance(model, (SearchModel, DenseModel, ColbertModel)):
        raise not_exported(model)


def not_exported(model: RetrieverSettings, formulas: bool = False) -> ConfigError:
    """The error for a model of a kind that no engine searches; of a search for ``formulas``, if so."""
    what = "names an engine already" if isinstance(model, MilvusModel) else "is of no kind that engines search"
    kinds = "kind structure, such as default" if formulas else "kinds lexical, dense, colbert, or a sum of them"
    return ConfigError(f"a {type(model).__name__} {what}", hint=f"Name a model of the {kinds}.")


MILVUS = DocumentKind(
    name=KIND, settings=MilvusModel, models=MILVUS_MODELS, channels=_channels, artifacts=_artifacts, make=_make,
    joint=False,
)
"""Models of all kinds of the registry, searched in Milvus."""
