"""Notebooks of Mathematica."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.notes.mathematica import MathematicaReader
from porism.corpus.opening import open_source
from porism.errors import Problem
from porism.formula import operator_string, operator_tree, parse_latex
from porism.types import Document

NOTEBOOK = r"""(* Content-type: application/vnd.wolfram.mathematica *)
(*** Wolfram Notebook File [ { " ***)
Notebook[{
Cell[CellGroupData[{
Cell["Zeta values", "Title",ExpressionUUID->"1-2"],
Cell["Before \[LongDash] \[Alpha] \"sections\"", "Text"],
Cell[CellGroupData[{
Cell[TextData[{
 "The ",
 StyleBox["Basel",
  FontSlant->"Italic"],
 " problem"
}], "Section"],
Cell[TextData[{
 "We know that ",
 Cell[BoxData[
  FormBox[
   RowBox[{
    RowBox[{
     UnderoverscriptBox["\[Sum]",
      RowBox[{"n", "=", "1"}], "\[Infinity]"],
     FractionBox["1",
      SuperscriptBox["n", "2"]]}], "=",
    FractionBox[SuperscriptBox["\[Pi]", "2"], "6"]}], TraditionalForm]],
  CellChangeTimes->{{3.8*^9, 3.8*^9}}],
 " by ",
 Cell[BoxData[ButtonBox["Sum", ButtonData->"paclet:ref/Sum"]], "InlineFormula"],
 " of \[CapitalEAcute]t\[EAcute]",
 Cell[BoxData[GraphicsBox[{0.5, LineBox[{1, 2}]}]]],
 "."
}], "Text"],
Cell[BoxData[
 FormBox[RowBox[{"sin", "(", SqrtBox["x"], ")"}], TraditionalForm]], "DisplayFormula"],
Cell["Each $x$ is fine.", "Theorem"],
Cell[BoxData[RowBox[{"Plot", "[", RowBox[{"x", ",", "y"}], "]"}]], "Input"]
}, Open  ]]
}, Open  ]]
},
WindowSize->{800, 600}
]
"""


def read(path: Path, text: str) -> tuple[dict[str, Document], list[Problem]]:
    path.write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    return {document.id: document for document in open_source(path, on_problem=problems.append)}, problems


def test_cells_are_units(tmp_path: Path) -> None:
    documents, problems = read(tmp_path / "a.nb", NOTEBOOK)
    assert problems == []
    first, section, theorem = documents.values()
    assert (first.title.text, first.fields["body"].to_latex()) == ("Zeta values", r'Before — $\alpha$ "sections"')
    assert (section.title.text, section.metadata["line"]) == ("The Basel problem", "8")
    assert section.fields["body"].to_latex() == (
        r"We know that $\sum_{n=1}^{\infty}\frac{1}{n^{2}}=\frac{\pi^{2}}{6}$ by Sum of Été."
        "\n\n" r"$$\sin (\sqrt{x})$$"
    )
    assert (theorem.metadata["type"], theorem.fields["body"].to_latex()) == ("theorem", "Each $x$ is fine.")


@every_case(("boxes", "latex"), [
    (r'SubsuperscriptBox["x", "i", "2"]', "x_i^2"), (r'OverscriptBox["x", "_"]', r"\overline x"),
    (r'RadicalBox["2", "3"]', r"\sqrt[3]2"), (r'RowBox[{"\[Alpha]", "\[Element]", "\[DoubleStruckCapitalR]"}]',
     r"\alpha\in\mathbb R"),
    (r'RowBox[{"(", "", GridBox[{{"a", "b"}, {"c", "d"}}], "", ")"}]', r"(\begin{matrix}a&b\\c&d\end{matrix})"),
    (r'RowBox[{UnderscriptBox["lim", RowBox[{"x", "\[Rule]", "0"}]], "f"}]', r"\lim_{x\to 0}f"),
    (r'RowBox[{"a", "\[InvisibleTimes]", "b", "\[LessEqual]", "\[CapitalGamma]"}]', r"a b\leq\Gamma"),
    (r'SuperscriptBox[RowBox[{"(", RowBox[{"a", "+", "b"}], ")"}], "2"]', "{(a+b)}^2"),
])  # fmt: skip
def test_boxes(boxes: str, latex: str, tmp_path: Path) -> None:
    cell = f'Cell[TextData[{{Cell[BoxData[FormBox[{boxes}, TraditionalForm]]]}}], "Text"]'
    documents, _ = read(tmp_path / "a.nb", f"Notebook[{{{cell}}}]")
    (formula,) = next(iter(documents.values())).fields["body"].formulas
    written, wanted = (operator_string(operator_tree(parse_latex(source))) for source in (formula.source, latex))
    assert written == wanted, formula.source


def test_what_is_broken_is_reported(tmp_path: Path) -> None:
    assert [str(problem) for problem in read(tmp_path / "a.nb", "text")[1]] == [
        "a.nb:1: has no notebook of Mathematica"
    ]
    documents, problems = read(tmp_path / "a.nb", 'Notebook[{Cell["a", "Text"], Cell[TextData[{"b')
    assert [document.fields["body"].text for document in documents.values()] == ["a\n\nb"]
    assert [problem.where for problem in problems] == ["a.nb:1"]


@given(st.text(alphabet='[]{},"\\CelTx ->(*)', max_size=120))
def test_any_text_is_read(text: str) -> None:
    list(MathematicaReader().documents(f"Notebook[{{{text}", "a.nb", "a", lambda problem: None))


def test_nesting_without_end_is_read() -> None:
    deep = "Notebook[{Cell[BoxData[" + "SqrtBox[" * 20_000
    assert list(MathematicaReader().documents(deep + '"x"', "a.nb", "a", lambda problem: None)) is not None
