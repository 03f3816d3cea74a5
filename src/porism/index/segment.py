"""A segment: some documents of an index with everything known of them, in one immutable file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.durable import make_folder
from porism.errors import IndexCorrupt, IndexVersionError
from porism.index.container import Container, ContainerWriter, Stamp
from porism.index.records import Records
from porism.index.rows import TermRows
from porism.index.strings import Dictionary, Names, decode
from porism.types import Metadata

if TYPE_CHECKING:
    from porism.index.postings import Entries

DATA_FILE = "segment.bin"
DERIVED_FOLDER = "derived"


class Occurrences:
    """Where formulas stand: one entry an occurrence, by document, field and place in the field.

    ``indptr`` (int64, documents + 1) bounds those of each document; ``field`` (uint16) is a position in the segment's
    fields, ``formula`` (int32) an ordinal of the segment, ``number`` (int32) says that it is the n-th of its field.
    """

    def __init__(self, container: Container) -> None:
        self.indptr = cast("NDArray[np.int64]", container.array("occurrences:indptr"))
        self.field = cast("NDArray[np.uint16]", container.array("occurrences:field"))
        self.formula = cast("NDArray[np.int32]", container.array("occurrences:formula"))
        self.number = cast("NDArray[np.int32]", container.array("occurrences:number"))
        self._ids = Records(container, "occurrences:id")
        self._visual_ids = Records(container, "occurrences:visual")

    def __len__(self) -> int:
        return len(self.formula)

    @property
    def has_visual_ids(self) -> bool:
        """Whether the collection gives any of them a visual id."""
        return self._visual_ids.any()

    @property
    def has_ids(self) -> bool:
        """Whether the collection gives any of them an id."""
        return self._ids.any()

    def id(self, occurrence: int) -> str:
        """The id that the collection gives this occurrence, empty where it gives none."""
        return decode(self._ids[occurrence])

    def visual_id(self, occurrence: int) -> str:
        """The id that all formulas that look like this one have in the collection, empty where it gives none."""
        return decode(self._visual_ids[occurrence])

    def ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`id` of many (all by default); fast where they do not decrease."""
        return _strings(self._ids, occurrences)

    def visual_ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`visual_id` of many (all by default); fast where they do not decrease."""
        return _strings(self._visual_ids, occurrences)


def _strings(records: Records, positions: NDArray[np.integer] | None) -> list[str]:
    return [decode(record) for record in (records if positions is None else records.take(positions))]


class Segment:
    """One segment as a snapshot sees it; ``folder`` holds its file, its tombstones and its derived data.

    Everything is mapped at once when it is opened, so files that a writer removes later do no harm, and nothing is
    decoded before it is asked for. Documents are numbered from 0; ``live`` (bool, one a document) is False for those
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
        self.doc_count: int = info["documents"]
        """Documents, deleted ones included."""
        self.formula_count: int = info["formulas"]
        """Distinct formulas."""
        self.fields: tuple[str, ...] = tuple(info["fields"])
        self.text_channels: tuple[str, ...] = tuple(info["text"])
        self.formula_channels: tuple[str, ...] = tuple(info["formula"])
        if live is None:
            live = np.ones(self.doc_count, np.bool_)
        self.live = live

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
        return cast("NDArray[np.int32]", self.container.array("owners"))

    @cached_property
    def digests(self) -> NDArray[np.uint64]:
        """For each document the digest of what it was made from (its line apart), 0 where it came from no source."""
        return cast("NDArray[np.uint64]", self.container.array("digests"))

    @cached_property
    def lines(self) -> NDArray[np.int32]:
        """For each document the line of its file where it begins, 0 where it came from no file."""
        return cast("NDArray[np.int32]", self.container.array("lines"))

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

    def records(self, name: str) -> Records:
        """One of the segment's columns of byte strings; a new object each time, with a cache of its own."""
        return Records(self.container, name)

    @cached_property
    def _stored(self) -> Records:
        return self.records("stored")

    def stored(self, doc: int) -> bytes:
        """A document as the JSON that :func:`porism.documents.dump_document` made."""
        return self._stored[doc]

    @cached_property
    def _metadata(self) -> Records:
        return self.records("metadata")

    def metadata(self, doc: int) -> Metadata:
        """The metadata of a document."""
        values = orjson.loads(self._metadata[doc])
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
            indptr = self.container.array("filters:indptr")
            mask[self.container.array("filters:docs")[indptr[number] : indptr[number + 1]]] = True
        return mask

    def filter_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers in :attr:`filters`, and with each a document that has it (int64)."""
        indptr = self.container.array("filters:indptr")
        terms = np.repeat(np.arange(len(self.filters), dtype=np.int64), indptr[1:] - indptr[:-1])
        return terms, self.container.array("filters:docs").astype(np.int64)

    def metadata_counts(self) -> dict[str, dict[str, int]]:
        """Metadata key → value → live documents that have it; keys and values sorted, values of none left out."""
        indptr = self.container.array("filters:indptr")
        live = np.concatenate([[0], np.cumsum(self.live[self.container.array("filters:docs")])])
        counts = live[indptr[1:]] - live[indptr[:-1]]
        found: dict[str, dict[str, int]] = {}
        for term, count in zip(self.filters, counts.tolist(), strict=True):
            if count:
                key, value = split_filter_term(term)
                found.setdefault(key, {})[value] = count
        return {key: found[key] for key in sorted(found)}

    # Terms

    def matrix(self, channel: str) -> TermRows:
        """The rows of a channel; a new object each time, so what it decodes goes when the caller lets go.

        :raises KeyError: the segment has no such channel.
        """
        name = self._section(channel)
        return TermRows(self.container, name, self.channel_info(channel))

    def dictionary(self, channel: str) -> Dictionary:
        """The terms of a channel.

        :raises KeyError: the segment has no such channel.
        """
        return Dictionary(self.container, self._section(channel))

    def entries(self, channel: str) -> Entries:
        """The rows of a channel that each document is made of.

        :raises KeyError: the segment has no such channel.
        """
        from porism.index.postings import Entries

        if channel in self.text_channels:
            return Entries.of_text(self.doc_count, len(self.fields))
        self.channel_info(channel)
        where = self.occurrences
        return Entries(where.indptr, where.formula.astype(np.int64), where.field)

    def channel_info(self, channel: str) -> dict[str, int]:
        """``rows``, ``terms`` (distinct), ``postings`` and ``tokens`` of a channel, deleted documents included."""
        info = self.container.info
        return cast("dict[str, int]", info["text"].get(channel) or info["formula"][channel])

    def _section(self, channel: str) -> str:
        return f"text/{channel}" if channel in self.text_channels else f"formula/{channel}"

    # Formulas

    @cached_property
    def occurrences(self) -> Occurrences:
        """Where formulas stand in the documents."""
        return Occurrences(self.container)

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
        return self.folder / DERIVED_FOLDER / f"{name}.bin"

    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None:
        """Keeps derived data with the segment, whole or not at all; replaces what was there under the name.

        :raises StorageError: the disk is full, the folder is read-only, or the segment is gone; the caller can keep the
            data in memory.
        """
        path = self.derived_path(name)
        make_folder(path.parent, parents=False)
        with ContainerWriter(path, "derived", atomic=True) as writer:
            for key, array in arrays.items():
                writer.add(key, array)
            writer.finish({"segment": list(self.stamp), "info": dict(info)})

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """Derived data as memory-mapped arrays and its info; None where it is missing, broken or of other data."""
        try:
            container = Container(self.derived_path(name), "derived")
            if container.info["segment"] != list(self.stamp):
                return None
            return {key: container.array(key) for key in container}, container.info["info"]
        except (FileNotFoundError, IndexCorrupt, IndexVersionError):
            return None

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
