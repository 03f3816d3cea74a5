"""Extending a given tokenizer, and the model that it belongs to, by tokens of mathematics.

Tokens of LaTeX and the marks around formulas are added to a tokenizer of Hugging Face as the model was published with
it: old tokens keep their numbers, and so do their embeddings. Novotný and Štefánik, *Combining Sparse and Dense
Information Retrieval: Soft Vector Space Model and MathBERTa at ARQMath-3 Task 1* (CLEF 2022), extend RoBERTa so.

An added token is found wherever it is in a text, before the tokenizer looks at the rest. So that text without
formulas is read as it always was, only tokens that have a sign of LaTeX in them are added, not words or single letters:
these the tokenizer can read already.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from porism.analysis.tokenizers.tokenizer import END_OF_MATH, MATH, MathTokenizer
from porism.errors import ConfigError, SourceError
from porism.vectors.neural.loading import load_tokenizer, load_torch, load_transformers, loading, pretrained

Initial = Literal["mean", "random"]
"""How embeddings of new tokens begin: as the mean of those of the old tokens that it was read as, or at random."""

SIGNS = frozenset("\\^_{}")
"""What distinguishes a token of LaTeX from text."""

_PURPOSE = "extending a tokenizer"


@dataclass(frozen=True, slots=True)
class Extension:
    """What was added: the tokens in the order of their numbers, the first number, and how many were left out.

    A token is left out if the tokenizer has it as one token already, or if it could be in text without formulas.
    """

    tokens: tuple[str, ...]
    first: int
    left_out: int


def latex_tokens(tokenizer: MathTokenizer) -> list[str]:
    """The tokens of a trained tokenizer of LaTeX as they are in text, in the order of their numbers."""
    backend = tokenizer.tokenizer
    numbers = range(backend.get_vocab_size())
    decoded = (backend.decode([number], skip_special_tokens=False) for number in numbers)
    return [token for token in dict.fromkeys(text.strip() for text in decoded) if token and "\ufffd" not in token]


def extend_tokenizer(tokenizer: Any, tokens: Iterable[str], *, marks: bool = True) -> Extension:
    """Adds tokens to a tokenizer of transformers, in place, and with ``marks`` also ``[MATH]`` and ``[/MATH]``.

    Left out are tokens without a sign of LaTeX (see the module), without more than one character, and those that the
    tokenizer has. Numbers of old tokens do not change.
    """
    known = tokenizer.get_vocab()
    wanted = list(dict.fromkeys([*((MATH, END_OF_MATH) if marks else ()), *(token.strip() for token in tokens)]))
    new = [
        token for token in wanted
        if token not in known and (token in (MATH, END_OF_MATH) or (len(token) > 1 and not SIGNS.isdisjoint(token)))
    ]
    added = load_transformers(_PURPOSE).AddedToken
    first = len(tokenizer)
    tokenizer.add_tokens([added(token, normalized=False, special=False) for token in new])
    return Extension(tuple(new), first, len(wanted) - len(new))


def extend_embeddings(
    model: Any, extension: Extension, old_tokens: Sequence[Sequence[int]], *, initial: Initial = "mean", seed: int = 1
) -> None:
    """Gives the new tokens rows in the embeddings of a model of transformers, in place, and in its output weights.

    ``old_tokens`` are the numbers of the tokens that each new token was read as before; ``initial`` says how the new
    rows begin; at random is as the model's own weights began, from ``seed`` on. Old rows keep every bit. A model whose
    embeddings have spare rows at the end gets new ones only where these do not suffice.
    """
    torch = load_torch(_PURPOSE)
    numbers = range(extension.first, extension.first + len(extension.tokens))
    have = model.get_input_embeddings().weight.shape[0]
    if numbers.stop > have:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model.resize_token_embeddings(numbers.stop, mean_resizing=False)
    spread = float(getattr(model.config, "initializer_range", None) or 0.02)
    random = np.random.default_rng(seed)
    layers = [model.get_input_embeddings(), model.get_output_embeddings()]
    weights = [layer.weight for layer in layers if layer is not None]
    if len(weights) == 2 and weights[0] is weights[1]:
        del weights[1]
    with torch.no_grad():
        for weight in weights:
            old = weight[: extension.first].detach().to("cpu", torch.float32).numpy()
            rows = _rows(old, old_tokens, initial, spread, random)
            weight[numbers.start : numbers.stop] = torch.from_numpy(rows).to(weight)


def _rows(
    old: NDArray[np.float32], old_tokens: Sequence[Sequence[int]], initial: Initial, spread: float,
    random: np.random.Generator,
) -> NDArray[np.float32]:
    """New rows (float32, tokens × dimensions)."""
    rows = random.normal(0.0, spread, (len(old_tokens), old.shape[1])).astype(np.float32)
    if initial == "mean":
        for row, numbers in zip(rows, old_tokens, strict=True):
            if numbers:
                row[:] = old[np.asarray(numbers, np.int64)].mean(axis=0, dtype=np.float64)
    return rows


def extend_model(
    model: str | os.PathLike[str], tokens: Iterable[str], folder: str | os.PathLike[str], *, marks: bool = True,
    initial: Initial = "mean", seed: int = 1,
) -> Extension:
    """Extends a model and its tokenizer by tokens, and saves both as a folder that transformers opens.

    ``model`` is the name or folder of a model, of any kind: it is saved as what it was published as. The other
    parameters are those of :func:`extend_tokenizer` and :func:`extend_embeddings`.

    :raises ConfigError: the model cannot be loaded, ``initial`` is none, no token is new, or the folder is not empty.
    :raises SourceError: the folder cannot be written.
    :raises MissingExtra: torch or transformers is not installed.
    """
    if initial not in ("mean", "random"):
        raise ConfigError(f"new embeddings cannot begin as {initial!r}", hint="Choose mean or random.")
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError("is there already and not an empty folder", where=str(target), hint="Name another folder.")
    transformers = load_transformers(_PURPOSE)
    tokenizer = load_tokenizer(model, _PURPOSE)
    with loading(model, "model"):
        config = pretrained(transformers.AutoConfig, model)
        kind = getattr(transformers, (config.architectures or ["AutoModel"])[0], transformers.AutoModel)
        network = pretrained(kind, model)
    before = load_tokenizer(model, _PURPOSE)
    extension = extend_tokenizer(tokenizer, tokens, marks=marks)
    if not extension.tokens:
        raise ConfigError("no token is new to the tokenizer", where=os.fspath(model))
    special = set(before.all_special_ids)
    old_tokens = [
        [number for number in numbers if number not in special]
        for numbers in before(list(extension.tokens), add_special_tokens=False)["input_ids"]
    ]
    extend_embeddings(network, extension, old_tokens, initial=initial, seed=seed)
    try:
        target.mkdir(parents=True, exist_ok=True)
        network.save_pretrained(target)
        tokenizer.save_pretrained(target)
    except OSError as error:
        raise SourceError(f"cannot be written ({error.strerror or error})", where=str(target)) from error
    return extension
