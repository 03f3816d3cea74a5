"""What is said of a match: pairs of nodes, the substitution, equal values, and a tree that adds up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case
from structure_cases import SETTINGS, retriever_of, tree_of, write

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.formula import layout_key, operator_tree, parse, parse_latex, to_mathml
from porism.index import Snapshot
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import StructureRanker
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula

MODEL = FormulaModel({"tokens": ChannelSettings(0.1), "approach0": ChannelSettings(0.02)}, SETTINGS)


def match(path: Path, query: str, found: str, model: FormulaModel = MODEL) -> FormulaMatch:
    snapshot = write(path / "index", {"a": [found, "z"]})
    return retriever_of(snapshot, model).match(Formula(query), layout_key(parse(Formula(found))))


def substitution(found: FormulaMatch) -> dict[str, str]:
    return {entry.query: entry.found for entry in found.substitutions}


@every_case(("query", "found", "expected"), [
    (r"\sum_{i=1}^{m}i^2", r"\sum_{k=1}^{n}k^2", {"i": "k", "m": "n"}),
    ("a+b", "b+a", {"a": "a", "b": "b"}),
    ("(x+y)^2", "(u+v)^2", {"x": "u", "y": "v"}),
    # one to one: of two that ask for one partner as much, the last operand has it
    (r"\frac{a}{b}", r"\frac{x}{x}", {"b": "x"}),
    (r"\frac{x}{x}", r"\frac{a}{b}", {"x": "b"}),
    # of several partners the one that most pairs ask for
    ("f(x,x,x)", "f(a,b,b)", {"f": "f", "x": "b"}),
    (r"\varepsilon<\delta", r"\alpha<\beta", {r"\varepsilon": r"\alpha", r"\delta": r"\beta"}),
    # wildcards stand for whole subexpressions, and two of them may stand for the same
    (r"\frac{?a}{?b}", r"\frac{x^{2}}{x^{2}}", {"?a": "x^{2}", "?b": "x^{2}"}),
    (r"\qvar{a}+1", r"\frac{x}{y}+1", {r"\qvar{a}": r"\frac{x}{y}"}),
    ("?x+x", r"\sin t+x", {"?x": r"\sin t", "x": "x"}),
    # a number or a constant is not a partner of a variable
    ("x+y", "x+2", {"x": "x"}),
])
def test_the_substitution(query: str, found: str, expected: dict[str, str], tmp_path: Path) -> None:
    assert substitution(match(tmp_path, query, found)) == expected


def test_a_substitution_tells_where_its_symbol_stands(tmp_path: Path) -> None:
    found = match(tmp_path, r"\sum_{i=1}^{m}i^2", r"\sum_{k=1}^{n}k^2")
    nodes = list(tree_of(r"\sum_{k=1}^{n}k^2").root.walk())
    for entry in found.substitutions:
        assert not entry.identical
        assert [nodes[place].label for place in entry.found_at] == [entry.found] * len(entry.found_at)
    assert {entry.query: len(entry.found_at) for entry in found.substitutions} == {"i": 2, "m": 1}
    same = match(tmp_path / "same", "x+1", "x+2")
    assert [entry.identical for entry in same.substitutions] == [True]


def test_pairs_are_positions_in_both_trees(tmp_path: Path) -> None:
    found = match(tmp_path, "a^2+b", "1+b+a^2")
    nodes, others = list(tree_of("a^2+b").root.walk()), list(tree_of("1+b+a^2").root.walk())
    assert sorted((nodes[pair.query].label, others[pair.found].label) for pair in found.pairs) == sorted(
        [("plus", "plus"), ("sup", "sup"), ("a", "a"), ("2", "2"), ("b", "b")]
    )
    assert all(pair.worth == 1.0 for pair in found.pairs)
    assert found.query_share == 1.0
    assert found.found_share == pytest.approx((2 * 0.25 + 3) / (2 * 0.25 + 4))


def test_equal_values_are_named_largest_first(tmp_path: Path) -> None:
    found = match(tmp_path, "(x+1)^2", "y=x^2+2x+1")
    (value,) = found.values
    others = list(tree_of("y=x^2+2x+1").root.walk())
    assert (value.query, others[value.found].label, value.renamed) == (0, "plus", False)
    renamed = match(tmp_path / "renamed", r"(t+1)^2=u", r"y=x^2+2x+1")
    assert [(value.query, value.renamed) for value in renamed.values] == [(0, True)]
    assert match(tmp_path / "none", "(x+1)^2", r"\frac{a}{b}").values == ()


def test_the_alignments_part_is_shared_among_its_pairs(tmp_path: Path) -> None:
    found = match(tmp_path, "x+2", "x+3", replace(MODEL, value=0.0, renamed_value=0.0))
    part = found.explanation.parts[-1]
    similarity = ((0.25 + 1.2) / 2.25) ** 0.5 * (1 - 0.1 * (1 - (0.25 + 1.2) / 2.25))
    assert part.value == pytest.approx(similarity)
    assert part.label.startswith("alignment: 64% of the query and 64% of the formula match")
    assert sorted(leaf.value for leaf in part.parts) == pytest.approx(
        [similarity * worth / 2.2 for worth in (0.2, 1, 1)]
    )
    assert found.explanation.value == pytest.approx(sum(part.value for part in found.explanation.parts))


def test_a_formula_that_is_not_aligned_says_so(tmp_path: Path) -> None:
    model = replace(MODEL, channels={"tokens": ChannelSettings(0.1)}, candidates=1, value=0.0, renamed_value=0.0)
    snapshot = write(tmp_path / "index", {"a": ["x+y+z", "x+y"]})
    retriever = retriever_of(snapshot, model)
    found = retriever.match(Formula("x+y"), layout_key(parse(Formula("x+y+z"))))
    assert found.score == found.explanation.value < model.channels["tokens"].weight
    assert "not among the candidates" in found.explanation.parts[-1].label
    assert found.pairs, "what matches is told all the same"


def test_without_alignment_there_are_no_pairs(tmp_path: Path) -> None:
    found = match(tmp_path, "x+y", "x+y", FormulaModel({"tokens": ChannelSettings(2.0)}, None))
    assert (found.pairs, found.substitutions, found.query_share, found.found_share) == ((), (), 0.0, 0.0)
    assert found.score == pytest.approx(2.0)


@every_case("latex", ["<5", "<x,y>", "< a >", "x<y"])
def test_latex_that_begins_with_an_angle_is_not_taken_for_markup(latex: str, tmp_path: Path) -> None:
    found = match(tmp_path, latex, latex)
    count = len(list(tree_of(latex).root.walk()))
    assert found.found == Formula(latex)
    assert sorted(pair.query for pair in found.pairs) == list(range(count))


def test_mathml_is_matched_with_latex(tmp_path: Path) -> None:
    source = to_mathml(parse_latex(r"\sum_{k=1}^{n}k^2"))
    index_documents(
        [Document("a", {"body": Content.of(Formula(source, "mathml"))})], tmp_path / "index",
        config=AnalysisConfig(text=()), jobs=1,
    )
    snapshot = Snapshot.open(tmp_path / "index")
    retriever = StructureRanker(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config)), MODEL)
    found = retriever.match(Formula(r"\sum_{i=1}^{m}i^2"), snapshot.segments[0].formula_key(0))
    assert found.found.notation == "mathml"
    assert substitution(found) == {"i": "k", "m": "n"}
    nodes = list(operator_tree(parse(found.found)).root.walk())
    assert {nodes[pair.found].label for pair in found.pairs} == {node.label for node in nodes}
