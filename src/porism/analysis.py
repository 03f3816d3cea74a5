"""From documents and queries to terms: which channels there are, and how each is filled.

A *channel* is one stream of terms: ``words`` and ``word-pairs`` from the text, every other channel from the formulas by
the term extractor of its name (:data:`porism.formula.EXTRACTORS`). Documents are analysed in batches, so that batches
can be spread over processes and each distinct formula of a batch is parsed once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.batch import AnalyzedBatch, TermMatrix
from porism.documents import clean_text, dump_document
from porism.errors import ConfigError, Problem
from porism.formula import (
    LayoutTree,
    OperatorTree,
    extract,
    find_extractor,
    layout_key,
    operator_tree,
    pack_tree,
    parse,
)
from porism.text import WordAnalyzer
from porism.types import Content, Document, Formula, Notation

WORDS = "words"
WORD_PAIRS = "word-pairs"
TEXT_CHANNELS = (WORDS, WORD_PAIRS)
"""The channels of the text: stemmed words, and pairs of them that stand side by side (stop words left out)."""

DEFAULT_FORMULAS = (
    "tokens", "tokens-2", "tokens-3", "prefix", "tangent-l", "tangent-cft", "tangent-cft-operators", "approach0",
    "subtrees", "values",
)
"""The formula channels of an index by default: those that the models that come with Porism search, and no others."""

MOST_PROBLEMS_PER_BATCH = 200
"""Reports of one batch beyond these are counted and summed up in one line."""


LONGEST_TERM = 40
"""Longer terms are indexed by their beginning and a digest: whole formulas as terms would fill the dictionary."""


def indexed_form(term: str) -> str:
    """The form in which a term stands in an index: itself, or if it is long its beginning and its digest."""
    if len(term) <= LONGEST_TERM:
        return term
    return f"{term[: LONGEST_TERM - 17]}…{xxhash.xxh3_64_hexdigest(term.encode('utf-8', 'surrogatepass'))}"


@dataclass(frozen=True)
class AnalysisConfig:
    """What an index must know to read a query as it read the documents; stored in it and checked when it is opened.

    ``text`` names the text channels, ``formulas`` the formula channels, each a term extractor; ``language`` the
    Snowball stemmer (or ``none``) and ``stop_words`` a list (``english`` or ``none``).

    :raises ConfigError: a channel, a language or a list does not exist.
    """

    text: tuple[str, ...] = TEXT_CHANNELS
    formulas: tuple[str, ...] = DEFAULT_FORMULAS
    language: str = "english"
    stop_words: str = "english"

    def __post_init__(self) -> None:
        for name in self.text:
            if name not in TEXT_CHANNELS:
                raise ConfigError(f"there is no text channel {name!r}", hint=f"Choose from {', '.join(TEXT_CHANNELS)}.")
        for name in self.formulas:
            find_extractor(name)
        WordAnalyzer(self.language, self.stop_words)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return {**asdict(self), "text": list(self.text), "formulas": list(self.formulas)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> AnalysisConfig:
        """The inverse of :meth:`to_dict`.

        :raises ConfigError: a setting is unknown: the index was made by another version.
        """
        known = {"text", "formulas", "language", "stop_words"}
        if unknown := set(value) - known:
            raise ConfigError(
                f"the index was analysed with settings this version does not know: {', '.join(sorted(unknown))}",
                hint="Index the collection again with this version.",
            )
        return cls(tuple(value["text"]), tuple(value["formulas"]), value["language"], value["stop_words"])


@dataclass(frozen=True, slots=True)
class AnalyzedFormula:
    """One distinct formula: its normalised key and its terms by channel, with repetition."""

    key: str
    terms: Mapping[str, list[str]]


class _Numbering(dict[str, int]):
    """Numbers tokens in the order of first sight; those that it knows are looked up without running Python code."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


@dataclass
class _Columns:
    """The term counts of one channel while a batch is being filled: one flat list of (row, term) tokens."""

    rows: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def add(self, row: int, terms: list[str]) -> None:
        if terms:
            self.rows.append(row)
            self.lengths.append(len(terms))
            self.tokens.extend(terms)

    def matrix(self, row_count: int) -> TermMatrix:
        vocabulary = _Numbering()
        ids = np.fromiter(map(vocabulary.__getitem__, self.tokens), np.int64, count=len(self.tokens))
        rows = np.repeat(np.asarray(self.rows, np.int64), np.asarray(self.lengths, np.int64))
        cells, counts = np.unique(rows * max(1, len(vocabulary)) + ids, return_counts=True)
        cell_rows, terms = np.divmod(cells, max(1, len(vocabulary)))
        indptr = np.zeros(row_count + 1, np.int64)
        np.cumsum(np.bincount(cell_rows, minlength=row_count), out=indptr[1:])
        return TermMatrix(
            [term if len(term) <= LONGEST_TERM else indexed_form(term) for term in vocabulary],
            indptr,
            terms.astype(np.int32),
            np.minimum(counts, 65_535).astype(np.uint16),
        )


@lru_cache(maxsize=256)
def read_formula(source: str, notation: Notation) -> tuple[LayoutTree, OperatorTree]:
    """Both trees of a formula, as indexing reads it; those of the last ones are remembered and must not be changed.

    A query is read several times: for its documents, for its formulas, and for what is shown of it.
    """
    layout = parse(Formula(clean_text(source), notation))
    return layout, operator_tree(layout)


