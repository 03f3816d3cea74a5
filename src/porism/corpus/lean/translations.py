"""The names that ``to_additive`` and ``to_dual`` give: words of a name replaced, then what is not said so put right.

The tables have the pairs that Mathlib's attributes know; a pair in one direction only is not read in the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from porism.corpus.lean.names import last_part, namespace_part


def _pairs(table: str) -> dict[str, str]:
    """``one Zero, mul Add`` as a dictionary."""
    words = table.replace(",", " ").split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _both_ways(table: str) -> dict[str, str]:
    """Pairs of words in both directions, written from the lower-case word to the upper-case one."""
    pairs = _pairs(table)
    return pairs | {new.lower(): old[:1].upper() + old[1:] for old, new in pairs.items()}


_WORD = re.compile(r"_|(?:LE|LT|GE|GT|WF|CoeHTCT|CoeTC|CoeT)(?=[A-Z])|[A-Z]+[^A-Z_]*|[^A-Z_]+")
"""A word of a name. A few end with a capital letter."""


@dataclass(frozen=True, eq=False)
class Translation:
    """How an attribute translates names.

    ``words`` has words of names in lower case, ``phrases`` several words of a translated name with a small first
    letter. Capitals stay where they are. ``kept`` are namespaces that are not translated, ``spaces`` those with a
    translation of their own. Of statements, ``signs`` are replaced and the sides of ``swapped`` relations change
    places; with ``has_powers`` one is zero, an inverse a negative, and a power a multiple.
    """

    words: Mapping[str, str]
    phrases: Mapping[str, str]
    kept: frozenset[str] = frozenset()
    signs: Mapping[str, str] = field(default_factory=dict)
    swapped: frozenset[str] = frozenset()
    has_powers: bool = False
    spaces: Mapping[str, str] = field(default_factory=dict)

    def full_name(self, name: str) -> str:
        """The full name of the translation of a declaration."""
        space = self.namespace(namespace_part(name))
        last = _translated(last_part(name), self)
        return f"{space}.{last}" if space else last

    def namespace(self, name: str) -> str:
        """The translation of a namespace. Only those that have a translation are translated, which are those of
        structures and classes: their names have capitals.
        """
        if not name:
            return ""
        parts = [
            self.spaces.get(part) or (_translated(part, self) if part[:1].isupper() and part not in self.kept else part)
            for part in name.split(".")
        ]
        return ".".join(parts)


@lru_cache(maxsize=100_000)
def _translated(name: str, translation: Translation) -> str:
    """One part of a name."""
    return "'".join(_phrases_replaced(_words_replaced(part, translation), translation) for part in name.split("'"))


def split_words(name: str) -> list[str]:
    """The words of a name: ``HMulLE_top`` gives ``HMul``, ``LE``, ``_``, ``top``."""
    return _WORD.findall(name)


def _words_replaced(name: str, translation: Translation) -> list[str]:
    words: list[str] = []
    for word in split_words(name):
        new = translation.words.get(word.lower())
        if new is None:
            words.append(word)
        else:  # a translation may have two words: AddMonoid
            first, *rest = split_words(new)
            words += [_like(word, first), *rest]
    return words


def _phrases_replaced(words: list[str], translation: Translation) -> str:
    """The words as a name, the first and shortest phrases of the table replaced."""
    pieces: list[str] = []
    place = 0
    while place < len(words):
        phrase, end = "", place
        new: str | None = None
        while new is None and end < len(words) and len(phrase) <= _MAX_PHRASE:
            phrase += words[end]
            end += 1
            if words[end - 1] == "_" and phrase[0].isupper():  # no phrase begins so
                break
            new = translation.phrases.get(_with_small_start(phrase))
        if new is None:
            pieces.append(words[place])
            place += 1
        else:
            pieces.append(_like(words[place], new))
            place = end
    return "".join(pieces)


def _like(word: str, new: str) -> str:
    """A word that begins with a capital where another does."""
    return new if word[:1].isupper() else _with_small_start(new)


def _with_small_start(word: str) -> str:
    """A word whose capitals at the beginning are small: ``HMul`` gives ``hmul``."""
    end = next((place for place, character in enumerate(word) if not character.isupper()), len(word))
    return word[:end].lower() + word[end:]


_MAX_PHRASE = 30

ADDITIVE = Translation(
    words=_pairs("""
        one Zero, mul Add, smul VAdd, inv Neg, div Sub, prod Sum, hmul HAdd, hsmul HVAdd, hdiv HSub, hpow HSMul,
        finprod Finsum, tprod TSum, pow NSMul, npow NSMul, zpow ZSMul, mabs Abs, monoid AddMonoid,
        submonoid AddSubmonoid, group AddGroup, subgroup AddSubgroup, semigroup AddSemigroup, magma AddMagma,
        haar AddHaar, prehaar AddPrehaar, unit AddUnit, units AddUnits, cyclic AddCyclic, semigrp AddSemigrp,
        grp AddGrp, commute AddCommute, semiconj AddSemiconj, rootable Divisible, zpowers ZMultiples,
        powers Multiples, multipliable Summable, gpfree APFree, quantale AddQuantale, square Even, mconv Conv,
        irreducible AddIrreducible, mlconvolution LConvolution
    """),
    phrases=_pairs("""
        isCancelAdd IsCancelAdd, isLeftCancelAdd IsLeftCancelAdd, isRightCancelAdd IsRightCancelAdd,
        cancelAdd AddCancel, leftCancelAdd AddLeftCancel, rightCancelAdd AddRightCancel, cancelCommAdd AddCancelComm,
        commAdd AddComm, zero_le Nonneg, zeroLE Nonneg, zero_lt Pos, zeroLT Pos, lezero Nonpos, le_zero Nonpos,
        ltzero Neg, lt_zero Neg, zeroLePart PosPart, leZeroPart NegPart, addSingle Single, addSupport Support,
        addTSupport TSupport, addIndicator Indicator, addExact exact, isEven Even, negFun InvFun,
        isRegular IsAddRegular, isLeftRegular IsAddLeftRegular, isRightRegular IsAddRightRegular,
        hasFundamentalDomain HasAddFundamentalDomain, quotientMeasure AddQuotientMeasure,
        uniqueProds UniqueSums, orderOf AddOrderOf, isOfFinOrder IsOfFinAddOrder, isScalarTower VAddAssocClass,
        isCentralScalar IsCentralVAdd, function_addSemiconj Function_semiconj, function_addCommute Function_commute,
        divisionAddMonoid SubtractionMonoid, subNegZeroAddMonoid SubNegZeroMonoid,
        modularCharacter AddModularCharacter, isQuotientCoveringMap IsAddQuotientCoveringMap
    """),
    kept=frozenset(("Prod", "Unit", "GroupTheory")),
    signs=_pairs("* + / - ∏ ∑ • +ᵥ"),
    has_powers=True,
    spaces=_pairs("Con AddCon"),
)
"""From a product to a sum: ``to_additive``."""

DUAL = Translation(
    words=_both_ways("""
        top Bot, inf Sup, min Max, untop Unbot, minimal Maximal, lower Upper, below Above, least Greatest,
        cofinal Coinitial, succ Pred, disjoint Codisjoint, atom Coatom, lfp Gfp, ioi Iio, ici Iic, ioc Ico, u L,
        next Prev, terminal Initial, precompose Postcompose, cone Cocone, cones Cocones, fan Cofan, limit Colimit,
        limits Colimits, product Coproduct, products Coproducts, pushout Pullback, pushouts Pullbacks, span Cospan,
        kernel Cokernel, kernels Cokernels, unit Counit, monad Comonad, monadic Comonadic
    """) | _pairs("epi Mono, glb LUB, lub GLB"),
    phrases=_pairs("""
        wellFoundedLT WellFoundedGT, wellFoundedGT WellFoundedLT, succColimit SuccLimit, predColimit PredLimit,
        codirectedOrder DirectedOrder, directedOrder CodirectedOrder
    """),
    kept=frozenset(("Limits",)),
    signs=_pairs("⊔ ⊓ ⊓ ⊔ ⊤ ⊥ ⊥ ⊤ ⨆ ⨅ ⨅ ⨆"),
    swapped=frozenset(("leq", "lt", "geq", "gt", "⋖", "⩿")),
)
"""From an order or a category to its dual: ``to_dual``."""
