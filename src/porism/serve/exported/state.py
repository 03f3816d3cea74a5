"""What an engine outside Porism knows of the index that was exported to it: one text, beside the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
import xxhash

from porism.errors import EngineError
from porism.index import Snapshot
from porism.serve.exported.views import FrozenStatistics

FORMAT = 1
"""Changes when rows or the state are made differently; what another version wrote is not read."""


class SegmentState(NamedTuple):
    """A segment whose documents are exported: its name, the digest of its file, and how many documents were live."""

    name: str
    digest: int
    live: int


@dataclass(frozen=True)
class TableState:
    """What a table has: ``rows``, and the ``segments`` that they are of, once all are there. ``made_of`` is a digest of
    what a row depends on beside its document."""

    rows: int
    made_of: str
    segments: tuple[SegmentState, ...] = ()


@dataclass(frozen=True)
class ExportState:
    """One exported index: which one it is, the commit (``generation``) and its documents.

    ``pending`` says whether an export to it was begun and did not end. ``exporter`` is who began the last one, empty
    where two did at once. The models of documents and of formulas have the names that they were exported under. The
    state also holds the frozen statistics of the views, the tables by name, and whether there are ``texts`` of
    documents.
    """

    index: str
    generation: int
    documents: int
    pending: bool = False
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    views: Mapping[str, FrozenStatistics] = field(default_factory=dict)
    tables: Mapping[str, TableState] = field(default_factory=dict)
    texts: bool | None = None
    exporter: str = ""
    formula_models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_text(self) -> str:
        """What an engine keeps; :func:`read_state` is the inverse."""
        return orjson.dumps({
            "porism_export": FORMAT, "index": self.index, "generation": self.generation,
            "documents": self.documents, "pending": self.pending, "models": self.models,
            "views": {key: view._asdict() for key, view in self.views.items()},
            "tables": {
                name: {"rows": table.rows, "made_of": table.made_of, "segments": list(map(list, table.segments))}
                for name, table in self.tables.items()
            },
            "texts": self.texts, "exporter": self.exporter, "formula_models": self.formula_models,
        }).decode()


def read_state(text: str, where: str) -> ExportState:
    """The state in a text.

    :param where: the engine that has it, for messages.
    :raises EngineError: it was written in another format, or makes no sense.
    """
    hint = "Remove the collections and export again: porism export milvus --recreate"
    try:
        value = orjson.loads(text)
        written = value["porism_export"]
        if written != FORMAT:
            raise EngineError(
                f"what is there was exported by another version of Porism (format {written}, this one has {FORMAT})",
                where=where, hint=hint,
            )
        return ExportState(
            str(value["index"]), int(value["generation"]), int(value["documents"]), bool(value["pending"]),
            dict(value["models"]), {key: FrozenStatistics(**view) for key, view in value["views"].items()},
            {
                name: TableState(
                    int(table["rows"]), str(table["made_of"]),
                    tuple(SegmentState(*segment) for segment in table["segments"]),
                )
                for name, table in value["tables"].items()
            },
            value.get("texts"), str(value.get("exporter", "")), dict(value.get("formula_models", {})),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise EngineError(f"the state of the export cannot be read ({error!r})", where=where, hint=hint) from error


def index_identity(snapshot: Snapshot) -> str:
    """What tells an index from others, and stays as it changes: when it was made, and how it analyses documents."""
    made = {"created": snapshot.manifest.created, "config": dict(snapshot.config)}
    return xxhash.xxh3_64_hexdigest(orjson.dumps(made, option=orjson.OPT_SORT_KEYS))
