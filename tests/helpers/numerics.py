"""Integrals, series, number theory and linear algebra in a few lines each, to check identities with."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial, gcd, inf, pi, prod, sqrt

EULER_GAMMA = 0.5772156649015329
PHI = (1 + sqrt(5)) / 2


def integral(f: Callable[[float], float], a: float, b: float, n: int = 2000) -> float:
    """Simpson's rule with ``n`` (even) intervals; infinite ends are reached by ``x = t/(1 - t**2)``."""
    if a == -inf or b == inf:
        def g(t: float) -> float:
            t = max(-1 + 1e-9, min(t, 1 - 1e-9))
            return f(t / (1 - t * t)) * (1 + t * t) / (1 - t * t) ** 2

        low = -1.0 if a == -inf else (0.0 if a == 0 else (sqrt(1 + 4 * a * a) - 1) / (2 * a))
        return integral(g, low, 1.0, n)
    h = (b - a) / n
    inner = sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n))
    return h / 3 * (f(a) + inner + f(b))


def alternating(term: Callable[[int], float], n: int = 40) -> float:
    """Sum over k >= 0 of (-1)**k * term(k), by the algorithm of Cohen, Rodriguez Villegas and Zagier."""
    d = (3 + sqrt(8)) ** n
    d = (d + 1 / d) / 2
    b, c, total = -1.0, -d, 0.0
    for k in range(n):
        c = b - c
        total += c * term(k)
        b *= (k + n) * (k - n) / ((k + 0.5) * (k + 1))
    return total / d


def zeta(s: float, n: int = 2000) -> float:
    """The zeta function for s > 1: a partial sum and two terms of Euler and Maclaurin."""
    return sum(k**-s for k in range(1, n)) + n ** (1 - s) / (s - 1) + n**-s / 2 + s * n ** (-s - 1) / 12


def primes(limit: int) -> list[int]:
    sieve = bytearray([1]) * (limit + 1)
    sieve[:2] = b"\0\0"
    for p in range(2, math.isqrt(limit) + 1):
        if sieve[p]:
            sieve[p * p::p] = bytes(len(range(p * p, limit + 1, p)))
    return [n for n in range(limit + 1) if sieve[n]]


def totient(n: int) -> int:
    return sum(gcd(k, n) == 1 for k in range(1, n + 1))


def divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def mobius(n: int) -> int:
    factors = [p for p in primes(n) if n % p == 0]
    return 0 if any(n % (p * p) == 0 for p in factors) else (-1) ** len(factors)


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def binomial(alpha: Fraction, k: int) -> Fraction:
    return prod((alpha - i for i in range(k)), start=Fraction(1)) / factorial(k)


def determinant(a: Sequence[Sequence[Fraction | int]]) -> Fraction | int:
    """Leibniz' formula."""
    n = len(a)
    return sum(
        sign(sigma) * prod(a[i][sigma[i]] for i in range(n)) for sigma in permutations(range(n))
    )


def sign(sigma: Sequence[int]) -> int:
    return (-1) ** sum(sigma[i] > sigma[j] for i, j in combinations(range(len(sigma)), 2))


def times(a: Sequence[Sequence[complex]], b: Sequence[Sequence[complex]]) -> list[list[complex]]:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def harmonic(n: int) -> Fraction:
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction(0))


def derivative(f: Callable[[float], float], x: float, h: float = 1e-5) -> float:
    return (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h)


def derangements(n: int) -> int:
    return sum(all(i != s for i, s in enumerate(sigma)) for sigma in permutations(range(n)))


def legendre(a: int, p: int) -> int:
    value = pow(a, (p - 1) // 2, p)
    return value - p if value == p - 1 else value


def contour(f: Callable[[complex], complex], centre: complex, radius: float, n: int = 256) -> complex:
    """The integral over a circle, counterclockwise (trapezoidal rule)."""
    unit = [cmath.exp(2j * pi * k / n) for k in range(n)]
    return sum(f(centre + radius * u) * radius * 1j * u for u in unit) * 2 * pi / n
