"""What an index exports for some models: the terms of documents and those of formulas in a table each, a table for each
set of vectors, and the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.index.engine.units import Units, formula_units
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.meaning.retriever import MeaningModel
from porism.search.models.sums.kind import parts_of
from porism.search.models.sums.retriever import FormulaSumModel, SumModel
from porism.serve.exported.kind import not_exported
from porism.serve.exported.rows import RowSource
from porism.serve.exported.terms import FormulaSource, TermSource
from porism.serve.exported.texts import TextSource
from porism.serve.exported.vectors import dense_rows, meaning_rows, token_rows
from porism.serve.exported.views import ChannelView, FrozenStatistics, views_of
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TOKEN_RECORDS
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.records import DENSE_RECORDS
from porism.vectors.splade.channels import open_encoded


class Sources(NamedTuple):
    """The tables of an export, the statistics of the views, and how far the mean lengths of these are off (a share)."""

    sources: list[RowSource]
    frozen: dict[str, FrozenStatistics]
    drift: float

    @property
    def names(self) -> set[str]:
        """The names of the tables."""
        return {source.table.name for source in self.sources}


def sources_of(
    snapshot: Snapshot, analyzer: Analyzer, models: Iterable[RetrieverSettings],
    formula_models: Iterable[RetrieverSettings], frozen: Mapping[str, FrozenStatistics], texts: bool,
) -> Sources:
    """What an index exports for some models of documents and of formulas.

    :param frozen: statistics of views that stay as they are, by key; others are those of the snapshot.
    :param texts: whether the documents themselves are among it.
    :raises ConfigError: a model cannot be exported, or the index lacks what it needs.
    """
    views: dict[str, tuple[ChannelView, Sequence[Units]]] = {}
    vectors: dict[str, RowSource] = {}
    for model in _without_sums(models):
        if isinstance(model, SearchModel):
            lexical = DocumentRetriever(snapshot, analyzer, model, open_encoded=open_encoded).lexical
            for view in views_of(lexical):
                views.setdefault(view.key, (view, lexical.segments))
        elif isinstance(model, DenseModel):
            record = DENSE_RECORDS.find(snapshot.path, model.encoder)
            vectors.setdefault(record.spec.name, dense_rows(snapshot, record))
        elif isinstance(model, MeaningModel):
            rows = meaning_rows(snapshot, analyzer)
            vectors.setdefault(rows.table.name, rows)
        elif isinstance(model, ColbertModel):
            store = TOKEN_RECORDS.find(snapshot.path, model.store)
            vectors.setdefault(store.spec.name, token_rows(snapshot, store))
        else:
            raise not_exported(model)
    units = formula_units(snapshot.segments)
    of_formulas: dict[str, tuple[ChannelView, Sequence[Units]]] = {}
    for model in formula_models:
        if not isinstance(model, FormulaModel):
            raise not_exported(model, formulas=True)
        for lexical in FormulaRetriever(snapshot, analyzer, model, units=units).lexicals():
            for view in views_of(lexical):
                of_formulas.setdefault(view.key, (view, units))
    every = {**views, **of_formulas}
    now = {
        key: frozen[key] if key in frozen and not view.stored else view.freeze(snapshot.generation)
        for key, (view, _) in every.items()
    }
    drift = max((abs(view.statistics.mean_length / now[key].mean_length - 1) for key, (view, _) in every.items()
                 if now[key].mean_length > 0), default=0.0)
    sources: list[RowSource] = [TermSource(snapshot.segments, views, now)] if views else []
    sources += vectors.values()
    if of_formulas:
        sources.append(FormulaSource(snapshot.segments, units, of_formulas, now))
    if texts:
        sources.append(TextSource(snapshot.segments))
    return Sources(sources, now, drift)


def _without_sums(models: Iterable[RetrieverSettings]) -> Iterator[RetrieverSettings]:
    """The models, sums taken apart."""
    for model in models:
        if isinstance(model, SumModel) and not isinstance(model, FormulaSumModel):
            yield from _without_sums(part for _, _, part in parts_of(model))
        else:
            yield model
