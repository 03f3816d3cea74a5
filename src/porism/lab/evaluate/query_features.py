"""What a query is made of: how many words, how many tokens of mathematics."""

from __future__ import annotations

from dataclasses import dataclass

from porism.analysis.words import WORD
from porism.types import Query


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """The length of a query in tokens, and what they are.

    ``words`` are runs of letters and digits in the text, stop words too. ``formula_tokens`` are the symbols of all
    ``formulas`` in prefix notation: the nodes of their operator trees in preorder (as in the topic statistics of
    figure 8 of the Masaryk group's paper at ARQMath 2021).
    """

    words: int
    formulas: int
    formula_tokens: int

    @property
    def length(self) -> int:
        """All tokens."""
        return self.words + self.formula_tokens

    @property
    def math_share(self) -> float:
        """The share of tokens of mathematics among all tokens, from 0 to 1; 0 for an empty query."""
        return self.formula_tokens / self.length if self.length else 0.0


def query_features(query: Query) -> QueryFeatures:
    """Counts the tokens of all fields of a query; an invalid formula counts for the tokens that were read."""
    from porism.formula import extract, operator_tree, parse  # here, since most evaluations read no formula

    words = formulas = tokens = 0
    for content in query.fields.values():
        words += len(WORD.findall(content.text))
        formulas += len(content.formulas)
        for formula in content.formulas:
            layout = parse(formula)
            tokens += len(extract("prefix", layout, operator_tree(layout)))
    return QueryFeatures(words, formulas, tokens)
