"""Pairs of texts that belong together, from the documents of an index: each field with the rest of its document.

A title and its text, a question and its answer, a docstring and its signature: whoever wrote the one meant the other.
No query and no judgment is read. The terms are those that the index has, so nothing is analysed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.segment import Segment
from porism.index.strings import offsets, ranges
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.documents import LEFT_OUT, SegmentTerms

MAX_PAIRS = 100_000
MIN_PAIRS = 100
"""Of fewer pairs of a kind nothing can be learnt but they themselves."""

MAX_TERMS = 64
"""Terms of a text: more cost time, and are chosen at random."""


_NOTHING = Bags(np.zeros(1), np.zeros(0), np.zeros(0))


class FieldPairs(NamedTuple):
    """Pairs of texts as bags of terms; the ``origins`` (int64) of pairs, which are numbers of fields; and the ``rows``
    of a table that each term has."""

    left: Bags
    right: Bags
    origins: NDArray[np.int64]
    rows: Bags


def field_pairs(segments: Sequence[Segment], *, seed: int = 1, most: int = MAX_PAIRS) -> FieldPairs:
    """The pairs of the live documents; about ``most``, chosen at random, where there are more."""
    random = np.random.default_rng(seed)
    fields = list(dict.fromkeys(name for segment in segments for name in segment.fields if name not in LEFT_OUT))
    possible = sum(segment.live_count for segment in segments) * len(fields)
    left, right, rows, origins = _NOTHING, _NOTHING, _NOTHING, [np.zeros(0, np.int64)]
    for segment in segments if len(fields) > 1 else ():
        terms = SegmentTerms(segment)
        ones, others = _NOTHING, _NOTHING
        for number, field in enumerate(fields):
            documents = np.flatnonzero(segment.live)
            documents = documents[random.random(len(documents)) * possible < most]
            one, rest = terms.bags(documents, {field}), terms.bags(documents, set(fields) - {field})
            both = np.flatnonzero((one.sizes > 0) & (rest.sizes > 0))
            ones = ones.followed_by(sample_terms(one.take(both), random))
            others = others.followed_by(sample_terms(rest.take(both), random))
            origins.append(np.full(len(both), number, np.int64))
        used = np.unique(np.concatenate([ones.terms, others.terms]))
        left, right = (
            known.followed_by(replace(bags, terms=np.searchsorted(used, bags.terms) + len(rows)))
            for known, bags in ((left, ones), (right, others))
        )
        rows = rows.followed_by(terms.rows(used))
    kinds = np.concatenate(origins)
    kept = np.flatnonzero(np.bincount(kinds, minlength=len(fields))[kinds] >= MIN_PAIRS)
    return FieldPairs(left.take(kept), right.take(kept), kinds[kept], rows)


def sample_terms(bags: Bags, random: np.random.Generator, most: int = MAX_TERMS) -> Bags:
    """The bags with at most so many terms each, chosen at random."""
    if int(bags.sizes.max(initial=0)) <= most:
        return bags
    owners = np.repeat(np.arange(len(bags)), bags.sizes)
    order = np.lexsort((random.random(len(owners)), owners))
    kept = order[ranges(np.zeros(len(bags), np.int64), bags.sizes) < most]
    return Bags(offsets(np.minimum(bags.sizes, most)), bags.terms[kept], bags.weights[kept])
