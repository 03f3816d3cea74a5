"""Tokens of documents, compressed by a codec that is trained on a sample of them first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, pluralise
from porism.index import Segment, Snapshot
from porism.index.token_rows import complete_tokens, forget_token_parts, has_tokens, open_tokens
from porism.index.vectors import ComputedRows, Split
from porism.settings import Settings
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.records import TOKEN_RECORDS, TokenRecord, read_token_record
from porism.vectors.encoding import ModelChoice, TextEncodingKind
from porism.vectors.neural.token_codec import BITS, centroid_count, train_codec
from porism.vectors.neural.token_encoder import TokenEncoder
from porism.vectors.neural.token_model import is_token_model
from porism.vectors.providers import DocumentProvider, SegmentProvider, document_digests, document_texts
from porism.vectors.records import container_info

_SAMPLE_BATCH_SIZE = 256
_CENTROID_TOKENS = 32
_MIN_SAMPLE, _MAX_SAMPLE = 1 << 14, 1 << 21


class DocumentTokens(DocumentProvider[TokenRecord, TokenEncoder]):
    """Computes the tokens of documents as bytes, compressed by the codec of their record."""

    noun = "the token store"
    chunk = 256
    encoder_class = TokenEncoder

    known: Mapping[int, NDArray[np.float32]] = {}
    """Vectors of the tokens of contents, by digest, that need not be encoded any more."""

    def compute(self, segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        keys = digests[numbers].tolist()
        vectors = {key: self.known[key] for key in keys if key in self.known}
        new = [place for place, key in enumerate(keys) if key not in vectors]
        if new:
            parts = _token_vectors(self.encoder, self.texts(segment, numbers[new]))
            vectors |= {keys[place]: part for place, part in zip(new, parts, strict=True)}
        codec = self.record.codec
        tokens = np.concatenate([np.zeros((0, codec.dimensions), np.float32), *(vectors[key] for key in keys)])
        return ComputedRows(codec.rows(codec.compress(tokens)), np.array([len(vectors[key]) for key in keys], np.int64))

    def has(self, segment: Segment) -> bool:
        return has_tokens(segment, self.spec)

    def store(
        self, segment: Segment, digests: NDArray[np.uint64], compute: Callable[[NDArray[np.int64]], ComputedRows],
        on_progress: Callable[[int], None], *, chunk: int, split: Split,
    ) -> int:
        return complete_tokens(segment, self.spec, digests, compute, chunk=chunk, split=split, on_progress=on_progress)

    def size(self, segment: Segment) -> tuple[int, int]:
        rows = open_tokens(segment, self.spec, self.record.again(self._index_path))
        arrays = (rows.offsets, rows.heads, rows.residuals.array, rows.list_starts, rows.list_docs)
        return len(rows.heads), sum(array.nbytes for array in arrays)

    def finish(self, segments: Sequence[Segment]) -> None:
        forget_token_parts(self._index_path, self.spec)


@dataclass(frozen=True, slots=True)
class TokenOptions(Settings):
    """How tokens are compressed: ``bits`` of a dimension of a residual, and how many ``centroids`` (None: by the number
    of tokens, :func:`~porism.vectors.neural.token_codec.centroid_count`). The codec is trained where the model, how it
    reads or one of these has changed, or with ``retrain``; ``seed`` draws the documents for it.

    :raises ConfigError: residuals cannot have so many bits.
    """

    bits: int = 2
    centroids: int | None = None
    seed: int = 1
    retrain: bool = False

    def __post_init__(self) -> None:
        if self.bits not in BITS:
            raise ConfigError(f"residuals cannot have {self.bits} bits a dimension", hint="Use 1, 2 or 4.")


class TokenEncoding(TextEncodingKind[TokenRecord, TokenEncoder]):
    """Tokens of documents, for late interaction."""

    name = "colbert"
    records = TOKEN_RECORDS
    options = TokenOptions
    compared = ("bits", "centroids")
    row_noun = "token"
    search = "'words and $formula$' --model colbert"
    provider_class = DocumentTokens

    def recognises(self, folder: Path) -> bool:
        return is_token_model(folder)

    def write(
        self, name: str, chosen: ModelChoice, encoder: TokenEncoder, options: TokenOptions, snapshot: Snapshot
    ) -> SegmentProvider:
        path = TOKENS.prepare(chosen.index, name)
        record = None if options.retrain or not path.exists() else read_token_record(path)
        sample: dict[int, NDArray[np.float32]] = {}
        wanted = encoder.files.digest, encoder.settings, chosen.precision, options.bits, options.centroids
        if record is None or wanted != (
            record.digest, record.settings, record.precision, record.bits, record.centroids
        ):
            chosen.on_warning("training centroids of tokens on a sample of documents")
            sample = _sample(snapshot, encoder, options)
            tokens = np.concatenate([np.zeros((0, encoder.dimensions), np.float32), *sample.values()])
            codec = train_codec(
                tokens, _centroid_count(snapshot, sample, options), bits=options.bits, seed=options.seed
            )
            codec.write(path, container_info(
                chosen.persistent_name, encoder.files.digest, encoder.settings, chosen.precision, name=name,
                wanted=options.centroids, sample=len(tokens), seed=options.seed, generation=snapshot.generation,
            ))
            record = read_token_record(path)
        provider = DocumentTokens(chosen.index, record, encoder=encoder, device=chosen.device)
        provider.known = sample
        return provider

    def about(self, record: TokenRecord) -> dict[str, Any]:
        codec = record.codec
        return {"dimensions": codec.dimensions, "bits": codec.bits, "centroids": len(codec.centroids)}

    def describe(self, record: TokenRecord) -> str:
        codec = record.codec
        centroids, bits = pluralise(len(codec.centroids), "centroid"), pluralise(codec.bits, "bit")
        return f"{centroids}, {codec.dimensions} dimensions of {bits}"


TOKEN_ENCODING = TokenEncoding()


def _token_vectors(encoder: TokenEncoder, texts: list[str]) -> list[NDArray[np.float32]]:
    """The vectors of the tokens of each text (float32, tokens × dimensions)."""
    encoded = encoder.encode_documents(texts)
    return np.split(encoded.vectors, encoded.offsets[1:-1]) if texts else []


def _sample(snapshot: Snapshot, encoder: TokenEncoder, options: TokenOptions) -> dict[int, NDArray[np.float32]]:
    """The tokens of documents drawn at random, by the digest of their content: as many as centroids need."""
    places = [
        (number, document) for number, segment in enumerate(snapshot.segments)
        for document in np.flatnonzero(segment.live).tolist()
    ]
    order = np.random.default_rng(options.seed).permutation(len(places))
    digests = [document_digests(segment) for segment in snapshot.segments]
    sample: dict[int, NDArray[np.float32]] = {}
    tokens = 0
    for start in range(0, len(order), _SAMPLE_BATCH_SIZE):
        drawn = [places[number] for number in order[start : start + _SAMPLE_BATCH_SIZE].tolist()]
        texts = [
            text for number, document in drawn
            for text in document_texts(snapshot.segments[number], np.array([document]), encoder.settings.text)
        ]
        vectors = _token_vectors(encoder, texts)
        for (number, document), part in zip(drawn, vectors, strict=True):
            sample[int(digests[number][document])] = part
        tokens += sum(map(len, vectors))
        enough = _CENTROID_TOKENS * _centroid_count(snapshot, sample, options)
        if tokens >= np.clip(enough, _MIN_SAMPLE, _MAX_SAMPLE):
            break
    return sample


def _centroid_count(snapshot: Snapshot, sample: Mapping[int, NDArray[np.float32]], options: TokenOptions) -> int:
    """How many centroids the tokens of an index get, whose number is estimated by a sample."""
    mean = sum(map(len, sample.values())) / max(1, len(sample))
    return options.centroids or centroid_count(int(mean * snapshot.doc_count))
