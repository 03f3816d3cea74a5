"""Making an encoder of tokens of any transformer: a linear layer on top of its tokens, and markers.

The layer is not trained yet. It begins as what keeps most of the vectors (their principal directions in a sample of
texts) or as random directions that are orthogonal. So products of vectors stay about what they were.
"""

from __future__ import annotations

import os
import string
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.settings import Settings
from porism.vectors.neural.encoder_model import ModelClass
from porism.vectors.neural.encoder_settings import PUBLISHED_FILE, json_object
from porism.vectors.neural.loading import (
    AS_FLOAT32,
    EXTRA,
    choose_device,
    load_torch,
    load_transformers,
    loading,
    quiet,
)

MODEL_CLASS: Final[ModelClass] = "MultiVectorEncoder"

Skipped = Literal["markup", "punctuation", "none"]
"""Tokens of documents that have no vector: what separates words and what LaTeX is written with, but no sign that says
something in a formula; all signs of ASCII, as in ColBERT; or none."""

QUERY_MARKER, DOCUMENT_MARKER = "[Q]", "[D]"

_SKIPPED: dict[str, list[str]] = {
    "markup": [*'.,;:?"`$\\{}&~', "'"], "punctuation": list(string.punctuation), "none": [],
}
_PURPOSE = "an encoder of tokens"


@dataclass(frozen=True, slots=True)
class TokenModelSettings(Settings):
    """How a model for late interaction is made: its tokens get ``dimensions``; queries are filled up to ``expansion``
    tokens (0: not at all) and cut after ``query_length``; ``skipped`` says which tokens of documents have no vector.

    :raises ConfigError: a setting is out of its range.
    """

    dimensions: int = 128
    query_length: int = 128
    expansion: int = 32
    skipped: Skipped = "markup"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.dimensions < 8 or self.dimensions % 8:
            raise ConfigError(
                f"tokens cannot have {self.dimensions} dimensions", hint="Use a multiple of 8, such as 128."
            )
        if self.skipped not in get_args(Skipped):
            raise ConfigError(f"skipped cannot be {self.skipped!r}", hint=f"Choose from {', '.join(_SKIPPED)}.")
        if self.expansion < 0 or self.query_length < max(8, self.expansion):
            raise ConfigError(
                f"queries cannot be filled up to {self.expansion} and cut after {self.query_length} tokens",
                hint="Use 0 or more, and at least as many.",
            )


