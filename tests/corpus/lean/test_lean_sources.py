"""Texts of Lean without comments and strings, and the comments that document something."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.lean.source import LeanSource


def test_comments_and_strings_are_blank_and_all_places_stay() -> None:
    text = 'def a := "x -- /- y" -- note\n/- one /- two -/ still -/ def b := \'"\' /-- doc -/ def c := «--» f\' "z"'
    source = LeanSource(text)
    assert len(source.code) == len(source.bare) == len(source.text)
    assert source.code.split("\n") == [
        "", 'def a := "x -- /- y"        ', f"{' ' * 26}def b := '\"' {' ' * 10} def c := «--» f' \"z\"",
    ]
    assert source.bare.split("\n")[1] == 'def a := "         "        '
    assert source.unclosed == []


@every_case("string", ['"a \\" -- b"', 'r"a \\"', 'r#"a " -- b"#', 's!"a {b} -- c"', '"two\nlines -- x"'])
def test_strings_of_all_kinds_end_where_they_do(string: str) -> None:
    source = LeanSource(f"{string} def -- gone")
    assert source.code.rstrip().endswith("def")
    assert source.code.strip() == f"{string} def"
    assert "--" not in source.bare


def test_an_identifier_with_a_quote_begins_no_character() -> None:
    assert LeanSource("f' \"a\" -- b").code.strip() == "f' \"a\""


def test_docstrings_and_comments_of_the_module_are_kept_with_their_lines() -> None:
    source = LeanSource(" /-! # A\n b -/\n\n/--\n  doc /- inner -/ -/\n@[simp] def a := 1\n  /-- / -- -/ where /---/")
    assert [(comment.text, source.line(comment.text_start)) for comment in source.module_docs] == [("# A\n b", 1)]
    first, second, third = source.docstrings
    assert (first.text, source.line(first.text_start)) == ("doc /- inner -/", 5)
    assert (second.text, third.text) == ("/ --", "")
    assert source.docstring_before(source.text.index("@[simp]")) == first
    assert source.docstring_before(source.text.index("def")) is None
    assert source.docstrings_within(0, len(source.text)) == [second, third]  # the other is at the margin


def test_what_never_ends_is_known_once() -> None:
    source = LeanSource("def a := 1\n/- z /- -/ -/\n/- x /- -/")
    assert [(source.line(place), kind) for place, kind in source.unclosed] == [(3, "comment")]
    source = LeanSource('x := "a \\" b')
    assert [(source.line(place), kind) for place, kind in source.unclosed] == [(1, "string")]
    assert source.code == '\nx := "a \\" b'
    source = LeanSource('r#"b" r#"c" "d"')
    assert [kind for _, kind in source.unclosed] == ["string", "string"]


def test_lines_count_from_one() -> None:
    source = LeanSource("a\nb\n\nc")
    assert [source.line(source.text.index(letter)) for letter in "abc"] == [1, 2, 4]
    assert source.line(0) == 1
