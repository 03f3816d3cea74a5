"""Writing a segment from its inputs, when documents are added and when segments are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Stamp
from porism.index.container_writer import ContainerWriter
from porism.index.parts import SegmentInput
from porism.index.records import write_records
from porism.index.rows import Csr, write_rows
from porism.index.runs import MergedStrings, StringRuns, merge_vocabularies
from porism.index.segment import DATA_FILE
from porism.index.strings import Packed, offsets, ranges, write_dictionary, write_names
from porism.system.files.durable import make_folder, storage_errors, sync_folder

DOCUMENT_BLOCK = 64 << 10
"""Bytes of stored documents that are compressed together."""
TEXT_BLOCK = 16 << 10
"""The same for short texts: metadata, formulas as written, ids of occurrences."""


OnStep = Callable[[int, int], None]
"""Called with (steps done, steps in all) while a segment is written."""


class _MergedFormulas(NamedTuple):
    """The formulas of a new segment: the rank of each key among the ``keys`` of all parts, and the part and row it has.

    ``numbers`` has the new ordinals of each part's formulas, -1 for those that no document uses.
    """

    keys: MergedStrings
    rank: NDArray[np.int32]
    part: NDArray[np.int64]
    row: NDArray[np.int64]
    numbers: list[NDArray[np.int32]]


def write_segment(folder: Path, parts: Sequence[SegmentInput], on_step: OnStep | None = None) -> Stamp:
    """Writes the documents that ``parts`` select, in order, as a segment in a new ``folder``.

    Formulas with the same key become one, vocabularies are merged, and unused formulas and terms are left out.
    ``on_step`` is called with (steps done, steps in all): one step for the documents and one for each channel.

    :raises StorageError: the disk is full, or the folder cannot be made, in which case nothing is left behind.
    """
    fields = tuple(dict.fromkeys(field for part in parts for field in part.fields))
    selected = [_occurrences(part, fields) for part in parts]
    formulas = _merge_formulas(parts, selected)
    make_folder(folder.parent)
    with storage_errors(folder):
        folder.mkdir()
    with ContainerWriter(folder / DATA_FILE, "segment") as writer:
        ids = Packed.join([part.ids() for part in parts])
        write_names(writer, "ids", ids)
        writer.add("owners", np.concatenate([part.owners() for part in parts]).astype(np.int32))
        writer.add("digests", np.concatenate([part.digests() for part in parts]).astype(np.uint64))
        writer.add("lines", np.concatenate([part.lines() for part in parts]).astype(np.int32))
        write_records(writer, "stored", chain.from_iterable(part.stored() for part in parts), DOCUMENT_BLOCK)
        write_records(writer, "metadata", chain.from_iterable(part.metadata() for part in parts), TEXT_BLOCK)
        _write_filters(writer, parts)
        _write_occurrences(writer, parts, selected, fields, formulas)
        _write_keys(writer, formulas)
        by_part = [formulas.row[formulas.part == number] for number in range(len(parts))]
        sources = chain.from_iterable(part.sources(rows) for part, rows in zip(parts, by_part, strict=True))
        write_records(writer, "sources", sources, TEXT_BLOCK)
        trees = chain.from_iterable(part.trees(rows) for part, rows in zip(parts, by_part, strict=True))
        write_records(writer, "trees", trees, DOCUMENT_BLOCK)
        text_channels = dict.fromkeys(channel for part in parts for channel in part.text_channels)
        formula_channels = dict.fromkeys(channel for part in parts for channel in part.formula_channels)
        step = _steps(1 + len(text_channels) + len(formula_channels), on_step)
        step()
        text = {
            channel: _write_channel(step, writer, f"text/{channel}", channel, parts, [
                _text_rows(part, fields) if channel in part.text_channels
                else np.full(len(part.docs) * len(fields), -1, np.int64)
                for part in parts
            ])
            for channel in text_channels
        }
        formula = {
            channel: _write_channel(step, writer, f"formula/{channel}", channel, parts, [
                rows if channel in part.formula_channels else np.full(len(rows), -1, np.int64)
                for part, rows in zip(parts, by_part, strict=True)
            ])
            for channel in formula_channels
        }
        stamp = writer.finish(
            {
                "documents": len(ids), "fields": fields, "formulas": len(formulas.rank),
                "occurrences": sum(len(rows) for rows in selected), "text": text, "formula": formula,
            }
        )
    with storage_errors(folder):
        sync_folder(folder)
        sync_folder(folder.parent)
    return stamp


def _field_numbers(part: SegmentInput, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The position in ``fields`` of each field of the part."""
    return np.asarray([fields.index(field) for field in part.fields], np.int64)


