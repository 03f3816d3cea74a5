"""Sparse encoders: texts to weighted terms of a vocabulary, on ``SparseEncoder`` of sentence-transformers.

A masked language model says of each token of a text which terms of its vocabulary could stand there. A text has each
term with the greatest weight that any of its tokens gives it, ``ln(1 + max(0, logit))`` (SPLADE: Formal et al., *SPLADE
v2: Sparse Lexical and Expansion Model for Information Retrieval*, 2021, equations 1 and 6). Queries are read by the
model too, or, without one, by a table of weights (:mod:`porism.vectors.neural.sparse_queries`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Route, check_vocabulary, model_inputs, network_of
from porism.vectors.neural.encoder_settings import PUBLISHED_FILE, has_architecture, json_object
from porism.vectors.neural.model_encoder import ModelEncoder, OnProgress, no_progress
from porism.vectors.neural.networks import NO_LIMIT
from porism.vectors.neural.sparse_queries import QueryTable, QueryWeights

_MAX_NUMBERS = 1 << 25
"""Numbers that a model gives at once, one for each token and term of the vocabulary: 128 MB of float32."""


_NOTHING = QueryWeights(np.zeros(0, np.int32), np.zeros(0, np.float32))


class EncodedTerms(NamedTuple):
    """The weighted terms of texts: numbers in the vocabulary (int32, increasing within a text) and weights (float32,
    > 0); those of text ``i`` are from ``offsets[i]`` to before ``offsets[i + 1]`` (int64)."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float32]
    offsets: NDArray[np.int64]


class SparseEncoder(ModelEncoder):
    """Weighs terms of texts.

    Of a text that is read in chunks each term has its greatest weight in any of them. Where the settings of the model
    say ``dimensions``, or the model itself a greatest number, only so many terms of a text stay: the heaviest.
    """

    model_class = "SparseEncoder"
    gives = "texts weights"

    def prepare(self, model: Any, files: EncoderFiles) -> None:
        document, query = _Route(model, "document"), _Route(model, "query")
        check_vocabulary(network_of(document), document.tokenizer, files.named)
        self._most = self.settings.dimensions or model.max_active_dims
        self._prompts = {task: str(model.prompts.get(task) or "") for task in ("query", "document")}
        self._text_reader = self._reader(document)
        self._tokenizer = document.tokenizer
        self.length = self._text_reader.length
        self.terms = self._vocabulary(document)
        """The terms of the vocabulary, by number."""
        self._batches.limit(_MAX_NUMBERS // max(1, len(self.terms)))
        self.table = self._query_table(query)
        """What weighs queries without the model; None where the model does."""
        if self.table is None:
            check_vocabulary(network_of(query), query.tokenizer, files.named)
            if query.tokenizer.get_vocab() != document.tokenizer.get_vocab():
                raise self._two_vocabularies()

    def __repr__(self) -> str:
        return f"SparseEncoder({self.files.named!r}, {len(self.terms)} terms, {self.length} tokens)"

    @classmethod
    def check_folder(cls, folder: str | os.PathLike[str], named: str) -> None:
        check_sparse_model(folder, named)

    def encode_documents(self, texts: Sequence[str], on_progress: OnProgress = no_progress) -> EncodedTerms:
        """The weighted terms of documents; none of one without text.

        ``on_progress`` receives how many sequences of tokens are done of how many.

        :raises ConfigError: weights are not numbers, or a single text does not fit into memory.
        """
        prompt = self._prompts["document"]
        pieces = [self._text_reader.document(prompt + text if text.strip() else "") for text in texts]
        encoded = self._encode([piece for of_text in pieces for piece in of_text], "document", on_progress)
        each = iter(encoded)
        merged = [self._heaviest(_united(list(islice(each, len(of_text))))) for of_text in pieces]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text.terms) for text in merged], out=offsets[1:])
        return EncodedTerms(
            np.concatenate([_NOTHING.terms, *(text.terms for text in merged)]),
            np.concatenate([_NOTHING.weights, *(text.weights for text in merged)]), offsets,
        )

    def encode_queries(self, texts: Sequence[str]) -> list[QueryWeights]:
        prompt = self._prompts["query"]
        read = [self._text_reader.query(prompt + text if text.strip() else "") for text in texts]
        there = [number for number, (tokens, _) in enumerate(read) if tokens]
        encoded = dict(zip(there, self._encode([read[number][0] for number in there], "query"), strict=True))
        return [
            self._heaviest(encoded.get(number, _NOTHING))._replace(beyond=beyond)
            for number, (_, beyond) in enumerate(read)
        ]

    def _vocabulary(self, route: _Route) -> list[str]:
        """The names of the terms: tokens, or numbers where the model has terms of its own."""
        width = self._forward([self._text_reader.document("a")[0]], "document").shape[1]
        if not route.is_lexical:
            return [str(number) for number in range(width)]
        tokens = {number: token for token, number in route.tokenizer.get_vocab().items()}
        if max(tokens, default=-1) >= width:
            raise ConfigError(
                f"the model weighs {width:,} terms, and its tokenizer has {len(tokens):,}", where=self.files.named,
                hint="Copy model and tokenizer from one place.",
            )
        return [tokens.get(number, f"[{number}]") for number in range(width)]

    def _query_table(self, route: _Route) -> QueryTable | None:
        static = route.table
        if static is None:
            return None
        weights = static.detach().to("cpu").float().numpy()
        if len(weights) != len(self.terms) or route.tokenizer.get_vocab() != self._tokenizer.get_vocab():
            raise self._two_vocabularies()
        if not np.isfinite(weights).all():
            raise ConfigError("weights of queries are not finite", where=self.files.named)
        length = int(route.tokenizer.model_max_length)
        return QueryTable(
            weights.astype(np.float32), route.tokenizer.backend_tokenizer.to_str().encode(),
            length if length < NO_LIMIT else None, self._prompts["query"] + self.settings.query_prefix,
        )

    def _two_vocabularies(self) -> ConfigError:
        return ConfigError(
            "queries and documents are read with different vocabularies", where=self.files.named,
            hint="Both sides of a sparse encoder need one tokenizer.",
        )

    def _encode(
        self, sequences: Sequence[Sequence[int]], task: str, on_progress: OnProgress = no_progress
    ) -> list[QueryWeights]:
        encoded = [_NOTHING] * len(sequences)

        def run(numbers: NDArray[np.int64]) -> None:
            rows = self._forward([sequences[number] for number in numbers.tolist()], task)
            self._require_finite(rows)
            for number, row in zip(numbers.tolist(), rows, strict=True):
                terms = np.flatnonzero(row > 0).astype(np.int32)
                encoded[number] = QueryWeights(terms, row[terms])

        self._batches.run(list(map(len, sequences)), run, on_progress)
        return encoded

    def _forward(self, sequences: Sequence[Sequence[int]], task: str) -> NDArray[np.float32]:
        """The weights of all terms (float32, sequences × terms)."""
        features = model_inputs(self._tokenizer, sequences, self._model.device)
        return self._array(self._outputs(features, task)["sentence_embedding"])

    def _heaviest(self, text: QueryWeights) -> QueryWeights:
        if not self._most or len(text.terms) <= self._most:
            return text
        kept = np.sort(np.argsort(-text.weights, kind="stable")[: self._most])
        return text._replace(terms=text.terms[kept], weights=text.weights[kept])


