"""Statements and formulas that an index has more than once.

Two statements are equal if they differ in nothing but names of variables, the order of hypotheses, kinds of brackets,
and the direction of ``=``, ``↔`` and ``≠``; two formulas, if they have one value after renaming variables. What a
formal text leaves to types is not compared; ``docs/how-to/find-duplicates.md`` says what this means.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
import xxhash

from porism.errors import ConfigError
from porism.formula import parse, to_unicode
from porism.formula.values import WHOLE_MARKS
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.search.declarations import Declarations
from porism.search.formula_occurrences import FormulaPlaces
from porism.search.locations import Location
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.search.statements.canonical import Statement, canonical_form
from porism.search.statements.formal import formal_statement
from porism.search.statements.informal import informal_statement
from porism.search.statements.meanings import Meanings
from porism.types import DECLARES, Document

DuplicateKind = Literal["formal", "informal", "formula"]

MIN_SIZE = 5
"""Smaller statements and formulas say too little."""

MAX_MEMBERS = 20
"""So many members of a group are shown."""

_STATED = frozenset(("theorem", "lemma", "axiom"))
_TEXTS = ("body", "question", "text")
"""Fields that may have a statement; the first that a document has."""
_VALUES = "values"
_STEP = 1_000


@dataclass(frozen=True, slots=True)
class Duplicate(Value):
    """A statement or formula of a group: how it is written, and the first document that has it, with its place."""

    text: str
    id: str
    title: str
    location: Location


@dataclass(frozen=True, slots=True)
class DuplicateGroup(Value):
    """Statements or formulas that are equal: how many, and the first of them. ``size`` counts the symbols and names of
    the first one."""

    kind: DuplicateKind
    size: int
    count: int
    members: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class Duplicates(Value):
    """Groups of equal statements and formulas, the longest first, and how many groups there are in all."""

    groups: tuple[DuplicateGroup, ...]
    total: int


class _Entry(NamedTuple):
    """Where a statement or formula is: the number of its segment, and its own there."""

    segment: int
    number: int


class _Candidates:
    """Digests of statements or formulas, 32 bytes each."""

    def __init__(self) -> None:
        self._columns = (array("Q"), array("Q"), array("q"), array("q"), array("q"))

    def add(self, digest: int, size: int, segment: int, number: int) -> None:
        for column, value in zip(
            self._columns, (digest >> 64, digest & 0xFFFFFFFFFFFFFFFF, size, segment, number), strict=True
        ):
            column.append(value)

    def groups(self) -> Iterator[tuple[int, list[_Entry]]]:
        """Entries of one digest, where there are several, with the size of the first."""
        high, low, sizes, segments, numbers = map(np.asarray, self._columns)
        order = np.lexsort((numbers, segments, low, high))
        rows = zip(*(column[order].tolist() for column in (high, low, sizes, segments, numbers)), strict=True)
        for _, group in groupby(rows, key=lambda row: row[:2]):
            entries = list(group)
            if len(entries) > 1:
                yield entries[0][2], [_Entry(*row[3:]) for row in entries]


def find_duplicates(
    snapshot: Snapshot, *, kinds: Sequence[DuplicateKind] = ("formal", "informal", "formula"),
    min_size: int = MIN_SIZE, limit: int | None = None, on_progress: Callable[[int, int], None] | None = None,
) -> Duplicates:
    """The statements and formulas that a snapshot has more than once.

    Deprecated declarations, and those that attributes make of others, are left out.

    :param min_size: how many symbols and names a statement, and nodes a formula, must have.
    :param limit: so many groups are given, the longest statements first; all by default.
    :param on_progress: receives how many documents of how many are read.
    :raises ConfigError: formulas alone are wanted, and the index has no values of formulas.
    """
    progress = on_progress or (lambda done, total: None)
    found: list[tuple[int, DuplicateKind, list[_Entry]]] = []
    stated = [kind for kind in kinds if kind != "formula"]
    if stated:
        for kind, candidates in _statements(snapshot, stated, min_size, progress).items():
            found += [(size, kind, entries) for size, entries in candidates.groups()]
    if "formula" in kinds:
        if not stated and not any(_VALUES in segment.formula_channels for segment in snapshot.segments):
            raise ConfigError("the index has no values of formulas", hint="Make it with --channels default.")
        found += [(size, "formula", entries) for size, entries in _formulas(snapshot, min_size)]
    found.sort(key=lambda group: (-group[0], group[2][0]))
    shown = _Shown(snapshot)
    groups = (DuplicateGroup(kind, size, len(entries), shown.members(kind, entries)) for size, kind, entries in found[:limit])
    return Duplicates(tuple(groups), len(found))


def _statements(
    snapshot: Snapshot, kinds: Sequence[DuplicateKind], min_size: int, progress: Callable[[int, int], None]
) -> dict[DuplicateKind, _Candidates]:
    reader = StatementReader(Declarations(snapshot))
    candidates: dict[DuplicateKind, _Candidates] = {kind: _Candidates() for kind in kinds}
    done = 0
    for number, segment in enumerate(snapshot.segments):
        for doc in np.flatnonzero(segment.live).tolist():
            if done % _STEP == 0:
                progress(done, snapshot.doc_count)
            done += 1
            document = stored_document(segment, doc)
            kind: DuplicateKind = "formal" if DECLARES in document.metadata else "informal"
            statement = reader.statement(document) if kind in candidates else None
            if statement is not None and statement.size >= min_size:
                form = canonical_form(statement).encode("utf-8", "surrogatepass")
                candidates[kind].add(xxhash.xxh3_128_intdigest(form), statement.size, number, doc)
    progress(done, snapshot.doc_count)
    return candidates


class StatementReader:
    """Reads the statements of documents."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations

    def statement(self, document: Document) -> Statement | None:
        """What a document states; None where it states nothing that is comparable."""
        metadata = document.metadata
        name = metadata.get(DECLARES)
        if name is None:
            content = next((document.fields[field] for field in _TEXTS if field in document.fields), None)
            return informal_statement(content) if content is not None else None
        if metadata.get("kind") not in _STATED or "generated" in metadata or "deprecated" in metadata:
            return None
        signature = document.fields.get("signature")
        if signature is None:
            return None
        meanings = Meanings(self._declarations.names, str(name), tuple(metadata.get("open", ())))
        return formal_statement(signature.to_latex() if signature.formulas else signature.text, meanings)


