"""Search for the documents whose tokens are nearest to those of the query.

Each token of the query has a largest cosine with a token of the document. The score of the document is their sum
(Khattab and Zaharia, *ColBERT*, SIGIR 2020, equation 3). Its tokens are compressed, and so which documents are compared
can be found by centroids alone (Santhanam et al., *PLAID*, CIKM 2022); the scores of those compared are the same
whichever others there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.analysis.model_text import ModelText, document_formulas, document_text, written_formula
from porism.errors import pluralise
from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.index.documents import stored_document
from porism.index.engine.topk import best
from porism.index.strings import ranges
from porism.index.token_rows import TokenRows, open_tokens
from porism.retrieve.kinds import DocumentKind, RequiredArtifact
from porism.retrieve.ranking import SegmentHits, UnitResults, merge, search_each
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.concurrency.locks import Lock
from porism.system.files.artifacts import TOKENS
from porism.types import Document, Query
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TOKEN_RECORDS, TokenRecord
from porism.vectors.colbert.scoring import TokenQuery
from porism.vectors.neural.token_encoder import NOWHERE, QueryTokens, TokenEncoder
from porism.vectors.retriever import DocumentScores, EncodedRetriever, shortened

KIND = "colbert"
_AROUND = 24
_SHOWN = 60


class ColbertRetriever(EncodedRetriever[ColbertModel, TokenRecord, TokenEncoder]):
    """Searches the documents of a snapshot by their tokens."""

    kind = KIND

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer | None = None, model: ColbertModel | None = None) -> None:
        """:raises ConfigError: the index has no such token store, or its encoder is not there."""
        model = model or ColbertModel()
        super().__init__(snapshot, model, TOKEN_RECORDS.find(snapshot.path, model.store), TokenEncoder)
        self._lock = Lock()
        self._opened: dict[int, TokenRows] = {}

    def describe(self) -> dict[str, Any]:
        described = super().describe()
        described["model"]["codec"] = f"{self.record.codec_digest:016x}"
        return described

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id; none of a query without text.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        :raises ConfigError: tokens are missing, or the encoder cannot be loaded.
        """
        searched = search_each(queries, k, self._ids, lambda query: self._search(query, k, allowed))
        provenance = Provenance(self.describe(), self.model.tuned_on, seconds=searched.seconds)
        return Run(searched.results, name, provenance=provenance)

    def candidates(
        self, query: Query, *, allowed: Masks | None = None
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The documents whose tokens are compared, in any order: their ids, what their centroids score, by which they
        were chosen, and their scores."""
        tokens = self._tokens(query)
        ids: list[str] = []
        near, scores = [np.zeros(0)], [np.zeros(0)]
        if len(tokens.vectors):
            asked = TokenQuery(self.record.codec, tokens.vectors)
            for number, documents in self._candidates(asked, self._able(allowed)):
                rows = self._rows(number)
                ids += self.snapshot.segments[number].doc_ids(documents)
                near.append(asked.centroid_scores(rows, documents, self.model.threshold))
                scores.append(asked.scores(rows, documents))
        return ids, np.concatenate(near), np.concatenate(scores)

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: which token of it is nearest to each token of the query, and where both are;
        ``k`` and ``allowed`` change nothing.

        :raises QueryError: the index has no such document.
        """
        return self._explain(query, *self._find(doc_id))

    def notes(self, query: Query) -> list[str]:
        """What whoever asked should know: how much of the query the model does not read."""
        beyond = self._tokens(query).beyond
        if not beyond:
            return []
        with self._queries.opened() as encoder:
            length = encoder.query_length
        return [f"the encoder reads {length} tokens of a question; the last {pluralise(beyond, 'token')} were not read"]

    def _scores_of(self, query: Query) -> DocumentScores | None:
        tokens = self._tokens(query)
        if not len(tokens.vectors):
            return None
        asked = TokenQuery(self.record.codec, tokens.vectors)
        return lambda number, documents: asked.scores(self._rows(number), documents)

    def _tokens(self, query: Query) -> QueryTokens:
        tokens: QueryTokens = self._queries.encode([self.query_text(query)])[0]
        return tokens

    def _rows(self, number: int) -> TokenRows:
        """The tokens of a segment."""
        with self._lock:
            if number not in self._opened:
                segment = self.snapshot.segments[number]
                again = self.record.again(self.snapshot.path)
                self._opened[number] = open_tokens(segment, self.record.spec, again)
            return self._opened[number]

    def _search(self, query: Query, k: int, allowed: Masks | None) -> UnitResults:
        tokens = self._tokens(query)
        if not len(tokens.vectors):
            return merge([], k, self._ids)
        asked = TokenQuery(self.record.codec, tokens.vectors)
        hits: list[SegmentHits] = []
        for number, documents in self._candidates(asked, self._able(allowed)):
            scores = asked.scores(self._rows(number), documents)
            order = self.snapshot.segments[number].id_order
            hits.append(SegmentHits(number, *best(documents, scores, order, min(k, self._most))))
        return merge(hits, min(k, self._most), self._ids)

    @property
    def _most(self) -> int:
        """How many results a query can have."""
        return self.snapshot.doc_count if self.model.exhaustive else self.model.candidates

    def _candidates(self, query: TokenQuery, able: Sequence[NDArray[np.bool_]]) -> list[tuple[int, NDArray[np.int32]]]:
        """For each segment the documents (int32) whose tokens are compared. They do not depend on the segments: of
        documents level with the last one chosen all are."""
        chosen: list[tuple[int, NDArray[np.int32]]] = []
        probed = None if self.model.exhaustive else query.probed(self.model.probes)
        for number, mask in enumerate(able):
            if not mask.any():
                continue
            rows = self._rows(number)
            there = mask & (rows.offsets[1:] > rows.offsets[:-1])
            if probed is not None:
                near = np.zeros(len(mask), np.bool_)
                starts = rows.list_starts[probed]
                near[rows.list_docs[ranges(starts, rows.list_starts[probed + 1] - starts)]] = True
                there &= near
            chosen.append((number, np.flatnonzero(there).astype(np.int32)))
        if self.model.exhaustive or sum(len(documents) for _, documents in chosen) <= self.model.candidates:
            return chosen
        scores = [
            query.centroid_scores(self._rows(number), documents, self.model.threshold) for number, documents in chosen
        ]
        joined = np.concatenate(scores)
        last = len(joined) - self.model.candidates
        least = np.partition(joined, last)[last]
        return [
            (number, documents[of_segment >= least])
            for (number, documents), of_segment in zip(chosen, scores, strict=True)
        ]

    def _explain(self, query: Query, number: int, document: int) -> Explanation:
        tokens = self._tokens(query)
        stored = stored_document(self.snapshot.segments[number], document)
        label = f"document {stored.id}"
        if not len(tokens.vectors):
            return Explanation(0.0, f"{label}: the question has no text to compare")
        cosines = TokenQuery(self.record.codec, tokens.vectors).cosines(self._rows(number), document)
        if not len(cosines):
            return Explanation(0.0, f"{label}: no text to compare")
        matches = [
            TokenMatch(token, int(nearest), float(cosines[nearest, token]))
            for token, nearest in enumerate(cosines.argmax(axis=0).tolist())
        ]
        read = self.record.settings.text
        with self._queries.opened() as encoder:
            places = encoder.document_places(document_text(stored, read))
        asked = TextTokens.of(
            Document(query.id, query.fields), replace(read, fields=self.model.fields),
            list(zip(tokens.tokens, tokens.places, strict=True)),
        )
        return explain_matches(label, matches, asked, TextTokens.of(stored, read, places), self.notes(query))


class TokenMatch(NamedTuple):
    """A token of a query (by number), the token of a document that is nearest to it, and their cosine."""

    query: int
    document: int
    cosine: float


class TextTokens(NamedTuple):
    """The tokens of a text: each as the vocabulary has it with its place, the text, and where its formulas are, each as
    it is written."""

    tokens: Sequence[tuple[str, tuple[int, int]]]
    text: str
    formulas: Sequence[tuple[int, int, str]]

    @classmethod
    def of(cls, document: Document, read: ModelText, tokens: Sequence[tuple[str, tuple[int, int]]]) -> TextTokens:
        """The tokens of what a model reads of a document (or of the fields of a query)."""
        formulas = [
            (start, stop, written_formula(formula, read.formulas))
            for start, stop, formula in document_formulas(document, read)
        ]
        return cls(tokens, document_text(document, read), formulas)

    def describe(self, number: int) -> str:
        """A token as it is in the text, with the formula that it belongs to or the words around it."""
        token, (start, stop) = self.tokens[number]
        if (start, stop) == NOWHERE:
            return token
        shown = f"'{self.text[start:stop]}'"
        for first, last, written in self.formulas:
            if first <= start < last:
                return f"{shown} in the formula {shortened(written, _SHOWN)}"
        before = self.text[max(0, start - _AROUND) : start]
        after = self.text[stop : stop + _AROUND]
        around = " ".join(f"{before}[{self.text[start:stop]}]{after}".split())
        return f"{shown} in “{'…' if start > _AROUND else ''}{around}{'…' if stop + _AROUND < len(self.text) else ''}”"


def explain_matches(
    label: str, matches: Sequence[TokenMatch], query: TextTokens, document: TextTokens, notes: Sequence[str]
) -> Explanation:
    """The score of a document as the sum of what the tokens of the query add; tokens that are not in the text of the
    query (markers and those that fill it up) are one part with parts of their own."""
    parts: list[Explanation] = []
    others: list[Explanation] = []
    total = 0.0
    for match in matches:
        total += match.cosine
        met = document.describe(match.document) if match.document < len(document.tokens) else "a token"
        part = Explanation(match.cosine, f"{query.describe(match.query)} meets {met}")
        (others if query.tokens[match.query][1] == NOWHERE else parts).append(part)
    if others:
        parts.append(Explanation(
            sum(part.value for part in others), "tokens that the model adds to the question", others
        ))
    about = "; ".join(["cosines of the question's tokens with the nearest tokens", *notes])
    return Explanation(total, f"{label}: {about}", parts)


COLBERT = DocumentKind(
    name=KIND, settings=ColbertModel, models={"colbert": ColbertModel()},
    artifacts=lambda model: (RequiredArtifact(TOKENS, model.store),),  # without a name: whichever the index has
    vectors=TOKEN_ENCODING.providers, make=ColbertRetriever, choose=lambda model, name: replace(model, store=name),
)
"""Search by the tokens of documents, which ``porism encode`` computes for an index."""
