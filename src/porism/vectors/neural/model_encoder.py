"""What all encoders of texts by a neural model share: loading, precision, batches by length, and what is checked."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import Cut, chunks, cut
from porism.errors import ConfigError
from porism.vectors.neural.batches import BATCH_TOKENS
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import (
    ModelBatches,
    ModelClass,
    Precision,
    Route,
    autocast,
    input_length,
    open_model,
    special_tokens,
)
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.loading import load_torch, loading


class SequenceReader:
    """Reads texts by the tokenizer of a model, ``length`` tokens at once, special ones among them."""

    def __init__(
        self, tokenizer: Any, special: tuple[Sequence[int], Sequence[int]], settings: EncoderSettings, length: int
    ) -> None:
        """``special`` are the tokens before and after a text.

        :raises ConfigError: the special tokens leave no room.
        """
        self.settings = settings
        self.length = length
        self._tokenizer = tokenizer
        self._first, self._last = special
        self._room = length - len(self._first) - len(self._last)
        if self._room < 1:
            raise ConfigError(f"a model cannot read {length} tokens at once, special ones among them")

    def document(self, text: str) -> list[list[int]]:
        """The sequences of a document: none of one without text, several where it is read in chunks."""
        if not text.strip():
            return []
        prefix = self.settings.document_prefix
        tokens = self._tokens(prefix + text)
        how = self.settings.cut
        if not tokens:
            return []
        if how != "chunks" or len(tokens) <= self._room:
            return [self._whole(cut(tokens, self._room, "head-tail" if how == "head-tail" else "head"))]
        before = self._tokens(prefix)
        room = self._room - len(before)
        return [self._whole([*before, *chunk]) for chunk in chunks(self._tokens(text), room, self.settings.overlap)]

    def query(self, text: str, most: int | None = None) -> tuple[list[int], int]:
        """The sequence of a query, empty for one without tokens, and how many tokens of it are not read.

        :param most: how many tokens, special ones among them, are read where the model reads more: then the beginning
            and the end.
        """
        tokens = self._tokens(self.settings.query_prefix + text) if text.strip() else []
        how: Cut = "head-tail" if self.settings.cut == "head-tail" else "head"
        room = self._room
        if most is not None and most < self.length:
            room, how = max(1, most - len(self._first) - len(self._last)), "head-tail"
        return self._whole(cut(tokens, room, how)) if tokens else [], max(0, len(tokens) - room)

    def chunk_places(self, text: str) -> list[tuple[int, int]]:
        """Where in the text of a document each of its sequences begins and ends; of a text that is cut in the middle,
        all of it."""
        if not text.strip():
            return []
        encoding = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = [(int(start), int(stop)) for start, stop in encoding["offset_mapping"]]
        if self.settings.cut != "chunks" or len(self.document(text)) == 1:
            kept = places if self.settings.cut == "head-tail" else places[: self._room]
            return [(kept[0][0], kept[-1][1])] if kept else []
        room = self._room - len(self._tokens(self.settings.document_prefix))
        return [(chunk[0][0], chunk[-1][1]) for chunk in chunks(places, room, self.settings.overlap)]

    def _tokens(self, text: str) -> list[int]:
        if not text:
            return []
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _whole(self, tokens: Sequence[int]) -> list[int]:
        return [*self._first, *tokens, *self._last]


OnProgress = Callable[[int, int], None]
"""Receives how many things are done of how many."""

OnWarning = Callable[[str], None]
"""Receives sentences on what had to be done otherwise, such as halving a batch."""


def no_progress(done: int, total: int) -> None:
    """Shows nothing."""


def no_warning(warning: str) -> None:
    """Says nothing."""


class ModelEncoder(ABC):
    """The base of encoders; one is loaded by :meth:`load`. Not safe to share between threads."""

    model_class: ClassVar[ModelClass]
    """What a model is opened as."""

    gives: ClassVar[str]
    """What a text gets, for errors: ``a vector``."""

    length: int
    """Tokens of a document that the model reads at once, special ones among them."""

    def __init__(
        self, model: Any, files: EncoderFiles, *, precision: Precision = "auto", batch_tokens: int = BATCH_TOKENS,
        on_warning: OnWarning = no_warning,
    ) -> None:
        """:raises ConfigError: model, tokenizer and settings do not fit together."""
        self.files = files
        self.settings = files.settings
        self._model = model
        self._batches = ModelBatches(files.named, batch_tokens, on_warning)
        self._autocast = autocast(model, precision)
        self.prepare(model, files)

    @abstractmethod
    def prepare(self, model: Any, files: EncoderFiles) -> None:
        """Makes what this kind of encoder reads texts with.

        :raises ConfigError: model, tokenizer and settings do not fit together.
        """

    @classmethod
    def load(
        cls, named: str | os.PathLike[str] | EncoderFiles, *, index_path: str | os.PathLike[str] | None = None,
        settings: EncoderSettings | None = None, device: str = "auto", precision: Precision = "auto",
        batch_tokens: int = BATCH_TOKENS, on_warning: OnWarning = no_warning,
    ) -> Self:
        """Loads an encoder, by any of the names that :func:`porism.vectors.neural.encoder_files.find_encoder` takes;
        one of the hub is fetched where it is not here.

        :param settings: how it reads text; what its folder says if None.
        :raises ConfigError: there is no such model or device, the folder is incomplete, the model is of another kind,
            or parts do not fit together.
        :raises MissingExtra: torch, transformers or sentence-transformers is not installed.
        """
        model, files = open_model(
            cls.model_class, named, index_path=index_path, settings=settings, device=device, precision=precision,
            check=cls.check_folder,
        )
        with loading(files.folder, "model"):
            cls.adapt(model, files)
            return cls(model, files, precision=precision, batch_tokens=batch_tokens, on_warning=on_warning)

    @classmethod
    def check_folder(cls, folder: str | os.PathLike[str], named: str) -> None:
        """Checks that the model in a folder is of the kind wanted.

        :raises ConfigError: it is of another.
        """
        return

    @classmethod
    def adapt(cls, model: Any, files: EncoderFiles) -> None:
        """Changes an opened model as its settings say.

        :raises ConfigError: it cannot be changed so.
        """
        return

    @abstractmethod
    def encode_queries(self, texts: Sequence[str]) -> Any:
        """What the model gives queries."""

    def each_query(self, texts: Sequence[str], max_tokens: int | None = None) -> list[Any]:
        """What the model gives each query; of one that can be cut at most so many tokens are read."""
        return list(self.encode_queries(texts))

    def _reader(self, route: Route) -> SequenceReader:
        length = input_length(route, self.settings, self.files)
        return SequenceReader(route.tokenizer, special_tokens(route.tokenizer, self.files.named), self.settings, length)

    def _outputs(self, features: dict[str, Any], task: str) -> dict[str, Any]:
        """What the model makes of the tensors of a batch."""
        torch = load_torch("encoding text")
        with torch.inference_mode(), self._autocast():
            return cast("dict[str, Any]", self._model(features, task=task))

    @staticmethod
    def _array(tensor: Any) -> NDArray[np.float32]:
        torch = load_torch("encoding text")
        return cast("NDArray[np.float32]", tensor.detach().to("cpu", torch.float32).numpy())

    def _require_finite(self, rows: NDArray[np.float32]) -> None:
        """:raises ConfigError: a row has a number that is not finite."""
        bad = int(np.count_nonzero(~np.isfinite(rows).all(axis=1)))
        if bad:
            raise ConfigError(
                f"the model gives {bad:,} of {len(rows):,} {self.gives} that are not made of finite numbers",
                where=self.files.named, hint="Its weights are damaged, or its precision does not suffice: try float32.",
            )


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors brought to length 1; a vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit
