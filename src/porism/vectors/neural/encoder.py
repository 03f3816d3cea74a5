"""Encoders: texts to vectors, by models of the form that sentence-transformers has.

What is done here beside its ``encode``: texts are cut or chunked as the settings of the model say, batches hold texts
of one length up to a number of tokens (:mod:`porism.vectors.neural.batches`), a lack of memory halves the batch, and
vectors that are not numbers are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.vectors.neural.batches import TOKENS_AT_ONCE
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import (
    ModelBatches,
    Precision,
    Route,
    autocast,
    check_vocabulary,
    input_length,
    model_inputs,
    open_model,
    special_tokens,
)
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.loading import EXTRA, load_torch, loading
from porism.vectors.neural.plain_encoder import PlainEncoder
from porism.vectors.neural.text_reader import TextReader

_PURPOSE = "encoding text"

Task = Literal["query", "document"]
"""What a text is: some models read both by different parts."""


class Encoded(NamedTuple):
    """The vectors of texts: ``vectors`` (float32, rows × dimensions), those of text ``i`` being the rows from
    ``offsets[i]`` to before ``offsets[i + 1]`` (int64): none of a text without tokens, and one for each chunk."""

    vectors: NDArray[np.float32]
    offsets: NDArray[np.int64]


class Encoder:
    """Encodes texts by a model that was loaded (:func:`load_encoder`). Not safe to share between threads."""

    def __init__(
        self, model: Any, files: EncoderFiles, *, precision: Precision = "auto", tokens_at_once: int = TOKENS_AT_ONCE,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        """``on_note`` receives sentences on what had to be done otherwise, such as halving a batch.

        :raises ConfigError: model, tokenizer and settings do not fit together.
        """
        self.files = files
        self.settings = files.settings
        self._model = model
        self._batches = ModelBatches(files.named, tokens_at_once, on_note)
        self._routes = {task: Route(model, task) for task in get_args(Task)}
        self._readers = {task: self._reader(route) for task, route in self._routes.items()}
        self.length = self._readers["document"].length
        self._autocast = autocast(model, precision)
        self.dimensions = self._dimensions()

    def __repr__(self) -> str:
        return f"Encoder({self.files.named!r}, {self.dimensions} dimensions, {self.length} tokens)"

    def encode_documents(
        self, texts: Sequence[str], on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Encoded:
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
        self, texts: Sequence[str], most: int | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The vectors of queries (float32, queries × dimensions), 0 for one without tokens, and how many tokens of each
        are not read (int64).

        :param most: how many tokens of each are read at most, from its beginning and its end.
        """
        read = [self._readers["query"].query(text, most) for text in texts]
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

    def _reader(self, route: Route) -> TextReader:
        length = input_length(route, self.settings, self.files)
        check_vocabulary(route, self.files)
        return TextReader(route.tokenizer, special_tokens(route.tokenizer, self.files.named), self.settings, length)

    def _encode(
        self, sequences: Sequence[Sequence[int]], task: Task,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> NDArray[np.float32]:
        found = np.empty((len(sequences), self.dimensions), np.float32)

        def run(numbers: NDArray[np.int64]) -> None:
            found[numbers] = self._forward([sequences[number] for number in numbers.tolist()], task)

        self._batches.run([len(one) for one in sequences], run, on_progress)
        bad = int(np.count_nonzero(~np.isfinite(found).all(axis=1)))
        if bad:
            raise ConfigError(
                f"the model gives {bad:,} of {len(sequences):,} texts a vector that is not made of finite numbers",
                where=self.files.named, hint="Its weights are damaged, or its precision does not suffice: try float32.",
            )
        return self._fitted(found)

    def _forward(self, sequences: Sequence[Sequence[int]], task: Task) -> NDArray[np.float32]:
        torch = load_torch(_PURPOSE)
        features = model_inputs(self._routes[task].tokenizer, sequences, self._model.device)
        with torch.inference_mode(), self._autocast():
            vectors = self._model(features, task=task)["sentence_embedding"]
        array: NDArray[np.float32] = vectors.detach().to("cpu", torch.float32).numpy()
        return array[:, : self.dimensions]

    def _fitted(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Vectors of length 1 where the cosine compares them."""
        if self.settings.similarity == "dot":
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return unit

    def _dimensions(self) -> int:
        whole = int(self._model.get_embedding_dimension())
        wanted = self.settings.dimensions
        if wanted is not None and wanted > whole:
            raise ConfigError(
                f"the first {wanted} dimensions of vectors are wanted, which have {whole}", where=self.files.named,
                hint=f"Set dimensions to at most {whole}.",
            )
        return wanted or whole


def load_encoder(
    named: str | os.PathLike[str] | EncoderFiles,
    *,
    index_path: str | os.PathLike[str] | None = None,
    settings: EncoderSettings | None = None,
    device: str = "auto",
    precision: Precision = "auto",
    tokens_at_once: int = TOKENS_AT_ONCE,
    on_note: Callable[[str], None] = lambda note: None,
) -> Encoder:
    """Loads an encoder, by any of the names that :func:`porism.vectors.neural.encoder_files.find_encoder` takes; one
    of the hub is fetched where it is not here.

    :param settings: how it reads text; what its folder says if None.
    :raises ConfigError: there is no such model or device, the folder is incomplete, or parts do not fit together.
    :raises MissingExtra: torch, transformers or sentence-transformers is not installed.
    """
    model, files = open_model(
        "SentenceTransformer", named, index_path=index_path, settings=settings, device=device, precision=precision
    )
    with loading(files.folder, "model"):
        _set_pooling(model, files)
    return Encoder(model, files, precision=precision, tokens_at_once=tokens_at_once, on_note=on_note)


def _set_pooling(model: Any, files: EncoderFiles) -> None:
    wanted = files.settings.pooling
    if wanted == "model" or isinstance(model, PlainEncoder):
        return
    pooling: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, _PURPOSE).Pooling
    found = False
    for parent in list(model.modules()):
        for name, module in parent.named_children():
            if isinstance(module, pooling):
                setattr(parent, name, pooling(module.embedding_dimension, pooling_mode=wanted))
                found = True
    if not found:
        raise ConfigError(
            "no layer of the model pools the vectors of tokens", where=files.named, hint="Leave pooling out."
        )
