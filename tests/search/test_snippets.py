"""Passages that show why a document was found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.search.snippets import Piece, SnippetMaker, show_content
from porism.types import Content, Document, Formula

ANALYZER = Analyzer(AnalysisConfig(formulas=("tokens",)))


def maker(words: str, *formulas: str) -> SnippetMaker:
    """A maker whose terms are all worth 1."""
    asked = [Formula(source) for source in formulas]
    terms = {term for formula in asked for term in ANALYZER.formula_terms(formula).terms["tokens"]}
    stems = ANALYZER.words_in("english").terms(words)
    weights = {"words": dict.fromkeys(stems, 1.0), "tokens": dict.fromkeys(terms, 1.0)}
    return SnippetMaker(ANALYZER, weights, asked)


def test_matching_words_and_formulas_are_marked() -> None:
    body = Content.of("Every prime ", Formula("p>2"), " is odd; ", Formula("x+1"), " is not.")
    document = Document("a", {"body": body})
    snippet = maker("primes", "p>2").snippet(document, "latex")
    assert snippet.marked("[", "]") == "Every [prime] [$p>2$] is odd; $x+1$ is not."


def test_the_best_passage_is_shown() -> None:
    filler = "Nothing to see in this sentence. " * 30
    document = Document("a", {"body": Content(f"{filler}A compact set is closed. {filler}")})
    shown = str(maker("compact closed").snippet(document))
    assert "A compact set is closed." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 300


def test_the_field_with_the_better_passage_wins() -> None:
    document = Document("a", {"question": Content("compact"), "body": Content("a closed compact set")})
    assert str(maker("compact closed").snippet(document)) == "a closed compact set"


def test_a_statement_comes_before_its_proof_where_both_match() -> None:
    document = Document("a", {
        "proof": Content("compact, closed, bounded, complete"), "body": Content("A compact closed bounded set"),
    })
    assert str(maker("compact closed bounded complete").snippet(document)) == "A compact closed bounded set"


def test_without_a_match_the_beginning_is_shown() -> None:
    assert str(maker("zebra").snippet(Document("a", {"body": Content("First words.")}))) == "First words."


def test_formulas_are_shown_as_unicode_or_latex() -> None:
    content = Content.of("So ", Formula(r"x^2\le 1"), " holds\n\n here")
    assert show_content(content, "unicode") == "So x² ≤ 1 holds here"
    assert show_content(content, "latex") == r"So $x^2\le 1$ holds here"
    mathml = Content.of(Formula("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "mathml"))
    assert show_content(mathml, "latex") == "$x^{2}$"
    plain = Content.of("Let ", Formula("Continuous f", "lean"), " and ", Formula("a^2 + 1 = 0", "unicode"))
    assert show_content(plain, "unicode") == show_content(plain, "latex") == "Let Continuous f and a^2 + 1 = 0"


def test_a_title_is_whole_and_marked() -> None:
    document = Document("a", {"title": Content.of("Primes ", Formula("p"))})
    assert maker("prime").title(document, "latex").pieces[0] == Piece("Primes", match=True)
    assert maker("prime").title(Document("x-1", {})).pieces == ()


def test_headings_do_not_run_into_what_follows() -> None:
    document = Document("a", {"body": Content("Primes (odd)\n\nEvery prime.\n\nBut one\nline\n \nÖdd\n\nand on")})
    assert str(maker("prime").snippet(document)) == "Primes (odd) · Every prime. But one line · Ödd and on"


def test_documents_without_text_have_an_empty_snippet() -> None:
    assert maker("prime").snippet(Document("a", {})).pieces == ()


def test_characters_without_width_do_not_part_a_word() -> None:
    document = Document("d", {"body": Content("a com\u00adpact and con\u200bnected space, می\u200cشود")})
    snippet = maker("compact connected").snippet(document)
    assert [piece.text for piece in snippet.pieces if piece.match] == ["compact", "connected"]
    assert str(snippet) == "a compact and connected space, می\u200cشود"


def test_control_characters_do_not_reach_the_terminal() -> None:
    document = Document("a", {"body": Content("prime \x1b[31m red\x07 \u202e")})
    assert not any(ord(character) < 32 for character in str(maker("prime").snippet(document)))


@given(st.text(), st.lists(st.text(), max_size=3), st.text(max_size=10))
def test_any_document_gives_a_bounded_snippet(text: str, formulas: list[str], words: str) -> None:
    parts = [text, *(Formula(source) for source in formulas), text]
    document = Document("a", {"body": Content.of(*parts)})
    snippet = maker(words, *formulas).snippet(document)
    assert sum(len(piece.text) for piece in snippet.pieces if not piece.formula) <= 2 * 260
