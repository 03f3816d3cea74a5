"""A segment: some documents of an index with all their data, in one immutable file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import column, starts
from porism.index.container import Container, Stamp, corrupt
from porism.index.derived import DERIVED_FOLDER as DERIVED_FOLDER
from porism.index.derived import derived_path, open_derived, write_derived
from porism.index.records import Occurrences, Records
from porism.index.rows import Entries, TermRows
from porism.index.strings import Dictionary, Names, decode, encode, ranges
from porism.system.concurrency.caching import cached_property
from porism.types import NAMES, Metadata

DATA_FILE = "segment.bin"
LINE = "line"
"""The metadata key that is not a filter term: its values are :attr:`Segment.lines`, which change as files do."""


class Segment:
    """A segment as a snapshot sees it; ``folder`` holds its file, its tombstones and its derived data.

    Opening maps the whole file, so it may be removed later; data are decoded when they are used. Documents are numbered
    from 0; ``live`` (bool, one a document) is False for deleted ones.

    :raises FileNotFoundError: the segment is gone.
    :raises IndexCorrupt: its file is truncated or changed.
    """

    noun = "document"
    """The name of a unit in messages of searches that rank documents."""

    def __init__(self, folder: Path, stamp: Stamp | None = None, live: NDArray[np.bool_] | None = None) -> None:
        self.folder = folder
        self.name = folder.name
        self.container = Container(folder / DATA_FILE, "segment", stamp)
        info = self.container.info
        try:
            self.doc_count: int = info["documents"]
            """Documents, deleted ones included."""
            self.formula_count: int = info["formulas"]
            """Distinct formulas."""
            self.fields: tuple[str, ...] = tuple(info["fields"])
            self.text_channels: tuple[str, ...] = tuple(info["text"])
            self.formula_channels: tuple[str, ...] = tuple(info["formula"])
            channels: list[Mapping[str, Any]] = [*info["text"].values(), *info["formula"].values()]
            counts = [channel[name] for channel in channels for name in ("rows", "terms", "postings", "tokens")]
        except (KeyError, TypeError, AttributeError) as error:
            raise corrupt(f"does not say what it holds ({error})", self.container.path) from error
        sizes = (self.container.shape("ids:rank"), self.container.shape("keys:rank"))
        if sizes != ((self.doc_count,), (self.formula_count,)) or any(type(count) is not int for count in counts):
            raise corrupt("does not hold as much as it says", self.container.path)
        self.live = np.ones(self.doc_count, np.bool_) if live is None else live
        self._lines: NDArray[np.int32] | None = None
        self._records: dict[str, Records] = {}

    def __repr__(self) -> str:
        return f"Segment({self.name}, {self.live_count} of {self.doc_count} documents live)"

    @property
    def stamp(self) -> Stamp:
        """Size and checksum of the segment's file."""
        return self.container.stamp

    @property
    def live_count(self) -> int:
        """The number of live documents."""
        return int(np.count_nonzero(self.live))

    # Documents

    @cached_property
    def names(self) -> Names:
        """The ids of the documents."""
        return Names(self.container, "ids")

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The group of each document in the table of sources, -1 for documents without a source."""
        return column(self.container, "owners", np.int32, self.doc_count)

    @cached_property
    def digests(self) -> NDArray[np.uint64]:
        """The digest of each document's source text (without its line), 0 for documents without a source."""
        return column(self.container, "digests", np.uint64, self.doc_count)

    @property
    def lines(self) -> NDArray[np.int32]:
        """The line of its file at which each document begins, 0 for documents without a file.

        A document stays in its segment if only its line changes: the lines set here replace the written ones, in
        :meth:`stored` and :meth:`metadata` too.
        """
        return self._written_lines if self._lines is None else self._lines

    @lines.setter
    def lines(self, lines: NDArray[np.int32]) -> None:
        self._lines = lines

    @cached_property
    def _written_lines(self) -> NDArray[np.int32]:
        return column(self.container, "lines", np.int32, self.doc_count)

    @property
    def has_moved(self) -> bool:
        """Whether lines have changed since the segment was written."""
        return self._lines is not None

    def _line(self, doc: int) -> str | None:
        """The line of a document that has moved, as a metadata value; None if it has not."""
        if self._lines is None or self._lines[doc] == self._written_lines[doc]:
            return None
        return str(self._lines[doc])

    @property
    def id_order(self) -> NDArray[np.int32]:
        """The rank of each document's id in the segment, in code-point order."""
        return self.names.rank

    def doc_id(self, doc: int) -> str:
        return self.names.name(doc)

    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]:
        return self.names.names(np.asarray(docs, np.int64))

    def find(self, doc_id: str) -> int | None:
        """The number of the live document with this id, or None."""
        doc = int(self.names.find([doc_id])[0])
        return doc if doc >= 0 and self.live[doc] else None

    def find_all(self, doc_ids: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of the live documents with these ids, in the order given; unknown ids are left out."""
        docs = self.names.find(doc_ids)
        docs = docs[docs >= 0]
        return docs[self.live[docs]]

    def records(self, name: str) -> Records:
        """A column of byte strings; each call gives a new object with its own cache."""
        count = {"sources": self.formula_count, "trees": self.formula_count}.get(name, self.doc_count)
        if name.startswith("occurrences:"):
            count = len(self.occurrences)
        return Records(self.container, name, count)

    def _record(self, name: str, position: int) -> bytes:
        records = self._records.get(name)
        if records is None:
            records = self._records[name] = self.records(name)
        return records[position]

    def stored(self, doc: int) -> bytes:
        """A document as JSON from :func:`porism.analysis.documents.dump_document`."""
        return self.placed("stored", doc, self._record("stored", doc))

    def placed(self, name: str, doc: int, record: bytes) -> bytes:
        """A record of the column ``stored`` or ``metadata`` with the current line of its document."""
        line = self._line(doc)
        if line is None:
            return record
        try:
            value: dict[str, Any] = orjson.loads(record)
            (value["metadata"] if name == "stored" else value)["line"] = line
        except (ValueError, KeyError, TypeError) as error:
            raise corrupt(f"has metadata that cannot be read ({error})", self.container.path) from error
        return orjson.dumps(value)

    def metadata(self, doc: int) -> Metadata:
        try:
            values: dict[str, Any] = dict(orjson.loads(self.placed("metadata", doc, self._record("metadata", doc))))
        except ValueError as error:
            raise corrupt(f"has metadata that cannot be read ({error})", self.container.path) from error
        return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}

    # Filters

    @cached_property
    def filters(self) -> Dictionary:
        """Pairs of metadata key and value, joined by :func:`filter_term`."""
        return Dictionary(self.container, "filters")

    def filter(self, key: str, value: str) -> NDArray[np.bool_]:
        """Which documents have the value ``value`` under the metadata ``key`` (bool)."""
        mask = np.zeros(self.doc_count, np.bool_)
        number = int(self.filters.lookup([filter_term(key, value)])[0])
        if number >= 0:
            indptr, docs = self._filtered
            mask[docs[indptr[number] : indptr[number + 1]]] = True
        if key == LINE and value.isascii() and value.isdecimal() and 0 < len(value) < 10 and value[0] != "0":
            mask |= self.lines == int(value)
        return mask

    @property
    def _filtered(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The bounds of each filter's documents, and the documents."""
        docs = column(self.container, "filters:docs", np.int32, low=0, end=self.doc_count)
        return starts(self.container, "filters:indptr", np.int64, len(docs), len(self.filters)), docs

    def filter_values(self, *keys: str) -> list[NDArray[np.int64]]:
        """For each metadata key the number in :attr:`filters` of the value that each document has, its last one where
        it has several; -1 for documents without it, and for empty ones (int64)."""
        packed = self.filters.packed()
        lengths = packed.starts[1:] - packed.starts[:-1]
        indptr, docs = self._filtered
        columns = []
        for key in keys:
            prefix = encode(filter_term(key, ""))
            terms = np.flatnonzero(lengths > len(prefix))
            for place, byte in enumerate(prefix):
                terms = terms[packed.blob[packed.starts[terms] + place] == byte]
            counts = indptr[terms + 1] - indptr[terms]
            column = np.full(self.doc_count, -1, np.int64)
            column[docs[ranges(indptr[terms], counts)]] = np.repeat(terms, counts)
            columns.append(column)
        return columns

    def filter_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers in :attr:`filters`, and with each a document that has it (int64)."""
        indptr, docs = self._filtered
        terms = np.repeat(np.arange(len(self.filters), dtype=np.int64), indptr[1:] - indptr[:-1])
        return terms, docs.astype(np.int64)

    def metadata_counts(self) -> dict[str, dict[str, int]]:
        """Metadata key → value → number of live documents (> 0); keys and values are sorted."""
        indptr, docs = self._filtered
        live = np.concatenate([[0], np.cumsum(self.live[docs])])
        counts = live[indptr[1:]] - live[indptr[:-1]]
        counted: dict[str, dict[str, int]] = {}
        for term, count in zip(self.filters, counts.tolist(), strict=True):
            if count:
                key, value = split_filter_term(term)
                counted.setdefault(key, {})[value] = count
        numbers, counts = np.unique(self.lines[self.live & (self.lines > 0)], return_counts=True)
        if len(numbers):
            counted.setdefault(LINE, {}).update(zip(map(str, numbers.tolist()), counts.tolist(), strict=True))
        return {key: counted[key] for key in sorted(counted)}

    # Terms

    def matrix(self, channel: str) -> TermRows:
        """The rows of a channel; each call gives a new object, whose decoded rows are freed with it.

        :raises KeyError: the segment has no such channel.
        """
        info = self.channel_info(channel)
        rows = self.doc_count * len(self.fields) if channel in self.text_channels else self.formula_count
        if info["rows"] != rows or info["terms"] != len(self.dictionary(channel)):
            raise corrupt(f"does not hold what it says of the channel {channel!r}", self.container.path)
        return TermRows(self.container, self._section(channel), info)

    def channel_fields(self, channel: str) -> tuple[str, ...]:
        """The fields in a channel: all."""
        return self.fields

    def dictionary(self, channel: str) -> Dictionary:
        """The terms of a channel.

        :raises KeyError: the segment has no such channel.
        """
        return Dictionary(self.container, self._section(channel))

    def entries(self, channel: str) -> Entries:
        """The rows of a channel that make up each document.

        :raises KeyError: the segment has no such channel.
        """
        if channel in self.text_channels:
            return Entries.of_text(self.doc_count, len(self.fields))
        self.channel_info(channel)
        where = self.occurrences
        return Entries(where.indptr, where.formula.all().astype(np.int64), where.field.all())

    def channel_info(self, channel: str) -> dict[str, int]:
        """The numbers of ``rows``, distinct ``terms``, ``postings`` and ``tokens``, deleted documents included."""
        info = self.container.info
        return cast("dict[str, int]", info["text"].get(channel) or info["formula"][channel])

    def _section(self, channel: str) -> str:
        return f"text/{channel}" if channel in self.text_channels else f"formula/{channel}"

    # Formulas

    @cached_property
    def occurrences(self) -> Occurrences:
        """The occurrences of formulas in the documents."""
        return Occurrences(self.container, self.doc_count, len(self.fields), self.formula_count)

    @cached_property
    def keys(self) -> Names:
        """The normalised forms of the formulas."""
        return Names(self.container, "keys")

    def formula_source(self, formula: int) -> str:
        """The source of one occurrence of a formula."""
        return decode(self._record("sources", formula))

    def formula_tree(self, formula: int) -> bytes:
        """The operator tree of a formula, packed by :func:`porism.formula.pack_tree`."""
        return self._record("trees", formula)

    def formula_key(self, formula: int) -> str:
        """The normalised form of a formula."""
        return self.keys.name(formula)

    def find_formula(self, key: str) -> int | None:
        """The ordinal of the formula with this normalised form, or None."""
        formula = int(self.keys.find([key])[0])
        return formula if formula >= 0 else None

    # Derived data

    def derived_path(self, name: str) -> Path:
        """The file of derived data (:mod:`porism.index.derived`) with this name."""
        return derived_path(self.folder, name)

    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None:
        """Stores derived data: :func:`porism.index.derived.write_derived`."""
        write_derived(self.folder, self.stamp, name, arrays, info)

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """Derived data as memory-mapped arrays and their info; None if missing, broken or of another segment.

        :raises IndexUnreadable: the system does not let us read it.
        """
        derived = self.open_derived(name)
        if derived is None:
            return None
        try:
            return {key: derived.array(key) for key in derived}, derived.info["info"]
        except IndexCorrupt:
            return None

    def open_derived(self, name: str) -> Container | None:
        """Opens derived data without reading them: :func:`porism.index.derived.open_derived`."""
        return open_derived(self.folder, self.stamp, name)

    def verify(self) -> None:
        """Compares the whole file with its checksums.

        :raises IndexCorrupt: it was changed.
        """
        self.container.verify()


def filter_term(key: str, value: str) -> str:
    """A pair of metadata key and value as one string, unique to the pair."""
    return f"{len(key)}:{key}{value}"


def split_filter_term(term: str) -> tuple[str, str]:
    """The inverse of :func:`filter_term`."""
    size, _, rest = term.partition(":")
    return rest[: int(size)], rest[int(size) :]


def filter_terms(metadata: Metadata) -> Iterator[str]:
    """The filter terms of a document's metadata."""
    for key, value in metadata.items():
        if key in NAMES:  # nearly every document has others; porism.index.mentions finds them
            continue
        for entry in (value,) if isinstance(value, str) else dict.fromkeys(value):
            yield filter_term(key, entry)