def _occurrences(part: SegmentInput, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The occurrences in the selected documents of a part, by document, field (its place in ``fields``) and place."""
    first = part.occurrence_indptr[part.docs]
    lengths = part.occurrence_indptr[part.docs + 1] - first
    rows = ranges(first, lengths)
    docs = np.repeat(np.arange(len(part.docs)), lengths)
    numbers = _field_numbers(part, fields)
    order = np.lexsort((part.occurrence_number[rows], numbers[part.occurrence_field[rows]], docs))
    return rows[order]


def _merge_formulas(parts: Sequence[SegmentInput], selected: Sequence[NDArray[np.int64]]) -> _MergedFormulas:
    """Numbers the formulas of the selected occurrences by first appearance; formulas with equal keys are one."""
    used: list[NDArray[np.int64]] = []
    for part, rows in zip(parts, selected, strict=True):
        formulas, first = np.unique(part.occurrence_formula[rows], return_index=True)
        used.append(formulas[np.argsort(first)].astype(np.int64))
    keys = merge_vocabularies([part.keys() for part in parts])
    nothing = np.zeros(0, np.int32)
    ranks = np.concatenate([nothing, *[part_ranks[rows] for part_ranks, rows in zip(keys.ranks, used, strict=True)]])
    first = np.full(keys.run.size, -1, np.int64)
    first[ranks[::-1]] = np.arange(len(ranks) - 1, -1, -1)  # backwards, so that the first place of a rank stays
    firsts = np.sort(first[first >= 0])
    number = np.full(keys.run.size, -1, np.int32)
    number[ranks[firsts]] = np.arange(len(firsts), dtype=np.int32)
    bounds = offsets(np.asarray([len(rows) for rows in used], np.int64))
    numbers: list[NDArray[np.int32]] = []
    for part_ranks, rows in zip(keys.ranks, used, strict=True):
        table = np.full(int(rows.max(initial=-1)) + 1, -1, np.int32)
        table[rows] = number[part_ranks[rows]]
        numbers.append(table)
    owner = np.searchsorted(bounds, firsts, side="right") - 1
    all_rows = np.concatenate([np.zeros(0, np.int64), *used])
    return _MergedFormulas(keys, ranks[firsts], owner, all_rows[firsts], numbers)


def _write_keys(writer: ContainerWriter, formulas: _MergedFormulas) -> None:
    """Writes the keys as :class:`~porism.index.strings.Names`."""
    is_used = np.zeros(formulas.keys.run.size, np.int8)
    is_used[formulas.rank] = 1
    numbers = formulas.keys.write(writer, "keys", is_used, buckets=())
    writer.add("keys:rank", numbers[formulas.rank])


def _write_occurrences(
    writer: ContainerWriter, parts: Sequence[SegmentInput], selected: Sequence[NDArray[np.int64]],
    fields: tuple[str, ...], formulas: _MergedFormulas,
) -> None:
    lengths = [part.occurrence_indptr[part.docs + 1] - part.occurrence_indptr[part.docs] for part in parts]
    pairs = list(zip(parts, selected, strict=True))
    writer.add("occurrences:indptr", offsets(np.concatenate(lengths)))
    writer.add("occurrences:field", np.concatenate(
        [_field_numbers(part, fields)[part.occurrence_field[rows]] for part, rows in pairs]
    ).astype(np.uint16))
    writer.add("occurrences:formula", np.concatenate(
        [table[part.occurrence_formula[rows]] for (part, rows), table in zip(pairs, formulas.numbers, strict=True)]
    ).astype(np.int32))
    writer.add("occurrences:number", np.concatenate(
        [part.occurrence_number[rows] for part, rows in pairs]
    ).astype(np.int32))
    ids = chain.from_iterable(part.occurrence_ids(rows) for part, rows in pairs)
    write_records(writer, "occurrences:id", ids, TEXT_BLOCK)
    visual_ids = chain.from_iterable(part.visual_ids(rows) for part, rows in pairs)
    write_records(writer, "occurrences:visual", visual_ids, TEXT_BLOCK)


def _write_filters(writer: ContainerWriter, parts: Sequence[SegmentInput]) -> None:
    """Writes an inverted file of the metadata: a dictionary of pairs of key and value, and their documents."""
    from porism.index.string_kernels import unify

    vocabularies: list[Packed] = []
    terms: list[NDArray[np.int64]] = []
    docs: list[NDArray[np.int64]] = []
    first_doc = first_term = 0
    for part in parts:
        vocabulary, part_terms, part_docs = part.filters()
        new_doc = np.full(len(part.occurrence_indptr), -1, np.int64)
        new_doc[part.docs] = np.arange(len(part.docs)) + first_doc
        keep = new_doc[part_docs] >= 0
        vocabularies.append(vocabulary)
        terms.append(part_terms[keep] + first_term)
        docs.append(new_doc[part_docs[keep]])
        first_doc += len(part.docs)
        first_term += len(vocabulary)
    packed = Packed.join(vocabularies)
    ids, firsts = unify(packed.blob, packed.starts)
    numbers = ids[np.concatenate(terms)]
    counts = np.bincount(numbers, minlength=len(firsts))
    kept = np.flatnonzero(counts)
    ranks = np.full(len(firsts), -1, np.int64)
    ranks[kept] = write_dictionary(writer, "filters", packed.take(firsts[kept]))
    ranked = ranks[numbers]
    order = np.argsort(ranked, kind="stable")
    writer.add("filters:indptr", offsets(np.bincount(ranked, minlength=len(kept))))
    writer.add("filters:docs", np.concatenate(docs)[order].astype(np.int32))


def _text_rows(part: SegmentInput, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The row of the part for each row of the new segment, -1 for fields that the part lacks."""
    columns = np.full(len(fields), -1, np.int64)
    columns[_field_numbers(part, fields)] = np.arange(len(part.fields))
    rows = np.where(columns < 0, -1, part.docs[:, None] * len(part.fields) + columns)
    return rows.reshape(-1)


def _steps(total: int, on_step: OnStep | None) -> Callable[[], None]:
    """A function to call after each step; it counts them for ``on_step``."""
    done = count(1)

    def step() -> None:
        number = next(done)
        if on_step:
            on_step(number, total)

    return step


def _write_channel(
    step: Callable[[], None], writer: ContainerWriter, name: str, channel: str, parts: Sequence[SegmentInput],
    rows: Sequence[NDArray[np.int64]],
) -> dict[str, int]:
    """Writes the dictionary and rows of a channel in two passes over the parts: count the terms, then number them.

    ``rows`` has the rows to take from each part, in order; -1 is an empty row, for parts without the channel.
    """
    from porism.index.run_kernels import count_terms

    def pieces(number: int) -> Iterator[Csr]:
        if (rows[number] >= 0).any():
            yield from parts[number].rows(channel, rows[number])
        elif len(rows[number]):
            empty = np.zeros(0, np.int32)
            yield Csr(np.zeros(len(rows[number]) + 1, np.int64), empty, empty.astype(np.uint16))

    terms = merge_vocabularies([
        part.vocabulary(channel) if (taken >= 0).any() else StringRuns([])
        for part, taken in zip(parts, rows, strict=True)
    ])
    frequencies = np.zeros(terms.run.size, np.int32)
    for number, ranks in enumerate(terms.ranks):
        for piece in pieces(number):
            count_terms(piece.terms, ranks, frequencies)
    numbers = terms.write(writer, name, frequencies)
    kept = int(np.count_nonzero(frequencies))
    all_ranks = terms.ranks
    del terms, frequencies  # arrays of many millions of terms are freed as early as possible

    def numbered() -> Iterator[tuple[Csr, NDArray[np.int32]]]:
        for number, ranks in enumerate(all_ranks):
            term_numbers = numbers[ranks]
            for piece in pieces(number):
                yield piece, term_numbers

    info = write_rows(writer, name, numbered())
    step()
    return {"terms": kept, **info}
