"""Markdown as generators and note programs write it: Hugo, Jekyll, MyST, bookdown, MkDocs, Docusaurus, Obsidian."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.corpus.base import ignore_problem
from porism.corpus.markdown.reader import MarkdownReader
from porism.corpus.markdown.templates import without_templates
from porism.errors import Problem
from porism.types import Document


def read(text: str, problems: list[Problem] | None = None) -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(MarkdownReader().documents(text, "n.md", "notes", report))


def body(text: str) -> str:
    (document,) = read(text)
    return document.fields["body"].to_latex()


def heads(text: str) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """The kind, the title and the labels of each document."""
    return [
        (
            str(document.metadata["type"]),
            document.fields["title"].to_latex() if "title" in document.fields else None,
            tuple(document.metadata.get("labels", ())),
        )
        for document in read(text)
    ]


@every_case(
    ("source", "expected"),
    [
        # Hugo and ox-hugo
        (r"so \\(x\_{i} \\in \\{1, 2\\}\\) holds", r"so $x_{i} \in \{1, 2\}$ holds"),
        ("\\\\[\na &= b \\\\\\\\\nc\\_1 &= d\n\\\\]", r"$$\begin{aligned} a &= b \\ c_1 &= d \end{aligned}$$"),
        (r"$x\_{i}$ and $\mathrm{a\_b}$", r"$x_{i}$ and $\mathrm{a\_b}$"),
        ("\\begin{align\\*}\nH\\_f &= 1\n\\end{align\\*}", "$$\\begin{align*} H_f &= 1 \\end{align*}$$"),
        (r"\\( x &lt; &epsilon; \\) and $C&sigma;_a$", "$x < ε$ and $Cσ_a$"),
        ('{{< figure src="a.png" caption="A curve" >}} and {{% notice %}}mind{{% /notice %}}', "A curve and mind"),
        ("{{< katex >}}x^2{{< /katex >}} is {{< katex display >}}\ny\n{{< /katex >}}", "$x^2$ is $$y$$"),
        ("{{< math >}}\n$$x$$\n{{< /math >}}", "$$x$$"),
        ('[text]({{< ref "a.md" >}}) `{{< b >}}`', "text {{< b >}}"),
        # Jekyll and kramdown
        ("in a line $$a$$ of text\n{: .lead}\n\n{:toc}", "in a line $$a$$ of text"),
        ("{% include a.html x=1 %}before {% raw %}$x${% endraw %}", "before $x$"),
        ("{% highlight py %}\nx = '$5$'\n{% endhighlight %}", "x = '$5$'"),
        # MyST and Jupyter Book
        ("a\n\n```{raw} html\n<b>lost</b>\n```\n\n:::{image} b.png\n:width: 3\n:::\nc", "a\n\nc"),
        ("```{math}\n---\nlabel: e\n---\na &= b\n```", r"$$\begin{aligned} a &= b \end{aligned}$$"),
        ("```{code-cell} ipython3\n:tags: [hide]\n# Sum of $x$\ny = f(x)\n```", "Sum of $x$"),
        ("```{code-cell} julia\nf(x) = x\n```\nafter", "after"),
        ("```{figure} a.png\n:name: f\n\nThe graph of $f$\n```", "The graph of $f$"),
        ("```{list-table} Title\n* - a\n  - b\n```", "- a\n- b"),
        ("```{eval-rst}\n.. math::\n\n   a = b\n\nsee :math:`x`\n```", "$$a = b$$\n\nsee $x$"),
        ("```{glossary}\nRank\n    The *rank* $r$\n\n    of $A$\n```", "Rank\nThe rank $r$\n\nof $A$"),
        ("(a)=\n%a comment\n+++\nx\n\n```\n%magic\n```", "x\n\n%magic"),
        # R Markdown and Quarto
        ("Table: (\\#tab:a) Values\n\n(\\#fig:b)A curve.", "Table: Values\n\nA curve."),
        ("```{r, echo=FALSE}\nplot(x)\n```", "plot(x)"),
        ("```{python}\n#| echo: false\nx = '$5$'\n```", "#| echo: false\nx = '$5$'"),
        (r"see \@ref(thm:a) and \@ref(eq:b). (ref:cap) Caption", "see Theorem [thm:a] and Equation [eq:b]. Caption"),
        (r"by Theorem \ref{thm:a} and \eqref{b}", "by Theorem [thm:a] and Equation [b]"),
        # MkDocs
        ('!!! note "Mind $a$"\n    the $b$\n\n    - gap\n\nend', "Mind $a$\n\nthe $b$\n- gap\n\nend"),
        ('=== "C"\n\n    with $x$', "C\n\nwith $x$"),
        # mdBook and Docusaurus
        ("{{#include a.rs}}\n[[_TOC_]]\nx", "x"),
        ("import Tabs from '@theme/Tabs';\n\n:::note[On $x$]\nmind\n:::", "On $x$\n\nmind"),
        # d2lbook
        ("see :numref:`fig_a` and :eqref:`eq_b` :cite:`C.1999`", "see Figure [fig_a] and Equation [eq_b] C.1999"),
        # CJK
        ("参见[[群论]]和**定理：**若$x$，[链接](http://a.b)即可", "参见群论和定理：若$x$，链接即可"),
        # elements without formulas, and code
        ("x <script>var $a$</script> y <script type='math/tex'>z</script>", "x y z"),
        ("<code>$a$</code> $b$ <span class='nomath'>$c$ <b>$d$</b></span> <kbd>$e$</kbd>", "$a$ $b$ $c$ $d$ $e$"),
    ],
)
def test_what_is_read(source: str, expected: str) -> None:
    assert body(source) == expected


def test_code_and_plain_elements_hold_no_formulas() -> None:
    (document,) = read(
        "    indented $a_1$\n\n<pre>\n$b$\n</pre>\n\n<div class='tex2jax_ignore'>\n$c$\n</div>\n\n"
        "<code>$d$</code> <span class='nomath'>$e$</span> $x$\n"
    )
    assert [formula.source for formula in document.fields["body"].formulas] == ["x"]
    assert "$a_1$" in document.fields["body"].text


@every_case(
    ("text", "count"),
    [
        ("- a\n\n        $$\n        x\n        $$\n", 1),
        ("- a\n\n        $$x$$\n", 1),
        ("a\n\n    $$\n    x\n    $$\n", 1),
        ("a\n\n    $$x$$\n", 0),
        ("a\n\n    y = $$\n    x\n    $$\n", 0),
    ],
)
def test_displays_that_are_indented_too_far_are_formulas_all_the_same(text: str, count: int) -> None:
    (document,) = read(text)
    assert len(document.fields["body"].formulas) == count


def test_dollars_in_code_are_no_problem() -> None:
    problems: list[Problem] = []
    read("    echo $\n\n<pre>\n$\n</pre>\n\n<!-- $ -->\n\n```\n$\n```\n", problems)
    assert problems == []
    read("    echo $\n\na $ here\n", problems)
    assert [problem.where for problem in problems] == ["n.md:3"]


@every_case(
    ("source", "expected"),
    [
        ("> [!lemma] Lemma\n> x", [("lemma", None, ())]),
        ("> [!theorem] Theorem 2.3 (Rank)\n> x", [("theorem", "Rank", ())]),
        ("> [!note] Definition\n> x", [("definition", None, ())]),
        ("> [!note] Definitions in use\n> x", [("document", "n", ())]),
        ('> [!math|{"type":"lemma","title":"Zorn","label":"z"}]\n> x', [("lemma", "Zorn", ("z",))]),
        ('!!! theorem "Rank"\n    Let $x$\n\n??? proof\n    y\n', [("theorem", "Rank", ())]),
        ('!!! note "定理 3（秩）"\n    x\n', [("theorem", "秩", ())]),
        ("::: {#thm-a .theorem}\n## Theorem\nx\n:::", [("theorem", None, ("thm-a",))]),
        ('{{< theorem name="Rank" id="a" >}}\nx\n{{< /theorem >}}', [("theorem", "Rank", ("a",))]),
        ('```{theorem, name="Rank", label="a"}\nx\n```', [("theorem", "Rank", ("a",))]),
        ("```{lemma a}\nx\n```", [("lemma", None, ("a",))]),
        ("```{prf:lemma} Zorn\n---\nlabel: z\n---\nx\n```", [("lemma", "Zorn", ("z",))]),
        ("```ad-lemma\ntitle: Zorn\ncollapse: open\nx\n```", [("lemma", "Zorn", ())]),
        ("# A[^1] { #a }\n\nx\n\n[^1]: Note\n", [("document", "A", ())]),
        ("# A $x$ {.unnumbered .unlisted}\n\nx", [("document", "A $x$", ())]),
        ("# A {#}\n\nx", [("document", "A", ())]),
        ("# The set {a, b}\n\nx", [("document", "The set {a, b}", ())]),
        ("+++\ntitle = 'A'\ntags = ['t']\n+++\nx", [("document", "A", ())]),
        ("% A title\n% An author\n\nx", [("document", "A title", ())]),
    ],
)
def test_kinds_titles_and_labels(source: str, expected: list[tuple[str, str | None, tuple[str, ...]]]) -> None:
    assert heads(source) == expected


@every_case(
    ("source", "labels"),
    [
        ("$$\na\n$$ (eq-a)", ("eq-a",)),
        ("$$a$$ {#eq-a}", ("eq-a",)),
        ("$$\\begin{align}\na &= b \\label{eq:a}\n\\end{align}$$", ("eq:a",)),
        ("\\begin{equation}\na (\\#eq:a)\n\\end{equation}", ("eq:a",)),
        ("a\n:label:`sec_a`", ("sec_a",)),
        ("(fig-a)=\n![b](c.png)", ("fig-a",)),
        ("the value $a$ (mod)\nis", ()),
    ],
)
def test_labels_of_formulas_and_text(source: str, labels: tuple[str, ...]) -> None:
    (document,) = read(source)
    assert tuple(document.metadata.get("labels", ())) == labels
    assert "label" not in document.fields["body"].to_latex()


@every_case(
    "text",
    [
        "{{<\nx\n>}}\ny", "{% comment %}\na\n{% endcomment %}\nb", "{{< katex >}}\n\nx\n{{< /katex >}}",
        "~~~\n{{< a >}}\n~~~",
    ],
)
def test_tags_of_generators_leave_lines_their_numbers(text: str) -> None:
    assert without_templates(text).count("\n") == text.count("\n")


@every_case(("source", "expected", "labels"), [
    ("![A picture](a.png){#fig-a width=50%} and ![one](b.png){.wide} {x}", "A picture and one {x}", ("fig-a",)),
    ("![A picture](a.png){#fig-a} more", "A picture more", ("fig-a",)),
    ("![A picture](a.png){no attributes}", "A picture{no attributes}", ()),
    ("A caption. {#fig-a}", "A caption.", ("fig-a",)),
    ("A caption. {#fig-a} ends", "A caption. {#fig-a} ends", ()),
    ("| a |\n|---|\n| b |\n\n: Letters {#tbl-a tbl-colwidths=\"[50,50]\"}", "a\nb\n\nLetters", ("tbl-a",)),
])
def test_attributes_after_captions_are_labels(source: str, expected: str, labels: tuple[str, ...]) -> None:
    (document,) = read(source)
    assert (document.fields["body"].to_latex(), document.metadata.get("labels", ())) == (expected, labels)


@every_case(("source", "expected"), [
    ("``one'' and ``two words''.", "“one” and “two words”."),
    ("``The map $f''$ of\n$g$'' and ``x`` and `y`.", "“The map $f''$ of\n$g$” and x and y."),
    ("``x = ''`` and ``y``", "x = '' and y"),
    ("`` a'' `` and ``b\n\nc''", "a'' and ``b\n\nc''"),
    ("```\n``one''\n```\n``two''", "``one''\n\n“two”"),
])
def test_quotations_of_latex_are_no_code(source: str, expected: str) -> None:
    assert body(source) == expected


@every_case("text", [r"$\mathbin{:}$ and $f{:}\,A$", "$\\frac{% a\n}{b}$", "`{{< a >}}`", "{: x}"])
def test_what_only_looks_like_a_tag_stays(text: str) -> None:
    assert without_templates(text) == text


@pytest.mark.parametrize(
    "unit", ["{{<", "{{< katex >}}", "{%  a", "{% comment %}", "{: .a ", "{{#a", "=== ", "import "]
)
def test_hostile_tags_take_linear_time(unit: str, assert_linear) -> None:
    assert_linear(lambda size: without_templates(unit * (size // len(unit))), 20_000, 80_000)


@pytest.mark.parametrize("unit", ["``a ", "``$a", "``a'' ", "``a'' b``", "{#a", "![a](b){#c", "``''"])
def test_hostile_quotations_and_attributes_take_linear_time(unit: str, assert_linear) -> None:
    assert_linear(lambda count: read(unit * count), 500, 2_000)


@every_case("inside", ["\n", "% a note, which is \\notag here\n"])
@every_case("end", ["", " (eq:first)", " {#eq-first}", " (eq:first).", "."])
def test_a_display_goes_on_after_a_blank_line_whatever_ends_its_last_line(inside: str, end: str) -> None:
    problems: list[Problem] = []
    text = f"(a-label)=\n\nThus\n\n$$\na = b\n{inside}+ c\n$${end}\n\nand so\n\n$$\nd = e\n$$ (eq:second)\n\nholds.\n"
    (document,) = read(text, problems)
    assert [formula.source[:5] for formula in document.fields["body"].formulas] == ["a = b", "d = e"]
    assert not problems