def _formulas(snapshot: Snapshot, min_size: int) -> Iterator[tuple[int, list[_Entry]]]:
    """Groups of formulas that differ and have one value after renaming variables."""
    candidates = _Candidates()
    mark = WHOLE_MARKS[1]
    for number, segment in enumerate(snapshot.segments):
        if _VALUES not in segment.formula_channels:
            continue
        terms = list(segment.dictionary(_VALUES))
        whole = np.array([term.startswith(mark) for term in terms], np.bool_)
        for first, rows in segment.matrix(_VALUES).chunks():
            owners = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
            chosen = np.flatnonzero(whole[rows.terms])
            for row, term in zip(owners[chosen].tolist(), rows.terms[chosen].tolist(), strict=True):
                size = _nodes(segment, first + row)
                if size >= min_size:
                    candidates.add(int(terms[term][1:], 16), size, number, first + row)
    for size, entries in candidates.groups():
        keys = {snapshot.segments[entry.segment].formula_key(entry.number): entry for entry in reversed(entries)}
        if len(keys) > 1:
            yield size, sorted(keys.values())


def _nodes(segment: Segment, formula: int) -> int:
    """How many nodes the operator tree of a formula has."""
    count: int = struct.unpack_from("<H", segment.formula_tree(formula))[0]
    return count


class _Shown:
    """What is shown of groups."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._places = FormulaPlaces(snapshot)

    def members(self, kind: DuplicateKind, entries: Sequence[_Entry]) -> tuple[Duplicate, ...]:
        member = self._formula if kind == "formula" else self._statement
        members = (member(self._snapshot.segments[entry.segment], entry.number) for entry in entries[:MAX_MEMBERS])
        return tuple(duplicate for duplicate in members if duplicate is not None)

    def _statement(self, segment: Segment, doc: int) -> Duplicate:
        document = stored_document(segment, doc)
        stated = document.fields.get("signature") or next(
            document.fields[field] for field in _TEXTS if field in document.fields
        )
        return self._duplicate(document, str(show_content(stated, "unicode")))

    def _formula(self, segment: Segment, formula: int) -> Duplicate | None:
        places = self._places.places(segment.formula_key(formula))
        if not places:  # those that have it are deleted
            return None
        located = self._snapshot.find(places[0].doc_id)
        assert located is not None
        written = self._places.formula(segment, formula, places)
        return self._duplicate(stored_document(*located), to_unicode(parse(written)))

    def _duplicate(self, document: Document, text: str) -> Duplicate:
        location = Location.of(document.metadata, lambda: self._snapshot.sources_of(document.id))
        title = one_printable_line(str(show_content(document.title, "unicode")))
        return Duplicate(one_printable_line(text), document.id, title, location)
