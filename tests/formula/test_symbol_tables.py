"""The tables of symbols: labels, kinds and classes."""

from __future__ import annotations

from case_tables import every_case

from porism.formula.tables import lookup as tables
from porism.formula.tables.lookup import (
    SYMBOLS,
    TOKEN_CLASSES,
    canonical_name,
    canonical_number,
    character,
    negated,
    token_class,
)


@every_case(
    ("label", "expected"),
    [
        ("x", "variable"), ("α", "greek"), ("0", "zero"), ("1", "one"), ("12", "number"), ("3.5", "decimal"),
        ("=", "equality"), ("≤", "order"),
        ("∈", "membership"), ("⊆", "subset"), ("→", "arrow"), ("⇒", "logic"), ("∣", "relation"), ("+", "additive"),
        ("×", "multiplicative"),
        ("/", "division"), ("mod", "division"), ("∪", "set-operator"), ("sin", "trigonometric"), ("log", "logarithm"),
        ("lim", "limit"),
        ("gcd", "function"), ("Foo", "function"), ("∑", "big-operator"), ("∫", "integral"), ("(", "open"),
        ("⟩", "close"), ("|", "bar"),
        (",", "separator"), ("^", "accent"), ("′", "prime"), ("…", "dots"), ("∞", "constant"), ("ℝ", "variable"),
        ("!", "symbol"),
        ("≠", "equality"), ("⇏", "logic"), ("∘̸", "multiplicative"), ("choose", "binomial"), ("√", "root"),
    ],
)
def test_class_of_a_label(label: str, expected: str) -> None:
    assert token_class(label) == expected


@every_case(
    ("kind", "expected"),
    [
        ("F", "fraction"), ("R", "root"), ("M", "matrix"), ("G", "group"), ("T", "text"), ("W", "wildcard"),
        ("E", "error"),
    ],
)
def test_kind_settles_the_class_of_structures(kind: str, expected: str) -> None:
    assert token_class("/", kind) == expected


def test_every_symbol_has_a_listed_class_and_kind() -> None:
    for label, kind in SYMBOLS.values():
        assert kind in "VNO"
        assert token_class(label) in TOKEN_CLASSES
        assert tables.kind_of(label) == kind


def test_labels_are_their_own_canonical_form() -> None:
    for label, kind in SYMBOLS.values():
        if len(label) == 1:
            assert character(label) == (label, kind, "")


@every_case(
    ("char", "expected"),
    [
        ("𝐱", ("x", "V", "bf")), ("𝔤", ("g", "V", "frak")), ("ℝ", ("ℝ", "V", "bb")), ("𝟙", ("𝟙", "V", "bb")),
        ("𝒜", ("A", "V", "cal")),
        ("ℓ", ("ℓ", "V", "")), ("𝑑", ("d", "V", "")), ("ℵ", ("ℵ", "V", "")), ("−", ("-", "O", "")),
        ("µ", ("μ", "V", "")), ("à", ("à", "V", "")),
        ("\ud800", ("\ufffd", "E", "")), ("\x00", None), ("\u200b", None), (" ", None), ("𝟓", ("5", "N", "bf")),
        ("＝", ("=", "O", "")),
    ],
)
def test_characters_fold_to_label_kind_and_font(char: str, expected: tuple[str, str, str] | None) -> None:
    assert character(char) == expected


def test_names_numbers_and_negation() -> None:
    assert canonical_name("lim sup") == "limsup"
    assert canonical_name("arctg") == "arctan"
    assert canonical_name("foo") == "foo"
    assert canonical_number(".5") == "0.5"
    assert canonical_number("1{,}000") == "1000"
    assert negated("=") == "≠"
    assert negated("∈") == "∉"
    assert negated("⊕") == "⊕\u0338"


@every_case(
    ("command", "char", "expected"),
    [
        ("leftthreetimes", "⋋", "multiplicative"), ("circleddash", "⊝", "additive"), ("eqslantless", "⪕", "order"),
        ("curlyeqprec", "⋞", "order"), ("precapprox", "⪷", "order"), ("lnsim", "⋦", "order"),
        ("looparrowleft", "↫", "arrow"), ("dashrightarrow", "⇢", "arrow"), ("backepsilon", "∍", "membership"),
        ("Mapsfrom", "⤆", "arrow"), ("llparenthesis", "⦇", "open"), ("rrangle", "⟫", "close"), ("obslash", "⦸",
        "multiplicative"), ("fint", "⨍", "integral"), ("bigtimes", "⨉", "big-operator"), ("Coloneqq", "⩴", "equality"),
        ("triangleleft", "◃", "relation"), ("upalpha", "α", "greek"), ("ohm", "Ω", "greek"), ("celsius", "℃", "symbol"),
        ("lVvert", "⦀", "bar"), ("nsqsubseteq", "⋢", "subset"), ("cupdot", "⊍", "set-operator"),
    ],
)
def test_a_command_and_its_character_are_one_symbol(command: str, char: str, expected: str) -> None:
    assert SYMBOLS["\\" + command] == character(char)[:2]  # type: ignore[index]
    assert token_class(SYMBOLS["\\" + command][0]) == expected


@every_case(
    ("char", "expected"),
    [
        ("⪑", "order"), ("⥇", "arrow"), ("⨹", "additive"), ("⨙", "integral"), ("⩱", "equality"), ("⫓", "subset"),
        ("⨻", "multiplicative"), ("⦗", "open"), ("⦘", "close"), ("⟙", "symbol"), ("⨇", "logic"), ("€", "symbol"),
    ],
)
def test_a_sign_that_no_table_lists_is_classed_by_its_unicode_name(char: str, expected: str) -> None:
    assert char not in SYMBOLS or char == "€"
    assert token_class(char) == expected


def test_each_spelling_belongs_to_one_symbol() -> None:
    seen: dict[str, str] = {}
    for _, _, lines in tables.SYMBOL_GROUPS:
        for entry in lines.replace("\n", " ").split("; "):
            label, *names = entry.split() or [""]
            for name in names:
                assert seen.setdefault(name, label) == label
