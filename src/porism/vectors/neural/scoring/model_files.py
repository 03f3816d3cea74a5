"""Opening the models that score texts: any folder, package or name, as a class of transformers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, get_args

import orjson
import xxhash

from porism.errors import ConfigError
from porism.vectors.neural.encoder_files import digest_of, model_folder
from porism.vectors.neural.encoder_model import Precision, autocast, check_vocabulary, quantised
from porism.vectors.neural.loading import choose_device, load_tokenizer
from porism.vectors.neural.networks import load_model, longest_input, positions_of

PURPOSE = "scoring texts"


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A model in memory.

    :param network: of transformers, in evaluation mode on its device.
    :param context: what it runs within, so that it computes with the numbers wanted.
    :param length: how many tokens it reads at once.
    :param digest: of its files.
    """

    named: str
    network: Any
    tokenizer: Any
    context: Callable[[], Any]
    length: int
    digest: str

    def with_settings(self, kind: str, settings: Mapping[str, Any]) -> str:
        """The digest of the model and of how it is used."""
        part = orjson.dumps([kind, dict(settings)], option=orjson.OPT_SORT_KEYS)
        return xxhash.xxh3_128_hexdigest(self.digest.encode() + part)


class ModelOptions(TypedDict, total=False):
    """How a model that scores texts is opened: how many tokens it reads at once (``length``; 0 is as many as it can, up
    to a limit of its kind), on which ``device`` and in which ``precision``, and the index that may have it."""

    length: int
    device: str
    precision: Precision
    index_path: str | os.PathLike[str] | None


def open_scoring_model(
    kind: str, named: str | os.PathLike[str], *, length: int = 0, device: str = "auto", precision: Precision = "auto",
    index_path: str | os.PathLike[str] | None = None, most: int = 512,
) -> OpenedModel:
    """A model by its folder, the name of a model of the index, of an installed package, or on the hub.

    :param kind: a class of transformers, such as ``AutoModelForSequenceClassification``.
    :param length: as :class:`ModelOptions` has it; 0 is at most ``most`` tokens.
    :raises ConfigError: there is no such model or device, it is of another kind, or it cannot read so much.
    :raises MissingExtra: torch or transformers is not installed.
    """
    if precision not in get_args(Precision):
        raise ConfigError(
            f"a model cannot compute in {precision!r}", hint=f"Choose from {', '.join(get_args(Precision))}."
        )
    name = os.fspath(named)
    folder = model_folder(name, index_path)
    where = folder if folder is not None else name
    tokenizer = load_tokenizer(where, PURPOSE)
    network = load_model(kind, where, choose_device(device), PURPOSE, precision)
    check_vocabulary(network, tokenizer, name)
    able = longest_input(tokenizer, network)
    # What a tokenizer says is how much was read in training; only positions are a limit for who wants more.
    limit = positions_of(network) or able
    if length > limit:
        raise ConfigError(f"the model reads {limit} tokens at once, not {length}", where=name,
                          hint=f"Set length to at most {limit}.")
    context = autocast(network, precision) if precision != "int8" else nullcontext
    if precision == "int8":
        network = quantised(network)
    folder = folder or model_folder(name, index_path)  # the hub's, which was fetched by now
    digest = digest_of(Path(folder)) if folder is not None else xxhash.xxh3_64_hexdigest(name.encode())
    return OpenedModel(name, network, tokenizer, context, length or min(able, most), f"{digest}:{precision}")
