"""Hard negatives: texts that look like answers to an anchor and are none, with likely answers filtered out.

Candidates come from a search (BM25, or any retriever), from the documents of the same tags (Zhong et al. 2022), or from
an encoder. Left out are known positives, and what nearly repeats an anchor or one of its positives. Where something
scores texts, candidates that score nearly as high as the positive are left out too (Moreira et al., *NV-Retriever*,
2024: at most a share of the score of the positive).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, get_args

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.analysis.model_text import ModelText
from porism.corpus.mathtext import split_math
from porism.errors import ConfigError
from porism.lab.train.near import shingles
from porism.lab.train.pairs.base import Pair, values
from porism.lab.train.pairs.exclusion import Exclusion
from porism.lab.train.pairs.registry import MINERS
from porism.retrieve.base import Searcher
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher
from porism.settings import Settings
from porism.types import Documents, Query

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""From texts to vectors of length 1 (float32, texts × dimensions)."""

Score = Callable[[Sequence[tuple[str, str]]], NDArray[np.float64]]
"""From pairs of an anchor and a text to scores (float64), such as those of a cross-encoder; higher is better."""

Source = Literal["search", "tags", "model"]

_BATCH_SIZE = 1_024


@dataclass(frozen=True, slots=True)
class Negatives(Settings):
    """How negatives are mined.

    ``source`` says where candidates come from: the results of a search, documents with the same values of the metadata
    ``key``, or the nearest texts of an encoder. Of each pair's first ``depth`` candidates the first ``skip`` are left
    out, and ``count`` of the others are taken: the best ones, or at random with ``draw``. A candidate must not score
    more than ``1 - margin`` times what the positive scores, where a scorer is given. Nor may it overlap with an anchor
    or a positive of it by ``overlap`` or more.

    :raises ConfigError: a number is out of its range.
    """

    source: Source = "search"
    count: int = 1
    depth: int = 50
    skip: int = 0
    draw: bool = False
    margin: float = 0.05
    overlap: float = 0.6
    key: str = "tags"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.source not in get_args(Source):
            raise ConfigError(
                f"there are no negatives from {self.source!r}", hint=f"Choose from {', '.join(get_args(Source))}."
            )
        if not 0 <= self.skip < self.depth or self.count < 1:
            raise ConfigError("negatives need a count from 1 and a depth above skip", hint="Try 1, 50 and 0.")
        if not 0 <= self.margin < 1 or not 0 < self.overlap <= 1:
            raise ConfigError("margin and overlap are shares", hint="Try 0.05 and 0.6.")


@dataclass(slots=True)
class NegativeCounts:
    """What became of candidates: how many pairs got negatives and how many none. How many candidates were left out
    since they are known positives, nearly repeat one, score too high, or are excluded."""

    with_negatives: int = 0
    without: int = 0
    known: int = 0
    repeats: int = 0
    too_good: int = 0
    excluded: int = 0


class IndexSearch:
    """An index, which searches by its model, as what searches for negatives."""

    def __init__(self, index: IndexSearcher) -> None:
        self._index = index

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        return self._index.run(list(queries), k)


def add_negatives(
    pairs: Sequence[Pair],
    documents: Documents,
    settings: Negatives | None = None,
    text: ModelText | None = None,
    *,
    searcher: Searcher | None = None,
    encode: Encode | None = None,
    score: Score | None = None,
    exclude: Exclusion | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Pair], NegativeCounts]:
    """The pairs with negatives, in their order; those for which none is left stay as they are.

    :param searcher: what finds candidates of the source ``search``.
    :param encode: the encoder that finds those of the source ``model``; it also scores texts, unless ``score`` does.
    :param score: what scores texts; without any scorer no candidate scores too high.
    :param exclude: documents that are not negatives either, nor texts that nearly repeat them, such as topics.
    :raises ConfigError: what the source needs is not given.
    """
    settings, text = settings or Negatives(), text or ModelText()
    if score is None and encode is not None:
        score = cosines(encode)
    positives: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        positives[pair.anchor].update((pair.anchor_id, pair.positive_id))
    counts = NegativeCounts()
    completed: list[Pair] = []
    candidates = _candidates(pairs, documents, settings, text, searcher, encode)
    for start in range(0, len(pairs), _BATCH_SIZE):
        some = pairs[start : start + _BATCH_SIZE]
        own = list(islice(candidates, len(some)))
        completed += _chosen(some, own, documents, settings, text, positives, score, exclude or Exclusion(), counts)
        on_progress(len(completed), len(pairs))
    counts.with_negatives = sum(bool(pair.negatives) for pair in completed)
    counts.without = len(completed) - counts.with_negatives
    return completed, counts


