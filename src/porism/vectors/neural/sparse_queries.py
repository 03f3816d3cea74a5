"""Queries of sparse encoders that need no model: each distinct token has the weight that a table gives it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.vectors.neural.loading import EXTRA

_PURPOSE = "queries of a sparse encoder"


class QueryWeights(NamedTuple):
    """The terms of a query: their numbers in the vocabulary (int32, increasing), their weights (float32, > 0), and how
    many tokens of the query are ``beyond`` what the model reads."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float32]
    beyond: int = 0


class QueryTable(NamedTuple):
    """What makes weighted terms of a query without a model: the ``weights`` of all terms of the vocabulary (float32),
    the tokenizer as the JSON of the library tokenizers, how many tokens it reads (None: all), and what stands before a
    query (Geng et al., *Towards Competitive Search Relevance For Inference-Free Learned Sparse Retrievers*, 2024)."""

    weights: NDArray[np.float32]
    tokenizer: bytes
    length: int | None = None
    prefix: str = ""


class TableQueries:
    """Weighs queries by a table. Safe to share between threads."""

    def __init__(self, table: QueryTable) -> None:
        """Reads the tokenizer.

        :raises ConfigError: it cannot be read.
        :raises MissingExtra: the library tokenizers is not installed.
        """
        tokenizers: Any = need("tokenizers", EXTRA, _PURPOSE)
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(table.tokenizer.decode())
        except Exception as error:  # the library raises nothing more special
            raise ConfigError(f"the tokenizer of queries cannot be read ({error})") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._table = table

    def encode_queries(self, texts: list[str]) -> list[QueryWeights]:
        """The weighted terms of queries."""
        encodings = self._tokenizer.encode_batch(
            [self._table.prefix + text if text.strip() else "" for text in texts], add_special_tokens=False
        )
        return [self._weighed(query.ids) for query in encodings]

    def _weighed(self, tokens: list[int]) -> QueryWeights:
        read = tokens if self._table.length is None else tokens[: self._table.length]
        terms = np.unique(np.array(read, np.int32))
        terms = terms[terms < len(self._table.weights)]
        weights = self._table.weights[terms]
        there = weights > 0
        return QueryWeights(terms[there], weights[there], len(tokens) - len(read))
