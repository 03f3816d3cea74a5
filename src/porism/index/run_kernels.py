"""Compiled kernels for runs: distinct strings in code-point order, front-coded, read from the first to the last.

The bytes of a run are those that :func:`porism.index.string_kernels.front_encode` writes; where its blocks begin does
not matter here. Importing this module loads Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.front_coding import get_lengths, put, put_string
from porism.index.string_kernels import BLOCK
from porism.system.compiled.kernels import compiled, inlined, u8_at

_BYTES = "Array(uint8, 1, 'C', readonly=True)"
_NUMBERS = "Array(int32, 1, 'C', readonly=True)"


@inlined()
def _before(run: Any, other: Any, keys: Any, texts: Any, lengths: Any) -> Any:
    """Whether the string that a run is at sorts before that of another; ``keys`` have their first eight bytes."""
    if keys[run] != keys[other]:
        return keys[run] < keys[other]
    length, longest = lengths[run], lengths[other]
    for step in range(8, min(length, longest)):
        if texts[run, step] != texts[other, step]:
            return texts[run, step] < texts[other, step]
    return length < longest


@compiled("Tuple((int64, int64, int64))(int64[:, ::1], int32[::1], uint8[::1])")
def merge_runs(runs: Any, ids: Any, data: Any) -> Any:
    """Unites runs: one run of all distinct strings, and the rank of each string among them.

    ``runs`` (int64, runs × 3) are the addresses of the bytes of each run, how many bytes and how many strings it has.
    Writes ``ids`` (int32), the ranks of the strings of all runs, one run after the other, and ``data``, the bytes of
    the new run. For ``data`` as many bytes as all runs have together are enough: a string shares no less with the
    string before it in the new run than it did in its own. Returns how many strings are distinct, how many bytes were
    written, and the number of a run whose bytes are not those of a run, -1 if all are; if there is one nothing else
    counts.

    A heap of the runs by the string that each is at, compared by eight bytes first.
    """
    count = len(runs)
    room: Any = 64
    texts = np.zeros((count, room), np.uint8)
    lengths = np.zeros(count, np.int64)
    keys = np.zeros(count, np.uint64)
    ats = np.zeros(count, np.int64)
    places = np.zeros(count, np.int64)
    stops = np.zeros(count, np.int64)
    heap = np.zeros(count, np.int64)
    for number in range(count):
        stops[number] = places[number] + runs[number, 2]
        if number + 1 < count:
            places[number + 1] = stops[number]
    last = np.zeros(room, np.uint8)
    last_length = np.int64(-1)
    distinct = 0
    written = np.int64(0)
    filled = size = 0
    while filled < count or size > 0:
        entering = filled < count
        if entering:
            run = np.int64(filled)
            filled += 1
        else:
            run = heap[0]
            length = lengths[run]
            shared = np.int64(0)
            while shared < min(length, last_length) and texts[run, shared] == last[shared]:
                shared += 1
            if length != last_length or shared < length:
                written = put_string(data, written, texts[run], 0, shared, length)
                for step in range(shared, length):
                    last[step] = texts[run, step]
                last_length = length
                distinct += 1
            ids[places[run]] = distinct - 1
            places[run] += 1
        # On to the next string of the run; one that has no more leaves the heap.
        source, end = u8_at(runs[run, 0]), runs[run, 1]
        if places[run] == stops[run]:
            if ats[run] != end:
                return np.int64(0), np.int64(0), run
            if not entering:
                size -= 1
                heap[0] = heap[size]
        else:
            shared, rest, at = get_lengths(source, ats[run], end)
            before = lengths[run]
            if rest > end - at or shared > before:
                return np.int64(0), np.int64(0), run
            length = shared + rest
            if length > room:
                wider = np.zeros((count, 2 * length), np.uint8)
                for other in range(count):
                    for step in range(lengths[other]):
                        wider[other, step] = texts[other, step]
                texts = wider
                longer = np.zeros(2 * length, np.uint8)
                for step in range(last_length):
                    longer[step] = last[step]
                last = longer
                room = 2 * length
            if not entering:  # strings that do not increase are those of no run
                differs = shared
                while differs < min(before, length) and texts[run, differs] == source[at + differs - shared]:
                    differs += 1
                if differs == length or (differs < before and source[at + differs - shared] < texts[run, differs]):
                    return np.int64(0), np.int64(0), run
            for step in range(shared, length):
                texts[run, step] = source[at + step - shared]
            ats[run] = at + rest
            lengths[run] = length
            if shared < 8:
                key = np.uint64(0)
                for step in range(8):
                    byte = np.uint64(texts[run, step]) if step < length else np.uint64(0)
                    key = (key << np.uint64(8)) | byte
                keys[run] = key
            if entering:
                place = size
                size += 1
                while place > 0 and _before(run, heap[(place - 1) // 2], keys, texts, lengths):
                    heap[place] = heap[(place - 1) // 2]
                    place = (place - 1) // 2
                heap[place] = run
        if not entering and size > 0:
            moving = heap[0]
            place = 0
            while 2 * place + 1 < size:
                below = 2 * place + 1
                if below + 1 < size and _before(heap[below + 1], heap[below], keys, texts, lengths):
                    below += 1
                if not _before(heap[below], moving, keys, texts, lengths):
                    break
                heap[place] = heap[below]
                place = below
            heap[place] = moving
    return np.int64(distinct), written, np.int64(-1)


@compiled(f"boolean({_BYTES}, int8[::1], uint8[::1], int64[::1], int64[::1], int64[::1])")
def group_run(data: Any, groups: Any, out: Any, ats: Any, blocks: Any, block_starts: Any) -> Any:
    """Writes the strings of a run as front-coded blocks, those of a group together and in their order.

    ``groups`` (int8, one a string) numbers the groups; strings of group -1 are left out. ``ats`` (int64) is where the
    bytes of each group begin in ``out``, ``blocks`` the number of its first block; both count up to where the group
    ends. ``block_starts`` gets where each block begins. With ``out`` empty nothing is written but ``ats``, which begin
    with zeros then: so much room each group needs. Returns whether the bytes are those of a run.
    """
    writes = len(out) > 0
    text = np.zeros(64, np.uint8)
    length = np.int64(0)
    # What a string shares with the one before it in its group is the least that those between them shared.
    least = np.zeros(len(ats), np.int64)
    members = np.zeros(len(ats), np.int64)
    sink = np.empty(16, np.uint8)  # a number, written for its length alone
    at, end = np.int64(0), np.int64(len(data))
    for string in range(len(groups)):
        shared, rest, at = get_lengths(data, at, end)
        if rest > end - at or shared > length:
            return False
        length = shared + rest
        if length > len(text):
            longer = np.zeros(2 * length, np.uint8)
            for step in range(shared):
                longer[step] = text[step]
            text = longer
        for step in range(rest):
            text[shared + step] = data[at + step]
        at += rest
        for group in range(len(ats)):
            least[group] = min(least[group], shared)
        group = groups[string]
        if group < 0:
            continue
        common = least[group]
        least[group] = length
        if members[group] % BLOCK == 0:
            common = np.int64(0)
            if writes:
                block_starts[blocks[group]] = ats[group]
                blocks[group] += 1
        members[group] += 1
        if writes:
            ats[group] = put_string(out, ats[group], text, 0, common, length)
        else:
            ats[group] += 1 + length - common
            if common >= 15:
                ats[group] += put(sink, 0, common - 15)
            if length - common >= 15:
                ats[group] += put(sink, 0, length - common - 15)
    return at == end


@compiled(f"void({_NUMBERS}, {_NUMBERS}, int32[::1])")
def count_terms(terms: Any, ids: Any, frequencies: Any) -> None:
    """Adds to ``frequencies[ids[t]]`` (int32) how often each ``t`` is among ``terms``, which are below len(ids)."""
    for place in range(len(terms)):
        frequencies[ids[terms[place]]] += 1
