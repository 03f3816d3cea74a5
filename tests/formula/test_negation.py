"""What is struck through is another relation, however the stroke is written."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import operator_string, operator_tree, parse_latex, to_latex

NEGATED = {
    "[U!neq,0[V!a],1[V!b]]": (
        r"a\ne b", r"a\not=b", r"a\not{=}b", r"a\not\,=b", r"\not{a=b}", r"a\centernot=b", r"a\unicode{x2260}b",
        r"a\unicode[.5,.1]{8800}b", 'a\\char"2260 b', r"a\char{8800}b", "a≠b", "a=\u0338b",
    ),
    "[O!notin,0[V!a],1[V!b]]": (r"a\notin b", r"a\not\in b", r"a\not{\in}b", "a∉b", "a∈\u0338b"),
    "[O!nsubset,0[V!a],1[V!b]]": (r"a\not\subset b", r"a\not{\subset}b", "a⊄b"),
    "[O!ndivides,0[V!a],1[V!b]]": (r"a\nmid b", r"a\not|b", r"a\not\mid b", "a∤b"),
    "[O!nimplies,0[V!a],1[V!b]]": (r"a\not\implies b", r"a\centernot\Rightarrow b"),
    "[O!nperp,0[V!a],1[V!b]]": (r"a\not\perp b",),
    "[U!neq_sub,0[V!a],1[V!b],2[O!SUB,0[C!≠],1[V!n]]]": (r"a\not=_nb",),
}


@every_case(("expected", "source"), [(tree, one) for tree, many in NEGATED.items() for one in many])
def test_negated_relations(expected: str, source: str) -> None:
    layout = parse_latex(source)
    assert not layout.problems
    assert operator_string(operator_tree(layout)) == expected
    assert operator_string(operator_tree(parse_latex(to_latex(layout)))) == expected


@every_case(
    ("source", "problem"),
    [
        (r"\not12", r"\not before something that is not a symbol"), (r"\not", "an argument is missing"),
        ("\u0338a", "a combining character without a symbol before it"),
        ("12\u0338", "a stroke through something that is not a symbol"),
        (r"\unicode{x}", "not the number of a character"), (r"\char{99999999}", "not the number of a character"),
    ],
)
def test_strokes_through_nothing_are_reported(source: str, problem: str) -> None:
    assert problem in [found.what for found in parse_latex(source).problems]
