"""Similarity matrices of an index: built from its terms and its embeddings, kept in its folder."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Segment, Snapshot
from porism.index.strings import Packed
from porism.retrieve.lexical.similarity_matrix import write_similarity_matrix
from porism.settings import read_settings, write_settings
from porism.system.files.artifacts import SIMILARITIES
from porism.vectors.embeddings import TokenVectors, open_token_vectors
from porism.vectors.similarity import kernels
from porism.vectors.similarity.building import Progress, token_similarities
from porism.vectors.similarity.settings import SimilaritySettings

_DOCUMENTS = 1 << 13


class ChannelVocabulary(NamedTuple):
    """Terms in code-point order and ``df`` (int64), in how many live documents each occurs, at least 1."""

    terms: list[str]
    df: NDArray[np.int64]


def channel_vocabulary(snapshot: Snapshot, channel: str, most: int = 50_000, min_df: int = 1) -> ChannelVocabulary:
    """The ``most`` most frequent terms of a channel, by live documents, of those in at least ``min_df``.

    Of equally frequent terms those that come first in code-point order are taken.

    :raises ConfigError: no segment has the channel.
    """
    from porism.index.string_kernels import sort_order, unify

    channels = [(segment, (*segment.text_channels, *segment.formula_channels)) for segment in snapshot.segments]
    segments = [segment for segment, names in channels if channel in names]
    if not segments:
        known = dict.fromkeys(name for _, names in channels for name in names)
        raise ConfigError(
            f"the index has no channel {channel!r}", where=str(snapshot.path),
            hint=f"It has {', '.join(known)}." if known else "It has no documents.",
        )
    packed = Packed.join([segment.dictionary(channel).packed() for segment in segments])
    counts = np.concatenate([_live_df(segment, channel) for segment in segments])
    ids, firsts = unify(packed.blob, packed.starts)
    df = np.bincount(ids, counts.astype(np.float64), minlength=len(firsts)).astype(np.int64)
    frequent = np.flatnonzero(df >= max(min_df, 1))
    distinct = packed.take(firsts[frequent])
    order = cast("NDArray[np.int64]", sort_order(distinct.blob, distinct.starts))
    if len(order) > most:
        taken = np.argsort(-df[frequent][order], kind="stable")[:most]
        order = order[np.sort(taken)]
    return ChannelVocabulary(distinct.take(order).strings(), df[frequent][order])


def _live_df(segment: Segment, channel: str) -> NDArray[np.int64]:
    """In how many live documents of a segment each term of a channel occurs (int64, one a term)."""
    matrix, entries = segment.matrix(channel), segment.entries(channel)
    terms = len(segment.dictionary(channel))
    df = np.zeros(terms, np.int64)
    last_seen = np.full(terms, -1, np.int32)
    live = np.ascontiguousarray(segment.live, np.bool_)
    for first in range(0, segment.doc_count, _DOCUMENTS):
        starts = entries.starts[first : min(first + _DOCUMENTS, segment.doc_count) + 1]
        rows = matrix.select(entries.rows[starts[0] : starts[-1]])
        kernels.count_documents(
            np.ascontiguousarray(starts - starts[0]), rows.indptr, rows.terms, live, first, last_seen, df
        )
    return df


def build_similarities(
    index_path: str | os.PathLike[str], name: str, settings: SimilaritySettings | None = None, *,
    workers: int | None = None, on_progress: Progress = lambda done, total: None,
) -> Path:
    """Builds the similarity matrix ``name`` of an index and stores it in its folder; returns the file.

    A matrix that was there is replaced at the end, all at once. Documents that are indexed later do not change it:
    terms that it does not have are similar to nothing but themselves. ``on_progress`` receives how many terms are done
    of how many.

    :raises ConfigError: this cannot be a name, the index lacks the channel, the embeddings, or terms that are frequent
        enough, or none of the terms has a vector.
    :raises MissingExtra: rapidfuzz is not installed and α is above 0.
    :raises StorageError: the matrix cannot be written.
    """
    settings = settings or SimilaritySettings()
    path = SIMILARITIES.path(index_path, name)
    started = time.monotonic()
    embeddings = None
    if settings.needs_vectors:
        if not settings.embeddings:
            raise ConfigError(
                f"similarities with alpha {settings.alpha:g} need embeddings",
                hint="Name some of the index, or use alpha 1, which is lexical similarity alone.",
            )
        embeddings = open_token_vectors(index_path, settings.embeddings)
    with Snapshot.open(index_path) as snapshot:
        generation = snapshot.generation
        terms, df = channel_vocabulary(snapshot, settings.channel, settings.vocabulary, settings.min_df)
    if not terms:
        raise ConfigError(
            f"the channel {settings.channel!r} has no terms in at least {settings.min_df:,} documents",
            where=str(index_path), hint="Index documents first, or lower the minimum df.",
        )
    vectors, known = None, 0
    if embeddings is not None:
        vectors, has_vector = vectors_of(embeddings, terms)
        known = int(np.count_nonzero(has_vector))
        if not known:
            raise ConfigError(
                f"the embeddings {settings.embeddings!r} have a vector of none of the terms of {settings.channel!r}",
                where=str(index_path), hint="Train embeddings on this channel.",
            )
    rows = token_similarities(terms, vectors, settings, frequencies=df, workers=workers, on_progress=on_progress)
    SIMILARITIES.prepare(index_path, name)
    return write_similarity_matrix(path, terms, *rows, {
        "channel": settings.channel, "terms": len(terms), "similarities": len(rows.columns),
        "vocabulary": vocabulary_digest(terms), "generation": generation,
        "embeddings": None if embeddings is None else {
            "name": settings.embeddings, "digest": embeddings.digest, "terms": known,
        },
        "settings": write_settings(settings), "seconds": round(time.monotonic() - started, 3),
    })


def vectors_of(embeddings: TokenVectors, terms: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The vector of each term (float32, terms × dimensions; 0 where there is none), and whether it has one (bool).

    Vectors of terms that were not trained, which fastText makes of parts of them, count too.
    """
    rows = embeddings.dictionary.lookup(terms)
    has_vector = rows >= 0
    vectors = np.zeros((len(terms), embeddings.dimensions), np.float32)
    vectors[has_vector] = embeddings.vectors[rows[has_vector]]
    for number in np.flatnonzero(~has_vector).tolist():
        try:
            vectors[number] = embeddings.vector(terms[number])
        except ConfigError:  # it has none
            continue
        has_vector[number] = True
    return vectors, has_vector


def vocabulary_digest(terms: Sequence[str]) -> str:
    """What identifies a list of terms."""
    digest = xxhash.xxh3_64()
    for term in terms:
        digest.update(f"{len(term)}:{term}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def rebuild_similarities(index_path: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Builds a matrix again from settings as it stores them.

    :raises ConfigError: a setting does not fit, or :func:`build_similarities` raises it.
    """
    build_similarities(index_path, name, read_settings(SimilaritySettings, settings, at=("settings",)))