class _Route(Route):
    """What of a model weighs the terms of queries or documents."""

    @property
    def is_lexical(self) -> bool:
        """Whether what it weighs are the tokens of a vocabulary."""
        return type(self.modules[-1]).__name__ in ("SpladePooling", "SparseStaticEmbedding")

    @property
    def table(self) -> Any | None:
        """The weights of tokens where nothing but these is needed."""
        static = len(self.modules) == 1 and type(self.modules[0]).__name__ == "SparseStaticEmbedding"
        return self.modules[0].weight if static else None


def _united(parts: Sequence[QueryWeights]) -> QueryWeights:
    """Each term of any part with its greatest weight."""
    if len(parts) == 1:
        return parts[0]
    every = np.concatenate([_NOTHING.terms, *(part.terms for part in parts)])
    terms, places = np.unique(every, return_inverse=True)
    weights = np.zeros(len(terms), np.float32)
    np.maximum.at(weights, places, np.concatenate([_NOTHING.weights, *(part.weights for part in parts)]))
    return QueryWeights(terms, weights)


def is_sparse_model(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder has a sparse encoder that sentence-transformers saved."""
    return json_object(Path(folder) / PUBLISHED_FILE).get("model_type") == "SparseEncoder"


def is_masked_model(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder has a masked language model and nothing of sentence-transformers, which says how it is used."""
    return not (Path(folder) / "modules.json").exists() and has_architecture(Path(folder), "ForMaskedLM")


def check_sparse_model(folder: str | os.PathLike[str], named: str) -> None:
    """Whether a folder has a model that weighs terms: a sparse encoder, or a masked language model (such as those of
    SPLADE's authors), of which one is made.

    :raises ConfigError: it has another.
    """
    if not (is_sparse_model(folder) or is_masked_model(folder)):
        raise ConfigError(
            "the model is not a sparse encoder, which gives weights to terms", where=named,
            hint="Take one, such as a SPLADE model, or train one of a masked language model: "
                 "porism train encoder NAME --kind splade --from MODEL --index DIR.",
        )
