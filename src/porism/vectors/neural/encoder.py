"""Encoders: texts to vectors, by models of the form that sentence-transformers has.

What is done here beside its ``encode``: texts are cut or chunked as the settings of the model say. Batches hold texts
of one length up to a number of tokens (:mod:`porism.vectors.neural.batches`). A lack of memory halves the batch, and
vectors that are not numbers are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Route, check_vocabulary, model_inputs, network_of
from porism.vectors.neural.loading import EXTRA
from porism.vectors.neural.model_encoder import ModelEncoder, OnProgress, no_progress, unit_rows
from porism.vectors.neural.plain_encoder import PlainEncoder

_PURPOSE = "encoding text"

Task = Literal["query", "document"]
"""What a text is: some models read both by different parts."""


class Encoded(NamedTuple):
    """The vectors of texts: ``vectors`` (float32, rows × dimensions), those of text ``i`` being the rows from
    ``offsets[i]`` to before ``offsets[i + 1]`` (int64): none of a text without tokens, and one for each chunk."""

    vectors: NDArray[np.float32]
    offsets: NDArray[np.int64]


class Encoder(ModelEncoder):
    """Encodes texts as vectors."""

    model_class = "SentenceTransformer"
    gives = "vectors of texts"

    def prepare(self, model: Any, files: EncoderFiles) -> None:
        self._routes = {task: Route(model, task) for task in get_args(Task)}
        for route in self._routes.values():
            check_vocabulary(network_of(route), route.tokenizer, files.named)
        self._readers = {task: self._reader(route) for task, route in self._routes.items()}
        self.length = self._readers["document"].length
        self.dimensions = self._dimensions()

    def __repr__(self) -> str:
        return f"Encoder({self.files.named!r}, {self.dimensions} dimensions, {self.length} tokens)"

    @classmethod
    def adapt(cls, model: Any, files: EncoderFiles) -> None:
        wanted = files.settings.pooling
        if wanted == "model" or isinstance(model, PlainEncoder):
            return
        pooling: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, _PURPOSE).Pooling
        replaced = False
        for parent in list(model.modules()):
            for name, module in parent.named_children():
                if isinstance(module, pooling):
                    setattr(parent, name, pooling(module.embedding_dimension, pooling_mode=wanted))
                    replaced = True
        if not replaced:
            raise ConfigError(
                "no layer of the model pools the vectors of tokens", where=files.named, hint="Leave pooling out."
            )

    def encode_documents(self, texts: Sequence[str], on_progress: OnProgress = no_progress) -> Encoded:
        """The vectors of documents, of their chunks where the settings say so.

        ``on_progress`` receives how many sequences of tokens are done of how many.

        :raises ConfigError: vectors are not numbers, or a single text does not fit into memory.
        """
        pieces = [self._readers["document"].document(text) for text in texts]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(of_text) for of_text in pieces], out=offsets[1:])
        sequences = [piece for of_text in pieces for piece in of_text]
        return Encoded(self._encode(sequences, "document", on_progress), offsets)

    def encode_queries(
        self, texts: Sequence[str], max_tokens: int | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The vectors of queries (float32, queries × dimensions), 0 for one without tokens, and how many tokens of each
        are not read (int64).

        :param max_tokens: how many tokens of each are read at most, from its beginning and its end.
        """
        read = [self._readers["query"].query(text, max_tokens) for text in texts]
        beyond = np.array([more for _, more in read], np.int64)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        there = [number for number, (tokens, _) in enumerate(read) if tokens]
        if there:
            vectors[there] = self._encode([read[number][0] for number in there], "query")
        return vectors, beyond

    def read_lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens of each document are read, special ones and those that chunks share among them."""
        return [sum(map(len, self._readers["document"].document(text))) for text in texts]

    def chunk_places(self, text: str) -> list[tuple[int, int]]:
        """Where in the text of a document what each of its vectors was computed from begins and ends; of a text that
        is cut in the middle, all of it."""
        return self._readers["document"].chunk_places(text)

    def each_query(self, texts: Sequence[str], max_tokens: int | None = None) -> list[tuple[NDArray[np.float32], int]]:
        vectors, beyond = self.encode_queries(texts, max_tokens)
        return list(zip(vectors, beyond.tolist(), strict=True))

    def _encode(
        self, sequences: Sequence[Sequence[int]], task: Task, on_progress: OnProgress = no_progress
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(sequences), self.dimensions), np.float32)

        def run(numbers: NDArray[np.int64]) -> None:
            batch = [sequences[number] for number in numbers.tolist()]
            features = model_inputs(self._routes[task].tokenizer, batch, self._model.device)
            vectors[numbers] = self._array(self._outputs(features, task)["sentence_embedding"])[:, : self.dimensions]

        self._batches.run(list(map(len, sequences)), run, on_progress)
        self._require_finite(vectors)
        return vectors if self.settings.similarity == "dot" else unit_rows(vectors)

    def _dimensions(self) -> int:
        whole = int(self._model.get_embedding_dimension())
        wanted = self.settings.dimensions
        if wanted is not None and wanted > whole:
            raise ConfigError(
                f"the first {wanted} dimensions of vectors are wanted, which have {whole}", where=self.files.named,
                hint=f"Set dimensions to at most {whole}.",
            )
        return wanted or whole
