"""Opening models of sentence-transformers, whatever their kind, and running them on batches of tokens."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, PorismError, pluralise
from porism.extras import need
from porism.vectors.neural.batches import BATCH_TOKENS, batches, halving, padded
from porism.vectors.neural.encoder_files import EncoderFiles, find_encoder, model_folder, onnx_file
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.loading import (
    EXTRA,
    check_tokenizer,
    choose_device,
    first_line,
    load_torch,
    load_transformers,
    loading,
    pretrained,
    processor_has_bfloat16,
    quiet,
)
from porism.vectors.neural.networks import longest_input, positions_of, weight_type
from porism.vectors.neural.plain_encoder import PlainEncoder, open_plain

Precision = Literal["auto", "float32", "bfloat16", "float16", "int8"]
"""The numbers that a model computes with. ``auto`` is bfloat16 on a GPU and on a CPU that has instructions for it, and
float32 elsewhere; ``int8`` (CPU only) quantises the weights of linear layers, and their inputs as they come."""

ModelClass = Literal["SentenceTransformer", "MultiVectorEncoder", "SparseEncoder"]
"""The class of sentence-transformers that a model is opened as."""

_PURPOSE = "encoding text"


def open_model(
    kind: ModelClass, named: str | os.PathLike[str] | EncoderFiles, *, index_path: str | os.PathLike[str] | None = None,
    settings: EncoderSettings | None = None, device: str = "auto", precision: Precision = "auto",
    check: Callable[[str | os.PathLike[str], str], None] = lambda folder, named: None,
) -> tuple[Any, EncoderFiles]:
    """A model by any of its names, on a device; one of the hub is fetched where it is not here.

    A bi-encoder of the usual form is opened without sentence-transformers (:mod:`porism.vectors.neural.plain_encoder`).

    :param check: raises where the model in a folder, with how it was named, is of another kind than wanted.
    :raises ConfigError: there is no such model, device or precision, or the folder is incomplete.
    :raises MissingExtra: torch, transformers or sentence-transformers is not installed.
    """
    transformers = load_transformers(_PURPOSE)
    if precision not in get_args(Precision):
        known = ", ".join(get_args(Precision))
        raise ConfigError(f"a model cannot compute in {precision!r}", hint=f"Choose from {known}.")
    target = choose_device(device)
    if not isinstance(named, EncoderFiles):
        named = fetched_encoder(named, index_path, settings, kind=kind)
    check(named.folder, named.named)
    with loading(named.folder, "model"), quiet(transformers), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = onnx_file(named.folder)
        if kind == "SentenceTransformer" and (precision != "int8" or file is not None):
            plain = open_plain(named.folder, target, named.settings.pooling, precision)
            if plain is not None:
                return plain, named
        if file is not None:
            raise ConfigError(
                "of models in ONNX only encoders of a usual form are run: a transformer, the mean or the first of its "
                "vectors, linear layers", where=str(file),
                hint="Take the model with weights of torch (model.safetensors).",
            )
        library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
        published = _Published(getattr(library, kind), str(target))
        model = pretrained(published, named.folder, model_kwargs={"dtype": weight_type(target, precision)})
    model = model.eval()
    return quantised(model) if precision == "int8" else model, named


def fetched_encoder(
    named: str | os.PathLike[str], index_path: str | os.PathLike[str] | None = None,
    settings: EncoderSettings | None = None, *, kind: ModelClass = "SentenceTransformer",
) -> EncoderFiles:
    """The files of a model, as :func:`porism.vectors.neural.encoder_files.find_encoder` finds them; one of the hub is
    fetched where it is not here.

    :raises ConfigError: there is none of this name, or its folder is incomplete.
    :raises MissingExtra: a library is not installed.
    """
    name = os.fspath(named)
    transformers = load_transformers(_PURPOSE)
    if model_folder(name, index_path) is None:
        library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
        with loading(name, "model"), quiet(transformers):
            pretrained(_Published(getattr(library, kind)), name)
    return find_encoder(name, index_path, settings)


class _Published:
    """A class of sentence-transformers as one with ``from_pretrained``."""

    def __init__(self, kind: Any, device: str = "cpu") -> None:
        self._kind, self._device = kind, device

    def from_pretrained(self, model: str | os.PathLike[str], **options: Any) -> Any:
        return self._kind(os.fspath(model), device=self._device, **options)


class ModelBatches:
    """Runs a model on sequences in batches of up to so many tokens, and of fewer once memory did not suffice."""

    def __init__(
        self, named: str, batch_tokens: int = BATCH_TOKENS, on_warning: Callable[[str], None] = lambda warning: None
    ) -> None:
        """``named`` is the model, for messages; ``on_warning`` receives a sentence when a batch is halved."""
        self._named, self._most, self._warn = named, batch_tokens, on_warning

    def limit(self, tokens: int) -> None:
        """Lets no batch have more than so many tokens, or than a single sequence."""
        self._most = max(1, min(self._most, tokens))

    def run(
        self, lengths: Sequence[int], forward: Callable[[NDArray[np.int64]], None],
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Calls ``forward`` with the numbers of the sequences of each batch, the longest first.

        ``on_progress`` receives how many sequences are done of how many.

        :raises ConfigError: the model fails on a sequence, or a single one does not fit into memory.
        """
        done = 0

        def halved(half: NDArray[np.int64]) -> None:
            self._most = min(self._most, len(half) * lengths[half[0]])
            self._warn(f"memory does not suffice for the batch; going on with {pluralise(len(half), 'text')} at once")

        for numbers in batches(lengths, lambda: self._most):
            try:
                halving(forward, numbers, is_memory_error, halved)
            except PorismError:
                raise
            except Exception as error:  # a model is code of others, which may raise anything
                if is_memory_error(error):
                    raise ConfigError(
                        f"memory does not suffice to encode a single text ({first_line(error)})",
                        where=self._named, hint="Choose a smaller model or length, or --device cpu.",
                    ) from error
                raise ConfigError(
                    f"the model fails on a text ({type(error).__name__}: {first_line(error)})", where=self._named,
                    hint="Try --precision float32 and a smaller length; else the model is not one that reads texts.",
                ) from error
            done += len(numbers)
            on_progress(done, len(lengths))


