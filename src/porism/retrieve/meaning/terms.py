"""Which terms carry meaning, and which rows of a table they have.

The terms are those that an index has anyway: stems and names (``words``), signs by one name in all notations
(``symbols``), LaTeX tokens, and canonical subtrees of operator trees. The number of a term's row is its hash. So there
is no vocabulary to keep, and one table of 60,000 rows serves every collection, also for terms that nobody has seen.
Words have the rows of their pieces, too: 3 to 5 characters (Bojanowski et al., *Enriching Word Vectors with Subword
Information*, TACL 2017). So rare words are near to those that are written alike.

What was tried, each trained for 3 epochs on 97,000 pairs. Figures are nDCG@10, alone and then in the sum with the
default at weight 0.3: conjectures, synonyms and related of planetmath, proofwiki, ARQMath 2020 (nDCG').

==================================================  ========================  ========================
terms                                               alone                     in the sum
==================================================  ========================  ========================
none: the default                                   …                         .502 .611 .372 .222 .834
words, symbols                                      .341 .486 .337 .181 .714  .519 .623 .384 .224 .814
… and LaTeX tokens                                  .468 .509 .346 .214 .744  .526 .630 .383 .227 .814
… and subtrees                                      .450 .523 .364 .211 .757  .526 .629 .388 .224 .822
… batches of one origin, scale 10, falling rate     .491 .527 .382 .234 .787  .527 .640 .390 .229 .814
… and pieces of words                               .483 .559 .386 .237 .759  .533 .655 .394 .230 .818
… hashed, without weights by document frequency     .453 .534 .354 .239 .790  .524 .652 .388 .229 .823
word pieces of MiniLM, its vectors to begin with    .517 .543 .325 .219 .725  .536 .645 .389 .229 .808
word pieces of MiniLM, random to begin with         .523 .530 .324 .217 .726  .537 .645 .390 .230 .805
==================================================  ========================  ========================

Each row keeps what the rows above it have; those of word pieces have batches of one origin, too. The first three weigh
terms by the logarithm of their rarity, the next by its root. The hashed table has 128 dimensions, the others 256, and
3,395 more pairs (questions of ``arqmath-mini`` with answers). Weights of terms are learnt, as lengths of their vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.index.strings import Packed, offsets
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.term_kernels import LONGEST_PIECE, MAX_TERM_BYTES, SHORTEST_PIECE, hash_terms
from porism.system.compiled.kernels import address, as_layout

PIECES: Mapping[str, float] = {"words": 0.4, "symbols": 0.0, "tokens": 0.0, "subtrees": 0.0}
"""The channels whose terms carry meaning, and the weight that the pieces of their terms have."""

ROWS = 60_000
"""The rows of a table: of 128 bytes each they fit into 8 MB."""


def number_terms(channel: str, terms: Packed, rows: int = ROWS) -> Bags:
    """The rows of a table that each term of a channel has, with their weights."""
    count, pieces = len(terms), PIECES[channel]
    lengths = np.minimum(np.diff(terms.starts), MAX_TERM_BYTES) + 2
    most = count + (int(lengths.sum()) * (LONGEST_PIECE - SHORTEST_PIECE + 1) if pieces else 0)
    blob, starts = as_layout(terms.blob, np.uint8), as_layout(terms.starts, np.int64)
    marked, bounds = np.empty(MAX_TERM_BYTES + 2, np.uint8), np.empty(count + 1, np.int64)
    numbers, weights = np.empty(most, np.int32), np.empty(most, np.float32)
    total = hash_terms(
        count, address(blob), address(starts), _seed(channel), _seed(f"{channel}:pieces"), rows, pieces,
        address(marked), address(bounds), address(numbers), address(weights),
    )
    return Bags(bounds, numbers[:total], weights[:total])


def damped(counts: NDArray[np.integer]) -> NDArray[np.float32]:
    """The weights of terms that occur so often in a text: the root, so that no term drowns the others."""
    return np.sqrt(counts.astype(np.float32))


def text_bags(texts: Iterable[Mapping[str, Sequence[str]]], rows: int = ROWS) -> Bags:
    """The bags of texts, given as the terms that they have in each channel, with repetition.

    :raises KeyError: a channel is none of :data:`PIECES`.
    """
    bags = [_text_bag(terms, rows) for terms in texts]
    return Bags(
        offsets(np.array([len(terms) for terms, _ in bags], np.int64)),
        np.concatenate([np.zeros(0, np.int32), *(terms for terms, _ in bags)]),
        np.concatenate([np.zeros(0, np.float32), *(weights for _, weights in bags)]),
    )


def _text_bag(terms: Mapping[str, Sequence[str]], rows: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    numbers, weights = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
    for channel, of_channel in terms.items():
        counts = Counter(of_channel)
        bag = number_terms(channel, Packed.of(list(counts)), rows)
        numbers.append(bag.terms)
        weights.append(bag.weights * np.repeat(damped(np.array(list(counts.values()), np.int64)), bag.sizes))
    return np.concatenate(numbers), np.concatenate(weights)


def _seed(name: str) -> int:
    return xxhash.xxh3_64_intdigest(name.encode())