def is_token_model(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder has a model that gives vectors of tokens, saved by sentence-transformers or by ColBERT."""
    for name, key, known in (
        (PUBLISHED_FILE, "model_type", (MODEL_CLASS, "ColBERT")), ("config.json", "architectures", ("HF_ColBERT",)),
    ):
        said = json_object(Path(folder) / name).get(key)
        if said is not None and not set(known).isdisjoint([said] if isinstance(said, str) else said):
            return True
    return False


def check_token_model(folder: str | os.PathLike[str], named: str) -> None:
    """Whether a folder has a model that gives vectors of tokens.

    :raises ConfigError: it does not.
    """
    if not is_token_model(folder):
        raise ConfigError(
            "the model gives no vectors of tokens: it was not trained for late interaction", where=named,
            hint=f"Train one that begins with it: porism train encoder NAME --kind colbert --from {named} --index DIR, "
                 "then porism encode NAME --index DIR.",
        )


def make_token_model(
    folder: str | os.PathLike[str], settings: TokenModelSettings | None = None, *, texts: Sequence[str] = (),
    device: str = "auto",
) -> Any:
    """A ``MultiVectorEncoder`` from the folder of a transformer, or of an encoder of sentence-transformers without its
    pooling; one that is such a model already is opened as it is.

    :param texts: a sample whose principal directions the linear layer begins with; random ones where there is none.
    :raises ConfigError: the model cannot be loaded, or has fewer dimensions than wanted.
    :raises MissingExtra: torch or sentence-transformers is not installed.
    """
    settings = settings or TokenModelSettings()
    transformers = load_transformers(_PURPOSE)
    torch = load_torch(_PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    modules: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, _PURPOSE)
    masks: Any = need("sentence_transformers.multi_vector_encoder.modules", EXTRA, _PURPOSE)
    target = choose_device(device)
    with loading(folder, "encoder"), quiet(transformers), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_token_model(folder):
            return library.MultiVectorEncoder(
                os.fspath(folder), device=str(target), local_files_only=True, model_kwargs=AS_FLOAT32
            )
        if (Path(folder) / "modules.json").exists():
            encoder = library.SentenceTransformer(
                os.fspath(folder), device="cpu", local_files_only=True, model_kwargs=AS_FLOAT32
            )
            transformer = encoder[0]
        else:
            transformer = modules.Transformer(os.fspath(folder), model_kwargs=AS_FLOAT32)
    width = int(transformer.get_embedding_dimension())
    if settings.dimensions > width:
        raise ConfigError(
            f"tokens of {width} dimensions cannot get {settings.dimensions}", where=os.fspath(folder),
            hint=f"Choose at most {width // 8 * 8} dimensions.",
        )
    _add_markers(transformer)
    transformer.query_length = settings.query_length
    if settings.expansion:
        transformer.query_expansion = {"strategy": "min", "length": settings.expansion, "attend": False}
    layer = modules.Dense(
        width, settings.dimensions, bias=False, activation_function=torch.nn.Identity(),
        module_input_name="token_embeddings",
    )
    model = library.MultiVectorEncoder(
        modules=[
            transformer, layer, masks.MultiVectorMask(skiplist_words=_SKIPPED[settings.skipped]),
            modules.Normalize(module_input_name="token_embeddings"),
        ],
        prompts={"query": f"{QUERY_MARKER} ", "document": f"{DOCUMENT_MARKER} "}, device=str(target),
    )
    directions = _principal(model, texts, settings.dimensions) if texts else _random(width, settings)
    with torch.no_grad():
        layer.linear.weight.copy_(torch.from_numpy(directions))
    return model


def _add_markers(transformer: Any) -> None:
    """Adds the markers as tokens, whose embeddings begin as the mean of all others."""
    torch = load_torch(_PURPOSE)
    tokenizer, inner = transformer.tokenizer, transformer.auto_model
    rows = inner.get_input_embeddings().num_embeddings
    before = len(tokenizer)
    tokenizer.add_special_tokens({"additional_special_tokens": [QUERY_MARKER, DOCUMENT_MARKER]})
    if len(tokenizer) > rows:
        inner.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        weights = inner.get_input_embeddings().weight
        weights[before : len(tokenizer)] = weights[:before].mean(dim=0)


def _random(width: int, settings: TokenModelSettings) -> NDArray[np.float32]:
    """Directions orthogonal to one another (float32, dimensions × width)."""
    drawn = np.random.default_rng(settings.seed).normal(size=(width, settings.dimensions))
    return np.ascontiguousarray(np.linalg.qr(drawn)[0].T, np.float32)


def _principal(model: Any, texts: Sequence[str], dimensions: int) -> NDArray[np.float32]:
    """The directions in which the tokens of texts lie most (float32, dimensions × width)."""
    torch = load_torch(_PURPOSE)
    transformer = model[0]
    moments: Any = 0.0
    for start in range(0, len(texts), 16):
        features = model.preprocess(list(texts[start : start + 16]), prompt=model.prompts["document"], task="document")
        features = {name: value.to(model.device) if hasattr(value, "to") else value for name, value in features.items()}
        with torch.inference_mode():
            out = transformer(features)
        tokens = out["token_embeddings"][out["attention_mask"].bool()].to("cpu", torch.float64).numpy()
        tokens /= np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-12)
        moments = moments + tokens.T @ tokens
    _, directions = np.linalg.eigh(moments)
    return np.ascontiguousarray(directions[:, ::-1][:, :dimensions].T, np.float32)
