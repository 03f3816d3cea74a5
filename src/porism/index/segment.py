"""A segment: some documents of an index with everything known of them, in one immutable file."""

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
from porism.index.entries import Entries
from porism.index.occurrences import Occurrences
from porism.index.records import Records
from porism.index.rows import TermRows
from porism.index.strings import Dictionary, Names, decode
from porism.system.concurrency.caching import cached_property
from porism.types import Metadata

DATA_FILE = "segment.bin"
LINE = "line"
"""The key of metadata that is no filter term: its values are :attr:`Segment.lines`, which change as files do."""


class Segment:
    """One segment as a snapshot sees it; ``folder`` holds its file, its tombstones and its derived data.

    Everything is mapped at once when it is opened, so files that a writer removes later do no harm, and nothing is
    decoded before it is used. Documents are numbered from 0; ``live`` (bool, one a document) is False for those
    that are deleted.

    :raises FileNotFoundError: the segment is gone.
    :raises IndexCorrupt: its file is truncated or changed.
    """

    noun = "document"
    """What a search in which the documents are ranked calls one of them."""

    dense_share = 16
    """Postings of terms in more than one of so many documents are dense."""

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
            counts = [one[name] for one in channels for name in ("rows", "terms", "postings", "tokens")]
        except (KeyError, TypeError, AttributeError) as error:
            raise corrupt(f"does not say what it holds ({error})", self.container.path) from error
        sizes = (self.container.shape("ids:rank"), self.container.shape("keys:rank"))
        if sizes != ((self.doc_count,), (self.formula_count,)) or any(type(count) is not int for count in counts):
            raise corrupt("does not hold as much as it says", self.container.path)
        if live is None:
            live = np.ones(self.doc_count, np.bool_)
        self.live = live
        self._lines: NDArray[np.int32] | None = None

    def __repr__(self) -> str:
        return f"Segment({self.name}, {self.live_count} of {self.doc_count} documents live)"

    @property
    def stamp(self) -> Stamp:
        """Size and checksum of the segment's file."""
        return self.container.stamp

    @property
    def live_count(self) -> int:
        """Documents that are not deleted."""
        return int(np.count_nonzero(self.live))

    # Documents

    @cached_property
    def names(self) -> Names:
        """The ids of the documents."""
        return Names(self.container, "ids")

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """For each document the number of its group in the table of sources, -1 where it came from no source."""
        return column(self.container, "owners", np.int32, self.doc_count)

    @cached_property
    def digests(self) -> NDArray[np.uint64]:
        """For each document the digest of what it was made from (its line apart), 0 where it came from no source."""
        return column(self.container, "digests", np.uint64, self.doc_count)

    @property
    def lines(self) -> NDArray[np.int32]:
        """For each document the line of its file where it begins, 0 where it came from no file.

        A document whose line alone has changed stays in its segment: what is set here counts, and :meth:`stored` and
        :meth:`metadata` say so.
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
        """Whether the lines of some documents are others than when the segment was written."""
        return self._lines is not None

    def _line(self, doc: int) -> str | None:
        """The line of a document that has moved, as metadata have it; None where it has not."""
        if self._lines is None or self._lines[doc] == self._written_lines[doc]:
            return None
        return str(self._lines[doc])

    @property
    def id_order(self) -> NDArray[np.int32]:
        """The rank of each document's id in code-point order within the segment."""
        return self.names.rank

    def doc_id(self, doc: int) -> str:
        """The id of a document."""
        return self.names.name(doc)

    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The ids of documents, in the order given."""
        return self.names.names(np.asarray(docs, np.int64))

    def find(self, doc_id: str) -> int | None:
        """The live document with this id, None where there is none."""
        doc = int(self.names.find([doc_id])[0])
        return doc if doc >= 0 and self.live[doc] else None

    def find_all(self, doc_ids: Sequence[str]) -> NDArray[np.int32]:
        """The live documents among those with these ids, in the order given; ids that it has not are left out."""
        docs = self.names.find(doc_ids)
        docs = docs[docs >= 0]
        return docs[self.live[docs]]

    def records(self, name: str) -> Records:
        """One of the segment's columns of byte strings; a new object each time, with a cache of its own."""
        count = {"sources": self.formula_count, "trees": self.formula_count}.get(name, self.doc_count)
        if name.startswith("occurrences:"):
            count = len(self.occurrences)
        return Records(self.container, name, count)

    @cached_property
    def _stored(self) -> Records:
        return self.records("stored")

    def stored(self, doc: int) -> bytes:
        """A document as the JSON that :func:`porism.analysis.documents.dump_document` made."""
        return self.placed("stored", doc, self._stored[doc])

    def placed(self, name: str, doc: int, record: bytes) -> bytes:
        """A record of the columns ``stored`` or ``metadata`` with the line at which the document is now."""
        line = self._line(doc)
        if line is None:
            return record
        try:
            value: dict[str, Any] = orjson.loads(record)
            (value["metadata"] if name == "stored" else value)["line"] = line
        except (ValueError, KeyError, TypeError) as error:
            raise corrupt(f"has metadata that cannot be read ({error})", self.container.path) from error
        return orjson.dumps(value)

    @cached_property
    def _metadata(self) -> Records:
        return self.records("metadata")

    def metadata(self, doc: int) -> Metadata:
        """The metadata of a document."""
        try:
            values: dict[str, Any] = dict(orjson.loads(self.placed("metadata", doc, self._metadata[doc])))
        except ValueError as error:
            raise corrupt(f"has metadata that cannot be read ({error})", self.container.path) from error
        return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}

    # Filters

    @cached_property
    def filters(self) -> Dictionary:
        """Pairs of a metadata key and a value, as :func:`filter_term` joins them."""
        return Dictionary(self.container, "filters")

    def filter(self, key: str, value: str) -> NDArray[np.bool_]:
        """The documents whose metadata ``key`` is ``value``, or has it among its values (bool, one a document)."""
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
        """Where each filter begins among documents, and these."""
        docs = column(self.container, "filters:docs", np.int32, low=0, end=self.doc_count)
        return starts(self.container, "filters:indptr", np.int64, len(docs), len(self.filters)), docs

    def filter_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers in :attr:`filters`, and with each a document that has it (int64)."""
        indptr, docs = self._filtered
        terms = np.repeat(np.arange(len(self.filters), dtype=np.int64), indptr[1:] - indptr[:-1])
        return terms, docs.astype(np.int64)

    def metadata_counts(self) -> dict[str, dict[str, int]]:
        """Metadata key → value → live documents that have it; keys and values sorted, values of none left out."""
        indptr, docs = self._filtered
        live = np.concatenate([[0], np.cumsum(self.live[docs])])
        counts = live[indptr[1:]] - live[indptr[:-1]]
        found: dict[str, dict[str, int]] = {}
        for term, count in zip(self.filters, counts.tolist(), strict=True):
            if count:
                key, value = split_filter_term(term)
                found.setdefault(key, {})[value] = count
        numbers, counts = np.unique(self.lines[self.live & (self.lines > 0)], return_counts=True)
        if len(numbers):
            found.setdefault(LINE, {}).update(zip(map(str, numbers.tolist()), counts.tolist(), strict=True))
        return {key: found[key] for key in sorted(found)}

    # Terms

    def matrix(self, channel: str) -> TermRows:
        """The rows of a channel; a new object each time, so what it decodes goes when the caller releases it.

        :raises KeyError: the segment has no such channel.
        """
        info = self.channel_info(channel)
        rows = self.doc_count * len(self.fields) if channel in self.text_channels else self.formula_count
        if info["rows"] != rows or info["terms"] != len(self.dictionary(channel)):
            raise corrupt(f"does not hold what it says of the channel {channel!r}", self.container.path)
        return TermRows(self.container, self._section(channel), info)

    def channel_fields(self, channel: str) -> tuple[str, ...]:
        """The fields that a channel has terms of: all."""
        return self.fields

    def dictionary(self, channel: str) -> Dictionary:
        """The terms of a channel.

        :raises KeyError: the segment has no such channel.
        """
        return Dictionary(self.container, self._section(channel))

    def entries(self, channel: str) -> Entries:
        """The rows of a channel that each document is made of.

        :raises KeyError: the segment has no such channel.
        """
        if channel in self.text_channels:
            return Entries.of_text(self.doc_count, len(self.fields))
        self.channel_info(channel)
        where = self.occurrences
        return Entries(where.indptr, where.formula.all().astype(np.int64), where.field.all())

    def channel_info(self, channel: str) -> dict[str, int]:
        """``rows``, ``terms`` (distinct), ``postings`` and ``tokens`` of a channel, deleted documents included."""
        info = self.container.info
        return cast("dict[str, int]", info["text"].get(channel) or info["formula"][channel])

    def _section(self, channel: str) -> str:
        return f"text/{channel}" if channel in self.text_channels else f"formula/{channel}"

    # Formulas

    @cached_property
    def occurrences(self) -> Occurrences:
        """Where formulas are in the documents."""
        return Occurrences(self.container, self.doc_count, len(self.fields), self.formula_count)

    @cached_property
    def keys(self) -> Names:
        """The normalised forms of the formulas."""
        return Names(self.container, "keys")

    @cached_property
    def _sources(self) -> Records:
        return self.records("sources")

    def formula_source(self, formula: int) -> str:
        """One way in which the formula with this ordinal was written."""
        return decode(self._sources[formula])

    @cached_property
    def _trees(self) -> Records:
        return self.records("trees")

    def formula_tree(self, formula: int) -> bytes:
        """The operator tree of the formula with this ordinal, as :func:`porism.formula.pack_tree` packed it."""
        return self._trees[formula]

    def formula_key(self, formula: int) -> str:
        """The normalised form of the formula with this ordinal."""
        return self.keys.name(formula)

    def find_formula(self, key: str) -> int | None:
        """The ordinal of the formula with this normalised form, None where there is none."""
        formula = int(self.keys.find([key])[0])
        return formula if formula >= 0 else None

    # Derived data

    def derived_path(self, name: str) -> Path:
        """The file of derived data: what can be computed from the segment again at will, such as postings."""
        return derived_path(self.folder, name)

    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None:
        """Keeps derived data with the segment, whole or not at all; replaces what has the name.

        :raises StorageError: the disk is full, the folder is read-only, or the segment is gone; the caller can keep the
            data in memory.
        :raises ValueError: the name does not begin with a kind of :data:`porism.index.derived.LAYOUTS`.
        """
        write_derived(self.folder, self.stamp, name, arrays, info)

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """Derived data as memory-mapped arrays and its info; None where it is missing, broken or of other data.

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
        """The file of derived data, whose sections are not read yet; None where it is missing or broken.

        It is also None for a file of another layout or of another segment.

        What :meth:`write_derived` took as ``info`` is the entry ``info`` of the container's.

        :raises IndexUnreadable: the system does not let us read it.
        """
        return open_derived(self.folder, self.stamp, name)

    def verify(self) -> None:
        """Reads the whole file and compares it with its checksums.

        :raises IndexCorrupt: it was changed.
        """
        self.container.verify()


def filter_term(key: str, value: str) -> str:
    """A metadata key and a value as one string; no two pairs give the same."""
    return f"{len(key)}:{key}{value}"


def split_filter_term(term: str) -> tuple[str, str]:
    """The inverse of :func:`filter_term`."""
    size, _, rest = term.partition(":")
    return rest[: int(size)], rest[int(size) :]


def filter_terms(metadata: Metadata) -> Iterator[str]:
    """All pairs of a key and a value in the metadata of one document."""
    for key, value in metadata.items():
        for entry in (value,) if isinstance(value, str) else dict.fromkeys(value):
            yield filter_term(key, entry)
