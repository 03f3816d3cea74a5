"""Encoding the tokens of the documents of an index by a model, after its codec was trained on a sample of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Snapshot, locked_snapshot
from porism.index.token_rows import open_tokens
from porism.system.concurrency.clusters import connected
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.provider import DocumentTokens
from porism.vectors.colbert.stores import TOKEN_STORES, TokenStore, read_store
from porism.vectors.encoding import (
    chosen_files,
    document_digests,
    document_texts,
    encoder_name,
    lasting_name,
)
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_codec import BITS, centroid_count, train_codec
from porism.vectors.neural.token_encoder import TokenEncoder, load_token_encoder
from porism.vectors.neural.token_model import MODEL_CLASS
from porism.vectors.spreading import encode_documents

Progress = Callable[[int, int], None]
Note = Callable[[str], None]

_SAMPLED_AT_ONCE = 256
_TOKENS_OF_CENTROID = 32
_LEAST_SAMPLE, _MOST_SAMPLE = 1 << 14, 1 << 21


@dataclass(frozen=True, slots=True)
class TokenReport:
    """What was encoded: the ``store``, how many ``documents`` the index has and how many ``tokens`` these, how many
    documents were ``encoded`` now, the ``bytes`` of all tokens on disk, the seconds, and whether it was interrupted."""

    store: TokenStore
    documents: int
    tokens: int
    encoded: int
    bytes: int
    seconds: float
    interrupted: bool


def encode_tokens(
    index_path: str | os.PathLike[str],
    model: str | os.PathLike[str],
    *,
    name: str = "",
    settings: EncoderSettings | Mapping[str, Any] | None = None,
    bits: int = 2,
    centroids: int | None = None,
    precision: Precision = "auto",
    device: str = "auto",
    cluster: str | None = None,
    seed: int = 1,
    retrain: bool = False,
    on_progress: Progress = lambda done, total: None,
    on_note: Note = lambda note: None,
) -> TokenReport:
    """Encodes the tokens of the documents of an index that have none of a model yet, and remembers the model.

    The first time, and where the model, how it reads text or ``bits`` have changed, or with ``retrain``, the codec is
    trained on a sample of documents first, and all documents get new tokens.

    :param model: a folder, or a name (:func:`porism.vectors.neural.encoder_files.find_encoder`).
    :param name: what the token store is called; that of the model if empty.
    :param settings: how the model reads text, or what is to differ from what its folder says.
    :param bits: bits of a dimension of a residual: 1, 2 or 4.
    :param centroids: how many; by the number of tokens if None
    (:func:`~porism.vectors.neural.token_codec.centroid_count`).
    :param cluster: where documents are encoded, as :func:`porism.system.concurrency.clusters.connected` takes it; here
    if
        None.
    :param on_progress: receives of how many documents tokens are there, of how many.

    An interruption (Ctrl-C) keeps what was encoded and is noted in the report, not raised; the same call goes on.

    :raises ConfigError: there is no such model, it is not for late interaction, or parts of it do not fit together.
    :raises IndexNotFound: there is no index. :raises IndexLocked: another process writes to it.
    :raises ClusterError: the workers of the cluster cannot do the work.
    :raises MissingExtra: a library is not installed. :raises StorageError: the folder cannot be written.
    """
    started = time.monotonic()
    index = Path(index_path)
    if bits not in BITS:
        raise ConfigError(f"residuals cannot have {bits} bits a dimension", hint="Use 1, 2 or 4.")
    files = chosen_files(model, index, settings, kind=MODEL_CLASS)
    encoder = load_token_encoder(files, device=device, precision=precision, on_note=on_note)
    path = TOKENS.prepare(index, TOKENS.check_name(name or encoder_name(model)))
    with connected(cluster) as workers, locked_snapshot(index) as snapshot:
        store = None if retrain or not path.exists() else read_store(path)
        known: dict[int, NDArray[np.float32]] = {}
        if store is None or not _fits(store, encoder, bits, centroids, precision):
            on_note("training centroids of tokens on a sample of documents")
            known = _sample(snapshot, encoder, centroids, seed)
            tokens = np.concatenate([np.zeros((0, encoder.dimensions), np.float32), *known.values()])
            wanted = centroids or centroid_count(_estimate(snapshot, known))
            codec = train_codec(tokens, wanted, bits=bits, seed=seed)
            codec.write(path, {
                "name": path.stem, "model": lasting_name(model, index), "digest": encoder.files.digest,
                "settings": encoder.settings.to_dict(), "precision": precision, "wanted": centroids,
                "sample": len(tokens), "seed": seed, "generation": snapshot.generation,
            })
            store = read_store(path)
        TOKEN_STORES.remove_others(index, snapshot.segments)
        provider = DocumentTokens(index, store, encoder=encoder, device=device, known=known)
        encoded, interrupted = encode_documents(snapshot, provider, on_progress, workers)
        counts = (0, 0) if interrupted else _sizes(snapshot, store, index)
        return TokenReport(
            store, snapshot.doc_count, counts[0], encoded, counts[1], time.monotonic() - started, interrupted
        )


def forget_tokens(index_path: str | os.PathLike[str], name: str) -> None:
    """Forgets a token store of an index, and removes its tokens.

    :raises ConfigError: the index has none of this name.
    :raises IndexLocked: another process writes to it.
    """
    TOKEN_STORES.forget(index_path, name)


def _fits(
    store: TokenStore, encoder: TokenEncoder, bits: int, centroids: int | None, precision: Precision
) -> bool:
    """Whether a store has the tokens that would be encoded now."""
    same_model = store.digest == encoder.files.digest and store.settings == encoder.settings
    return same_model and store.codec.bits == bits and store.precision == precision and store.wanted == centroids


def _sample(
    snapshot: Snapshot, encoder: TokenEncoder, centroids: int | None, seed: int
) -> dict[int, NDArray[np.float32]]:
    """The tokens of documents drawn at random, by the digest of their content: as many as centroids need."""
    places = [
        (number, document) for number, segment in enumerate(snapshot.segments)
        for document in np.flatnonzero(segment.live).tolist()
    ]
    order = np.random.default_rng(seed).permutation(len(places))
    digests = [document_digests(segment) for segment in snapshot.segments]
    found: dict[int, NDArray[np.float32]] = {}
    tokens = 0
    for start in range(0, len(order), _SAMPLED_AT_ONCE):
        drawn = [places[number] for number in order[start : start + _SAMPLED_AT_ONCE].tolist()]
        texts = [
            text for number, document in drawn
            for text in document_texts(snapshot.segments[number], np.array([document]), encoder.settings.text)
        ]
        encoded = encoder.encode_documents(texts)
        for (number, document), begin, end in zip(
            drawn, encoded.offsets[:-1].tolist(), encoded.offsets[1:].tolist(), strict=True
        ):
            found[int(digests[number][document])] = encoded.vectors[begin:end]
        tokens += len(encoded.vectors)
        wanted = centroids or centroid_count(_estimate(snapshot, found))
        if tokens >= np.clip(_TOKENS_OF_CENTROID * wanted, _LEAST_SAMPLE, _MOST_SAMPLE):
            break
    return found


def _estimate(snapshot: Snapshot, sample: dict[int, NDArray[np.float32]]) -> int:
    """About how many tokens the documents of an index have."""
    mean = sum(map(len, sample.values())) / max(1, len(sample))
    return int(mean * snapshot.doc_count)


def _sizes(snapshot: Snapshot, store: TokenStore, index: Path) -> tuple[int, int]:
    """Tokens of all segments, and the bytes of all their arrays."""
    tokens = size = 0
    for segment in snapshot.segments:
        rows = open_tokens(segment, store.spec, store.again(index))
        tokens += len(rows.heads)
        size += sum(one.nbytes for one in (rows.offsets, rows.heads, rows.residuals.array, rows.list_starts,
                                           rows.list_docs))
    return tokens, size
