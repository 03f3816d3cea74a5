"""Pairs of texts that belong together, from the documents of an index: each field with the rest of its document.

A title and its text, a question and its answer, a docstring and its signature: whoever wrote the one meant the other.
No query and no judgment is read. The terms are those that the index has, so nothing is analysed again.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.segment import Segment
from porism.index.strings import offsets, ranges
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.documents import LEFT_OUT, SegmentTerms

PAIRED = frozenset({"title", "question", "body"})
"""Fields that are paired with the rest of their document; others are the same in many documents."""

MAX_PAIRS = 60_000
MIN_OF_A_KIND = 100
"""Of fewer pairs of a kind nothing can be learnt but they themselves."""

MAX_TERMS = 64
"""Terms of a text: more cost time, and are chosen at random."""


_CHUNK = 8_192
"""Documents whose terms are read at a time."""


class FieldPairs(NamedTuple):
    """Pairs of texts as bags of terms; the ``origins`` (int64) of pairs, which are numbers of fields; the ``groups``
    (uint64) of pairs that nearly repeat each other, such as the answers to one question; and the ``rows`` of a table
    that each term has."""

    left: Bags
    right: Bags
    origins: NDArray[np.int64]
    groups: NDArray[np.uint64]
    rows: Bags

    def __len__(self) -> int:
        return len(self.left)

    def take(self, pairs: NDArray[np.integer]) -> FieldPairs:
        """The pairs at these positions."""
        return FieldPairs(
            self.left.take(pairs), self.right.take(pairs), self.origins[pairs], self.groups[pairs], self.rows
        )


def field_pairs(segments: Sequence[Segment], *, seed: int = 1, most: int = MAX_PAIRS) -> FieldPairs:
    """Pairs of live documents, at most ``most``, of all fields about as many where they have so many.

    Where there are more, documents are chosen at random.
    """
    random = np.random.default_rng(seed)
    fields = list(dict.fromkeys(name for segment in segments for name in segment.fields if name not in LEFT_OUT))
    halves = [name for name in fields if name in PAIRED]
    halves = halves[:-1] if len(halves) == len(fields) == 2 else halves  # the rest of the one is the other
    live = sum(segment.live_count for segment in segments)
    left, right, rows = Bags.none(), Bags.none(), Bags.none()
    origins, groups = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for segment in segments if len(fields) > 1 and halves else ():
        terms = SegmentTerms(segment)
        quota = max(1, most * segment.live_count // (live * len(halves)))
        ones, others = Bags.none(), Bags.none()
        for number, field in enumerate(halves):
            one, rest, documents = _pairs_of(terms, field, set(fields) - {field}, quota, random)
            groups.append(_text_keys(terms, documents, halves[0]))
            ones, others = ones.followed_by(one), others.followed_by(rest)
            origins.append(np.full(len(one), number, np.int64))
        used = np.unique(np.concatenate([ones.terms, others.terms]))
        left, right = (
            known.followed_by(bags.renumbered(used, len(rows)))
            for known, bags in ((left, ones), (right, others))
        )
        rows = rows.followed_by(terms.rows(used))
    kinds = np.concatenate(origins)
    kept = np.flatnonzero(np.bincount(kinds, minlength=len(fields))[kinds] >= MIN_OF_A_KIND)
    return FieldPairs(left, right, kinds, np.concatenate(groups), rows).take(kept)


def _pairs_of(
    terms: SegmentTerms, field: str, rest: Container[str], quota: int, random: np.random.Generator
) -> tuple[Bags, Bags, NDArray[np.int64]]:
    """A field and the rest of documents that have both, at most ``quota`` of them; and the documents."""
    ones, others, taken = Bags.none(), Bags.none(), [np.zeros(0, np.int64)]
    order = random.permutation(np.flatnonzero(terms.segment.live))
    for start in range(0, len(order), _CHUNK):
        documents = order[start : start + _CHUNK]
        one, other = terms.bags(documents, {field}), terms.bags(documents, rest)
        both = np.flatnonzero((one.sizes > 0) & (other.sizes > 0))[: quota - len(ones)]
        ones = ones.followed_by(sample_terms(one.take(both), random))
        others = others.followed_by(sample_terms(other.take(both), random))
        taken.append(documents[both])
        if len(ones) >= quota:
            break
    return ones, others, np.concatenate(taken)


def _text_keys(terms: SegmentTerms, documents: NDArray[np.int64], field: str) -> NDArray[np.uint64]:
    """A number (uint64) for the text that each document has in a field; equal texts have equal ones, and documents
    without a text have their own."""
    bags = terms.bags(documents, {field})
    distinct = np.unique(bags.terms)
    rows = terms.rows(distinct)
    mixed = (rows.terms[rows.starts[:-1]].astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(31)
    of_terms = mixed[np.searchsorted(distinct, bags.terms)]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(of_terms, dtype=np.uint64)])
    keys = sums[bags.starts[1:]] - sums[bags.starts[:-1]]
    return np.where(bags.sizes > 0, keys, documents.astype(np.uint64))


def sample_terms(bags: Bags, random: np.random.Generator, most: int = MAX_TERMS) -> Bags:
    """The bags with at most so many terms each, chosen at random."""
    if int(bags.sizes.max(initial=0)) <= most:
        return bags
    owners = np.repeat(np.arange(len(bags)), bags.sizes)
    order = np.lexsort((random.random(len(owners)), owners))
    kept = order[ranges(np.zeros(len(bags), np.int64), bags.sizes) < most]
    return Bags(offsets(np.minimum(bags.sizes, most)), bags.terms[kept], bags.weights[kept])
