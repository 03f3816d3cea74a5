"""A collection of any size that behaves like the real one: bootstrapped from the posts of an ARQMath collection.

A document takes its length from a random post and its sentences from all posts; some formulas are exchanged for others.
Occurrences of rare terms become occurrences of terms from a vocabulary that grows with the collection, as it does in
real ones (Heaps' law), so that the number of distinct terms and the length of their lists are those of a large
collection.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEAPS_EXPONENT = 0.53
RARE = 3
"""Terms with at most so many occurrences in the real collection are exchanged for terms of the growing vocabulary."""

EXCHANGED_FORMULAS = 0.3
OWN_PIECES = 0.7
"""How many of a document's pieces come from one post: documents repeat their own words and formulas."""

MAX_LENGTH = 3000

_MATH = re.compile(r'<span class="math-container"[^>]*>(.*?)</span>', re.S)
_TAG = re.compile(r"<[^>]+>")
_TOKEN = re.compile(r"\\[a-zA-Z]+|[a-zA-Z]|\d+|[^\s$]")
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|\n")
_STOP = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "have", "how", "i",
    "if", "in", "is", "it", "me", "my", "not", "of", "on", "or", "so", "such", "that", "the", "then", "there",
    "this", "to", "was", "we", "what", "when", "where", "which", "why", "will", "with", "would", "you"
})

Piece = tuple[str, ...]
"""One formula's tokens, or the words between two formulas."""


@dataclass(frozen=True)
class TermCorpus:
    """Documents as sequences of term numbers: ``tokens`` int32, ``starts`` int64 of length documents + 1."""

    vocabulary: list[str]
    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def texts(self) -> Iterator[str]:
        """Each document as its terms between spaces."""
        words = np.array(self.vocabulary, object)
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield " ".join(words[self.tokens[start:stop]])

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """The documents as a term matrix in compressed rows: indptr, terms, counts."""
        indptr = [np.zeros(1, np.int64)]
        all_terms, all_counts = [], []
        width = len(self.vocabulary)
        for low in range(0, len(self), 20_000):
            high = min(low + 20_000, len(self))
            span = self.starts[low : high + 1]
            rows = np.repeat(np.arange(high - low, dtype=np.int64), np.diff(span))
            cells, counts = np.unique(rows * width + self.tokens[span[0] : span[-1]], return_counts=True)
            rows, terms = np.divmod(cells, width)
            ends = np.cumsum(np.bincount(rows, minlength=high - low))
            indptr.append(ends + indptr[-1][-1])
            all_terms.append(terms.astype(np.int32))
            all_counts.append(np.minimum(counts, 65_535).astype(np.uint16))
        return np.concatenate(indptr), np.concatenate(all_terms), np.concatenate(all_counts)


def pieces(markup: str) -> list[Piece]:
    """Words and formulas of a post in turn; formula tokens begin with ``$``."""
    found: list[Piece] = []
    for number, part in enumerate(_MATH.split(markup)):
        if number % 2:
            formula = html.unescape(part).strip().strip("$")
            found.append(tuple(f"${token}" for token in _TOKEN.findall(formula)))
        else:
            for sentence in _SENTENCE_END.split(html.unescape(_TAG.sub(" ", part))):
                words = tuple(word.lower() for word in _WORD.findall(sentence))
                if words:
                    found.append(words)
    return [piece for piece in found if piece]


def read_posts(folder: Path) -> list[list[Piece]]:
    """The posts of an ARQMath collection, titles included."""
    posts = []
    for _, row in ElementTree.iterparse(folder / "Posts.V1.3.xml"):
        if row.tag == "row":
            posts.append(pieces(row.get("Title", "") + "\n" + row.get("Body", "")))
            row.clear()
    return [post for post in posts if post]


