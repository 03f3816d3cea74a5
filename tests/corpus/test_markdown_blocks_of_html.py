"""Heads of blocks in Markdown, and elements of HTML that are blocks there."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.corpus.markdown.heads import BlockHead, block_head
from porism.corpus.markdown.reader import MarkdownReader
from porism.types import Document


def read(text: str) -> list[Document]:
    return list(MarkdownReader().documents(text, "a.md", "notes", lambda problem: None))


@every_case(("info", "kind", "title", "label"), [
    ("theorem", "theorem", "", None), ("theorem[Cauchy]", "theorem", "Cauchy", None),
    ("theorem[Cauchy]{#thm:c .wide}", "theorem", "Cauchy", "thm:c"),
    ("theorem Existence of series", "theorem", "Existence of series", None),
    ('theorem "Cauchy" {#thm:c}', "theorem", "Cauchy", "thm:c"),
    ('definition "Dot" {label: dot, synonyms: "Inner product"}', "definition", "Dot", "dot"),
    ('lemma (label := "zorn") (title := "Zorn")', "lemma", "Zorn", "zorn"),
    ('lemma "zorn" (parent := "sets")', "lemma", "", "zorn"),
    (r"lemma Sets $\{x : y\}$", "lemma", r"Sets $\{x : y\}$", None), ("tip", None, "", None),
])
def test_heads_of_divs(info: str, kind: str | None, title: str, label: str | None) -> None:
    assert block_head(info) == BlockHead(kind, title, label)


def test_elements_are_theorems_and_proofs() -> None:
    theorem, other, component, quote = read(
        '<div class="theorem" id="t1">\n\nLet *$x$* be.\n\n</div>\n'
        '<div class="proof"><div>\n\nClear.\n</div> Done.</div>\n\n'
        "<details><summary>Lemma (Zorn)</summary>\n\nAll **chains** $C$.\n\n</details>\n\n"
        "<details>\n<summary>Proof</summary>\nBy $y$.\n</details>\n\n"
        '<Example name="One">\nMDX $z$.\n</Example>\n\n'
        '<blockquote class="remark">Quoted.</blockquote>\n'
    )
    assert (theorem.id, theorem.metadata["type"], theorem.fields["body"].to_latex()) == (
        "a.md#t1", "theorem", "Let $x$ be."
    )
    assert theorem.fields["proof"].text == "Clear.\n\nDone."
    assert (other.title.text, other.metadata["type"], other.metadata["line"]) == ("Zorn", "lemma", "11")
    assert (other.fields["body"].to_latex(), other.fields["proof"].to_latex()) == ("All chains $C$.", "By $y$.")
    assert (component.title.text, component.fields["body"].to_latex()) == ("One", "MDX $z$.")
    assert (quote.metadata["type"], quote.fields["body"].text) == ("remark", "Quoted.")


def test_other_elements_are_text() -> None:
    (document,) = read(
        "<div class='note'>\n<p>One</p>\n<pre><div class='theorem'>Two</pre>\n\n</section></div>\n\n"
        "<details><summary>More of $x$</summary>Three</details>\n\n<!-- <div class='lemma'> -->\nFour\n"
    )
    assert document.fields["body"].to_latex() == "One\nTwo\n\nMore of $x$\nThree\n\nFour"


def test_cells_that_draw_are_no_text() -> None:
    (document,) = read(
        "One\n\n```{tikz, fig.cap=\"x\"}\n\\draw (0,0);\n```\n\n```{r, engine='tikz'}\n\\draw (1,1);\n```\n\n"
        "```{r}\nplot(x)\n```\n"
    )
    assert document.fields["body"].text == "One\n\nplot(x)"


@pytest.mark.parametrize("unit", ["<div class='theorem'>\n\n", "<div>", "</div>", "<details><summary>", "<a 'b"])
def test_hostile_html_takes_linear_time(unit: str, assert_linear) -> None:
    assert_linear(lambda count: read("<p>" + unit * count), 1_000, 4_000)
