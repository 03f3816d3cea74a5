"""Statements and formulas that an index has more than once.

Two statements are equal if they differ in nothing but names of variables, the order of hypotheses, kinds of brackets,
and the direction of ``=``, ``↔`` and ``≠``; two formulas, if they have one value. What a formal text leaves to types is
not compared; ``docs/how-to/find-duplicates.md`` says what this means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import xxhash

from porism.analysis.documents import load_document
from porism.formula import parse, to_unicode
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.search.declarations import Declarations
from porism.search.equal_formulas import equal_formulas, formula_as_written
from porism.search.formula_occurrences import FormulaPlaces
from porism.search.locations import Location
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.search.statements.candidates import Candidates, Entry
from porism.search.statements.canonical import Statement, canonical_form, masked_form
from porism.search.statements.formal import formal_statement
from porism.search.statements.informal import informal_statement
from porism.search.statements.meanings import Meanings
from porism.types import DECLARES, Document

DuplicateKind = Literal["formal", "informal", "formula"]
DUPLICATE_KINDS: tuple[DuplicateKind, ...] = get_args(DuplicateKind)

MIN_SIZE = 5
"""Smaller statements and formulas say too little."""

MAX_MEMBERS = 20
"""So many members of a group are shown."""

_STATED = frozenset(("theorem", "lemma", "axiom"))
_TEXTS = ("body", "question", "text")
"""Fields that may have a statement; the first that a document has."""
_READ = frozenset((*_TEXTS, "signature"))
_STEP = 1_000
_DECLARES = f'"{DECLARES}":'.encode()
_KINDS = tuple(f'"kind":"{kind}"'.encode() for kind in _STATED)


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


def find_duplicates(
    snapshot: Snapshot, *, kinds: Sequence[DuplicateKind] = DUPLICATE_KINDS,
    min_size: int = MIN_SIZE, limit: int | None = None, on_progress: Callable[[int, int], None] | None = None,
) -> Duplicates:
    """The statements and formulas that a snapshot has more than once.

    Deprecated declarations, and those that attributes make of others, are left out.

    :param min_size: how many symbols and names a statement, and nodes a formula, must have.
    :param limit: so many groups are given, the longest statements first; all by default.
    :param on_progress: receives how many documents of how many are read.
    """
    progress = on_progress or (lambda done, total: None)
    found: list[tuple[int, DuplicateKind, list[Entry]]] = []
    stated = [kind for kind in kinds if kind != "formula"]
    if stated:
        reader = StatementReader(snapshot)
        for kind, candidates in _statements(reader, stated, min_size, progress).items():
            found += [(size, kind, entries) for size, like in candidates.groups() for entries in reader.equal(like)]
    if "formula" in kinds:
        found += [(size, "formula", entries) for size, entries in equal_formulas(snapshot, min_size)]
    found.sort(key=lambda group: (-group[0], group[2][0]))
    shown = _Shown(snapshot)
    groups = tuple(
        DuplicateGroup(kind, size, len(entries), shown.members(kind, entries)) for size, kind, entries in found[:limit]
    )
    return Duplicates(groups, len(found))


def _statements(
    reader: StatementReader, kinds: Sequence[DuplicateKind], min_size: int, progress: Callable[[int, int], None]
) -> dict[DuplicateKind, Candidates]:
    """The statements of each kind, by their masked forms."""
    candidates: dict[DuplicateKind, Candidates] = {kind: Candidates() for kind in kinds}
    snapshot, done = reader.snapshot, 0
    for number, segment in enumerate(snapshot.segments):
        docs = np.flatnonzero(segment.live)
        for doc, stored in zip(docs.tolist(), segment.records("stored").take(docs), strict=True):
            if done % _STEP == 0:
                progress(done, snapshot.doc_count)
            done += 1
            if _states_nothing(stored):
                continue
            document = load_document(stored, _READ)
            kind: DuplicateKind = "formal" if DECLARES in document.metadata else "informal"
            statement = reader.statement(document) if kind in candidates else None
            if statement is not None and statement.size >= min_size:
                form = masked_form(statement).encode("utf-8", "surrogatepass")
                candidates[kind].add(xxhash.xxh3_128_intdigest(form), statement.size, number, doc)
    progress(done, snapshot.doc_count)
    return candidates


def _states_nothing(stored: bytes) -> bool:
    """Whether a document declares something that is no theorem; it need not be read then."""
    return _DECLARES in stored and not any(kind in stored for kind in _KINDS)


class StatementReader:
    """Reads the statements of the documents of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._declarations = Declarations(snapshot)

    def equal(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        """Those of some statements that are equal."""
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            statement = self.statement(stored_document(self.snapshot.segments[entry.segment], entry.number))
            if statement is not None:
                groups.setdefault(canonical_form(statement), []).append(entry)
        return [group for group in groups.values() if len(group) > 1]

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
        opened, instances = tuple(metadata.get("open", ())), tuple(metadata.get("instances", ()))
        meanings = Meanings(self._declarations.names, str(name), opened, instances)
        text = "".join(part if isinstance(part, str) else part.source for part in signature.parts)
        return formal_statement(text, meanings)


class _Shown:
    """What is shown of groups."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._places = FormulaPlaces(snapshot)

    def members(self, kind: DuplicateKind, entries: Sequence[Entry]) -> tuple[Duplicate, ...]:
        member = self._formula if kind == "formula" else self._statement
        members = (member(self._snapshot.segments[entry.segment], entry.number) for entry in entries[:MAX_MEMBERS])
        return tuple(duplicate for duplicate in members if duplicate is not None)

    def _statement(self, segment: Segment, doc: int) -> Duplicate:
        document = stored_document(segment, doc)
        stated = document.fields.get("signature") or next(
            document.fields[field] for field in _TEXTS if field in document.fields
        )
        return self._duplicate(document, show_content(stated, "unicode"))

    def _formula(self, segment: Segment, formula: int) -> Duplicate | None:
        places = self._places.places(segment.formula_key(formula))
        if not places:  # those that have it are deleted
            return None
        located = self._snapshot.find(places[0].doc_id)
        assert located is not None
        written = formula_as_written(self._snapshot, places[0])
        shown = written.source if written.notation == "lean" else to_unicode(parse(written))
        return self._duplicate(stored_document(*located), shown)

    def _duplicate(self, document: Document, text: str) -> Duplicate:
        location = Location.of(document.metadata, lambda: self._snapshot.sources_of(document.id), document.id)
        title = one_printable_line(show_content(document.title, "unicode"))
        return Duplicate(one_printable_line(text), document.id, title, location)
