"""What an index has, and what is shown of its documents, from its values to those that shards exchange, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Snapshot
from porism.index.languages import language_counts
from porism.retrieve.base import RetrieverSettings
from porism.search.answers import Hit
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet, plain_json, show_formula, tidy
from porism.search.models.models import write_model
from porism.serve.shards.values import PROTOCOL, ChannelLengths, ShardCollection, ShardHit, ShownPiece
from porism.types import Document
from porism.version import __version__

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


def shard_hit(hit: Hit, explanation: Mapping[str, Any] | None) -> ShardHit:
    """What is shown of a document, as values."""
    return ShardHit(
        hit.id, pieces_of(hit.title), pieces_of(hit.snippet), plain_json(hit.metadata), place_of(hit.location),
        None if explanation is None else dict(explanation),
    )


def collection_of(
    snapshot: Snapshot, model: RetrieverSettings, *, channels: tuple[ChannelLengths, ...] = (), links: bool = False,
    encoder: Mapping[str, Any] | None = None,
) -> ShardCollection:
    """What an index has, as a shard of a larger collection."""
    return ShardCollection(
        PROTOCOL, __version__, snapshot.generation, snapshot.doc_count, dict(snapshot.config), write_model(model),
        tuple(dict.fromkeys(name for segment in snapshot.segments for name in segment.fields)),
        tuple(sorted({key for segment in snapshot.segments for key in segment.metadata_counts()})),
        channels, links, dict(encoder or {}), language_counts(snapshot),
    )
