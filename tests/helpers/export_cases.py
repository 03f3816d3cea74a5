"""Small indexes that are exported, and what is exported of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memory_backend import MemoryBackend

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.engine.units import Units
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.search.models.models import read_model
from porism.serve.exported.kind import ExportedRetriever, search_export
from porism.serve.exported.lexical import DOCUMENTS, ExportedLexical
from porism.serve.exported.rows import live_units
from porism.serve.exported.state import ExportState, OpenExport, TableState, open_export
from porism.serve.exported.terms import TermSource
from porism.serve.exported.views import FrozenStatistics, views_of
from porism.types import Content, Document, Formula, Query

TEXTS = {
    "a1": ("rings and ideals of rings", r"x^2+y^2"), "a2": ("a prime ideal", r"a \in P"),
    "a3": ("sums of squares", r"x^2+y^2=z^2"), "b1": ("every prime number", r"p \mid ab"),
    "b2": ("the ideal gas and sums", r"pV=nRT"), "b3": ("squares of prime numbers", r"p^2"),
    "c1": ("rings of numbers", r"\mathbb{Z}"), "c2": ("ideals and squares", r"I^2"),
}
"""Eight documents by id: words and a formula. Those of one letter have one topic."""

QUERIES = [
    Query("q1", {"text": Content.of("prime ideals of rings ", Formula("x^2+y^2"))}),
    Query("q2", {"text": Content.of("squares of numbers ", Formula("p^2"))}),
    Query("q3", {"text": Content("sums")}),
    Query("q4", {"text": Content("nothing alike")}),
]


def document(doc_id: str, text: str, formula: str = "x") -> Document:
    """A document with metadata: its topic, and whether it is odd."""
    metadata = {"topic": doc_id[0], "tags": ("odd" if int(doc_id[1:]) % 2 else "even", "all")}
    return Document(doc_id, {"title": Content(text), "body": Content.of("here is ", Formula(formula))}, metadata)


def all_documents() -> list[Document]:
    """Those of :data:`TEXTS`."""
    return [document(doc_id, *texts) for doc_id, texts in TEXTS.items()]


FEW_CHANNELS = AnalysisConfig.named(["words", "tokens", "approach0", "tokens-2"])


def change(
    path: Path, *groups: Iterable[Document], delete: Sequence[str] = (), merge: bool = False,
    config: AnalysisConfig = FEW_CHANNELS,
) -> None:
    """Adds documents, or replaces those of the same id, a commit for each group; then deletes, and merges."""
    analyzer = Analyzer(config)
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in groups:
            writer.add(analyzer.analyze(list(group))[0])
            writer.commit()
        if delete:
            writer.delete(delete)
            writer.commit()
        if merge:
            writer.merge()


def write_index(path: Path) -> Path:
    """The documents of :data:`TEXTS` in two segments."""
    documents = all_documents()
    change(path, documents[:5], documents[5:])
    return path


def exported(backend: MemoryBackend, snapshot: Snapshot, named: str) -> ExportedRetriever:
    """What searches a snapshot by a model in an engine."""
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
    opened = open_export(backend, snapshot)
    model = read_model(named)
    inner = search_export(opened, snapshot, analyzer, model)
    return ExportedRetriever("memory", model, opened, inner)


def export_terms(
    backend: MemoryBackend, segments: Sequence[Segment], lexical: LexicalRetriever,
    frozen: Mapping[str, FrozenStatistics] | None = None,
) -> OpenExport:
    """Puts the rows of a retriever's views into an engine, as an export does."""
    views = {view.key: (view, lexical.segments) for view in views_of(lexical)}
    statistics = {
        key: (frozen or {}).get(key, view.freeze(1)) for key, (view, _) in views.items()
    }
    source = TermSource(segments, views, statistics)
    backend.make(source.table)
    for number, segment in enumerate(segments):
        for batch in source.rows(number, live_units(segment)):
            backend.put(DOCUMENTS, batch.rows)
    rows = backend.count(DOCUMENTS)
    state = ExportState("", 1, rows, views=statistics, tables={DOCUMENTS: TableState(rows, source.made_of)})
    return OpenExport(backend, state, 1)


def exported_lexical(backend: MemoryBackend, lexical: LexicalRetriever) -> ExportedLexical:
    """The same retriever, whose candidates an engine finds that has its rows."""
    segments: Sequence[Units] = lexical.segments
    export = export_terms(backend, segments, lexical)  # type: ignore[arg-type]
    return ExportedLexical(export, segments, lexical.channels, lexical.field_weights, lexical.zones)
