"""Documents through a model into a file of expansions: in batches, going on where an earlier run stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from porism.analysis.documents import clean_text
from porism.errors import ConfigError, OnProblem, Problem
from porism.lab.doc2query.fields import document_text, source_text
from porism.lab.doc2query.settings import ExpansionSettings
from porism.lab.doc2query.store import DocumentExpansion, ExpansionWriter, text_digest
from porism.types import Document
from porism.vectors.neural.loading import first_line

BATCH = 16
"""Documents that the model reads at once."""

_POOL = 32
"""Batches whose documents are sorted by length together."""

_MAX_FAILURES = 32
"""After so many failures without any success it is the model that is bad and not the documents."""


class Generator(Protocol):
    """What writes queries: :class:`porism.lab.doc2query.QueryGenerator`, or anything of this form."""

    model: str
    settings: ExpansionSettings

    def generate(self, texts: Sequence[str]) -> list[list[str]]:
        """The queries of each text of a batch."""

    def order(self, texts: Sequence[str]) -> list[int]:
        """The texts in an order in which neighbours cost about the same."""


@dataclass(frozen=True, slots=True)
class ExpandReport:
    """What was expanded, what an earlier run had expanded already, what was skipped, and whether it ran to the end."""

    path: Path
    documents: int
    already: int
    problems: int
    seconds: float
    interrupted: bool


@dataclass(slots=True)
class _Counts:
    documents: int = 0
    already: int = 0
    problems: int = 0
    failures: int = 0


def expand_documents(
    documents: Iterable[Document],
    generator: Generator,
    path: str | os.PathLike[str],
    *,
    batch: int = BATCH,
    total: int = 0,
    on_problem: OnProblem | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExpandReport:
    """Generates queries for documents and appends them to the file at ``path``, which is made where it is not there.

    A document whose text is in the file already is left out, one whose text has changed is expanded again. A document
    that the model fails on, or without text, is reported and skipped. Batches are written whole, and what a batch is
    does not depend on what an earlier run has done. Documents that come in the same order get the same queries with and
    without interruptions. Of documents with the same id the first counts, and the others are reported. Ctrl-C is
    reported in the report, not raised.

    :param batch: how many documents the model reads at once.
    :param total: how many documents there are, for ``on_progress``, which receives (done, total).
    :raises ConfigError: the file was made by another model or with other settings; the model fails on every document.
    :raises SourceError: the file cannot be written.
    """
    if batch < 1:
        raise ConfigError(f"a batch cannot have {batch} documents", hint="At least 1.")
    started = time.monotonic()
    counts = _Counts()
    interrupted = False

    def report(problem: Problem) -> None:
        counts.problems += 1
        if on_problem:
            on_problem(problem)

    fields = generator.settings.fields
    seen: set[str] = set()

    def first_of_its_id(document: Document) -> bool:
        doc_id = clean_text(document.id)
        if doc_id in seen:
            report(Problem(doc_id, "not expanded: another document with this id came before"))
            return False
        seen.add(doc_id)
        return True

    with ExpansionWriter(path, generator.model, generator.settings) as writer:
        try:
            for pool in _pools(filter(first_of_its_id, documents), batch * _POOL):
                texts = [document_text(document, fields) for document in pool]
                digests = [text_digest(source_text(document, fields)) for document in pool]
                order = generator.order(texts)
                for start in range(0, len(order), batch):
                    chosen = order[start : start + batch]
                    _expand(writer, generator, counts, report, [
                        (clean_text(pool[at].id), texts[at], digests[at]) for at in chosen
                    ])
                    on_progress(counts.documents + counts.already + counts.problems, total)
        except KeyboardInterrupt:
            interrupted = True
    return ExpandReport(
        Path(path), counts.documents, counts.already, counts.problems, time.monotonic() - started, interrupted
    )


def _pools(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    left = iter(documents)
    while pool := list(islice(left, size)):
        yield pool


def _expand(
    writer: ExpansionWriter, generator: Generator, counts: _Counts, report: OnProblem,
    batch: Sequence[tuple[str, str, str]],
) -> None:
    """Expands those of a batch of (id, text, digest) that are not in the file yet."""
    wanted = []
    for doc_id, text, digest in batch:
        known = writer.known.get(doc_id) if writer.known is not None else None
        if known is not None and known.digest == digest:
            counts.already += 1
        elif not text.strip():
            report(Problem(doc_id, "not expanded: it has no text"))
        else:
            wanted.append((doc_id, text, digest))
    if not wanted:
        return
    try:
        queries = generator.generate([text for _, text, _ in wanted])
    except (RuntimeError, ValueError, IndexError) as error:
        _one_by_one(writer, generator, counts, report, wanted, error)
        return
    writer.add([
        DocumentExpansion(doc_id, digest, tuple(generated))
        for (doc_id, _, digest), generated in zip(wanted, queries, strict=True)
    ])
    counts.documents += len(wanted)


def _one_by_one(
    writer: ExpansionWriter, generator: Generator, counts: _Counts, report: OnProblem,
    batch: Sequence[tuple[str, str, str]], error: Exception,
) -> None:
    """A batch that failed, again: what is bad in it (or too much at once for the memory) takes no others along."""
    for doc_id, text, digest in batch:
        try:
            if len(batch) > 1:
                queries = generator.generate([text])[0]
            else:
                raise error
        except (RuntimeError, ValueError, IndexError) as failure:
            report(Problem(doc_id, f"not expanded, {type(failure).__name__}: {first_line(failure)}"))
            counts.failures += 1
            if not counts.documents and counts.failures >= _MAX_FAILURES:
                raise ConfigError(
                    f"the model fails on every document ({first_line(failure)})", where=generator.model,
                    hint="Try a smaller batch, another device, or another model.",
                ) from failure
            continue
        writer.add([DocumentExpansion(doc_id, digest, tuple(queries))])
        counts.documents += 1
