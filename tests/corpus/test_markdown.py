"""Markdown, Quarto and MyST: sections, blocks, formulas, and text without its marks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG_ONLY, examples

from porism.corpus.base import ReaderOptions, ignore_problem
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.markdown.reader import MarkdownReader
from porism.errors import Problem
from porism.types import Document


def read(text: str, problems: list[Problem] | None = None) -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(MarkdownReader().documents(text, "n.md", "notes", report))


def body(text: str) -> str:
    (document,) = read(text)
    return document.fields["body"].to_latex()


@every_case(
    ("source", "expected"),
    [
        ("$a$ and \\(b\\) and $$c$$", "$a$ and $b$ and $$c$$"),
        ("\\\\(a\\\\) or\n\\\\[b\\\\]", "$a$ or $$b$$"),
        ("$`a`$ {math}`b`", "$a$ $b$"),
        ("*the $x$ case* is **bold** and _so_ on", "the $x$ case is bold and so on"),
        ("[a $y$ link](http://a.b/c_(d)) ![alt *$z$*](i.png){width=3} [span]{.x}", "a $y$ link alt $z$ span"),
        ("`code $z$` costs $5 and $6", "code $z$ costs $5 and $6"),
        ("a<br>b <b>c</b> &lt;d <!-- $hidden -->e", "a b c <d e"),
        ("see @thm-main and [^1].", "see Theorem [thm:main] and."),
        ("$a_1$ and $b_2$ snake_case_name", "$a_1$ and $b_2$ snake_case_name"),
        ("\\* \\_ \\#", "* _ #"),
        ("**Theorem.**$a$ is *$b*c$*-th **$d$**", "Theorem.$a$ is $b*c$-th $d$"),
        ("$a^*$ *and* $b^*$, [$c_1$]($d_1$)", "$a^*$ and $b^*$, $c_1$"),
        ("``x ` y`` ~~gone~~ &amp;&#36;1 \\$2 &#65532;&#8;.", "x ` y gone &$1 $2 \ufffd."),
        ("<math><mi>x</mi></math> and <MATH>&lt;<b>", "<math><mi>x</mi></math> and <"),
        ("{ref}`a <sec-b>` {eq}`e-1` {numref}`t` {foo}`bar` {math}`a\\_b`", "a Equation [e-1] [t] bar $a\\_b$"),
        ("$a % note\n b$", "$a % note b$"),
    ],
)
def test_marks_become_text(source: str, expected: str) -> None:
    assert " ".join(markdown_text(source, "x").to_latex().split()) == expected


@every_case(
    ("source", "expected"),
    [
        ("```math\na\n+b\n```", "$$a +b$$"),
        ("$$\na\n\n+b\n$$", "$$a +b$$"),
        ("$$a\n+b$$ {#eq-x}\nrest", "$$a +b$$\n\nrest"),
        ("```{math}\n:label: e\nx=y\n```", "$$x=y$$"),
        ("```python\nprint('$x$')\n```", "print('$x$')"),
        ("~~~\n# no heading\n~~~", "# no heading"),
        ("- [x] done $1$\n* b\n1) c", "- done $1$\n- b\n- c"),
        ("> quoted\n> text", "quoted\ntext"),
        ("> so\n> $$\n> a > b\n> - c\n> $$", "so\n$$a > b - c$$"),
        ("$$\n= a\n\n- b\n$$\n\n- $c\n  + d$", "$$= a - b$$\n- $c + d$"),
        ("\\begin{align}\na &= b \\\\\n\n- c\n\\end{align}", "$$\\begin{align} a &= b \\\\ - c \\end{align}$$"),
        ("[*a* link][r] and[^n]\n\n[r]: http://x.y\n\n[^n]: a note $n$", "a link and\n\na note $n$"),
        ("Term\n: what $t$ is", "Term\nwhat $t$ is"),
        ("<div>\n<p>a &lt; $b<c$</p>\n</div>\n\nend", "a < $b<c$\n\nend"),
        ("    indented $a$", "indented $a$"),
        (":::{math}\n:label: e\na\n- b\n:::\nc", "$$a - b$$\n\nc"),
        ("```{note} Mind $a$\nthe *gap*\n```", "Mind $a$\n\nthe gap"),
        ("````{dropdown} D\n```{math}\nx\n```\n````", "D $$x$$"),
        ("| a | $b$ |\n|:--|---|\n| c | d |", "a $b$\nc d"),
    ],
)
def test_blocks(source: str, expected: str) -> None:
    assert body(source) == expected


def test_a_short_file_is_one_document() -> None:
    (document,) = read("# Title $x$\n\nText.\n\n## More\n\nEnd.")
    assert document.id == "n.md"
    assert document.title.to_latex() == "Title $x$"
    assert document.fields["body"].text == "Text.\n\nMore\n\nEnd."
    assert document.metadata == {"source": "notes", "type": "document", "file": "n.md", "line": "1"}


LONG = "word " * 500


def test_a_long_file_is_split_at_headings() -> None:
    documents = read(
        f'---\ntitle: "On $\\\\zeta$"\ntags: [a, "b c"]\n---\nIntro.\n\n# One\n{LONG}\n\n## Two {{#sec-two .x}}\ny\n\n'
        "Three\n=====\n\nz\n\n# One\nagain\n\n# Empty\n"
    )
    assert [document.id for document in documents] == ["n.md", "n.md#one", "n.md#sec-two", "n.md#three", "n.md#one-2"]
    assert documents[0].title.to_latex() == r"On $\zeta$"
    assert documents[2].metadata["section"] == (r"On $\zeta$", "One", "Two")
    assert documents[2].metadata["line"] == "10"
    assert documents[3].metadata["section"] == (r"On $\zeta$", "Three")
    assert all(document.metadata["tags"] == ("a", "b c") for document in documents)


def test_tags_as_a_list_of_lines() -> None:
    (document,) = read("---\ncategories:\n  - algebra\n  - 'number theory'\nauthor: me\n---\nx")
    assert document.metadata["tags"] == ("algebra", "number theory")


@every_case(
    ("source", "identifier", "kind", "title"),
    [
        ('::: {#thm-line name="The line"}\nbody\n:::', "n.md#thm-line", "theorem", "The line"),
        ("::: {#lem-a}\n## Title $x$\nbody\n:::", "n.md#lem-a", "lemma", "Title \ufffc"),
        ("::: {.definition #def-b title='T'}\nbody\n:::", "n.md#def-b", "definition", "T"),
        (":::{prf:theorem} Euler\n:label: thm-e\nbody\n:::", "n.md#thm-e", "theorem", "Euler"),
        ("```{prf:corollary} C\n:label: c-1\nbody\n```", "n.md#c-1", "corollary", "C"),
        ("::: example\nbody\n:::", "n.md#example-1", "example", ""),
    ],
)
def test_theorem_like_blocks(source: str, identifier: str, kind: str, title: str) -> None:
    (document,) = read(source)
    assert (document.id, document.metadata["type"], document.title.text) == (identifier, kind, title)
    assert document.fields["body"].text == "body"


def test_a_proof_belongs_to_the_theorem_before_it() -> None:
    theorem, section = read("::: {#thm-a}\nS $x$\n:::\n\n::: proof\nP $y$\n:::\n\n# Next\ntext")
    assert theorem.fields["proof"].to_latex() == "P $y$"
    assert section.id == "n.md#next"


def test_other_divs_are_text() -> None:
    assert body("::: {.callout-note}\n$a$\n:::\nb") == "$a$\n\nb"


@every_case(
    ("source", "complaint"),
    [
        ("```python\nx", "a fenced block that is never closed"),
        ("$$\nx", "a formula delimiter without its partner"),
        ("a $x", "a formula delimiter without its partner"),
    ],
)
def test_unclosed_things_are_reported(source: str, complaint: str) -> None:
    problems: list[Problem] = []
    assert read(source, problems)
    assert problems[0].what.startswith(complaint)
    assert problems[0].where == "n.md:1"


def test_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.qmd").write_bytes("caf\xe9 $x$".encode("latin-1"))
    (tmp_path / "a.md").write_bytes("\ufeffa\r\nb".encode())
    (tmp_path / "empty.md").write_bytes(b"")
    problems: list[Problem] = []
    progress: list[tuple[int, int]] = []
    documents = list(
        MarkdownReader().read(
            tmp_path, ReaderOptions(collection="c"), problems.append, lambda *done: progress.append(done)
        )
    )
    assert [document.id for document in documents] == ["a.md", "sub/b.qmd"]
    assert documents[0].fields["body"].text == "a\nb"
    assert documents[1].fields["body"].to_latex() == "café $x$"
    assert documents[0].metadata["source"] == "c"
    assert [problem.where for problem in problems] == ["empty.md", "sub/b.qmd:1"]
    assert progress[-1][0] == progress[-1][1] > 0


def test_what_front_matter_may_hold() -> None:
    (document,) = read('---\ntitle: 007\nkeywords: "a, b"\ntags:\n- no\n- [x]\ndate: 2020-13-45\n...\nbody')
    assert (document.title.text, document.metadata["tags"]) == ("007", ("a", "b", "no"))
    assert document.fields["body"].text == "body"
    problems: list[Problem] = []
    (document,) = read("---\ntitle: a: b\n---\nbody", problems)
    assert "title: a: b" in " ".join(content.text for content in document.fields.values())
    assert problems[0].where == "n.md:2"
    assert problems[0].what.startswith("the front matter is not valid YAML (mapping values are not allowed here)")
    (document,) = read("---\nno mapping\n---\nbody")
    assert document.title.text == "no mapping"


def test_lines_are_counted_over_formulas() -> None:
    documents = read("---\nx: y\n---\n$$\na\n\n+ b\n$$\n\n::: {#thm-a}\n$c\n+ d$\n:::\n\n# H\ntext $x\n", [])
    assert [document.metadata["line"] for document in documents] == ["1", "10", "15"]
    problems: list[Problem] = []
    read("---\nx: y\n---\n$$\na\n\n+ b\n$$\n\ntext $x\n", problems)
    assert [problem.where for problem in problems] == ["n.md:10"]


def test_labels_of_formulas_and_targets() -> None:
    documents = read(f"$$a$$ {{#eq-x}}\n\n(sec-b)=\n# B\n{LONG}\n\n```{{math}}\n:label: eq-y\nx\n```\n")
    assert documents[0].fields["body"].to_latex() == "$$a$$"
    assert documents[0].metadata["labels"] == ("eq-x",)
    assert documents[1].metadata["labels"] == ("sec-b", "eq-y")


def test_divs_nest_by_their_order() -> None:
    section, theorem = read("::: {.callout}\n::: {#thm-a}\nS\n:::\nafter\n:::\nend")
    assert (theorem.id, theorem.fields["body"].text) == ("n.md#thm-a", "S")
    assert section.fields["body"].text == "after\n\nend"


@every_case("mark", ["> ", "- ", "1. ", ">"])
def test_deep_nesting_loses_no_words(mark: str) -> None:
    (document,) = read(mark * 300 + "deep $x$ words")
    assert document.fields["body"].to_latex().endswith("deep $x$ words")


@every_case("mark", ["[", "![", "*a ", "`a", "](", "&", "^[", "{math}`"])
def test_long_paragraphs_of_marks_stay_text(mark: str) -> None:
    problems: list[Problem] = []
    (document,) = read(f"# T\n\n{mark * (100_000 // len(mark))}\n\nlast *words*", problems)
    assert document.fields["body"].text.endswith("last words")
    assert any("too long for its marks" in problem.what for problem in problems)


FRAGMENTS = [
    "# a\n", "## b\n", "\n", "\n\n", "$", "$$", "$$\n", "```", "```math\n", "```{theorem} T\n", "```\n",
    "::: {#thm-x}\n", ":::\n", ":::{prf:proof}\n", ":label: x\n", "*", "**", "_", "[", "]", "(", ")", "](u)",
    "!", "`", "``", "<!--", "-->", "<b>", "<", "&amp;", "\\", "\\(", "\\)", "\\\\(", "\\\\)", "{math}`", "|",
    "|---|", "---\n", "===\n", "> ", "- ", "1. ", "x", " ", "    ", "@thm-a", "[^1]", "[a]: b\n", "~~~\n",
    "\ufffc", "\ue000", "{#id}", "\0", "é",
    "<math>", "</math>", "(a)=\n", "{.a}", ": d\n", "\\begin{align}", "\\end{align}", "\U000f0000", "    > ",
    "&#65532;", "\ufffc0\ufffc", "...\n", "title: a\n", "tags: [\n",
]  # fmt: skip


@settings(max_examples=examples(250), deadline=None)
@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join), st.text(max_size=60)))
def test_any_text_gives_documents(text: str) -> None:
    documents = read(text)
    assert len({document.id for document in documents}) == len(documents)
    assert all(document.fields["body"] or "proof" in document.fields for document in documents)


@every_case(
    ("source", "expected"),
    [
        ("see [[Five lemma]] and [[a/b/Snake lemma.md]]", "see Five lemma and Snake lemma"),
        ("see [[note|the *shown* text]]", "see the *shown* text"),
        ("[[note#Proof]] [[note#A#B]] [[#Here]] [[note#^abc123]]", "note > Proof note > A > B Here note"),
        ("![[diagram.png|300]] ![[note]] ![[note#^x1|shown]]", "[figure] note shown"),
        ("`[[code]]` x[[1]] [[1,2],[3,4]] [[open", "[[code]] x[[1]] [[1,2],[3,4]] [[open"),
        ("a ==marked $x$ **b**== c == d ==e", "a marked $x$ b c == d ==e"),
        ("`a==b==c` and a==b", "a==b==c and a==b"),
        ("text of a block ^abc123", "text of a block"),
        ("- item ^id-1\n- x ^2", "- item\n- x ^2"),
        ("one %%hidden $x%% two\n\n%%\nhidden\n\nlines\n%%\n\nthree 5%% and 6%%", "one two\n\nthree 5%% and 6%%"),
        ("```\n%% cell\nx\n%% more\n```\n`%%time%%`", "%% cell\nx\n%% more\n\n%%time%%"),
        ("$$a %% b\n%% c\n$$", "$$a %% b\n%% c$$"),
    ],
)
def test_what_vaults_write_is_cleaned(source: str, expected: str) -> None:
    assert body(source) == expected


def test_callouts_are_units() -> None:
    problems: list[Problem] = []
    text, theorem, definition = read(
        "before\n\n> [!theorem]- Theorem 1.2 (Pythagoras)\n> For a right triangle\n> $a^2+b^2=c^2$. ^py-1\n"
        "> - and a list\n\n> [!proof]\n> By areas.\n\n> [!definition|wide] Right *angle*\n> A quarter turn.\n\n"
        "> [!tip] Remember\n> the hint\n\n> a quote\n\nafter", problems,
    )  # fmt: skip
    assert problems == []
    assert (theorem.metadata["type"], theorem.fields["title"].text, theorem.metadata["line"]) == (
        "theorem", "Pythagoras", "3"
    )  # fmt: skip
    assert theorem.fields["body"].to_latex() == "For a right triangle\n$a^2+b^2=c^2$.\n- and a list"
    assert theorem.fields["proof"].text == "By areas."
    assert (definition.metadata["type"], definition.fields["title"].text) == ("definition", "Right angle")
    assert " ".join(text.fields["body"].text.split()) == "before Remember the hint a quote after"


def test_a_callout_inside_a_callout_is_part_of_it() -> None:
    text, theorem = read("> [!theorem] Main\n> So.\n>\n> > [!proof]\n> > Thus.\n\nafter")
    assert theorem.fields["proof"].text == "Thus."
    assert text.fields["body"].text == "after"


def test_aliases_are_a_field_of_the_first_document() -> None:
    first, second = read(
        "---\naliases: [5-lemma, Lemma of five]\n---\n# One\n" + "x " * 1200 + "\n# Two\n" + "y " * 1200
    )
    assert first.fields["aliases"].text == "5-lemma, Lemma of five"
    assert first.metadata["aliases"] == second.metadata["aliases"] == ("5-lemma", "Lemma of five")
    assert "aliases" not in second.fields
    (document,) = read("---\nalias: Short name\n---\ntext")
    assert document.fields["aliases"].text == "Short name"


def test_tags_in_the_text_are_kept() -> None:
    (document,) = read(
        "---\ntags: ['#given', algebra]\n---\n# Heading #no\n"
        "About #rings/ideals and #algebra (#Über-2), C#sharp, #123,\n"
        "#1a2b3c #fff `#code` http://x.y/#part [a](#b) $#x$ &#35;\n\n```\n#include\n```\n\n- #last"
    )
    assert document.metadata["tags"] == ("given", "algebra", "rings/ideals", "Über-2", "last")
    assert document.fields["tags"].text == "given, algebra, rings/ideals, Über-2, last"
    assert "tags" not in read("no tag")[0].fields


@LONG_ONLY
@pytest.mark.parametrize(
    "mark",
    [
        "[[", "![[a|", "[[a#", "==", "==a ", "a== ", "%%", "%%\n", "%% a\n", "^a", " ^a-b", "#a", "> [!a] ",
        "> [!theorem] x\n\n",
    ],
)
def test_time_of_vaults_is_linear(mark: str, assert_linear: Callable[..., None]) -> None:
    assert_linear(lambda count: read(mark * count), 200, 800)


def test_what_has_no_heading_is_named_after_its_file() -> None:
    def titles(text: str) -> list[str]:
        documents = MarkdownReader().documents(text, "algebra/Simple groups.md", "notes", ignore_problem)
        return [document.fields["title"].text if "title" in document.fields else "" for document in documents]

    long = "words " * 500
    assert titles("words") == ["Simple groups"]
    assert titles(f"{long}\n\n## Finite\n\n{long}") == ["Simple groups", "Finite"]
    assert titles("::: {.theorem}\nTwo is prime.\n:::\n\nwords") == ["Simple groups", ""]
    assert titles("# Groups\n\nwords") == ["Groups"]
    assert titles("---\ntitle: Groups\n---\nwords") == ["Groups"]
    assert titles("---\ntitle:\n---\n") == []
