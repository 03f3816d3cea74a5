"""Compressing vectors of tokens: the nearest of some centroids, and for each dimension of what is left one of a few
numbers.

Santhanam et al., *ColBERTv2* (NAACL 2022), section 3.3. Centroids are found by k-means on a sample; the residuals of
all dimensions share their buckets, which are the quantiles of a part of the sample. What centroid and residual add up
to is brought to length 1 again by a factor that is stored with each token, as one of 256.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.index.container import Container, corrupt
from porism.index.container_writer import ContainerWriter
from porism.vectors.neural.loading import EXTRA
from porism.vectors.neural.model_encoder import unit_rows

BITS = (1, 2, 4)
"""How many bits a dimension of a residual can have."""

STEP = 8
"""Dimensions are a multiple of it, so that residuals are whole bytes whatever their bits."""

CODE = (1 << 24) - 1
"""The bits of a head that are the number of a centroid."""

KIND = "token-codec"
"""What the file of a codec is."""

_ITERATIONS = 4
_HELD_OUT = 1 << 16
_BATCH_SIZE = 8_192


class CompressedTokens(NamedTuple):
    """Tokens as they are stored: ``heads`` (uint32), the number of a centroid in the lower 24 bits and the number of a
    factor in the upper 8, and ``residuals`` (uint8, tokens × bytes)."""

    heads: NDArray[np.uint32]
    residuals: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class TokenCodec:
    """How the tokens of an index are compressed: by ``centroids`` (float32, each of length 1) and residuals.

    The ``cutoffs`` are between the buckets of residuals, and the ``weights`` are what these stand for (float32,
    2^``bits``). The least and largest factor (``least``, ``most``) are those that a token is brought to length 1 with.
    """

    centroids: NDArray[np.float32]
    cutoffs: NDArray[np.float32]
    weights: NDArray[np.float32]
    least: float
    most: float

    def __repr__(self) -> str:
        return f"TokenCodec({len(self.centroids):,} centroids, {self.dimensions} dimensions, {self.bits} bits)"

    @property
    def dimensions(self) -> int:
        """Dimensions of a token."""
        return int(self.centroids.shape[1])

    @property
    def bits(self) -> int:
        """Bits of a dimension of a residual."""
        return len(self.weights).bit_length() - 1

    @property
    def width(self) -> int:
        """Bytes of a residual."""
        return self.dimensions * self.bits // 8

    @cached_property
    def factors(self) -> NDArray[np.float32]:
        """What the scales stand for (float32, 256)."""
        return np.linspace(self.least, self.most, 256, dtype=np.float32)

    @cached_property
    def halves(self) -> NDArray[np.float32]:
        """What the values of half a byte stand for (float32, 16 × dimensions of half a byte)."""
        per = 4 // self.bits
        shifts = np.arange(per) * self.bits
        halves: NDArray[np.float32] = self.weights[(np.arange(16)[:, None] >> shifts) & (len(self.weights) - 1)]
        return halves

    def nearest(self, vectors: NDArray[np.float32]) -> NDArray[np.uint32]:
        """The number of the centroid nearest to each vector (uint32)."""
        numbers = np.empty(len(vectors), np.uint32)
        for start in range(0, len(vectors), _BATCH_SIZE):
            part = vectors[start : start + _BATCH_SIZE]
            numbers[start : start + _BATCH_SIZE] = np.argmax(part @ self.centroids.T, axis=1)
        return numbers

    def compress(self, vectors: NDArray[np.float32]) -> CompressedTokens:
        """Vectors of length 1 (float32, tokens × dimensions) as they are stored."""
        codes = self.nearest(vectors)
        residuals = np.empty((len(vectors), self.width), np.uint8)
        scales = np.empty(len(vectors), np.uint32)
        per = 8 // self.bits
        shifts = (np.arange(per) * self.bits).astype(np.uint8)
        for start in range(0, len(vectors), _BATCH_SIZE):
            at = slice(start, start + _BATCH_SIZE)
            centroids = self.centroids[codes[at]]
            buckets = np.searchsorted(self.cutoffs, vectors[at] - centroids).astype(np.uint8)
            parts = buckets.reshape(len(buckets), self.width, per) << shifts
            residuals[at] = np.bitwise_or.reduce(parts, axis=2)
            lengths = np.linalg.norm(centroids + self.weights[buckets], axis=1)
            step = (self.most - self.least) / 255
            factors = np.divide(1.0, lengths, out=np.full(len(lengths), self.least), where=lengths > 0)
            scales[at] = np.clip(np.rint((factors - self.least) / step), 0, 255)
        return CompressedTokens(codes | scales << np.uint32(24), residuals)

    def decompress(self, tokens: CompressedTokens) -> NDArray[np.float32]:
        """The vectors that compressed tokens stand for (float32, tokens × dimensions)."""
        low, high = tokens.residuals & 15, tokens.residuals >> 4
        halves = np.stack([low, high], axis=2).reshape(len(low), -1)
        residuals = self.halves[halves].reshape(len(low), self.dimensions)
        vectors: NDArray[np.float32] = self.centroids[tokens.heads & CODE] + residuals
        scaled: NDArray[np.float32] = vectors * self.factors[tokens.heads >> 24][:, None]
        return scaled

    def rows(self, tokens: CompressedTokens) -> NDArray[np.uint8]:
        """Compressed tokens as rows of bytes, head and residual one after the other (uint8, tokens × (4 + width))."""
        heads = tokens.heads.astype("<u4").view(np.uint8).reshape(-1, 4)
        return np.concatenate([heads, tokens.residuals], axis=1)

    def query_table(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """The products of the tokens of a query (float32, dimensions × tokens) with what each half byte of a residual
        stands for (float32, half bytes × 16 × tokens)."""
        per = 4 // self.bits
        parts = queries.reshape(self.dimensions // per, per, -1)
        return np.ascontiguousarray(np.einsum("vp,hpq->hvq", self.halves, parts), np.float32)

    def write(self, path: Path, info: dict[str, Any]) -> None:
        """Stores the codec, whole or not at all, with ``info`` (JSON-ready).

        :raises StorageError: the file cannot be written.
        """
        with ContainerWriter(path, KIND, atomic=True) as writer:
            writer.add("centroids", self.centroids)
            writer.add("cutoffs", self.cutoffs)
            writer.add("weights", self.weights)
            writer.finish({**info, "least": self.least, "most": self.most})


def read_codec(container: Container) -> TokenCodec:
    """The codec in a file.

    :raises IndexCorrupt: it is damaged, or does not hold what a codec has.
    """
    centroids, cutoffs = container.array("centroids"), container.array("cutoffs")
    weights = container.array("weights")
    least, most = container.info.get("least"), container.info.get("most")
    sound = (
        centroids.ndim == 2 and centroids.dtype == cutoffs.dtype == weights.dtype == np.float32
        and len(weights) in {1 << bits for bits in BITS} and len(cutoffs) == len(weights) - 1
        and centroids.shape[1] % STEP == 0 and isinstance(least, float) and isinstance(most, float)
    )
    if not sound:
        raise corrupt("is not a codec of tokens", container.path)
    return TokenCodec(centroids, cutoffs, weights, float(least or 0), float(most or 0))


def centroid_count(tokens: int) -> int:
    """How many centroids so many tokens get: the power of two below 16 times the root of their number (Santhanam et
    al., *PLAID*, 2022)."""
    return 1 << max(0, int(math.log2(16 * math.sqrt(max(1, tokens)))))


def train_codec(
    sample: NDArray[np.float32], centroids: int, *, bits: int = 2, seed: int = 1, iterations: int = _ITERATIONS
) -> TokenCodec:
    """A codec from a sample of tokens (float32, tokens × dimensions, each of length 1); of a small sample with fewer
    centroids than wanted.

    :raises ConfigError: there are no tokens, or bits or dimensions that residuals cannot have.
    :raises MissingExtra: faiss is not installed.
    """
    if bits not in BITS:
        raise ConfigError(f"residuals cannot have {bits} bits a dimension", hint="Use 1, 2 or 4.")
    if not len(sample):
        raise ConfigError("there are no tokens to find centroids of", hint="Index documents with text first.")
    dimensions = sample.shape[1]
    if dimensions % STEP:
        raise ConfigError(
            f"tokens of {dimensions} dimensions cannot be compressed", hint=f"Use a multiple of {STEP}, such as 128."
        )
    draw = np.random.default_rng(seed)
    order = draw.permutation(len(sample))
    held = sample[order[: min(len(sample), _HELD_OUT)]]
    distinct = len(np.unique(sample, axis=0)) if len(sample) <= 4 * centroids else len(sample)
    means = _clusters(sample[order], min(centroids, distinct), seed, iterations)
    codec = TokenCodec(means, np.zeros(0, np.float32), np.zeros(1, np.float32), 1.0, 1.0)
    nearest = means[codec.nearest(held)]
    residuals = (held - nearest).reshape(-1)
    shares = np.arange(1 << bits, dtype=np.float64) / (1 << bits)
    cutoffs = np.quantile(residuals, shares[1:]).astype(np.float32)
    weights = np.quantile(residuals, shares + 0.5 / (1 << bits)).astype(np.float32)
    restored = nearest + weights[np.searchsorted(cutoffs, held - nearest)]
    lengths = np.linalg.norm(restored, axis=1)
    factors = 1.0 / np.maximum(lengths, 1e-3)
    least, most = (float(value) for value in np.quantile(factors, (0.001, 0.999)))
    return TokenCodec(means, cutoffs, weights, least, max(most, least * (1 + 1e-6)))


def _clusters(sample: NDArray[np.float32], count: int, seed: int, iterations: int) -> NDArray[np.float32]:
    """Centroids of length 1 (float32, count × dimensions) by k-means on the sphere."""
    faiss: Any = need("faiss", EXTRA, "centroids of tokens")
    means = faiss.Kmeans(
        sample.shape[1], count, niter=iterations, seed=seed, spherical=True, min_points_per_centroid=1,
        max_points_per_centroid=len(sample),
    )
    means.train(np.ascontiguousarray(sample, np.float32))
    return unit_rows(np.asarray(means.centroids, np.float32).reshape(count, -1))
