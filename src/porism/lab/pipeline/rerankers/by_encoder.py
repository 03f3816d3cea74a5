"""Re-ranking by the cosine of two vectors: those that an encoder gives the query and the document."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, check_count
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.scoring.base import Cost
from porism.vectors.neural.scoring.cache import ScoreCache, score_key

_BATCH_SIZE = 256
"""Documents between two visits to the cache: what an interruption loses at most."""

_PROBED = 8
"""So many documents of middle length are encoded first, to estimate how long all take."""


class EncoderReranker(ScoringReranker):
    """Gives each document the similarity of its vector and the query's, computed now: the index needs no vectors.

    A masked language model is an encoder whose vector is the mean of its last layer: PSU's second stage at ARQMath 2020
    (Rohatgi, Wu and Giles), with 510 tokens and two special ones. Of a document in chunks the best one counts.
    """

    batch = True

    def __init__(
        self, encoder: Encoder, texts: RerankedTexts, depth: int = DEPTH, *, cache: ScoreCache | None = None,
        on_cost: Callable[[Cost], None] = lambda cost: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """See :class:`~porism.lab.pipeline.rerankers.pointwise.PointwiseReranker`."""
        self.encoder = encoder
        self.texts = texts
        self.depth = check_count(depth, "the depth")
        self.cache = cache
        self.on_cost, self.on_progress = on_cost, on_progress
        settings = orjson.dumps(encoder.settings.to_dict(), option=orjson.OPT_SORT_KEYS)
        self.digest = xxhash.xxh3_128_hexdigest(encoder.files.digest.encode() + settings)

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return self.all_scores([(query, doc_ids)])[0]

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        documents = self.texts.documents(doc_id for _, doc_ids in wanted for doc_id in doc_ids)
        questions = [self.texts.query(query) for query, _ in wanted]
        found = [np.full(len(doc_ids), np.nan) for _, doc_ids in wanted]
        missing: dict[str, list[tuple[int, int]]] = {}  # text of a document: where its scores go
        for number, (_, doc_ids) in enumerate(wanted):
            at = [place for place, doc_id in enumerate(doc_ids) if doc_id in documents and questions[number].strip()]
            texts = [documents[doc_ids[place]] for place in at]
            if self.cache is not None:
                found[number][at] = self.cache.get([self._key(questions[number], text) for text in texts])
            for place, text in zip(at, texts, strict=True):
                if np.isnan(found[number][place]):
                    missing.setdefault(text, []).append((number, place))
        asked = sum(map(len, missing.values()))
        known = sum(int(np.count_nonzero(~np.isnan(scores))) for scores in found)
        if missing:
            self._encode(questions, missing, found, (asked + known, known))
        else:
            self.on_cost(Cost(known, known, 0, 0.0))
        return found

    def _key(self, question: str, text: str) -> bytes:
        return score_key(self.digest, (question, text))

    def _encode(
        self, questions: Sequence[str], missing: dict[str, list[tuple[int, int]]],
        found: Sequence[NDArray[np.float64]], counts: tuple[int, int],
    ) -> None:
        """Scores all documents that have no score yet, and keeps the scores of many at once. A few of middle length,
        come first, to estimate how long all take, and then the longest. ``counts`` are all pairs, and those that have a
        score.
        """
        asked = sorted({number for places in missing.values() for number, _ in places})
        row = {number: at for at, number in enumerate(asked)}
        queries = self.encoder.encode_queries([questions[number] for number in asked])[0]
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
                    found[number][place] = score
                    keys.append(self._key(questions[number], text))
                    scores.append(score)
            if self.cache is not None:
                self.cache.put(keys, scores)
            if not done:
                rate = (time.perf_counter() - started) / max(1, sum(lengths[text] for text in some))
                tokens = sum(lengths.values())
                self.on_cost(Cost(*counts, tokens, rate * tokens))
            done += len(some)
            self.on_progress(done, len(texts))

    def explain(self, query: Query, doc_id: str) -> Explanation:
        """The score of a document.

        :raises QueryError: the index does not have the document, or it has no text.
        """
        (score,) = self.scores(query, [doc_id]).tolist()
        if score != score:
            raise QueryError(f"the document {doc_id!r} is not in the index or has no text")
        return self._compared(score)

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        return self._compared(float(scores[at]))

    def _compared(self, score: float) -> Explanation:
        what = "cosine" if self.encoder.settings.similarity == "cos" else "inner product"
        return Explanation(score, f"{what} of the vectors of query and document by {self.encoder.files.named}")

    def describe(self) -> dict[str, Any]:
        return {
            "kind": type(self).__name__, "model": self.encoder.files.named, "digest": self.digest,
            "query_fields": list(self.texts.query_text.fields), "fields": list(self.texts.text.fields),
            "formulas": self.texts.text.formulas,
        }
