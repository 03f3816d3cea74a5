"""Term extractors: from the trees of a formula to the terms that an index counts.

:data:`EXTRACTORS` names them all; each turns a formula into a list of terms with repetition. The list is bounded:
trees are walked up to :data:`~porism.formula.extractors.walk.MAX_NODES` symbols, far beyond any real formula, and no
extractor gives more than about sixteen terms a symbol (Tangent-L with all options on, twenty-five).

``tangent-l:OPTIONS`` is a variant of Tangent-L, as in ``tangent-l:edge-pairs+no-locations``; see
:class:`~porism.formula.extractors.tangent_l.TangentL`. ``prefix:latexml`` is the prefix notation of the operator trees
that LaTeXML makes. Variants are made by name and not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from porism.errors import ConfigError
from porism.formula.extractors.approach0 import leaf_root_paths
from porism.formula.extractors.canonical import canonical_mathml
from porism.formula.extractors.latex import unified_tokens, whole_latex
from porism.formula.extractors.mias import m_terms
from porism.formula.extractors.subtrees import subtrees
from porism.formula.extractors.tangent import cft_operator_words, cft_words, layout_tuples, operator_tuples, shapes
from porism.formula.extractors.tangent_l import TangentL, tangent_l_options
from porism.formula.extractors.tokens import (
    infix_notation,
    latex_tokens,
    latexml_prefix_notation,
    prefix_notation,
    token_bigrams,
    token_trigrams,
)
from porism.formula.extractors.values import values
from porism.formula.tree import LayoutTree, OperatorTree


class Terms(Protocol):
    """A function from both trees of a formula to its terms."""

    def __call__(self, layout: LayoutTree, operators: OperatorTree) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Extractor:
    """A named way to turn a formula into terms; ``what`` says in one line what the terms are."""

    name: str
    what: str
    terms: Terms


_tangent_l = TangentL()

_ALL = (
    Extractor("latex", "the whole formula in one spelling", lambda layout, operators: whole_latex(layout)),
    Extractor("unified", "symbols, equal commands by one name", lambda layout, operators: unified_tokens(layout)),
    Extractor("tokens", "normalised LaTeX tokens", lambda layout, operators: list(latex_tokens(layout))),
    Extractor("tokens-2", "pairs of neighbouring tokens", lambda layout, operators: token_bigrams(layout)),
    Extractor("tokens-3", "triples of neighbouring tokens", lambda layout, operators: token_trigrams(layout)),
    Extractor("prefix", "operator tree in preorder", lambda layout, operators: list(prefix_notation(operators))),
    Extractor("infix", "operator tree with brackets", lambda layout, operators: infix_notation(operators)),
    Extractor("tangent-l", "Tangent-L features of the layout", lambda layout, operators: _tangent_l(layout)),
    Extractor("tangent-s-layout", "Tangent-S layout tuples", lambda layout, operators: layout_tuples(layout)),
    Extractor("tangent-s-operators", "Tangent-S operator tuples", lambda layout, operators: operator_tuples(operators)),
    Extractor("tangent-cft", "layout tuples without locations", lambda layout, operators: cft_words(layout)),
    Extractor("tangent-cft-operators", "operator tuples", lambda layout, operators: cft_operator_words(operators)),
    Extractor("approach0", "prefixes of leaf-root paths", lambda layout, operators: leaf_root_paths(operators)),
    Extractor("mias", "M-terms, exact and generalised", lambda layout, operators: m_terms(layout)),
    Extractor("canonical", "subexpressions in canonical MathML", lambda layout, operators: canonical_mathml(operators)),
    Extractor("shapes", "pairs of both trees, variables alike", shapes),
    Extractor("subtrees", "subexpressions, variables renamed", lambda layout, operators: subtrees(operators)),
    Extractor("values", "values of subexpressions", lambda layout, operators: values(operators)),
)

EXTRACTORS: Mapping[str, Extractor] = MappingProxyType({extractor.name: extractor for extractor in _ALL})
"""All term extractors by name."""


TANGENT_L_VARIANT = "tangent-l:"

_VARIANTS = MappingProxyType({
    "prefix:latexml": Extractor(
        "prefix:latexml", "LaTeXML's operator tree in preorder",
        lambda layout, operators: latexml_prefix_notation(operators),
    ),
})


@lru_cache(256)
def find_extractor(name: str) -> Extractor:
    """The extractor of this name, listed or a variant.

    :raises ConfigError: there is no such extractor, or it does not have these options.
    """
    if name.startswith(TANGENT_L_VARIANT):
        variant = tangent_l_options(name.removeprefix(TANGENT_L_VARIANT))
        return Extractor(name, "Tangent-L features of the layout", lambda layout, operators: variant(layout))
    extractor = EXTRACTORS.get(name) or _VARIANTS.get(name)
    if extractor is None:
        raise ConfigError(
            f"there is no term extractor {name!r}",
            hint=f"Choose from {', '.join((*EXTRACTORS, *_VARIANTS))}, or {TANGENT_L_VARIANT}OPTIONS.",
        )
    return extractor


def extract(name: str, layout: LayoutTree, operators: OperatorTree) -> list[str]:
    """The terms of a formula by the extractor ``name``, with repetition.

    :raises ConfigError: there is no such extractor.
    """
    extractor = EXTRACTORS.get(name) or find_extractor(name)
    return extractor.terms(layout, operators)
