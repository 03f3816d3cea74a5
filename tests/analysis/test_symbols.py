"""Symbols as terms: one name in text, as a command and in a formula."""

from __future__ import annotations

from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.symbols import is_symbol, text_symbols
from porism.corpus import split_math
from porism.types import Content


def symbols_of(text: str) -> list[str]:
    config = AnalysisConfig(text=("symbols",), formulas=("tokens",))
    return Analyzer(config).content_terms(split_math(text))["symbols"]


@every_case(("text", "symbols"), [
    ("a ⊔ b ≤ c", ["⊔", "≤"]),
    (r"$a \sqcup b \leq c$", ["⊔", "≤"]),
    (r"a \sqcup b", ["⊔"]),
    ("f : ℝ → ℂ", ["ℝ", "→", "ℂ"]),
    (r"$f : \mathbb{R} \to \mathbb C$", ["→", "ℂ", "ℝ"]),
    (r"\R and \reals", ["ℝ", "ℝ"]),
    ("𝓝 x and $\\mathcal N$", ["𝒩", "𝒩"]),
    ("a <= b, p -> q, x /\\ y <-> z, |- s", ["≤", "→", "∧", "↔", "⊢"]),
])
def test_a_symbol_has_one_name_wherever_it_stands(text: str, symbols: list[str]) -> None:
    assert sorted(symbols_of(text)) == sorted(symbols)


@every_case("text", [
    "plain words, and 3 + 4 = 7", "α and \\alpha are letters", "“quotes” – and … dots (in brackets)", "中文 слова",
    "a - b --- and rules", "$n!=n(n-1)!$ but also n!=1", r"\frac and \unknowncommand",
])
def test_what_one_ascii_character_can_write_and_letters_are_no_symbols(text: str) -> None:
    assert symbols_of(text) == []


def test_places_point_into_the_text() -> None:
    text = r"x ≤ y and \sqcup -> z"
    assert [(text[start:end], term) for start, end, term in text_symbols(text)] == [
        ("≤", "≤"), (r"\sqcup", "⊔"), ("->", "→"),
    ]


def test_a_token_of_several_characters_is_no_symbol() -> None:
    assert is_symbol("⊔")
    assert not is_symbol("⊔⊔")
    assert not is_symbol("=")


def test_the_other_channels_of_the_text_are_as_they_were() -> None:
    config = AnalysisConfig(text=("words", "plain", "joint:tokens"), formulas=("tokens",))
    terms = Analyzer(config).content_terms(Content("Finset.sum_comm of ℝ ≤"))
    assert terms["plain"] == ["finset", "sum", "comm", "of", "r"]
    assert terms["joint:tokens"] == ["finset", "sum", "comm", "r"]
    assert terms["words"] == ["finset", "sum", "comm", "finset.sum_comm", "sum_comm", "r"]