def add_scores(pairs: Sequence[Pair], score: Score) -> list[Pair]:
    """The pairs with the scores of a teacher for their positive and negatives, for distillation."""
    asked = [(pair.anchor, other) for pair in pairs for other in (pair.positive, *pair.negatives)]
    scores = iter(np.asarray(score(asked), np.float64).tolist())
    return [replace(pair, scores=tuple(next(scores) for _ in range(1 + len(pair.negatives)))) for pair in pairs]


def _candidates(
    pairs: Sequence[Pair], documents: Documents, settings: Negatives, text: ModelText, searcher: Searcher | None,
    encode: Encode | None,
) -> Iterator[list[str]]:
    """The ids of the candidates of each pair, the best first."""
    if settings.source == "search":
        if searcher is None:
            raise ConfigError("negatives from a search need something that searches", hint="Name an index.")
        for start in range(0, len(pairs), _BATCH_SIZE):
            some = pairs[start : start + _BATCH_SIZE]
            queries = [Query(str(number), {"query": split_math(pair.anchor)}) for number, pair in enumerate(some)]
            run = searcher.search(queries, settings.depth)
            yield from ([doc_id for doc_id, _ in run[query.id]] if query.id in run else [] for query in queries)
    elif settings.source == "tags":
        yield from _same_tags(pairs, documents, settings)
    else:
        if encode is None:
            raise ConfigError("negatives from a model need an encoder", hint="Name one.")
        ids = [document.id for document in documents]
        statement = MINERS["citations"].document_text  # all but what is not part of its statement
        vectors = encode([statement(document, text) for document in documents.get(ids)])
        depth = min(settings.depth, len(ids))
        for start in range(0, len(pairs), _BATCH_SIZE):
            near = encode([pair.anchor for pair in pairs[start : start + _BATCH_SIZE]]) @ vectors.T
            best = np.argpartition(-near, depth - 1, axis=1)[:, :depth]
            order = np.take_along_axis(best, np.argsort(-np.take_along_axis(near, best, 1), axis=1, kind="stable"), 1)
            yield from ([ids[at] for at in row] for row in order.tolist())


def _same_tags(pairs: Sequence[Pair], documents: Documents, settings: Negatives) -> Iterator[list[str]]:
    of_tag: dict[str, list[str]] = defaultdict(list)
    tags: dict[str, tuple[str, ...]] = {}
    for document in documents:
        tags[document.id] = values(document, settings.key)
        for tag in tags[document.id]:
            of_tag[tag].append(document.id)
    if not of_tag:
        raise ConfigError(f"no document has the metadata {settings.key!r}", hint="Take the source search.")
    for pair in pairs:
        draw = random.Random(xxhash.xxh3_64_intdigest(f"{pair.anchor}\0{pair.positive_id}".encode(), settings.seed))
        own = tags.get(pair.positive_id, ())
        # Rarer tags say more about a text, so each tag of the positive gives as many candidates as the others.
        drawn = [draw.choice(of_tag[draw.choice(own)]) for _ in range(settings.depth)] if own else []
        yield list(dict.fromkeys(drawn))