def read_queries(path: Path) -> tuple[list[list[str]], list[list[str]]]:
    """Long queries (title and question) and short ones (keywords and formulas of the title) of ARQMath topics."""
    long, short = [], []
    for topic in ElementTree.parse(path).getroot():
        title, question = topic.findtext("Title") or "", topic.findtext("Question") or ""
        whole = [token for piece in pieces(title + "\n" + question) for token in piece]
        words = [token for piece in pieces(title) for token in piece if token not in _STOP]
        tags = [tag for tag in re.split(r"[,-]", topic.findtext("Tags") or "") if tag]
        long.append(whole)
        short.append((words + tags)[:20])
    return long, short


def bootstrap(posts: list[list[Piece]], documents: int, seed: int = 7) -> TermCorpus:
    """Makes a collection of this many documents; the same arguments give the same collection."""
    random = np.random.default_rng(seed)
    number: dict[str, int] = {}
    flat = [piece for post in posts for piece in post]
    lengths = np.array([len(piece) for piece in flat], np.int64)
    tokens = np.fromiter((number.setdefault(t, len(number)) for piece in flat for t in piece), np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    is_formula = np.array([piece[0][0] == "$" for piece in flat])
    formulas = np.flatnonzero(is_formula)
    first_of_post = np.concatenate([[0], np.cumsum([len(post) for post in posts])])
    occurrences = np.bincount(tokens, minlength=len(number))
    rare = occurrences <= RARE
    common = int((~rare).sum())
    # V(n) = scale · n^β; the factor makes up for terms that are never drawn
    scale = 1.4 * len(number) / len(tokens) ** HEAPS_EXPONENT
    renumber = np.full(len(number), -1, np.int64)
    renumber[~rare] = np.arange(common)

    all_tokens, all_lengths = [], []
    position = 0
    for low in range(0, documents, 10_000):
        size = min(10_000, documents - low)
        post = random.integers(0, len(posts), size)
        target = np.minimum(np.diff(starts[first_of_post])[post], MAX_LENGTH)
        chosen: list[NDArray[np.int64]] = []
        owners: list[NDArray[np.int64]] = []
        missing = np.arange(size)
        have = np.zeros(size, np.int64)
        while len(missing):
            first, last = first_of_post[post[missing]], first_of_post[post[missing] + 1]
            piece = first + (random.random(len(missing)) * (last - first)).astype(np.int64)
            foreign = random.random(len(piece)) >= OWN_PIECES
            piece = np.where(foreign, random.integers(0, len(flat), len(piece)), piece)
            swap = is_formula[piece] & (random.random(len(piece)) < EXCHANGED_FORMULAS)
            piece = np.where(swap, formulas[random.integers(0, len(formulas), len(piece))], piece)
            chosen.append(piece)
            owners.append(missing)
            have[missing] += lengths[piece]
            missing = missing[have[missing] < target[missing] - 8]
        piece_ids, owner = np.concatenate(chosen), np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        piece_ids, owner = piece_ids[order], owner[order]
        size_of = lengths[piece_ids]
        ends = np.cumsum(size_of)
        index = np.arange(ends[-1]) - np.repeat(ends - size_of, size_of) + np.repeat(starts[piece_ids], size_of)
        drawn = renumber[tokens[index]]
        token_rare = np.flatnonzero(drawn < 0)
        grown = np.maximum(scale * (position + token_rare + 1.0) ** HEAPS_EXPONENT - common, 1.0)
        drawn[token_rare] = common + (grown * random.random(len(token_rare)) ** 1.5).astype(np.int64)
        position += len(drawn)
        all_tokens.append(drawn.astype(np.int32))
        all_lengths.append(np.bincount(owner, weights=size_of, minlength=size).astype(np.int64))
    joined = np.concatenate(all_tokens)
    names = [term for term, is_rare in zip(number, rare, strict=True) if not is_rare]
    rare_names = [term for term, is_rare in zip(number, rare, strict=True) if is_rare]
    grown_terms = int(joined.max()) + 1 - common
    names += rare_names[:grown_terms]
    names += [f"{rare_names[i % len(rare_names)]}x{i}" for i in range(len(rare_names), grown_terms)]
    return TermCorpus(names, joined, np.concatenate([[0], np.cumsum(np.concatenate(all_lengths))]).astype(np.int64))
