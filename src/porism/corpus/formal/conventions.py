"""The words that names of formal libraries abbreviate: ``add_comm`` is about the commutativity of addition."""

from __future__ import annotations

import re
from functools import lru_cache

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

ABBREVIATIONS = {
    name: words
    for entry in """
    add addition; sub subtraction; mul multiplication; div division; neg negative; inv inverse; pow power; smul
    scalar multiplication; comm commutativity; assoc associativity; distrib distributivity; symm symmetry; refl
    reflexivity; trans transitivity; antisymm antisymmetry; idem idempotence; cancel cancellation; inj injective;
    surj surjective; bij bijective; card cardinality; dvd divides; mem membership; subset inclusion; iff
    equivalence; le less or equal; lt less than; ge greater or equal; gt greater than; eq equality; ne inequality;
    mono monotone; anti antitone; ext extensionality; rec recursion; wf well-founded; sup supremum; inf infimum; max
    maximum; min minimum; bdd bounded; lub least upper bound; glb greatest lower bound; gcd greatest common divisor;
    lcm least common multiple; mod remainder; sqrt square root; abs absolute value; exp exponential; log logarithm;
    fact factorial; choose binomial coefficient; det determinant; tr trace; finrank dimension; ker kernel; comp
    composition; id identity; hom homomorphism; iso isomorphism; equiv isomorphism; emb embedding; perm permutation;
    union union; inter intersection; compl complement; diff difference; prod product; tsum infinite sum; deriv
    derivative; integral integral; cont continuous; tendsto limit; nhds neighborhood; ae almost everywhere; nat
    natural number; int integer; rat rational number; fin finite; poly polynomial; eval evaluation; quot quotient;
    ring ring; alg algebra; top topology; meas measure
    """.split(";")
    for name, _, words in [" ".join(entry.split()).partition(" ")]
}  # fmt: skip
"""Part of a name → what it stands for, in words."""


@lru_cache(maxsize=100_000)
def spoken_name(name: str) -> str:
    """What the abbreviations in a name stand for, last first, as one says it: ``commutativity addition``.

    Empty where there are none.
    """
    words = [ABBREVIATIONS[part] for part in map(str.lower, _PART.findall(name)) if part in ABBREVIATIONS]
    return " ".join(dict.fromkeys(reversed(words)))

SYMBOL_NAMES = {
    symbol: name
    for pair in """
    + add; - sub; * mul; / div; • smul; ^ pow; ⁻¹ inv; = eq; ≠ ne; ≤ le; < lt; ≥ le; > lt; ↔ iff; ¬ not; ∧ and; ∨
    or; ∣ dvd; ∈ mem; ∉ not_mem; ⊆ subset; ⊂ ssubset; ∪ union; ∩ inter; \\ sdiff; ⋃ iUnion; ⋂ iInter; ⊔ sup; ⊓ inf;
    ⨆ iSup; ⨅ iInf; ⊥ bot; ⊤ top; ∘ comp; × prod; ∑ sum; ∏ prod; ∃ exists; ∀ forall; 0 zero; 1 one; 2 two; ∅ empty;
    ≃ equiv; ≅ iso; ⊗ tensor; ∂ deriv; √ sqrt; ≡ modeq; ∆ symmDiff; ᶜ compl; ∫ integral
    """.split(";")
    for symbol, name in [pair.split()]
}  # fmt: skip
"""A symbol in a statement → what names call it."""