def _chosen(
    pairs: Sequence[Pair], candidates: Sequence[Sequence[str]], documents: Documents, settings: Negatives,
    text: ModelText, positives: dict[str, set[str]], score: Score | None, exclude: Exclusion, counts: NegativeCounts,
) -> list[Pair]:
    wanted = list(dict.fromkeys(doc_id for some in candidates for doc_id in some[settings.skip :]))
    known = {document.id: document for document in documents.get(wanted)}
    offered: list[list[str]] = []
    for pair, some in zip(pairs, candidates, strict=True):
        write = MINERS[pair.miner].document_text if pair.miner in MINERS else MINERS["titles"].document_text
        texts: dict[str, None] = {}
        for doc_id in some[settings.skip :]:
            if doc_id in positives[pair.anchor]:
                counts.known += 1
            elif doc_id in exclude.ids:
                counts.excluded += 1
            elif (written := write(known[doc_id], text)) and written not in (pair.anchor, pair.positive):
                texts[written] = None
        offered.append(list(texts))
    kept = _without_excluded(_without_repeats(pairs, offered, settings, counts), exclude, counts)
    if score is not None:
        kept = _without_likely_answers(pairs, kept, settings, score, counts)
    completed = []
    for pair, texts_left in zip(pairs, kept, strict=True):
        chosen = texts_left[: settings.count]
        if settings.draw and len(texts_left) > settings.count:
            draw = random.Random(xxhash.xxh3_64_intdigest(pair.anchor.encode("utf-8", "replace"), settings.seed))
            chosen = draw.sample(texts_left, settings.count)
        completed.append(replace(pair, negatives=tuple(chosen), scores=()) if chosen else pair)
    return completed


def _without_excluded(offered: Sequence[Sequence[str]], exclude: Exclusion, counts: NegativeCounts) -> list[list[str]]:
    """The candidates that do not nearly repeat what is excluded."""
    distinct = list(dict.fromkeys(text for some in offered for text in some))
    repeated = {text for text, repeats in zip(distinct, exclude.repeats(distinct).tolist(), strict=True) if repeats}
    kept = [[text for text in some if text not in repeated] for some in offered]
    counts.excluded += sum(map(len, offered)) - sum(map(len, kept))
    return kept


def _without_repeats(
    pairs: Sequence[Pair], offered: Sequence[Sequence[str]], settings: Negatives, counts: NegativeCounts
) -> list[list[str]]:
    """The candidates that do not nearly repeat the anchor or the positive."""
    texts = (text for pair, some in zip(pairs, offered, strict=True) for text in (pair.anchor, pair.positive, *some))
    distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    sets = shingles(list(distinct))

    def overlap(text: str, other: str) -> float:
        first, second = sets.of(distinct[text]), sets.of(distinct[other])
        common = len(np.intersect1d(first, second, assume_unique=True))
        return common / max(1, len(first) + len(second) - common)

    kept = []
    for pair, some in zip(pairs, offered, strict=True):
        left = [
            text for text in some if max(overlap(text, pair.anchor), overlap(text, pair.positive)) < settings.overlap
        ]
        counts.repeats += len(some) - len(left)
        kept.append(left)
    return kept


def _without_likely_answers(
    pairs: Sequence[Pair], offered: Sequence[Sequence[str]], settings: Negatives, score: Score, counts: NegativeCounts
) -> list[list[str]]:
    """The candidates that score clearly less than the positive."""
    asked = [(pair.anchor, text) for pair, some in zip(pairs, offered, strict=True) for text in (pair.positive, *some)]
    scores = np.asarray(score(asked), np.float64)
    kept, at = [], 0
    for some in offered:
        best, others = scores[at], scores[at + 1 : at + 1 + len(some)]
        limit = best - settings.margin * abs(best)
        left = [text for text, value in zip(some, others.tolist(), strict=True) if value <= limit]
        counts.too_good += len(some) - len(left)
        kept.append(left)
        at += 1 + len(some)
    return kept


def cosines(encode: Encode) -> Score:
    """Scores by an encoder: each text is encoded once."""

    def score(asked: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        distinct = {text: number for number, text in enumerate(dict.fromkeys(text for pair in asked for text in pair))}
        vectors = encode(list(distinct))
        first, second = (np.array([distinct[pair[side]] for pair in asked], np.int64) for side in (0, 1))
        scores: NDArray[np.float64] = np.einsum("ij,ij->i", vectors[first], vectors[second]).astype(np.float64)
        return scores

    return score
