"""Encoders: texts to vectors, on ``SentenceTransformer`` of sentence-transformers.

What is done here beside its ``encode``: texts are cut or chunked as the settings of the model say, batches hold texts
of one length up to a number of tokens (:mod:`porism.neural.batches`), a lack of memory halves the batch, and vectors
that are not numbers are refused.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import Cut, chunks, cut
from porism.errors import ConfigError, counted
from porism.extras import need
from porism.neural.batches import TOKENS_AT_ONCE, batches, halving, padded
from porism.neural.encoder_files import EncoderFiles, find_encoder, model_folder
from porism.neural.encoder_settings import EncoderSettings
from porism.neural.loading import (
    EXTRA,
    choose_device,
    first_line,
    load_torch,
    load_transformers,
    loading,
    longest_input,
    pretrained,
    quiet,
)

Precision = Literal["auto", "float32", "bfloat16", "float16", "int8"]
"""The numbers that a model computes with. ``auto`` is float32 on a CPU and bfloat16 on a GPU; ``int8`` (CPU only)
quantises the weights of linear layers, and their inputs as they come."""

_PURPOSE = "encoding text"


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
        self._tokenizer = model.tokenizer
        self._note = on_note
        self._most = tokens_at_once
        self.length = _length(model, self.settings, files)
        self._first, self._last = self._special_tokens()
        self._autocast = _autocast(model, precision)
        self._room = self.length - len(self._first) - len(self._last)
        if self._room < 1:
            raise ConfigError(f"a model cannot read {self.length} tokens at once, special ones among them")
        _check_vocabulary(model, files)
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
        pieces = [self._pieces(text) for text in texts]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(of_text) for of_text in pieces], out=offsets[1:])
        return Encoded(self._encode([piece for of_text in pieces for piece in of_text], on_progress), offsets)

    def encode_queries(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The vectors of queries (float32, queries × dimensions), 0 for one without tokens, and how many tokens of each
        are beyond what the model reads (int64)."""
        prefix = self.settings.query_prefix
        how: Cut = "head-tail" if self.settings.cut == "head-tail" else "head"
        tokens = [self._tokens(prefix + text) if text.strip() else [] for text in texts]
        beyond = np.array([max(0, len(one) - self._room) for one in tokens], np.int64)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        there = [number for number, one in enumerate(tokens) if one]
        if there:
            vectors[there] = self._encode([self._whole(cut(tokens[number], self._room, how)) for number in there])
        return vectors, beyond

    def chunk_places(self, text: str) -> list[tuple[int, int]]:
        """Where in the text of a document what each of its vectors was computed from begins and ends; of a text that
        is cut in the middle, all of it."""
        if not text.strip():
            return []
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = [(int(start), int(stop)) for start, stop in found["offset_mapping"]]
        if self.settings.cut != "chunks" or len(self._pieces(text)) == 1:
            kept = places if self.settings.cut == "head-tail" else places[: self._room]
            return [(kept[0][0], kept[-1][1])] if kept else []
        room = self._room - len(self._tokens(self.settings.document_prefix))
        return [(one[0][0], one[-1][1]) for one in chunks(places, room, self.settings.overlap)]

    def _tokens(self, text: str) -> list[int]:
        if not text:
            return []
        found: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return found

    def _whole(self, tokens: Sequence[int]) -> list[int]:
        return [*self._first, *tokens, *self._last]

    def _pieces(self, text: str) -> list[list[int]]:
        """The sequences of tokens that the vectors of a document are computed from."""
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
        return [self._whole([*before, *one]) for one in chunks(self._tokens(text), room, self.settings.overlap)]

    def _encode(
        self, sequences: Sequence[Sequence[int]], on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> NDArray[np.float32]:
        found = np.empty((len(sequences), self.dimensions), np.float32)
        done = 0

        def run(numbers: NDArray[np.int64]) -> None:
            found[numbers] = self._forward([sequences[number] for number in numbers.tolist()])

        def halved(half: NDArray[np.int64]) -> None:
            self._most = min(self._most, len(half) * len(sequences[half[0]]))
            self._note(f"memory does not suffice for the batch; going on with {counted(len(half), 'text')} at once")

        for numbers in batches([len(one) for one in sequences], lambda: self._most):
            try:
                halving(run, numbers, _is_memory_error, halved)
            except Exception as error:
                if _is_memory_error(error):
                    raise ConfigError(
                        f"memory does not suffice to encode a single text ({first_line(error)})",
                        where=self.files.named, hint="Choose a smaller model or length, or --device cpu.",
                    ) from error
                raise
            done += len(numbers)
            on_progress(done, len(sequences))
        bad = int(np.count_nonzero(~np.isfinite(found).all(axis=1)))
        if bad:
            raise ConfigError(
                f"the model gives {bad:,} of {len(sequences):,} texts a vector that is not made of finite numbers",
                where=self.files.named, hint="Its weights are damaged, or its precision does not suffice: try float32.",
            )
        return self._fitted(found)

    def _forward(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        torch = load_torch(_PURPOSE)
        filler = self._tokenizer.pad_token_id
        tokens, mask = padded(sequences, 0 if filler is None else filler)
        device = self._model.device
        features: dict[str, Any] = {
            "input_ids": torch.from_numpy(tokens).to(device), "attention_mask": torch.from_numpy(mask).to(device),
        }
        if "token_type_ids" in self._tokenizer.model_input_names:
            features["token_type_ids"] = torch.zeros_like(features["input_ids"])
        with torch.inference_mode(), self._autocast():
            vectors = self._model(features)["sentence_embedding"]
        array: NDArray[np.float32] = vectors.detach().to("cpu", torch.float32).numpy()
        return array[:, : self.dimensions]

    def _fitted(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Vectors of length 1 where the cosine compares them."""
        if self.settings.similarity == "dot":
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return unit

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        """What the tokenizer puts before and after a text."""
        plain = self._tokenizer("a", add_special_tokens=False)["input_ids"]
        whole = self._tokenizer("a")["input_ids"]
        for start in range(len(whole) - len(plain) + 1):
            if whole[start : start + len(plain)] == plain:
                return list(whole[:start]), list(whole[start + len(plain) :])
        raise ConfigError("the tokenizer does not put its special tokens around a text", where=self.files.named)

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
    """Loads an encoder, by any of the names that :func:`porism.neural.encoder_files.find_encoder` takes; one of the hub
    is fetched where it is not here.

    :param settings: how it reads text; what its folder says if None.
    :raises ConfigError: there is no such model or device, the folder is incomplete, or parts do not fit together.
    :raises MissingExtra: torch, transformers or sentence-transformers is not installed.
    """
    if precision not in get_args(Precision):
        known = ", ".join(get_args(Precision))
        raise ConfigError(f"a model cannot compute in {precision!r}", hint=f"Choose from {known}.")
    transformers = load_transformers(_PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    target = choose_device(device)
    if not isinstance(named, EncoderFiles):
        name = os.fspath(named)
        if model_folder(name, index_path) is None:
            with loading(name, "model"), quiet(transformers):
                pretrained(_Loading(library), name)
        named = find_encoder(name, index_path, settings)
    with loading(named.folder, "model"), quiet(transformers), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pretrained(_Loading(library, str(target)), named.folder)
        _set_pooling(model, named)
    model.eval()
    if precision == "int8":
        model = _quantised(model, target)
    return Encoder(model, named, precision=precision, tokens_at_once=tokens_at_once, on_note=on_note)


class _Loading:
    """``SentenceTransformer`` as a class with ``from_pretrained``."""

    def __init__(self, library: Any, device: str = "cpu") -> None:
        self._library, self._device = library, device

    def from_pretrained(self, model: str | os.PathLike[str], local_files_only: bool = False) -> Any:
        return self._library.SentenceTransformer(
            os.fspath(model), device=self._device, local_files_only=local_files_only
        )


def _set_pooling(model: Any, files: EncoderFiles) -> None:
    wanted = files.settings.pooling
    if wanted == "model":
        return
    pooling: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, _PURPOSE).Pooling
    for name, module in model.named_children():
        if isinstance(module, pooling):
            model._modules[name] = pooling(module.embedding_dimension, pooling_mode=wanted)
            return
    raise ConfigError("the model pools in no layer that could be told to", where=files.named, hint="Leave pooling out.")


def _length(model: Any, settings: EncoderSettings, files: EncoderFiles) -> int:
    tokenizer = model.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigError(
            "the model's tokenizer has no fast form, which knows where in a text its tokens stand", where=files.named,
            hint="Take a model whose folder has a tokenizer.json.",
        )
    config = getattr(model[0], "config", None)
    able = longest_input(tokenizer, config)
    if settings.length is None:
        return min(int(model.max_seq_length or able), able)
    positions = longest_input(_NoLimit, config)
    if getattr(config, "max_position_embeddings", None) and settings.length > positions:
        raise ConfigError(
            f"the model reads {positions} tokens at once, not {settings.length}", where=files.named,
            hint=f"Set length to at most {positions}.",
        )
    return settings.length


class _NoLimit:
    """Stands for a tokenizer that says no limit."""

    model_max_length = 1 << 62


def _check_vocabulary(model: Any, files: EncoderFiles) -> None:
    inner = getattr(model[0], "auto_model", None)
    layer = inner.get_input_embeddings() if inner is not None else None
    rows = getattr(layer, "num_embeddings", None)
    tokens = len(model.tokenizer)
    if rows is not None and tokens > rows:
        raise ConfigError(
            f"the tokenizer has {tokens:,} tokens, and the model embeddings of {rows:,}: they do not belong together",
            where=files.named,
            hint="Copy model and tokenizer from one place, or extend the model: porism train extended.",
        )


def _autocast(model: Any, precision: Precision) -> Callable[[], Any]:
    torch = load_torch(_PURPOSE)
    kind = model.device.type
    if precision == "auto":
        precision = "bfloat16" if kind == "cuda" else "float32"
    if precision in ("float32", "int8"):
        return nullcontext
    return lambda: torch.autocast(kind, dtype=getattr(torch, precision))


def _quantised(model: Any, device: Any) -> Any:
    torch = load_torch(_PURPOSE)
    if device.type != "cpu":
        raise ConfigError("int8 is for the CPU", hint="Choose bfloat16 or float16 on a GPU.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        per_output = {torch.nn.Linear: torch.ao.quantization.per_channel_dynamic_qconfig}
        return torch.ao.quantization.quantize_dynamic(model, per_output)


def _is_memory_error(error: Exception) -> bool:
    if isinstance(error, MemoryError):
        return True
    torch = load_torch(_PURPOSE)
    if isinstance(error, torch.OutOfMemoryError):
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in said or "can't allocate memory" in said
                                                or "not enough memory" in said)

