"""Expansions into an index and out of it again, each in one commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.documents import clean_text
from porism.corpus.base import ignore_problem
from porism.errors import OnProblem, Problem
from porism.index import IndexWriter, Snapshot
from porism.index.documents import StoredDocuments
from porism.lab.doc2query.fields import expanded, has_own_expansion, source_text, unexpanded
from porism.lab.doc2query.store import ExpansionFile, text_digest
from porism.search.sources.indexing import analyze_documents, languages_in, prepare_for_searches
from porism.types import Document

_EVERY = 512


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """How many documents were replaced, how many were as they should be, and how many were left out and reported."""

    changed: int
    unchanged: int
    skipped: int


class DocumentExpander:
    """Gives each document its queries from a file of expansions: a function from document to document.

    A document whose text is no longer the one that was expanded, and one whose source has a field of that name, are
    reported and given back as they are. One that the file does not have is given back without a report. ``skipped``
    counts the reports.
    """

    def __init__(self, file: ExpansionFile, on_problem: OnProblem | None = None) -> None:
        self._file = file
        self._on_problem = on_problem
        self.skipped = 0

    def __call__(self, document: Document) -> Document:
        """The document with its queries."""
        expansion = self._file.get(clean_text(document.id))
        if expansion is None:
            return document
        if has_own_expansion(document):
            return self._skip(document, "not expanded: its source has a field or metadata of the names that it needs")
        if text_digest(source_text(document, self._file.settings.fields)) != expansion.digest:
            return self._skip(document, "not expanded: its text has changed since its queries were generated")
        return expanded(document, expansion.queries, self._file.model)

    def _skip(self, document: Document, why: str) -> Document:
        self.skipped += 1
        if self._on_problem:
            self._on_problem(Problem(document.id, why))
        return document


def apply_expansions(
    index_path: str | os.PathLike[str],
    file: ExpansionFile,
    *,
    jobs: int | None = None,
    on_problem: OnProblem | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ApplyReport:
    """Adds the field ``expansion`` to the documents of an index that the file has queries of, in one commit.

    All else in the documents stays as it is, and :func:`remove_expansions` takes the field away again. An interruption
    or an error leaves the index as it was.

    :param on_progress: receives how many documents of the index are read, of how many.
    :raises IndexNotFound: there is no index.
    :raises IndexLocked: another process writes to it.
    """
    expander = DocumentExpander(file, on_problem)
    changed, seen = _replace(index_path, expander, jobs, on_problem, on_progress)
    return ApplyReport(changed, seen - changed - expander.skipped, expander.skipped)


def remove_expansions(
    index_path: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    on_problem: OnProblem | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ApplyReport:
    """Takes the generated queries out of an index, in one commit: its documents and answers are what they were.

    :raises IndexNotFound: there is no index.
    :raises IndexLocked: another process writes to it.
    """
    changed, seen = _replace(index_path, unexpanded, jobs, on_problem, on_progress)
    return ApplyReport(changed, seen - changed, 0)


def _replace(
    index_path: str | os.PathLike[str], change: Callable[[Document], Document], jobs: int | None,
    on_problem: OnProblem | None, on_progress: Callable[[int, int], None],
) -> tuple[int, int]:
    """Puts every document through a function and writes those that it changes: how many, and how many there are."""
    seen = changed = 0
    with IndexWriter(index_path, create=False) as writer, Snapshot.open(index_path) as snapshot:
        total = snapshot.doc_count

        def replacing() -> Iterator[Document]:
            nonlocal seen
            for document in StoredDocuments(snapshot):
                other = change(document)
                seen += 1
                if seen % _EVERY == 0 or seen == total:
                    on_progress(seen, total)
                if other != document:
                    yield other

        analyzer = Analyzer(AnalysisConfig.from_dict(writer.config, writer.path), languages_in(writer.path))
        for batch, problems in analyze_documents(replacing(), analyzer, jobs):
            origins = snapshot.look_up(batch.ids)  # they stay what their sources gave: an update compares with that
            writer.add(replace(batch, owners=origins.owners, digests=origins.digests, lines=origins.lines))
            changed += len(batch.ids)
            for problem in problems:
                if on_problem:
                    on_problem(problem)
        writer.commit(before_publish=partial(prepare_for_searches, on_problem=on_problem or ignore_problem))
    return changed, seen
