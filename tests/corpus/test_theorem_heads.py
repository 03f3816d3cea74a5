"""Statements and proofs that only the bold or slanted beginning of a paragraph shows."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus import open_source
from porism.corpus.sections import FileUnits
from porism.corpus.theorem_heads import ParagraphUnits, theorem_head
from porism.types import Content, Formula


@every_case(
    ("text", "marked", "kind", "title", "rest"),
    [
        ("Theorem 2.3 (Lagrange). If so.", "Theorem 2.3", "theorem", "Lagrange", "If so."),
        ("Theorem 2.3 If so.", "Theorem 2.3", "theorem", None, "If so."),
        ("Lemma. Words.", "Lemma.", "lemma", None, "Words."),
        ("Lemma A.1: Words.", "Lemma A.1:", "lemma", None, "Words."),
        ("Definition (ring (with one)) A set.", "Definition", "definition", "ring (with one)", "A set."),
        ("Satz 3. Worte.", "Satz 3.", "satz", None, "Worte."),
        ("Proof. Clear.", "Proof.", "proof", None, "Clear."),
        ("Proof of Theorem 2. Clear.", "Proof of Theorem 2.", "proof", None, "Clear."),
        ("Theorem 4. All of it is bold.", "Theorem 4. All of it is bold.", "theorem", None, "All of it is bold."),
    ],
)
def test_heads_of_statements(text: str, marked: str, kind: str, title: str | None, rest: str) -> None:
    head = theorem_head(Content(text), marked)
    assert head is not None
    assert (head.kind, head.title and head.title.text, head.rest.text) == (kind, title, rest)


@every_case(
    ("text", "marked"),
    [
        ("Theorem 2 of the book says so.", "Theorem 2 of the book"), ("Theorem provers help.", "Theorem"),
        ("Proof theory is a field.", "Proof theory"), ("Note. Not a kind.", "Note."), ("Words.", "Words"),
        ("Theorem 1. Not marked.", ""),
    ],
)  # fmt: skip
def test_other_marked_beginnings(text: str, marked: str) -> None:
    assert theorem_head(Content(text), marked) is None


def test_formulas_of_a_title_go_with_it() -> None:
    content = Content("Lemma 1 (of \ufffc). Let \ufffc.", (Formula("a"), Formula("b")))
    head = theorem_head(content, "Lemma 1")
    assert head is not None
    assert head.title is not None
    assert (head.title.to_latex(), head.rest.to_latex()) == ("of $a$", "Let $b$.")


PAGE = """<h2>Groups</h2><p>Before.</p>
<p><b>Theorem 1</b> (Lagrange). <i>All is good:</i></p>
<ul><li>an item</li></ul>
<p><i>Proof.</i> Clear.</p>
<p>And done. □</p>
<p>Prose goes on.</p>
<p><strong>Corollary 2.</strong> <em>One paragraph in italics.</em></p>
<p><em>Another one.</em></p>
<p>Not a part of it.</p>
<div class="definition"><p><strong>Definition 3</strong> (ring). A set.</p><p>More.</p></div>
"""


@every_case("padding", ["", "<p><b>x</b></p>" * 1000])
def test_statements_of_a_page(padding: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE + padding, encoding="utf-8")
    section, theorem, corollary, definition = open_source(tmp_path / "a.html")
    assert section.fields["body"].text.startswith("Before.\n\nProse goes on.\n\nNot a part of it.")
    assert theorem.fields["title"].text == "Lagrange"
    assert theorem.fields["body"].text == "All is good:\nan item"
    assert theorem.fields["proof"].text == "Clear.\n\nAnd done. □"
    assert (theorem.metadata["line"], theorem.fields["proof"].line_of(8)) == ("2", 3)
    assert corollary.fields["body"].text == "One paragraph in italics.\n\nAnother one."
    assert (definition.fields["title"].text, definition.fields["body"].text) == ("ring", "A set.\nMore.")


@given(st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=6))
def test_any_paragraphs_keep_their_words(paragraphs: list[tuple[str, str, bool]]) -> None:
    units = FileUnits("a", "b", lambda problem: None)
    reader = ParagraphUnits(units)
    for marked, rest, emphasised in paragraphs:
        text = f"Theorem 1. {marked}{rest}".replace("\ufffc", " ").replace("\x01", " ")
        reader.add(Content(text), f"Theorem 1. {marked}", emphasised=emphasised)
    reader.end_block()
    documents = list(units.documents())
    assert len(documents) <= len(paragraphs)
    words = " ".join(" ".join(document.fields["body"].text.split()) for document in documents)
    assert all(" ".join(rest.split()) in words for _, rest, _ in paragraphs if rest.isalnum())
