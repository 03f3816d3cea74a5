"""Re-ranking by the cosine of two vectors: those that an encoder gives the query and the document."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH
from porism.lab.pipeline.rerankers.pointwise import ReadTexts, TextReranker
from porism.lab.pipeline.rerankers.scoring import placed
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.scoring.base import Cost
from porism.vectors.neural.scoring.cache import score_key

_BATCH_SIZE = 256
"""Documents between two visits to the cache: what an interruption loses at most."""

_PROBED = 8
"""So many documents of middle length are encoded first, to estimate how long all take."""


class EncoderReranker(TextReranker):
    """Gives each document the similarity of its vector and the query's, computed now: the index needs no vectors.

    A masked language model is an encoder whose vector is the mean of its last layer: PSU's second stage at ARQMath 2020
    (Rohatgi, Wu and Giles), with 510 tokens and two special ones. Of a document in chunks the best one counts.
    """

    def __init__(self, encoder: Encoder, texts: RerankedTexts, depth: int = DEPTH) -> None:
        """See :class:`~porism.lab.pipeline.rerankers.pointwise.TextReranker`."""
        settings = orjson.dumps(encoder.settings.to_dict(), option=orjson.OPT_SORT_KEYS)
        digest = xxhash.xxh3_128_hexdigest(encoder.files.digest.encode() + settings)
        super().__init__(encoder.files.named, digest, texts, depth)
        self.encoder = encoder

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        read = self.read(wanted)
        by_query = [np.full(len(part.texts), np.nan) for part in read]
        missing: dict[str, list[tuple[int, int]]] = {}  # text of a document: where its scores go
        for number, (part, scores) in enumerate(zip(read, by_query, strict=True)):
            if self.cache is not None:
                scores[:] = self.cache.get([self._key(part.question, text) for text in part.texts])
            for place in np.flatnonzero(np.isnan(scores)).tolist():
                missing.setdefault(part.texts[place], []).append((number, place))
        total = sum(map(len, by_query))
        known = total - sum(map(len, missing.values()))
        if missing:
            self._encode(read, missing, by_query, (total, known))
        else:
            self.on_cost(Cost(known, known, 0, 0.0))
        return [
            placed(doc_ids, part.doc_ids, scores.tolist())
            for (_, doc_ids), part, scores in zip(wanted, read, by_query, strict=True)
        ]

    def _key(self, question: str, text: str) -> bytes:
        return score_key(self.digest, (question, text))

    def _encode(
        self, read: Sequence[ReadTexts], missing: dict[str, list[tuple[int, int]]],
        by_query: Sequence[NDArray[np.float64]], counts: tuple[int, int],
    ) -> None:
        """Scores all documents that have no score yet, and keeps the scores of many at once. A few of middle length
        come first, to estimate how long all take, and then the longest. ``counts`` are all pairs, and those that have a
        score.
        """
        asked = sorted({number for places in missing.values() for number, _ in places})
        row = {number: at for at, number in enumerate(asked)}
        queries = self.encoder.encode_queries([read[number].question for number in asked])[0]
        texts = sorted(missing, key=len, reverse=True)
        middle = max(0, len(texts) // 2 - _PROBED // 2)
        probed = texts[middle : middle + _PROBED]
        rest = [*texts[:middle], *texts[middle + _PROBED :]]
        groups = [probed, *(rest[start : start + _BATCH_SIZE] for start in range(0, len(rest), _BATCH_SIZE))]
        lengths = dict(zip(texts, self.encoder.read_lengths(texts), strict=True))
        done = 0
        for some in groups:
            started = time.perf_counter()
            encoded = self.encoder.encode_documents(some)
            keys: list[bytes] = []
            scores: list[float] = []
            for at, text in enumerate(some):
                vectors = encoded.vectors[encoded.offsets[at] : encoded.offsets[at + 1]]
                for number, place in missing[text]:
                    score = float((vectors @ queries[row[number]]).max()) if len(vectors) else 0.0
                    by_query[number][place] = score
                    keys.append(self._key(read[number].question, text))
                    scores.append(score)
            if self.cache is not None:
                self.cache.put(keys, scores)
            if not done:
                rate = (time.perf_counter() - started) / max(1, sum(lengths[text] for text in some))
                tokens = sum(lengths.values())
                self.on_cost(Cost(*counts, tokens, rate * tokens))
            done += len(some)
            self.on_progress(done, len(texts))

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        similarity = "cosine" if self.encoder.settings.similarity == "cos" else "inner product"
        return Explanation(float(scores[at]), f"{similarity} of the vectors of query and document by {self.named}")
