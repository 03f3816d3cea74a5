"""Formulas made to cost much: each maker gives LaTeX of about the size that it is asked for.

A *size* is a number of symbols or operands, and for squares and cubes of what it names about its root. What is asked
for with size 1 is as small as it gets.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import isqrt

Maker = Callable[[int], str]


def _names(count: int) -> list[str]:
    """Distinct variables."""
    letters = "abcfghjklmnpqrstuvwxyz"
    return [f"{letters[n % 22]}_{{{n // 22}}}" if n >= 22 else letters[n] for n in range(count)]


def _spelled(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def _shuffled(count: int, seed: int) -> list[str]:
    names = _names(count)
    random.Random(seed).shuffle(names)
    return names


def _nested(count: int, open_: str, inner: str, close: str) -> str:
    return open_ * count + inner + close * count


def _tree(count: int, leaf: str) -> str:
    """Sums in products in sums…, each of two alike: every two subtrees of a level match, in either order."""
    held = leaf
    joint = "+"
    while len(held) < 3 * count:
        held = f"({held}{joint}{held})"
        joint = "" if joint else "+"
    return held


def _sum_of_products(count: int, seed: int) -> str:
    first, second = _shuffled(count, seed), _shuffled(count, seed + 1)
    return "+".join(f"{a}{b}" for a, b in zip(first, second, strict=True))


def _matrix(size: int, cell: Callable[[int, int], str], environment: str = "pmatrix") -> str:
    side = max(1, isqrt(size))
    lines = [" & ".join(cell(row, column) for column in range(side)) for row in range(side)]
    return rf"\begin{{{environment}}}" + r" \\ ".join(lines) + rf"\end{{{environment}}}"


COMMUTATIVE: Mapping[str, Maker] = {
    "a sum of one variable": lambda size: "+".join(["x"] * size),
    "a sum of many variables": lambda size: "+".join(_names(size)),
    "the same sum in another order": lambda size: "+".join(_shuffled(size, 1)),
    "a product of one variable": lambda size: "x" * size,
    "a product of many variables": lambda size: "".join(_names(size)),
    "the same product in another order": lambda size: "".join(_shuffled(size, 2)),
    "equal sums multiplied": lambda size: "(a+b)" * max(1, size // 2),
    "sums multiplied, each turned around": lambda size: "(a+b)(b+a)" * max(1, size // 4),
    "sums multiplied, renamed": lambda size: "".join(f"({a}+{b})" for a, b in zip(
        _shuffled(max(1, size // 2), 3), _shuffled(max(1, size // 2), 4), strict=True
    )),
    "permuted sum of products": lambda size: _sum_of_products(max(1, size // 2), 5),
    "permuted otherwise": lambda size: _sum_of_products(max(1, size // 2), 6),
    "equal subtrees": lambda size: _tree(size, "x"),
    "equal subtrees of two": lambda size: _tree(size, "(a+b)"),
    "equal powers": lambda size: "+".join(["x^{2}"] * max(1, size // 2)),
    "equal fractions": lambda size: "+".join([r"\frac{x}{x}"] * max(1, size // 2)),
    "signs": lambda size: "-".join(["(-x)"] * max(1, size // 2)),
    "a chain of equations": lambda size: "=".join(["x"] * size),
    "unions": lambda size: r"\cup ".join(_shuffled(size, 7)),
    "conjunctions": lambda size: r"\wedge ".join(["p"] * size),
    "one leaf differs": lambda size: "+".join(["x"] * (size - 1) + ["y"]),
    "half renamed": lambda size: "+".join(["x"] * (size // 2) + ["y"] * (size - size // 2)),
    "a list": lambda size: ",".join(["x"] * size),
    "a set": lambda size: r"\{" + ",".join(_shuffled(size, 8)) + r"\}",
}
"""Operands that can be matched in any order, and many of them alike."""

DEEP: Mapping[str, Maker] = {
    "fences": lambda size: _nested(size, "(", "x", ")"),
    "fences with more": lambda size: _nested(size, "(1+", "x", ")"),
    "sums and products in turn": lambda size: _nested(size, "a(b+", "x", ")"),
    "superscripts": lambda size: _nested(size, "x^{", "x", "}"),
    "subscripts": lambda size: _nested(size, "x_{", "x", "}"),
    "fractions": lambda size: _nested(size, r"\frac{1}{1+", "x", "}"),
    "roots": lambda size: _nested(size, r"\sqrt{", "x", "}"),
    "functions": lambda size: _nested(size, r"\sin(", "x", ")"),
    "applications": lambda size: _nested(size, "f(", "x", ")"),
    "matrices in matrices": lambda size: _nested(
        size, r"\begin{pmatrix}a&b\\c&", "x", r"\end{pmatrix}"
    ),
    "powers of nine": lambda size: _nested(size, "9^{", "9", "}"),
    "factorials": lambda size: _nested(size, "(", "9", "!)"),
    "sums of sums": lambda size: r"\sum_{k=0}^{n}" * size + "k",
    "integrals": lambda size: r"\int " * size + "x" + "dx" * size,
    "negations": lambda size: r"\neg " * size + "p",
    "signs before one variable": lambda size: "-" * size + "x",
    "unfinished": lambda size: r"\frac{(" * size,
}
"""Nested deeply, or with values that grow without end."""

WIDE: Mapping[str, Maker] = {
    "matrix of one variable": lambda size: _matrix(size, lambda row, column: "x"),
    "matrix of indices": lambda size: _matrix(size, lambda row, column: f"a_{{{row}{column}}}"),
    "determinant": lambda size: _matrix(size, lambda row, column: str((row * column) % 7), "vmatrix"),
    "empty cells": lambda size: _matrix(size, lambda row, column: ""),
    "a long number": lambda size: "7" * size,
    "a long decimal": lambda size: "0." + "3" * size,
    "a long name": lambda size: r"\mathrm{" + "ab" * size + "}",
    "a long text": lambda size: r"\text{" + "one two " * size + "}",
    "polynomial": lambda size: "+".join(f"{n}x^{{{n}}}" for n in range(1, max(2, size // 3))),
    "primes": lambda size: "f" + "'" * size,
    "large bounds": lambda size: rf"\sum_{{k=0}}^{{{10**min(size, 300)}}} k^{{k}}",
    "division by zero": lambda size: "+".join([r"\frac{1}{x-x}"] * max(1, size // 4)),
}
"""Many symbols beside one another."""

WILD: Mapping[str, Maker] = {
    "one wildcard": lambda size: "?a",
    "a sum of wildcards": lambda size: "+".join(f"?a{n}" for n in range(size)),
    "a sum of one wildcard": lambda size: "+".join(["?a"] * size),
    "a product of one wildcard": lambda size: r"\qvar{a}" * size,
    "wildcards in products of sums": lambda size: r"(\qvar{a}+\qvar{b})" * max(1, size // 2),
    "wildcards turned around": lambda size: r"(\qvar{a}+\qvar{b})(\qvar{b}+\qvar{a})" * max(1, size // 4),
    "wildcards and variables": lambda size: "+".join(
        f"?a{n}x" if n % 2 else "?b" for n in range(max(1, size // 2))
    ),
    "wildcards in powers": lambda size: _nested(size, "?a^{", "?a", "}"),
    "matrix of wildcards": lambda size: _matrix(size, lambda row, column: f"?a{row}{column}"),
}
"""Wildcards, each of which could match anything."""

SENSELESS: Mapping[str, Maker] = {
    "nothing": lambda size: "",
    "blanks": lambda size: " " * size,
    "braces": lambda size: "{}" * size,
    "open braces": lambda size: "{" * size,
    "closing braces": lambda size: "}" * size,
    "scripts of nothing": lambda size: "^{}_{}" * size,
    "scripts without a base": lambda size: "^" * size,
    "unknown commands": lambda size: r"\unheardof" * size,
    "distinct unknown commands": lambda size: "".join(r"\unheard" + _spelled(n) for n in range(size)),
    "operators only": lambda size: "+" * size,
    "relations only": lambda size: "=" * size,
    "commas only": lambda size: "," * size,
    "fences only": lambda size: "([{|" * size,
    "stray ends": lambda size: r"\right)\end{matrix}" * size,
    "control characters": lambda size: "\x00\x01\ud800" * size,
    "backslashes": lambda size: "\\" * size,
}
"""Little or nothing that a formula could mean."""

HOSTILE: Mapping[str, Maker] = {
    f"{kind}: {name}": maker
    for kind, makers in (
        ("commutative", COMMUTATIVE), ("deep", DEEP), ("wide", WIDE), ("wild", WILD), ("senseless", SENSELESS)
    )
    for name, maker in makers.items()
}
"""All makers by name."""


def long_formula(maker: Maker, characters: int = 1_000_000) -> str:
    """A formula of a kind with at least so many characters."""
    size = 1_000
    while len(maker(size)) < characters:
        size *= 2
        if size > 4_000_000:
            raise ValueError("this kind does not grow")
    return maker(size)
