"""What is shown of a document, from the values of an index to those that shards exchange, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet, show_formula, tidy
from porism.search.shards.values import ShownPiece
from porism.types import Document

_PLACES = frozenset({"source", "file", "line", "kind", "section", "tag", "url"})


def pieces_of(snippet: Snippet) -> tuple[ShownPiece, ...]:
    """The pieces of a title or a passage."""
    return tuple(ShownPiece(one.text, one.match, one.formula) for one in snippet.pieces)


def snippet_of(pieces: Iterable[ShownPiece]) -> Snippet:
    """The inverse of :func:`pieces_of`."""
    return Snippet(tuple(Piece(one.text, one.match, one.formula) for one in pieces))


def title_of(document: Document) -> Snippet:
    """The whole title of a document, nothing marked."""
    return Snippet(tidy(
        Piece(part) if isinstance(part, str) else Piece(show_formula(part, "unicode"), formula=True)
        for part in document.title.parts
    ))


def place_of(location: Location) -> dict[str, Any]:
    """What is known of a place but its path, which is nobody's business elsewhere."""
    return {key: value for key, value in location.to_dict().items() if key != "path"}


def location_of(place: Mapping[str, Any]) -> Location:
    """The inverse of :func:`place_of`; what nobody here knows is left out."""
    known: dict[str, Any] = {key: value for key, value in place.items() if key in _PLACES}
    if "section" in known:
        known["section"] = tuple(known["section"])
    return Location(**known)


def explanation_of(tree: Any) -> Explanation:
    """An explanation from the values that carry it.

    :raises QueryError: it cannot be read.
    """
    try:
        parts = [explanation_of(part) for part in tree.get("parts", ())]
        return Explanation(float(tree["value"]), str(tree["label"]), parts)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise QueryError(f"an explanation cannot be read ({error})") from error
