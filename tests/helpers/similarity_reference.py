"""Token similarities by the book: distances by the textbook's table, whole matrices, a choice over dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def levenshtein(first: str, second: str) -> int:
    """The fewest insertions, deletions and substitutions of characters that make one string the other."""
    above = list(range(len(second) + 1))
    for row, one in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            current.append(min(current[-1] + 1, above[column] + 1, above[column - 1] + (one != other)))
        above = current
    return above[-1]


def all_pairs(terms: Sequence[str], vectors, settings) -> np.ndarray:
    """``α · lexical + (1 − α) · semantic`` of every pair, 0 on the diagonal."""
    count = len(terms)
    matrix = np.zeros((count, count))
    if settings.alpha > 0:
        for row, one in enumerate(terms):
            for column, other in enumerate(terms):
                distance, longer = levenshtein(one, other), max(len(one), len(other), 1)
                value = settings.lexical_factor * max(1 - distance / longer, 0.0) ** settings.lexical_power
                value = min(value, 1.0) if settings.capped else value
                if distance <= settings.max_distance and value > settings.lexical_threshold:
                    matrix[row, column] = settings.alpha * value
    if settings.alpha < 1:
        wide = np.asarray(vectors, np.float64)
        lengths = np.linalg.norm(wide, axis=1, keepdims=True)
        unit = (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32).astype(np.float64)
        cosines = np.minimum((unit[:, None, :] * unit[None, :, :]).sum(axis=2), 1.0)
        powers = np.maximum(cosines, 0.0) ** settings.exponent
        matrix += (1 - settings.alpha) * np.where(cosines > settings.threshold, powers, 0.0)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def chosen(matrix: np.ndarray, settings, frequencies=None) -> np.ndarray:
    """What the tokens choose of a whole matrix, one after the other: rare ones first, the diagonal added."""
    count = len(matrix)
    frequencies = [0] * count if frequencies is None else list(frequencies)
    order = sorted(range(count), key=lambda token: (frequencies[token], token))
    rank = {token: position for position, token in enumerate(order)}
    rows: list[dict[int, float]] = [{} for _ in range(count)]

    def full(token: int, value: float) -> bool:
        return len(rows[token]) == settings.top or (settings.dominant and sum(rows[token].values()) + value >= 1)

    for token in order:
        room = settings.top - len(rows[token])
        best = sorted(np.flatnonzero(matrix[token] >= 1e-7).tolist(), key=lambda other: (-matrix[token, other], other))
        for other in sorted(best[:room], key=rank.__getitem__):
            value = float(np.float32(matrix[token, other]))
            if full(token, value):
                continue
            if settings.symmetric:
                if other in rows[token] or full(other, value):
                    continue
                rows[other][token] = value
            rows[token][other] = value
    result = np.eye(count)
    for token, row in enumerate(rows):
        for other, value in row.items():
            result[token, other] = value
    return result


def dense(rows) -> np.ndarray:
    """A sparse matrix in full (float64)."""
    count = len(rows.indptr) - 1
    full = np.zeros((count, count))
    full[np.repeat(np.arange(count), np.diff(rows.indptr)), rows.columns] = rows.values
    return full