class Route:
    """What of a model reads queries or documents (``task``): a part of its own, or all; with the attributes of the
    model that checks of models use."""

    def __init__(self, model: Any, task: str) -> None:
        """:raises ConfigError: the model has different parts, but none for this."""
        modules = list(model.children())
        if not isinstance(model, PlainEncoder) and isinstance(
            modules[0], need("sentence_transformers.base.modules.router", EXTRA, _PURPOSE).Router
        ):
            routes = modules[0].sub_modules
            name = task if task in routes else modules[0].default_route
            if name not in routes:
                raise ConfigError(f"the model has no route for a {task}", hint="Its router needs query and document.")
            modules = [*routes[name], *modules[1:]]
        self.modules = modules
        self.tokenizer = modules[0].tokenizer
        self.max_seq_length = modules[0].max_seq_length

    def __getitem__(self, place: int) -> Any:
        return self.modules[place]


def input_length(model: Any, settings: EncoderSettings, files: EncoderFiles) -> int:
    """Tokens, special ones among them, that a model reads of a text at once, as its settings or itself say.

    :raises ConfigError: its settings want more than it can, or its tokenizer has no fast form.
    """
    tokenizer, network = model.tokenizer, network_of(model)
    check_tokenizer(tokenizer, files.named)
    if settings.length is None:
        able, stated = longest_input(tokenizer, network), int(model.max_seq_length or 0)
        return min(stated, able) if stated > 0 else able
    positions = positions_of(network)
    if positions is not None and settings.length > positions:
        raise ConfigError(
            f"the model reads {positions} tokens at once, not {settings.length}", where=files.named,
            hint=f"Set length to at most {positions}.",
        )
    return settings.length


def model_inputs(tokenizer: Any, sequences: Sequence[Sequence[int]], device: Any) -> dict[str, Any]:
    """What a model reads of sequences of tokens, filled up to the longest of them, as tensors on its device."""
    torch = load_torch(_PURPOSE)
    filler = tokenizer.pad_token_id
    tokens, mask = padded(sequences, 0 if filler is None else filler)
    inputs = {"input_ids": torch.from_numpy(tokens).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
    if "token_type_ids" in tokenizer.model_input_names:
        inputs["token_type_ids"] = torch.zeros_like(inputs["input_ids"])
    return inputs


def special_tokens(tokenizer: Any, named: str) -> tuple[list[int], list[int]]:
    """What a tokenizer puts before and after a text.

    :raises ConfigError: it puts it elsewhere.
    """
    plain = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a")["input_ids"]
    for start in range(len(whole) - len(plain) + 1):
        if whole[start : start + len(plain)] == plain:
            return list(whole[:start]), list(whole[start + len(plain) :])
    raise ConfigError("the tokenizer does not put its special tokens around a text", where=named)


def network_of(model: Any) -> Any:
    """The network of transformers that reads the tokens of a model or :class:`Route`, None where it has none."""
    return getattr(model[0], "auto_model", None)


def check_vocabulary(network: Any, tokenizer: Any, named: str) -> None:
    """Whether a network of transformers, if there is one, has embeddings of all tokens of its tokenizer.

    :raises ConfigError: it has fewer.
    """
    layer = network.get_input_embeddings() if network is not None else None
    rows = getattr(layer, "num_embeddings", None)
    tokens = len(tokenizer)
    if rows is not None and tokens > rows:
        raise ConfigError(
            f"the tokenizer has {tokens:,} tokens, and the model embeddings of {rows:,}: they do not belong together",
            where=named,
            hint="Copy model and tokenizer from one place, or extend the model: porism train extended.",
        )


def autocast(model: Any, precision: Precision) -> Callable[[], Any]:
    """What a model runs within, so that it computes with such numbers."""
    torch = load_torch(_PURPOSE)
    kind = model.device.type
    if precision == "auto":
        precision = "bfloat16" if kind == "cuda" or (kind == "cpu" and processor_has_bfloat16()) else "float32"
    if precision in ("float32", "int8"):
        return nullcontext
    numbers = getattr(torch, precision)
    if isinstance(model, PlainEncoder):
        model.compute_in(numbers)
    return lambda: torch.autocast(kind, dtype=numbers)


def quantised(model: Any) -> Any:
    """A model whose linear layers compute with whole numbers of 8 bits.

    :raises ConfigError: it is on a GPU.
    """
    torch = load_torch(_PURPOSE)
    if model.device.type != "cpu":
        raise ConfigError("int8 is for the CPU", hint="Choose bfloat16 or float16 on a GPU.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        per_output = {torch.nn.Linear: torch.ao.quantization.per_channel_dynamic_qconfig}
        return torch.ao.quantization.quantize_dynamic(model, per_output)


def is_memory_error(error: Exception) -> bool:
    """Whether an error says that memory did not suffice."""
    if isinstance(error, MemoryError):
        return True
    torch = load_torch(_PURPOSE)
    if isinstance(error, torch.OutOfMemoryError):
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in said or "can't allocate memory" in said
                                                or "not enough memory" in said)
