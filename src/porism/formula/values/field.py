"""Arithmetic in a tower of prime fields, each with a square root of −1, in which exponents have a field of their own.

The method is that of Gonnet, *Determining equivalence of expressions in random polynomial time* (STOC 1984). It
evaluates an expression modulo a prime *p*, and its exponents modulo a prime *q* that divides *p* − 1. So
``a^(b+c) = a^b·a^c`` stays true. Here *p* = 2*q* + 1, and *q* and its like are made the same way, so that exponents may
have exponents: a Cunningham chain of four primes.

* The squares modulo *p* other than 0 are a group of order *q*: they serve as the positive numbers. A square has
  exactly one square root that is a square itself, so that roots of positive numbers have no ambiguous sign.
* All primes of the chain are −1 modulo 8·3·5·7·…·37; by quadratic reciprocity every prime up to 37 is then a square
  in each of the fields, and so are products of such primes.
* All are 3 modulo 4, so that −1 has no square root and ``a + b·i`` with i² = −1 is a field.
"""

from __future__ import annotations

from fractions import Fraction

from xxhash import xxh3_128_intdigest

PRIMES = (1041990365937480959, 520995182968740479, 260497591484370239, 130248795742185119)
"""The chain: each is twice the next and one. Values are taken modulo the first (about 2^59.9), exponents modulo the
second, exponents of exponents modulo the third, and theirs modulo the fourth."""

LEVELS = len(PRIMES)

Value = int | tuple[int, int]
"""A number modulo the prime of a level, or the pair ``(a, b)`` for a + b·i with b not 0."""


def pair(value: Value) -> tuple[int, int]:
    """Real and imaginary part."""
    return (value, 0) if isinstance(value, int) else value


def complex_value(real: int, imaginary: int, level: int) -> Value:
    """The value of real + imaginary·i."""
    p = PRIMES[level]
    imaginary %= p
    return (real % p, imaginary) if imaginary else real % p


def add(left: Value, right: Value, level: int) -> Value:
    """left + right."""
    if isinstance(left, int) and isinstance(right, int):
        return (left + right) % PRIMES[level]
    (a, b), (c, d) = pair(left), pair(right)
    return complex_value(a + c, b + d, level)


def negative(value: Value, level: int) -> Value:
    """−value."""
    if isinstance(value, int):
        return -value % PRIMES[level]
    return complex_value(-value[0], -value[1], level)


def multiply(left: Value, right: Value, level: int) -> Value:
    """left · right."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right % PRIMES[level]
    (a, b), (c, d) = pair(left), pair(right)
    return complex_value(a * c - b * d, a * d + b * c, level)


def inverse(value: Value, level: int) -> Value | None:
    """1 / value, or None for 0."""
    p = PRIMES[level]
    if isinstance(value, int):
        return pow(value, -1, p) if value else None
    a, b = value
    norm = pow(a * a + b * b, -1, p)  # not 0, since −1 is not a square
    return complex_value(a * norm, -b * norm, level)


def integer_power(base: Value, exponent: int, level: int) -> Value | None:
    """base to a whole power; 0⁰ is 1, and a negative power of 0 has no value."""
    p = PRIMES[level]
    if isinstance(base, int):
        if not base:
            return None if exponent < 0 else int(exponent == 0)
        return pow(base, exponent % (p - 1), p)
    exponent %= p * p - 1
    result: Value = 1
    square: Value = base
    while exponent:
        if exponent & 1:
            result = multiply(result, square, level)
        square = multiply(square, square, level)
        exponent >>= 1
    return result


def is_positive(value: int, level: int) -> bool:
    """Whether a number other than 0 is a square."""
    p = PRIMES[level]
    return pow(value, p >> 1, p) == 1


def absolute(value: int, level: int) -> int:
    """The number itself if it is a square, else its negative, which then is one."""
    return value if not value or is_positive(value, level) else PRIMES[level] - value


def rational(number: Fraction, level: int) -> int | None:
    """A fraction as an element of the field; None where the prime divides its denominator."""
    p = PRIMES[level]
    below = number.denominator % p
    if below == 1:
        return number.numerator % p
    return number.numerator * pow(below, -1, p) % p if below else None


def random(level: int, label: str, *arguments: object) -> int:
    """A fixed random function: a positive number that depends on everything that is given and on nothing else."""
    text = f"{level} {label!a} {arguments!a}"
    drawn = xxh3_128_intdigest(text.encode()) % PRIMES[level]
    return drawn * drawn % PRIMES[level] or 1


def _roots_of_unity(level: int) -> tuple[Value, ...]:
    """The powers of e^{iπ/12}, whose coordinates are (√6+√2)/4 and (√6−√2)/4."""
    p = PRIMES[level]
    two, six = (pow(number, (p + 1) // 4, p) for number in (2, 6))
    quarter = pow(4, -1, p)
    first = complex_value((six + two) * quarter, (six - two) * quarter, level)
    powers: list[Value] = [1]
    for _ in range(23):
        powers.append(multiply(powers[-1], first, level))
    return tuple(powers)


ROOTS_OF_UNITY = tuple(_roots_of_unity(level) for level in range(LEVELS))
"""By level: the 24 powers of e^{iπ/12}."""

EULER = tuple(random(level, "number", "e") for level in range(LEVELS))
"""By level: the value of e."""

TURN = tuple(random(level, "number", "turn") for level in range(LEVELS))
"""By level of the exponent: e^{bi} is e^{b·turn}, which is random, but multiplicative in b."""

MINUS = tuple(random(level, "number", "minus") for level in range(LEVELS))
"""By level: (−1)^x is MINUS^x where x is not known to be whole."""


def _twelfths(level: int) -> dict[int, int]:
    p = PRIMES[level]
    twelfth = pow(12, -1, p)
    return {number * twelfth % p: number for number in range(-288, 289)}


TWELFTHS = tuple(_twelfths(level) for level in range(LEVELS))
"""By level: n/12 to n."""


_SIMPLE = tuple(
    frozenset(rational(Fraction(above, below), level) for above in range(-144, 145) for below in range(1, 25))
    for level in range(LEVELS)
)


def is_simple(value: Value, level: int) -> bool:
    """Whether a value is that of a rational number with small numerator and denominator (144 and 24 at most)."""
    return value in _SIMPLE[level]


def root(value: Value, power: int, degree: int, level: int) -> Value | None:
    """value^(power/degree), ``degree`` at least 2 and prime to ``power``.

    Of a negative number the root of odd degree is negative, and that of even degree is a root of unity times the
    positive one. A complex number has a random root, the same each time.
    """
    if value == 0:
        return 0 if power > 0 else None
    if isinstance(value, tuple):
        return integer_power(random(level, "root", degree, value), power, level)
    p = PRIMES[level]
    q = p >> 1
    if degree % q == 0:
        return None
    exponent = pow(degree, -1, q)
    size = pow(value, exponent, p)
    if pow(size, degree, p) == value and (degree % 2 == 0 or is_positive(value, level)):
        return pow(size, power % q, p)
    size = pow(p - value, exponent * power % q, p)
    return multiply(size, minus_one_root(power, degree, level), level)


def minus_one_root(power: int, degree: int, level: int) -> Value:
    """(−1)^(power/degree)."""
    if degree % 2:
        return PRIMES[level] - 1 if power % 2 else 1
    if 12 % degree == 0:
        return ROOTS_OF_UNITY[level][12 // degree * power % 24]
    return random(level, "root of -1", power, degree)
