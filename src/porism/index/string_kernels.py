"""Compiled kernels for strings: telling equal ones, sorting, and front coding.

Strings travel as *packed strings*: a blob of UTF-8 bytes (uint8) and n + 1 starts into it (int64). Byte order of UTF-8
is code-point order, so every sort here is by code point. Importing this module loads Numba; modules that only read
sizes and names import it where they need it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.front_coding import get, get_lengths, put_string
from porism.system.compiled.kernels import compiled, inlined

_BYTES = "Array(uint8, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
_POSITIONS = "Array(int32, 1, 'C', readonly=True)"
_DIGESTS = "Array(uint64, 2, 'C', readonly=True)"

BLOCK = 16
"""Strings in a front-coded block, as :data:`porism.index.strings.FRONT_BLOCK` says."""


@inlined()
def _compare(blob_a: Any, start_a: Any, end_a: Any, blob_b: Any, start_b: Any, end_b: Any) -> Any:
    """Below, at or above zero as string a sorts before, equals or sorts after string b."""
    for step in range(min(end_a - start_a, end_b - start_b)):
        byte_a, byte_b = blob_a[start_a + step], blob_b[start_b + step]
        if byte_a != byte_b:
            return np.int64(-1) if byte_a < byte_b else np.int64(1)
    return np.int64((end_a - start_a) - (end_b - start_b))


@compiled(f"Tuple((int64[::1], int64[::1]))({_BYTES}, {_NUMBERS})")
def unify(blob: Any, starts: Any) -> Any:
    """Numbers equal strings alike, in order of first appearance.

    Returns ``ids`` (int64, one a string) and ``firsts`` (int64, one a distinct string: where it first occurs). A hash
    table with open addressing; equality is by bytes, so colliding hashes do no harm.
    """
    count = len(starts) - 1
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, -1, np.int64)
    hashes = np.empty(count, np.uint64)
    ids = np.empty(count, np.int64)
    firsts = np.empty(count, np.int64)
    distinct = 0
    mask = np.uint64(size - 1)
    for string in range(count):
        start, end = starts[string], starts[string + 1]
        key = np.uint64(14695981039346656037)
        for at in range(start, end):
            key = (key ^ np.uint64(blob[at])) * np.uint64(1099511628211)
        # FNV-1a leaves the low bits of short strings alike: one round of mixing spreads them.
        key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
        hashes[string] = key
        slot = np.int64(key & mask)
        while True:
            known = table[slot]
            if known < 0:
                table[slot] = string
                ids[string] = distinct
                firsts[distinct] = string
                distinct += 1
                break
            if hashes[known] == key and _compare(blob, starts[known], starts[known + 1], blob, start, end) == 0:
                ids[string] = ids[known]
                break
            slot = (slot + 1) & np.int64(mask)
    return ids, firsts[:distinct].copy()


@compiled(f"uint64[:, ::1]({_BYTES}, {_NUMBERS})")
def digests(blob: Any, starts: Any) -> Any:
    """128 bits of each string (uint64, strings × 2): two hashes that have nothing in common, each mixed at the end.

    Strings that differ have the same digest with a chance of about one in 10²⁶ among a million of them.
    """
    count = len(starts) - 1
    hashes = np.empty((count, 2), np.uint64)
    for string in range(count):
        first = np.uint64(14695981039346656037)
        second = np.uint64(0x2545F4914F6CDD1D)
        for at in range(starts[string], starts[string + 1]):
            byte = np.uint64(blob[at])
            first = (first ^ byte) * np.uint64(1099511628211)
            second = (((second << np.uint64(7)) | (second >> np.uint64(57))) + byte) * np.uint64(0xD6E8FEB86659FD93)
        first = (first ^ (first >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        second = (second ^ (second >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes[string, 0] = first ^ (first >> np.uint64(29))
        hashes[string, 1] = second ^ (second >> np.uint64(32))
    return hashes


@compiled(f"void({_DIGESTS}, {_POSITIONS}, boolean[::1], {_DIGESTS}, {_POSITIONS}, boolean[::1])")
def unmark_held(earlier: Any, earlier_order: Any, held: Any, later: Any, later_order: Any, marks: Any) -> Any:
    """Makes those ``marks`` False whose digest an earlier segment has, too, where that one is ``held``.

    Digests are sorted and distinct, and beside each is in ``…_order`` which of ``held`` or ``marks`` is its.
    """
    i, j = 0, 0
    while i < len(earlier) and j < len(later):
        a, b = earlier[i, 0], later[j, 0]
        if a == b:  # almost always the same digest: then so are the other halves
            a, b = earlier[i, 1], later[j, 1]
            if a == b and held[earlier_order[i]]:
                marks[later_order[j]] = False
        i += a <= b
        j += b <= a


@compiled(f"int64[::1]({_BYTES}, {_NUMBERS})")
def sort_order(blob: Any, starts: Any) -> Any:
    """The positions of packed strings in sorted order (int64): a bottom-up merge sort, the first 8 bytes as one key."""
    count = len(starts) - 1
    keys = np.zeros(count, np.uint64)
    for string in range(count):
        key = np.uint64(0)
        for step in range(8):
            at = starts[string] + step
            byte = np.uint64(blob[at]) if at < starts[string + 1] else np.uint64(0)
            key = (key << np.uint64(8)) | byte
        keys[string] = key
    order = np.arange(count)
    spare = np.empty(count, np.int64)
    width = 1
    while width < count:
        for low in range(0, count, 2 * width):
            middle = min(low + width, count)
            high = min(low + 2 * width, count)
            left, right = low, middle
            for at in range(low, high):
                if left >= middle:
                    take_right = True
                elif right >= high:
                    take_right = False
                else:
                    a, b = order[left], order[right]
                    if keys[a] != keys[b]:
                        take_right = keys[b] < keys[a]
                    else:
                        take_right = _compare(blob, starts[b], starts[b + 1], blob, starts[a], starts[a + 1]) < 0
                if take_right:
                    spare[at] = order[right]
                    right += 1
                else:
                    spare[at] = order[left]
                    left += 1
        order, spare = spare, order
        width *= 2
    return order


@compiled(f"Tuple((uint8[::1], int64[::1]))({_BYTES}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS})")
def front_encode(blob: Any, starts: Any, order: Any, bucket_first: Any) -> Any:
    """Front-codes the strings ``order`` names; each bucket is sorted and begins a new block.

    ``bucket_first`` (int64, buckets + 1) are positions in ``order``. Returns the bytes
    (:mod:`porism.index.front_coding`) and the start of each block (int64, blocks + 1).
    """
    count = len(order)
    blocks = 0
    for bucket in range(len(bucket_first) - 1):
        blocks += (bucket_first[bucket + 1] - bucket_first[bucket] + BLOCK - 1) // BLOCK
    size = 0
    for string in range(count):
        size += starts[order[string] + 1] - starts[order[string]] + 21
    data = np.empty(size, np.uint8)
    block_starts = np.zeros(blocks + 1, np.int64)
    at = 0
    block = 0
    for bucket in range(len(bucket_first) - 1):
        for position in range(bucket_first[bucket], bucket_first[bucket + 1]):
            start, end = starts[order[position]], starts[order[position] + 1]
            shared = 0
            if (position - bucket_first[bucket]) % BLOCK == 0:
                block_starts[block] = at
                block += 1
            else:
                before, before_end = starts[order[position - 1]], starts[order[position - 1] + 1]
                longest = min(end - start, before_end - before)
                while shared < longest and blob[start + shared] == blob[before + shared]:
                    shared += 1
            at = put_string(data, at, blob, start, shared, end - start)
    block_starts[blocks] = at
    return data[:at].copy(), block_starts


@compiled(f"Tuple((uint8[::1], int64[::1]))({_BYTES}, {_NUMBERS}, int64, int64, {_NUMBERS})")
def front_decode(data: Any, block_starts: Any, first_block: Any, last_block: Any, sizes: Any) -> Any:
    """Packed strings of the blocks ``first_block`` to ``last_block`` (exclusive).

    ``sizes`` (int64) are the number of strings, and about that of bytes; ``block_starts`` are bounds of ``data``. Where
    the bytes are not what :func:`front_encode` wrote, the first start is -1 and nothing else counts.
    """
    most = sizes[0]
    starts = np.zeros(most + 1, np.int64)
    blob = np.empty(max(sizes[1], 64), np.uint8)
    count = 0
    length = np.int64(0)
    for block in range(first_block, last_block):
        at, end = block_starts[block], block_starts[block + 1]
        before = length
        while at < end:
            shared, rest, at = get_lengths(data, at, end)
            if at > end or rest > end - at or shared > length - before or count == most:
                starts[0] = -1
                return blob[:0].copy(), starts
            if length + shared + rest > len(blob):
                larger = np.empty(2 * (length + shared + rest), np.uint8)
                for step in range(length):  # a slice would compile Numba's messages about shapes, for seconds
                    larger[step] = blob[step]
                blob = larger
            for step in range(shared):
                blob[length + step] = blob[before + step]
            for step in range(rest):
                blob[length + shared + step] = data[at + step]
            at += rest
            before = length
            length += shared + rest
            count += 1
            starts[count] = length
    if count != most:
        starts[0] = -1
    return blob[:length].copy(), starts


@compiled(f"Tuple((uint8[::1], int64[::1]))({_BYTES}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS})")
def front_select(data: Any, block_starts: Any, bucket_first: Any, bucket_block: Any, numbers: Any) -> Any:
    """Packed strings: those at the positions ``numbers`` among front-coded ones, in that order.

    ``numbers`` are below the number of strings. Where the bytes are not what :func:`front_encode` wrote, the first
    start is -1 and nothing else counts.
    """
    count = len(numbers)
    starts = np.zeros(count + 1, np.int64)
    blob = np.empty(32 * count + 64, np.uint8)
    for wanted in range(count):
        number = numbers[wanted]
        bucket = 0
        while bucket_first[bucket + 1] <= number:
            bucket += 1
        place = number - bucket_first[bucket]
        block = bucket_block[bucket] + place // BLOCK
        at, end = block_starts[block], block_starts[block + 1]
        begin = starts[wanted]
        length = np.int64(0)
        for _ in range(place % BLOCK + 1):
            shared, rest, at = get_lengths(data, at, end)
            if at > end or rest > end - at or shared > length:
                starts[0] = -1
                return blob[:0].copy(), starts
            length = shared + rest
            if begin + length > len(blob):
                larger = np.empty(2 * (begin + length), np.uint8)
                for step in range(begin + shared):
                    larger[step] = blob[step]
                blob = larger
            for step in range(rest):
                blob[begin + shared + step] = data[at + step]
            at += rest
        starts[wanted + 1] = begin + length
    return blob[: starts[count]].copy(), starts


@inlined()
def _compare_head(data: Any, at: Any, stop: Any, blob: Any, start: Any, end: Any) -> Any:
    """Compares the first string of the block from ``at`` to ``stop`` with a packed string; above 0 if it has none."""
    if at >= stop:
        return np.int64(1)
    rest = np.int64(data[at]) & 15
    at += 1
    if rest == 15:
        more, at = get(data, at, stop)
        rest += more
    if at > stop or rest > stop - at:
        return np.int64(1)
    return _compare(data, at, at + rest, blob, start, end)


@inlined()
def _find_in_block(data: Any, at: Any, stop: Any, blob: Any, start: Any, end: Any) -> Any:
    """The position in a block of a string, or -1.

    ``matched`` bytes of the string are known to equal the entry before; an entry that shares more than those with its
    predecessor compares as that one did, so each byte is looked at once.
    """
    matched = 0
    position = 0
    while at < stop:
        shared, rest, at = get_lengths(data, at, stop)
        if at > stop or rest > stop - at:
            return -1  # this is not a block
        if shared < matched:
            return -1  # the entries have passed the string
        if shared == matched:
            step = 0
            while step < rest and start + matched < end and data[at + step] == blob[start + matched]:
                step += 1
                matched += 1
            if start + matched == end:
                return position if step == rest else -1
            if step < rest and data[at + step] > blob[start + matched]:
                return -1
        at += rest
        position += 1
    return -1


@compiled(f"int32[::1]({_BYTES}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_BYTES}, {_NUMBERS}, uint8[::1])")
def front_lookup(
    data: Any, block_starts: Any, bucket_first: Any, bucket_block: Any, blob: Any, starts: Any, probed: Any
) -> Any:
    """The positions (int32) of packed strings among front-coded ones, -1 where absent: a binary search a bucket.

    ``block_starts`` are bounds of ``data``, ``bucket_first`` of the strings and ``bucket_block`` of the blocks; what
    the bytes of ``data`` are does not matter: all positions are of strings. ``probed`` (uint8), unless it is empty, is
    set to 1 for each block that was read.
    """
    count = len(starts) - 1
    positions = np.full(count, -1, np.int32)
    for string in range(count):
        start, end = starts[string], starts[string + 1]
        for bucket in range(len(bucket_first) - 1):
            low, high = bucket_block[bucket], bucket_block[bucket + 1]
            while low < high:
                middle = (low + high) // 2
                if len(probed) > 0:
                    probed[middle] = 1
                if _compare_head(data, block_starts[middle], block_starts[middle + 1], blob, start, end) <= 0:
                    low = middle + 1
                else:
                    high = middle
            block = low - 1
            if block < bucket_block[bucket]:
                continue
            position = _find_in_block(data, block_starts[block], block_starts[block + 1], blob, start, end)
            if position >= 0:
                number = bucket_first[bucket] + (block - bucket_block[bucket]) * BLOCK + position
                if number < bucket_first[bucket + 1]:
                    positions[string] = number
                    break
    return positions
