"""The stage that indexes the collection of a recipe."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from porism.analysis.analyzer import AnalysisConfig
from porism.analysis.documents import load_document
from porism.errors import IndexFolderError, IndexNotFound
from porism.index import Snapshot
from porism.lab.recipes.cache import Entry
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import StageKind
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.tokenizers import READING_LIBRARIES, made_tokenizers, reader_options
from porism.lab.recipes.planning import Stage
from porism.search.sources.indexing import Progress, index_documents, read_documents
from porism.types import Document


class BuildIndex(StageKind):
    """Indexes the collection; a start after an interruption goes on with the documents that are not there yet."""

    name = "index"
    libraries = (*READING_LIBRARIES, "PyStemmer", "numpy", "tokenizers")
    counts_bytes = True

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        collection = collection_of(execution.recipe)
        assert collection is not None, "the stage is there only with a collection"
        folder = execution.cache.unfinished(stage.kind, stage.key)
        started = time.monotonic()
        position = [0, 0]
        reading = dict(stage.parameters)
        config = AnalysisConfig.from_dict(reading.pop("analysis"))
        tokenizers = made_tokenizers(execution)

        def read_so_far(done: int, total: int) -> None:
            position[:] = done, total

        def indexed_so_far(progress: Progress) -> None:
            on_count(progress.bytes_done, progress.bytes_total or None)

        documents = read_documents(
            [execution.draft.file(source) for source in collection.sources], format=reading.pop("format"),
            options=reader_options(reading), on_problem=execution.on_problem, on_bytes=read_so_far,
        )
        report = index_documents(
            _missing(folder / "index", documents), folder / "index", jobs=execution.jobs, position=position,
            config=replace(config, tokenizers=tuple(tokenizers[one.name] for one in config.tokenizers)),
            on_problem=execution.on_problem, on_progress=indexed_so_far,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        with Snapshot.open(folder / "index") as snapshot:
            about = {"documents": snapshot.doc_count, "problems": report.problems}
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


def _missing(path: Path, documents: Iterable[Document]) -> Iterator[Document]:
    """The documents that the index at ``path``, from an interrupted start, does not have as they are now."""
    try:
        snapshot = Snapshot.open(path)
    except IndexFolderError as error:  # there is none, nothing was committed, or it is damaged: begun anew
        if not isinstance(error, IndexNotFound):
            shutil.rmtree(path)
        yield from documents
        return
    again: set[str] = set()  # ids that occur more than once in the source: of these the last counts
    with snapshot:
        for document in documents:
            found = snapshot.find(document.id)
            if document.id not in again and found is not None:
                segment, number = found
                if _same(load_document(segment.stored(number)), document):
                    continue
            again.add(document.id)
            yield document


def _same(mine: Document, other: Document) -> bool:
    return dict(mine.fields) == dict(other.fields) and dict(mine.metadata) == dict(other.metadata)
