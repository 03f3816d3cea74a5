"""Documents of TeXmacs."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.document_languages import LANGUAGE
from porism.corpus.opening import open_source
from porism.corpus.texmacs.reader import TexmacsReader
from porism.errors import Problem
from porism.formula import operator_string, operator_tree, parse_latex
from porism.types import Document

DOCUMENT = r"""<TeXmacs|2.1.4>

<style|<tuple|article|french>>

<\body>
  <assign|R|<macro|<bbb-R>>><assign|hello|<macro|x|hello <arg|x>>>
  <assign|norm|<macro|x|<around*|\<\|\|\>|<arg|x>|\<\|\|\>>>>

  <doc-data|<doc-title|Anneaux <math|p>-adiques>|<doc-author|<author-data|<author-name|Moi>>>>

  <section|Id<em|é>aux \P<math|I>\Q>

  In <TeXmacs> <strong|all>, <hello|you><text-dots> \<#7B2C\> see <cite|a|b>.<label|sec:id>

  <\theorem>
    <dueto|Noether><label|thm:main>Soit <math|I\<subset\><R>> et

    <\equation>
      <label|eq:a>I=<big|sum><rsub|n=0><rsup|\<infty\>><frac|x<rsup|n>|n!>*sin <around*|(|x|)>
    </equation>
  </theorem>

  <\proof>
    By <eqref|eq:a><footnote|easy>.
  </proof>

  <\itemize>
    <item>first

    <item>second <with|font-series|bold|word> \<less\> 2
  </itemize>
</body>

<initial|<\collection>
</collection>>
"""


def read(path: Path, text: str) -> tuple[dict[str, Document], list[Problem]]:
    path.write_bytes(text.encode("latin-1"))
    problems: list[Problem] = []
    return {document.id: document for document in open_source(path, on_problem=problems.append)}, problems


def test_tags_are_units(tmp_path: Path) -> None:
    documents, problems = read(tmp_path / "a.tm", DOCUMENT.replace("<bbb-R>", r"\<bbb-R\>"))
    assert problems == []
    assert set(documents) == {"a.tm#idéaux-i", "a.tm#thm:main"}
    section, theorem = documents["a.tm#idéaux-i"], documents["a.tm#thm:main"]
    assert section.title.to_latex() == "Idéaux “$I$”"
    assert section.metadata["section"] == ("Anneaux $p$-adiques", "Idéaux “$I$”")
    assert section.metadata[LANGUAGE] == "french"
    assert section.fields["body"].text == "In TeXmacs all, hello you… 第 see [a, b].\n\n- first\n\n- second word < 2"
    assert (theorem.title.text, theorem.metadata["line"]) == ("Noether", "15")
    assert theorem.metadata["labels"] == ("thm:main", "eq:a")
    assert [formula.source for formula in theorem.fields["body"].formulas] == [
        r"I\subset \mathbb{R}", r"I=\sum _{n=0}^{\infty }\frac{x^{n}}{n!} \sin \left( x \right)"
    ]
    assert theorem.fields["proof"].text == "By Equation [eq:a] (easy)."


@every_case(("tree", "latex"), [
    (r"<dfrac|dx|dt>=<sqrt|2|3>", r"\frac{d x}{d t}=\sqrt[3]{2}"), ("a<rsub|i><rsup|2>", "a_i^2"),
    ("f<rprime|'><around|(|x|)>", "f'(x)"), (r"<wide|x|^>+<wide|x*y|\<bar\>>", r"\hat x+\bar{x y}"),
    (r"<matrix|<tformat|<table|<row|<cell|a>|<cell|b>>|<row|<cell|c>|<cell|d>>>>>",
     r"\begin{pmatrix}a&b\\c&d\end{pmatrix}"),
    (r"<with|math-font|cal|F><with|mode|text| if >\<b-x\>", r"\mathcal F\text{ if }\mathbf x"),
    (r"x\<neq\>y,<text|for <math|n>>", r"x\neq y,\text{for $n$}"),
    (r"<binom|n|k>\<leqslant\>2", r"\binom nk\leqslant 2"),
    (r"<above|\<rightarrow\>|f>", r"\overset{f}{\rightarrow}"), (r"Pr<around*|[|A|]>", r"\Pr\left[A\right]"),
    (r"<big|cup><rsub|i>A<rsub|i>", r"\bigcup_iA_i"), ("GL<rsub|2>", r"\operatorname{GL}_2"), ("a*b", "ab"),
])  # fmt: skip
def test_formulas(tree: str, latex: str, tmp_path: Path) -> None:
    documents, _ = read(tmp_path / "a.tm", f"<TeXmacs|2.1>\n\n<\\body>\n  <math|{tree}>\n</body>\n")
    (document,) = documents.values()
    (formula,) = document.fields["body"].formulas
    written, wanted = (operator_string(operator_tree(parse_latex(source))) for source in (formula.source, latex))
    assert written == wanted, formula.source


def test_what_is_broken_is_reported(tmp_path: Path) -> None:
    assert [str(problem) for problem in read(tmp_path / "a.tm", "text")[1]] == ["a.tm:1: has no body of TeXmacs"]
    documents, _ = read(tmp_path / "a.tm", "<\\body>\n<\\theorem>\n  <math|x<frac|1")
    assert [document.fields["body"].to_latex() for document in documents.values()] == [r"$x\frac{1}{}$"]


@given(st.text(alphabet="<>|\\/abmath\n ;#", max_size=120))
def test_any_text_is_read(text: str) -> None:
    list(TexmacsReader().documents(f"<\\body>{text}", "a.tm", "a", lambda problem: None))


def test_nesting_without_end_is_read() -> None:
    deep = "<math|" + "<frac|" * 20_000 + "x"
    (document,) = TexmacsReader().documents(f"<\\body>\n{deep}", "a.tm", "a", lambda problem: None)
    assert document.fields["body"].formulas


def test_macros_without_end_are_read() -> None:
    loop = "<assign|f|<macro|x|<sqrt|<f|<arg|x><arg|x>>>>>\n\n<f|y> <math|<f|x>> words"
    (document,) = TexmacsReader().documents(f"<\\body>\n{loop}\n</body>", "a.tm", "a", lambda problem: None)
    assert document.fields["body"].text.endswith("words")
