"""Are two formulas equal? The values of the API that the page ``/equal`` shows."""

from __future__ import annotations

from porism.explanation import Explanation
from porism.formula import to_latex
from porism.formula.comparison import Comparison, Difference, compare
from porism.retrieve.formulas.matches import FormulaMatch, ValuePair
from porism.search.highlighting import MarkedMatch
from porism.serve.web import schema
from porism.serve.web.formula_views import both_views, keyed_view, view
from porism.types import Formula

MAX_COMMON = 4
"""So many common parts are shown, the largest."""


def equality(first: Formula, second: Formula) -> schema.Equality:
    """Whether two formulas are equal, see :func:`porism.formula.comparison.compare`."""
    comparison = compare(first, second)
    common = comparison.common[:MAX_COMMON]
    pairs = tuple(ValuePair(part.first, part.second, part.renamed) for part in common)
    match = FormulaMatch(first, second, 0.0, (), (), pairs, 0.0, 0.0, Explanation(0.0, ""))
    views = (keyed_view(first), keyed_view(second))
    if common:
        marked = both_views(match)
        views = tuple(  # type: ignore[assignment]
            own.model_copy(update={"mathml": other.mathml}) for own, other in zip(views, marked, strict=True)
        )
    return schema.Equality(
        relation=comparison.relation, equal=comparison.equal, explanation=comparison.explanation, first=views[0],
        second=views[1], steps=tuple(
            schema.EqualityStep(text=step.text, formula=_view(step.latex) if step.latex else None)
            for step in comparison.steps
        ),
        names=tuple((_view(old), _view(new)) for old, new in comparison.names),
        difference=_difference(comparison), common=_common(MarkedMatch(match)),
    )


def _view(latex: str) -> schema.FormulaView:
    return view(Formula(latex))


def _difference(comparison: Comparison) -> schema.DifferenceView | None:
    known = comparison.difference
    if known is None:
        return None
    return schema.DifferenceView(
        point=tuple((_view(name), _view(value)) for name, value in known.point), first=_there(known, known.first),
        second=_there(known, known.second),
    )


def _there(difference: Difference, shown: str) -> schema.FormulaView:
    return _view(rf"\text{{{shown}}}" if difference.is_truth else shown)


def _common(marked: MarkedMatch) -> tuple[schema.CommonPart, ...]:
    return tuple(
        schema.CommonPart(
            first=_view(to_latex(marked.query.subexpression(pair.query))),
            second=_view(to_latex(marked.found.subexpression(pair.found))), renamed=pair.renamed,
        )
        for pair in marked.match.values
    )
