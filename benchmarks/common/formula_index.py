"""Indexes of formulas for the benchmarks: each formula a document, whose id is the formula's.

What imports numpy or Porism does so inside functions, so that any contender's own Python can read this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

Ranking = list[tuple[str, float]]
"""Ids of formulas and their scores, best first."""


def formula_model(name: str = "") -> Any:
    """A model of formula search by its name; the default one without.

    :raises KeyError: the library has no such model.
    """
    from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FORMULA_MODELS

    return FORMULA_MODELS[name] if name else DEFAULT_FORMULA_MODEL


def channels_of(*models: Any) -> tuple[str, ...]:
    """The formula channels that models name in any of their fields, in the order of the library's table, and those
    that candidates are looked up in."""
    from porism.formula import EXTRACTORS
    from porism.retrieve.formulas.equal_formulas import SUBTREES, VALUES

    named = {SUBTREES, VALUES}
    for model in models:
        for field in fields(model):
            value = getattr(model, field.name)
            named.update(value if isinstance(value, Mapping) else [value] if isinstance(value, str) else [])
    return tuple(name for name in EXTRACTORS if name in named)


def build_formula_index(
    pairs: Iterable[tuple[str, str]], path: Path, channels: tuple[str, ...], jobs: int | None = None, model: Any = None
) -> int:
    """Indexes formulas given as (id, LaTeX) with some channels; how many problems there were.

    What is stored besides the formulas is for formula search by ``model``, or without one for :class:`DocumentSearch`.
    """
    import porism
    from porism.index import Snapshot
    from porism.retrieve.formulas.retriever import prepare_formulas

    def documents() -> Iterator[porism.Document]:
        for formula_id, latex in pairs:
            formula = porism.Formula(latex, visual_id=formula_id)
            yield porism.Document(formula_id, {"formula": porism.Content.of(formula)})

    report = porism.index_documents(
        documents(), path, config=porism.AnalysisConfig(text=(), formulas=channels),
        model=channels_model(channels if model is None else ["words"]), jobs=jobs,  # there are no words to prepare
    )
    if model is not None:
        with Snapshot.open(path) as snapshot:
            prepare_formulas(snapshot.segments, model)
    return report.problems


def channels_model(channels: Iterable[str]) -> Any:
    """A sum of channels, each with the weight that it has in the default model of document search (or else 1)."""
    import porism
    from porism.retrieve import DEFAULT_MODEL

    known = DEFAULT_MODEL.channels
    return porism.SearchModel({name: known.get(name, porism.ChannelSettings(1.0, 1.5, 0.75)) for name in channels})


class FormulaSearch:
    """Formula search over an index that :func:`build_formula_index` made."""

    def __init__(self, path: Path, model: Any) -> None:
        import numpy as np

        from porism.analysis.analyzer import AnalysisConfig, Analyzer
        from porism.index import Snapshot
        from porism.retrieve.formulas.retriever import FormulaRetriever

        self.snapshot = Snapshot.open(path)
        self.analyzer = Analyzer(AnalysisConfig.from_dict(self.snapshot.config))
        self.retriever = FormulaRetriever(self.snapshot, self.analyzer, model)
        self.ids: list[list[list[str]]] = []
        for segment in self.snapshot.segments:
            where = segment.occurrences
            documents = np.repeat(np.arange(segment.doc_count), np.diff(where.indptr))
            ids: list[list[str]] = [[] for _ in range(segment.formula_count)]
            for formula, doc_id in zip(where.formula[:].tolist(), segment.doc_ids(documents), strict=True):
                ids[formula].append(doc_id)
            self.ids.append(ids)

    def use(self, model: Any) -> None:
        """Searches with another model from now on."""
        from porism.retrieve.formulas.retriever import FormulaRetriever

        self.retriever = FormulaRetriever(self.snapshot, self.analyzer, model)

    def ask(self, latex: str, k: int) -> Ranking:
        """The ids of the best ``k`` formulas; formulas alike under several ids are one, and give all of these."""
        from porism import Formula

        found = self.retriever.search([Formula(latex)], k)[0]
        return [
            (formula_id, score)
            for segment, formula, score in zip(
                found.segments.tolist(), found.units.tolist(), found.scores.tolist(), strict=True
            )
            for formula_id in self.ids[segment][formula]
        ][:k]


class DocumentSearch:
    """The engine of document search over the same index: a weighted sum of the index's channels."""

    def __init__(self, path: Path) -> None:
        import porism
        from porism.index import Snapshot

        with Snapshot.open(path) as snapshot:
            channels = snapshot.config["formulas"]
        self.opened = porism.open_index(path, channels_model(channels))

    def ask(self, latex: str, k: int) -> Ranking:
        """The ids of the best ``k`` formulas."""
        from porism import Content, Formula, Query

        return self.opened.run([Query("query", {"formula": Content.of(Formula(latex))})], k)["query"]
