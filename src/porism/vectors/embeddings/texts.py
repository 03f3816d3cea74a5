"""The texts of a channel: its terms in their order, as lists of strings and as numbers.

An index counts terms and forgets their order, so the stored documents are analysed again, once; what training reads
many times is the *encoded* texts, four bytes a term, which lie in a temporary file where they are many.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.analysis.documents import load_document
from porism.analysis.term_columns import indexed_form
from porism.errors import ConfigError
from porism.formula import notation_of
from porism.index import Segment, Snapshot
from porism.index.documents import StoredDocuments
from porism.index.strings import offsets
from porism.settings import nearest
from porism.system.concurrency.processes import default_processes, map_parallel
from porism.types import Formula

BATCH = 512
"""Documents, or formulas, that are analysed at once."""

IN_MEMORY = 1 << 26
"""Encoded texts with more terms than this lie in a temporary file."""

_SERIAL = 4
_BATCH_SIZE = 1 << 16

OnProgress = Callable[[int, int], None]
"""Receives how much is done, and how much there is."""


@dataclass(frozen=True, eq=False)
class TokenTexts:
    """Texts as numbers of terms: text ``i`` is ``tokens[starts[i]:starts[i + 1]]``.

    ``terms`` are distinct, in the order of first sight; ``tokens`` int32; ``starts`` int64, texts + 1. Texts without
    terms are left out. Iterating gives each text as a list of strings, again and again.
    """

    terms: list[str]
    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[list[str]]:
        names = np.array([*self.terms, ""], object)
        for low, high in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield names[self.tokens[low:high]].tolist()

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each term is in the texts."""
        total = np.zeros(len(self.terms), np.int64)
        for start in range(0, len(self.tokens), IN_MEMORY):
            total += np.bincount(self.tokens[start : start + IN_MEMORY], minlength=len(self.terms))
        return total

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> TokenTexts:
        """Encodes texts."""
        encoder = _Encoder()
        for batch in _batches(texts):
            encoder.add(_encode(batch))
        return encoder.finish()


def channel_texts(
    snapshot: Snapshot, analyzer: Analyzer, channel: str, *, jobs: int | None = 1,
    on_progress: OnProgress = lambda done, total: None,
) -> TokenTexts:
    """The texts of a channel in the order of documents: a field of a document, or an occurrence of a formula, is one.

    Documents that are deleted are left out. ``jobs`` processes analyse (all processors for None); what comes out does
    not depend on it. ``on_progress`` receives how many documents, or distinct formulas, are done of how many.

    :raises ConfigError: the index has no such channel, or the channel has no terms.
    """
    if channel not in analyzer.channels:
        raise ConfigError(
            f"the index has no channel {channel!r}", where=str(snapshot.path), hint=nearest(channel, analyzer.channels)
        )
    encoder = _Encoder()
    if channel in analyzer.config.text:
        only = Analyzer(dataclasses.replace(analyzer.config, text=(channel,), formulas=()))
        total = snapshot.doc_count
        done = 0
        for batch in _spread(_analyze_documents, only, channel, StoredDocuments(snapshot).packed(), total, jobs):
            encoder.add(batch)
            done += batch.read
            on_progress(done, total)
    else:
        only = Analyzer(analyzer.config)  # without what it may have read: it goes to other processes
        parts = [(segment, *_occurrences(segment)) for segment in snapshot.segments]
        total = sum(len(formulas) for _, formulas, _ in parts)
        done = 0
        for segment, formulas, places in parts:
            distinct = _Encoder(encoder.numbers)
            sources = map(segment.formula_source, formulas.tolist())
            for batch in _spread(_analyze_formulas, only, channel, sources, len(formulas), jobs):
                distinct.add(batch, keep_empty=True)
                done += batch.read
                on_progress(done, total)
            encoder.repeat(distinct.finish(), places)
    texts = encoder.finish()
    if not len(texts):
        raise ConfigError(
            f"the channel {channel!r} has no terms", where=str(snapshot.path),
            hint="Index documents that have text and formulas first.",
        )
    return texts


@dataclass(frozen=True, slots=True)
class _Batch:
    """Encoded texts with terms of their own; ``read`` is how many documents or formulas they come from."""

    terms: list[str]
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    read: int