class Analyzer:
    """Fills the channels of an :class:`AnalysisConfig`. Cheap to make and to pickle."""

    def __init__(self, config: AnalysisConfig | None = None) -> None:
        self.config = config or AnalysisConfig()

    @cached_property
    def words(self) -> WordAnalyzer:
        """The analyser of the words channel."""
        return WordAnalyzer(self.config.language, self.config.stop_words)

    @property
    def channels(self) -> tuple[str, ...]:
        """All channels: those of the text, then those of the formulas."""
        return (*self.config.text, *self.config.formulas)

    def content_terms(self, content: Content) -> dict[str, list[str]]:
        """The terms of a text with formulas in place by text channel, with repetition, in order."""
        words = self.words.terms(content.text)
        terms = {WORDS: words} if WORDS in self.config.text else {}
        if WORD_PAIRS in self.config.text:
            terms[WORD_PAIRS] = [indexed_form(f"{first} {second}") for first, second in pairwise(words)]
        return terms

    def formula_terms(self, formula: Formula, channels: Iterable[str] | None = None) -> AnalyzedFormula:
        """The key and terms of one formula in ``channels`` (all by default)."""
        layout, operators = read_formula(formula.source, formula.notation)
        names = self.config.formulas if channels is None else channels
        return AnalyzedFormula(
            layout_key(layout),
            {name: [indexed_form(term) for term in extract(name, layout, operators)] for name in names},
        )

    def analyze(self, documents: Sequence[Document]) -> tuple[AnalyzedBatch, list[Problem]]:
        """One batch, and what was skipped or not understood in it."""
        with _no_cycles():
            return _BatchBuilder(self).build(documents)


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Keeps the garbage collector from walking through trees again and again: they have no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _BatchBuilder:
    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.text_columns = {name: _Columns() for name in analyzer.config.text}
        self.formula_columns = {name: _Columns() for name in analyzer.config.formulas}
        self.row_of_source: dict[tuple[str, str], int] = {}
        self.row_of_key: dict[str, int] = {}
        self.sources: list[str] = []
        self.trees: list[bytes] = []
        self.problems: list[Problem] = []
        self.unreported = 0

    def build(self, documents: Sequence[Document]) -> tuple[AnalyzedBatch, list[Problem]]:
        fields = tuple(dict.fromkeys(name for document in documents for name in document.fields))
        number_of = {name: number for number, name in enumerate(fields)}
        occurrences: list[tuple[int, int, int, int]] = []
        ids: list[str] = []
        visual_ids: list[str] = []
        for position, document in enumerate(documents):
            in_order = sorted((number_of[name], content) for name, content in document.fields.items())
            for number, content in in_order:
                for name, terms in self.analyzer.content_terms(content).items():
                    self.text_columns[name].add(position * len(fields) + number, terms)
                for nth, formula in enumerate(content.formulas):
                    row = self._formula_row(formula, document.id)
                    if row is not None:
                        occurrences.append((position, number, row, nth))
                        ids.append(clean_text(formula.id or ""))
                        visual_ids.append(clean_text(formula.visual_id or ""))
        if self.unreported:
            self.problems.append(Problem("this batch", f"{self.unreported} further reports left out"))
        columns = np.asarray(occurrences, np.int64).reshape(-1, 4)
        batch = AnalyzedBatch(
            ids=[clean_text(document.id) for document in documents],
            stored=[dump_document(document) for document in documents],
            metadata=[_clean_metadata(document) for document in documents],
            fields=fields,
            text={
                name: column.matrix(len(documents) * len(fields)) for name, column in self.text_columns.items()
            },
            formula_keys=list(self.row_of_key),
            formula_sources=self.sources,
            formula_trees=self.trees,
            formulas={name: column.matrix(len(self.sources)) for name, column in self.formula_columns.items()},
            occurrence_doc=_column(columns, 0, np.int32),
            occurrence_field=_column(columns, 1, np.uint16),
            occurrence_formula=_column(columns, 2, np.int32),
            occurrence_number=_column(columns, 3, np.int32),
            occurrence_id=ids,
            occurrence_visual_id=visual_ids,
        )
        return batch, self.problems

    def _formula_row(self, formula: Formula, doc_id: str) -> int | None:
        written = (formula.notation, formula.source)
        row = self.row_of_source.get(written)
        if row is None:
            row = self._new_formula(formula, doc_id)
            self.row_of_source[written] = row
        return row if row >= 0 else None

    def _new_formula(self, formula: Formula, doc_id: str) -> int:
        try:
            layout = parse(Formula(clean_text(formula.source), formula.notation))
            key = clean_text(layout_key(layout))
            row = self.row_of_key.get(key)
            if row is not None:
                return row
            operators = operator_tree(layout)
            terms = {name: extract(name, layout, operators) for name in self.formula_columns}
            tree = pack_tree(operators)
        except Exception as error:  # one formula must never stop the indexing of a million documents
            self._report(Problem(doc_id, f"formula skipped, {type(error).__name__}: {error}: {formula.source[:80]!r}"))
            return -1
        if layout.problems:
            first = layout.problems[0]
            self._report(Problem(doc_id, f"formula {formula.source[:60]!r}, character {first.position}: {first.what}"))
        row = len(self.sources)
        self.row_of_key[key] = row
        self.sources.append(clean_text(formula.source))
        self.trees.append(tree)
        for name, found in terms.items():
            self.formula_columns[name].add(row, found)
        return row

    def _report(self, problem: Problem) -> None:
        if len(self.problems) < MOST_PROBLEMS_PER_BATCH:
            self.problems.append(problem)
        else:
            self.unreported += 1


def _column(columns: NDArray[np.int64], number: int, dtype: Any) -> NDArray[Any]:
    return np.ascontiguousarray(columns[:, number]).astype(dtype)


def _clean_metadata(document: Document) -> dict[str, str | tuple[str, ...]]:
    return {
        clean_text(key): clean_text(value) if isinstance(value, str) else tuple(clean_text(entry) for entry in value)
        for key, value in document.metadata.items()
    }
