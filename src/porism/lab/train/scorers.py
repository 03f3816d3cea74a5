"""What scores pairs of texts: encoders by the cosine of their vectors, and cross-encoders, which read both at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.extras import need
from porism.lab.train.negatives import Encode, Score, cosines
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_files import find_encoder
from porism.vectors.neural.loading import AS_FLOAT32, EXTRA, choose_device, loading

_PURPOSE = "scoring texts"


def open_encode(
    named: str | os.PathLike[str], index_path: str | os.PathLike[str] | None = None, device: str = "auto"
) -> Encode:
    """Encodes texts as an encoder encodes documents; of a text in chunks the first one.

    :raises ConfigError: there is no such encoder.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    encoder = Encoder.load(named, index_path=index_path, device=device)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = encoder.encode_documents(texts)
        vectors = np.zeros((len(texts), encoder.dimensions), np.float32)
        there = np.flatnonzero(np.diff(encoded.offsets))
        vectors[there] = encoded.vectors[encoded.offsets[there]]
        return vectors

    return encode


def open_score(
    named: str | os.PathLike[str], index_path: str | os.PathLike[str] | None = None, device: str = "auto"
) -> Score:
    """Scores pairs of texts by a model: a cross-encoder where its folder has one, else an encoder.

    :raises ConfigError: there is no such model.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    folder = find_encoder(named, index_path).folder
    config = folder / "config.json"
    described = orjson.loads(config.read_bytes()) if config.exists() else {}
    if not any(str(name).endswith("ForSequenceClassification") for name in described.get("architectures") or ()):
        return cosines(open_encode(named, index_path, device))
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    with loading(folder, "cross-encoder"):
        model = library.CrossEncoder(
            str(folder), device=str(choose_device(device)), local_files_only=True, model_kwargs=AS_FLOAT32
        )

    def score(asked: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        return np.asarray(model.predict(list(asked), show_progress_bar=False), np.float64).reshape(len(asked))

    return score
