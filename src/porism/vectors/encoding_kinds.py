"""All kinds of encodings, and which of them a model gives."""

from __future__ import annotations

import os
from typing import Any

from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.encoding import EncodingKind
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.encoder_model import fetched_encoder
from porism.vectors.splade.encoding import SPARSE_ENCODING

ENCODING_KINDS: dict[str, EncodingKind[Any, Any]] = {
    kind.name: kind for kind in (DENSE_ENCODING, SPARSE_ENCODING, TOKEN_ENCODING, FORMULA_ENCODING)
}
"""The kinds by name; the first is that of any model that does not say what it gives."""


def model_kind(model: str | os.PathLike[str], index_path: str | os.PathLike[str]) -> EncodingKind[Any, Any]:
    """What a model gives, as its folder says; one of the hub is fetched where it is not here.

    :raises ConfigError: there is none of this name, or its folder is incomplete.
    """
    folder = model_folder(os.fspath(model), index_path)
    if folder is None or not FORMULA_ENCODING.recognises(folder):
        folder = fetched_encoder(model, index_path).folder
    dense, *others = ENCODING_KINDS.values()
    return next((kind for kind in others if kind.recognises(folder)), dense)


def forget(index_path: str | os.PathLike[str], name: str) -> None:
    """Forgets the encoding of this name of an index, of whichever kind, and removes what is stored of it.

    :raises ConfigError: the index has none of this name.
    :raises IndexLocked: another process writes to it.
    """
    dense, *others = ENCODING_KINDS.values()
    next((kind for kind in others if name in kind.records.kind.names(index_path)), dense).forget(index_path, name)
