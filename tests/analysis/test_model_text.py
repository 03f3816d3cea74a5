"""Documents as text for a model."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.analysis.model_text import (
    ModelText,
    chunks,
    content_pieces,
    content_text,
    cut,
    document_text,
    written_formula,
)
from porism.errors import ConfigError
from porism.types import Content, Document, Formula

MATHML = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
DOCUMENT = Document("d", {
    "title": Content.of("Squares ", Formula(MATHML, "mathml")),
    "empty": Content(" "),
    "body": Content.of("As ", Formula(r"\frac 12", display=True), " shows."),
})


def test_fields_are_lines_and_empty_ones_are_left_out() -> None:
    assert document_text(DOCUMENT) == "Squares $x^{2}$\nAs $$\\frac 12$$ shows."


def test_fields_are_read_in_the_order_given() -> None:
    settings = ModelText(("body", "none", "title"), between=" | ")
    assert document_text(DOCUMENT, settings) == "As $$\\frac 12$$ shows. | Squares $x^{2}$"


@every_case(
    ("writing", "expected"),
    [
        ("source", r"\frac 12"),
        ("latex", r"\frac{1}{2}"),
        ("prefix", "O!divide N!1 N!2"),
        ("unicode", "1/2"),
        ("spoken", "one half"),
        ("none", ""),
    ],
)
def test_ways_of_writing_a_formula(writing, expected: str) -> None:
    assert written_formula(Formula(r"\frac 12"), writing) == expected


def test_marks_stand_around_formulas_and_not_where_none_is_written() -> None:
    content = DOCUMENT.fields["body"]
    marked = ModelText(before="[MATH] ", after=" [/MATH]", formulas="latex")
    inline = Content.of("a ", Formula("x"), " b")
    assert content_text(inline, marked) == "a [MATH] x [/MATH] b"
    assert content_pieces(content, ModelText(formulas="none")) == ["As ", "", " shows."]


def test_lone_surrogates_are_replaced() -> None:
    assert content_text(Content("a\ud800"), ModelText()) == "a\ufffd"


def test_an_unknown_writing_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be written as 'loud'"):
        ModelText(formulas="loud")  # type: ignore[arg-type]


@every_case(
    ("most", "how", "expected"),
    [
        (9, "head", "abcdefg"), (7, "head-tail", "abcdefg"), (3, "head", "abc"), (3, "head-tail", "abg"),
        (4, "head-tail", "abfg"), (1, "head-tail", "a"), (0, "head-tail", ""),
    ],
)
def test_cutting_keeps_the_head_or_both_ends(most: int, how, expected: str) -> None:
    assert "".join(cut("abcdefg", most, how)) == expected


@every_case(
    ("most", "overlap", "expected"),
    [
        (7, 3, ["abcdefg"]), (9, 0, ["abcdefg"]), (3, 0, ["abc", "def", "g"]), (3, 1, ["abc", "cde", "efg"]),
        (4, 1, ["abcd", "defg"]), (4, 3, ["abcd", "bcde", "cdef", "defg"]), (6, 2, ["abcdef", "efg"]),
    ],
)
def test_chunks_cover_all_and_share_the_overlap(most: int, overlap: int, expected: list[str]) -> None:
    assert ["".join(one) for one in chunks("abcdefg", most, overlap)] == expected


def test_an_overlap_that_leaves_no_progress_is_refused() -> None:
    assert chunks("", 3, 1) == [[]]
    with pytest.raises(ConfigError, match="cannot share 3"):
        chunks("abc", 3, 3)
