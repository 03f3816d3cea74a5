"""Search by pattern: statements, formal or not, that have an expression of a given form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from porism.analysis.documents import load_document
from porism.errors import OnProblem, QueryError
from porism.index import Segment, Snapshot
from porism.index.snapshot import Filters
from porism.retrieve.patterns.question import PatternQuestion, read_patterns
from porism.retrieve.patterns.searcher import SIGNATURE, PatternMatches, PatternSearcher
from porism.search.answers import MissingIndex
from porism.search.locations import Location
from porism.search.marked_text import Value
from porism.types import Content, Formula, Metadata

NOT_CHECKED = (
    "types, instances and universes are not compared",
    "implicit and named arguments are not compared",
    "names are compared by their last part: namespaces are not",
    "notations of one library or file may be read otherwise than it means them",
)
"""What a match of formal statements does not say."""

_MAX_TITLE = 500


@dataclass(frozen=True, slots=True)
class PatternHit(Value):
    """A document that has a match: its rank from 1, id and name, its statement, and where it is.

    ``statement`` is the signature of a declaration, else the first formula that matches. ``size`` counts the operators
    and symbols of the statement, by which hits are ordered.
    """

    rank: int
    id: str
    name: str
    statement: str
    size: int
    kind: str
    metadata: Metadata = field(repr=False)
    location: Location
    home: str | None = None


@dataclass(frozen=True, slots=True)
class PatternAnswer(Value):
    """The first hits of a search by pattern, smallest statements first, and of how many.

    ``undecided`` counts documents in which matching was given up; ``unchecked`` says what a match does not say.
    """

    hits: tuple[PatternHit, ...]
    total: int
    undecided: int
    unchecked: tuple[str, ...] = NOT_CHECKED
    missing: tuple[MissingIndex, ...] = ()
    """Indexes on servers that did not answer."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "total": self.total, "undecided": self.undecided, "unchecked": list(self.unchecked),
            "hits": [hit.to_dict() for hit in self.hits], "missing": [index.to_dict() for index in self.missing],
        }


class _Match(NamedTuple):
    """A document that matches: its size and id, its segment and number there, and the occurrence that matches."""

    size: int
    id: str
    segment: int
    document: int
    place: int


class PatternSearch:
    """Searches one snapshot; what it works out of its segments is kept."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._searcher = PatternSearcher(snapshot.segments)

    def search(
        self, pattern: str | PatternQuestion, k: int = 10, *, symmetric: bool = True, filters: Filters | None = None,
        on_problem: OnProblem | None = None,
    ) -> PatternAnswer:
        """The ``k`` smallest statements that match all parts of a pattern, and how many do.

        :param pattern: as :mod:`porism.retrieve.patterns.question` has it: ``?a ⊔ (?b ⊓ ?c) = _``.
        :param symmetric: whether the sides of equations and equivalences can change places, and those of a relation
            with its mirrored one: ``0 ≤ a`` and ``a ≥ 0``.
        :param filters: only documents with this metadata.
        :param on_problem: receives what could not be read of the pattern.
        :raises QueryError: there is nothing to search for, ``k`` is below 1, or a filter names an unknown key.
        """
        if k < 1:
            raise QueryError(f"k is {k}", hint="Ask for at least one result.")
        question = read_patterns(pattern, on_problem) if isinstance(pattern, str) else pattern
        allowed = self._snapshot.filter(filters) if filters else None
        found = self._searcher.search(question, symmetric=symmetric, allowed=allowed)
        named = [_with_names(*pair, question.name_parts) for pair in zip(self._snapshot.segments, found, strict=True)]
        first = sorted(_smallest(self._snapshot.segments, named, k))[:k]
        return PatternAnswer(
            tuple(self._hit(rank, match) for rank, match in enumerate(first, 1)),
            sum(len(matches.documents) for matches in named), sum(matches.undecided for matches in found),
        )

    def _hit(self, rank: int, match: _Match) -> PatternHit:
        segment = self._snapshot.segments[match.segment]
        document = load_document(segment.stored(match.document))
        location = Location.of(document.metadata, partial(self._snapshot.sources_of, match.id), match.id)
        signature = document.fields.get(SIGNATURE, Content(""))
        statement = signature.to_latex()
        if match.place >= 0 and not any(formula.notation == "lean" for formula in signature.formulas):
            occurrences = segment.occurrences
            content = document.fields[segment.fields[int(occurrences.field[match.place : match.place + 1][0])]]
            number = int(occurrences.number[match.place : match.place + 1][0])
            location = location.at(content, content.character_of(number))
            statement = _shown(content.formulas[number])
        kind = document.metadata.get("kind", document.metadata.get("type", ""))
        title = document.title.to_latex()[:_MAX_TITLE] or match.id
        return PatternHit(
            rank, match.id, title, statement, match.size, kind if isinstance(kind, str) else " ".join(kind),
            document.metadata, location, self._snapshot.home(match.id),
        )


def _shown(formula: Formula) -> str:
    return Content.of(formula).to_latex()


def _with_names(segment: Segment, matches: PatternMatches, parts: Sequence[str]) -> PatternMatches:
    """The matches whose names have all parts."""
    if not parts or not len(matches.documents):
        return matches
    folded = [part.casefold() for part in parts]
    names = (doc_id.rpartition("#")[2].casefold() for doc_id in segment.doc_ids(matches.documents))
    kept = np.fromiter((all(part in name for part in folded) for name in names), np.bool_, len(matches.documents))
    return PatternMatches(matches.documents[kept], matches.weights[kept], matches.places[kept], matches.undecided)


def _smallest(segments: Sequence[Segment], found: Sequence[PatternMatches], k: int) -> Iterator[_Match]:
    """The ``k`` smallest matches and all others of the same size."""
    sizes = np.concatenate([matches.weights for matches in found])
    most = int(np.partition(sizes, k - 1)[k - 1]) if len(sizes) > k else int(sizes.max(initial=0))
    for number, (segment, matches) in enumerate(zip(segments, found, strict=True)):
        some = matches.weights <= most
        documents = matches.documents[some]
        for doc_id, size, document, place in zip(
            segment.doc_ids(documents), matches.weights[some].tolist(), documents.tolist(),
            matches.places[some].tolist(), strict=True,
        ):  # fmt: skip
            yield _Match(size, doc_id, number, document, place)
