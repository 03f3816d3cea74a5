"""Compressed tokens: near what they were, nearer with more bits, and scored by kernels as NumPy scores them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container
from porism.system.compiled.kernels import address
from porism.vectors.colbert.kernels import LANES, centroid_sims, max_sims
from porism.vectors.neural.token_codec import BITS, CODE, TokenCodec, centroid_count, read_codec, train_codec

pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")


def tokens(count: int, dimensions: int = 32, seed: int = 0) -> NDArray[np.float32]:
    """Tokens of length 1 around forty places."""
    draw = np.random.default_rng(seed)
    places = np.random.default_rng(9).normal(size=(40, dimensions))
    found = places[draw.integers(0, 40, count)] + 0.5 * draw.normal(size=(count, dimensions))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_more_bits_are_nearer() -> None:
    sample = tokens(4_000)
    cosines = []
    for bits in BITS:
        codec = train_codec(sample, 64, bits=bits)
        assert (codec.bits, codec.width, len(codec.centroids)) == (bits, 4 * bits, 64)
        compressed = codec.compress(sample)
        assert compressed.residuals.shape == (4_000, 4 * bits)
        restored = codec.decompress(compressed)
        lengths = np.linalg.norm(restored, axis=1)
        assert (np.abs(lengths - 1) < 0.005).mean() > 0.99  # but for the largest factors
        cosines.append(float((restored * sample).sum(axis=1).mean()))
    assert cosines[0] > 0.9
    assert cosines[0] < cosines[1] < cosines[2]
    assert cosines[2] > 0.99


def test_codes_are_nearest_centroids_and_buckets_are_quantiles() -> None:
    sample = tokens(3_000)
    codec = train_codec(sample, 32, bits=2)
    codes = codec.compress(sample).heads & CODE
    assert (codes == np.argmax(sample @ codec.centroids.T, axis=1)).all()
    np.testing.assert_allclose(np.linalg.norm(codec.centroids, axis=1), 1, atol=1e-5)
    residuals = (sample - codec.centroids[codes]).reshape(-1)
    shares = np.bincount(np.searchsorted(codec.cutoffs, residuals), minlength=4) / len(residuals)
    np.testing.assert_allclose(shares, 0.25, atol=0.01)
    again = train_codec(sample, 32, bits=2)
    assert (again.centroids == codec.centroids).all()


@every_case("bits", BITS)
@every_case("asked", [1, 16, 21])
def test_kernels_score_as_numpy_does(bits: int, asked: int) -> None:
    codec = train_codec(tokens(2_000), 50, bits=bits)
    compressed = codec.compress(tokens(300, seed=1))
    offsets = np.array([0, 7, 7, 40, 41, 300], np.int64)
    docs = np.array([4, 0, 1, 3, 2], np.int32)
    lanes = -(-asked // LANES) * LANES
    query = np.zeros((32, lanes), np.float32)
    query[:, :asked] = tokens(asked, seed=2).T
    near, table = np.ascontiguousarray(codec.centroids @ query), codec.query_table(query)
    best, scores = np.empty((5, lanes), np.float32), np.empty(5)
    max_sims(
        address(docs), 5, address(offsets), address(compressed.heads), address(compressed.residuals), codec.width,
        address(codec.factors), address(near), address(table), lanes, asked, address(best), address(scores),
    )
    vectors = codec.decompress(compressed).astype(np.float64)
    strong = np.ones(50, np.uint8)
    strong[::3] = 0
    room, rough = np.empty(lanes, np.float32), np.empty(5)
    centroid_sims(
        address(docs), 5, address(offsets), address(compressed.heads), address(near), address(strong), lanes, asked,
        address(room), address(rough),
    )
    codes = compressed.heads & CODE
    for place, doc in enumerate(docs.tolist()):
        own = slice(offsets[doc], offsets[doc + 1])
        if doc == 1:
            assert scores[place] == rough[place] == 0.0
            continue
        cosines = vectors[own] @ query[:, :asked].astype(np.float64)
        assert scores[place] == pytest.approx(cosines.max(axis=0).sum(), abs=1e-5)
        np.testing.assert_allclose(best[place, :asked], cosines.max(axis=0), atol=1e-6)
        kept = near[codes[own]][strong[codes[own]] == 1][:, :asked]
        expected = np.maximum(kept.max(axis=0, initial=0.0), 0.0).astype(np.float64).sum()
        assert rough[place] == pytest.approx(expected, abs=1e-9)


def test_a_codec_is_stored_and_damage_is_seen(tmp_path: Path) -> None:
    codec = train_codec(tokens(500), 16)
    path = tmp_path / "codec.bin"
    codec.write(path, {"model": "m"})
    again = read_codec(Container(path, None))
    assert (again.centroids == codec.centroids).all()
    assert (again.factors == codec.factors).all()
    broken = TokenCodec(codec.centroids, codec.cutoffs[:1], codec.weights, codec.least, codec.most)
    broken.write(path, {})
    with pytest.raises(IndexCorrupt, match="is not a codec of tokens"):
        read_codec(Container(path, None))


def test_what_cannot_be_compressed_is_refused() -> None:
    for sample, bits, message in (
        (tokens(9), 3, "3 bits"), (tokens(0), 2, "no tokens"), (tokens(9, 12), 2, "tokens of 12 dimensions"),
    ):
        with pytest.raises(ConfigError, match=message):
            train_codec(sample, 4, bits=bits)


def test_a_small_sample_has_as_many_centroids_as_tokens() -> None:
    assert len(train_codec(np.repeat(tokens(5), 3, axis=0), 64).centroids) == 5
    assert [centroid_count(number) for number in (0, 1, 1_000, 1_000_000)] == [16, 16, 256, 8_192]
