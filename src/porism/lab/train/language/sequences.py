"""Sequences of tokens that a language model is trained on: packed text, and packed pairs of sentences."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

Sentences = Sequence[Sequence[int]]
"""The sentences of a document, each as numbers of tokens without special ones."""

Tokens = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One sequence in two parts, without special tokens; the second is empty in packed text. ``follows`` says whether
    the second part follows the first in its document."""

    first: Sequence[int]
    second: Sequence[int] = ()
    follows: bool = True


def is_held_out(doc_id: str, share: float, seed: int) -> bool:
    """Whether a document is kept for measuring: by its id and the seed alone, so that new documents change nothing."""
    return xxhash.xxh3_64_intdigest(doc_id.encode("utf-8", "replace"), seed) < share * 2**64


def packed_text(documents: Iterable[Sentences], room: int, separator: Sequence[int]) -> Iterator[TokenSequence]:
    """Sequences of ``room`` tokens of one document after another, a separator between two (RoBERTa's FULL-SENTENCES);
    the last one is shorter."""
    waiting: list[int] = []
    for sentences in documents:
        if waiting and len(waiting) < room:
            waiting.extend(separator)
        for sentence in sentences:
            waiting.extend(sentence)
            while len(waiting) >= room:
                yield TokenSequence(waiting[:room])
                waiting = waiting[room:]
    if waiting:
        yield TokenSequence(waiting)


def packed_pairs(documents: Sequence[Sentences], room: int, short: float, seed: int) -> Iterator[TokenSequence]:
    """Pairs of parts that fill ``room`` tokens, as BERT is pretrained. Consecutive sentences are gathered until they
    fill a sequence, then cut at a sentence. What follows is either the rest or, in half of the cases, sentences of
    another document, and the rest comes again in the next pair. A share ``short`` has a smaller room.
    """
    draw = random.Random(seed)
    for own, sentences in enumerate(documents):
        target = _target(draw, room, short)
        gathered: list[Sequence[int]] = []
        at = 0
        while at < len(sentences):
            gathered.append(sentences[at])
            at += 1
            if at < len(sentences) and sum(map(len, gathered)) < target:
                continue
            cut = draw.randint(1, len(gathered) - 1) if len(gathered) > 1 else 1
            first = _joined(gathered[:cut])
            other = _another(draw, len(documents), own) if len(gathered) == 1 or draw.random() < 0.5 else None
            if other is not None:
                second = _from(draw, documents[other], target - len(first))
                at -= len(gathered) - cut
            else:
                second = _joined(gathered[cut:])
            if first and second:
                yield _truncated(draw, first, second, room, follows=other is None)
            gathered = []
            target = _target(draw, room, short)


def _target(draw: random.Random, room: int, short: float) -> int:
    return draw.randint(2, room) if draw.random() < short else room


def _another(draw: random.Random, count: int, own: int) -> int | None:
    """Another document; None where there is only one."""
    if count < 2:
        return None
    other = draw.randrange(count - 1)
    return other if other < own else other + 1


def _from(draw: random.Random, sentences: Sentences, wanted: int) -> list[int]:
    """Consecutive sentences from a random one on, until there are enough tokens."""
    tokens: list[int] = []
    if sentences:
        for sentence in sentences[draw.randrange(len(sentences)) :]:
            tokens.extend(sentence)
            if len(tokens) >= wanted:
                break
    return tokens


def _joined(sentences: Iterable[Sequence[int]]) -> list[int]:
    return [token for sentence in sentences for token in sentence]


def _truncated(draw: random.Random, first: list[int], second: list[int], room: int, *, follows: bool) -> TokenSequence:
    """Takes tokens from the longer part, at its beginning or end, until both fit."""
    over = len(first) + len(second) - room
    if over > 0:
        keep_second = max(room // 2, room - len(first)) if len(second) >= room // 2 else len(second)
        keep_first = room - keep_second
        parts = []
        for part, keep in ((first, keep_first), (second, keep_second)):
            start = draw.randint(0, len(part) - keep) if len(part) > keep else 0
            parts.append(part[start : start + keep])
        first, second = parts
    return TokenSequence(first, second, follows)