def _encode(texts: Sequence[Sequence[str]], read: int = 0) -> _Batch:
    numbers: dict[str, int] = {}
    tokens = np.fromiter((numbers.setdefault(term, len(numbers)) for text in texts for term in text), np.int32)
    lengths = np.fromiter(map(len, texts), np.int64, count=len(texts))
    return _Batch(list(numbers), tokens, lengths, read)


class _Encoder:
    """Joins encoded texts; ``numbers`` (term → number) can be shared between several."""

    def __init__(self, numbers: dict[str, int] | None = None) -> None:
        self.numbers: dict[str, int] = {} if numbers is None else numbers
        self._chunks: list[NDArray[np.int32]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._held = 0
        self._file: IO[bytes] | None = None

    def add(self, batch: _Batch, keep_empty: bool = False) -> None:
        of = np.fromiter(
            (self.numbers.setdefault(term, len(self.numbers)) for term in batch.terms), np.int32,
            count=len(batch.terms),
        )
        self._append(of[batch.tokens], batch.lengths if keep_empty else batch.lengths[batch.lengths > 0])

    def repeat(self, texts: TokenTexts, places: NDArray[np.int64]) -> None:
        """Adds the texts of ``texts`` with these places, in their order."""
        lengths = texts.starts[1:] - texts.starts[:-1]
        for start in range(0, len(places), _BATCH_SIZE):
            part = places[start : start + _BATCH_SIZE]
            runs = lengths[part]
            starts = offsets(runs)
            source = np.repeat(texts.starts[:-1][part] - starts[:-1], runs) + np.arange(starts[-1])
            self._append(texts.tokens[source], runs[runs > 0])

    def _append(self, tokens: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        self._chunks.append(tokens)
        self._lengths.append(lengths)
        self._held += len(tokens)
        if self._held > IN_MEMORY:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it; it has no name on disk)
            for chunk in self._chunks:
                self._file.write(chunk.tobytes())
            self._chunks, self._held = [], 0

    def finish(self) -> TokenTexts:
        starts = offsets(np.concatenate([np.zeros(0, np.int64), *self._lengths]))
        tokens = np.concatenate([np.zeros(0, np.int32), *self._chunks])
        if self._file is not None:
            self._file.write(tokens.tobytes())
            self._file.flush()
            tokens = np.memmap(self._file, np.int32, "r", shape=(int(starts[-1]),))
        return TokenTexts(list(self.numbers), tokens, starts)


def _spread(
    analyze: Callable[[Analyzer, str, list[Any]], _Batch], analyzer: Analyzer, channel: str, things: Iterable[Any],
    count: int, jobs: int | None,
) -> Iterator[_Batch]:
    """Analyses things in batches, in their order, by so many processes."""
    workers = jobs or default_processes()
    if count <= _SERIAL * BATCH:
        workers = 1
    yield from map_parallel(partial(analyze, analyzer, channel), _batches(things), workers)


def _batches(things: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(things)
    while batch := list(islice(left, BATCH)):
        yield batch


def _occurrences(segment: Segment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The formulas of live documents, and for each occurrence, in the order of documents, its place among them."""
    formulas, places = np.unique(live_occurrences(segment), return_inverse=True)
    return formulas, places.astype(np.int64).reshape(-1)


def live_occurrences(segment: Segment) -> NDArray[np.int64]:
    """The formula of each occurrence in live documents, in their order."""
    occurrences = segment.occurrences
    live = np.repeat(segment.live, occurrences.indptr[1:] - occurrences.indptr[:-1])
    formulas: NDArray[np.int64] = np.asarray(occurrences.formula.all(), np.int64)[live]
    return formulas


def _analyze_documents(analyzer: Analyzer, channel: str, stored: list[bytes]) -> _Batch:
    texts: list[list[str]] = []
    for data in stored:
        document = load_document(data)
        language = analyzer.document_language(document)
        for content in document.fields.values():
            terms = analyzer.content_terms(content, language=language).get(channel, [])
            texts.append([indexed_form(term) for term in terms])
    return _encode(texts, len(stored))


def _analyze_formulas(analyzer: Analyzer, channel: str, sources: list[str]) -> _Batch:
    texts = [analyzer.formula_terms(formula_of(source), (channel,)).terms[channel] for source in sources]
    return _encode(texts, len(sources))


def formula_of(source: str) -> Formula:
    """A formula as it is in an index, which does not say in which notation."""
    return Formula(source, notation_of(source))
