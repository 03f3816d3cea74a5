"""Characters that a LaTeX project makes active."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, read, text_of

_BANG = r"{\catcode`!=\active \gdef!{\varphi_}}\mathcode`\!=" + '"8000 '


@every_case(
    ("preamble", "formula", "expected"),
    [
        (_BANG, "!A \\to (!B)", r"\varphi_A \to (\varphi_B)"),
        (r"\begingroup\lccode`\~=`\|\lowercase{\endgroup\def~}{\mid}\mathcode`|=32768 ", "a|b", r"a\mid b"),
        (r"\begingroup\lccode`~=`; \lowercase{\endgroup\newcommand\x{}\def~}#1{[#1]}\mathcode`\;=" + '"8000 ',
         "a;b;{cd}", "a[b][cd]"),
        (r"\def\make#1{\mathcode`#1=" + '"8000 ' r"\begingroup\lccode`~=`#1\lowercase{\endgroup\def~}}\make{*}{\cdot}",
         "a*b", r"a\cdot b"),
        (r"\def\of#1{\if#1A\varphi\else\psi\fi}{\catcode33=13\gdef!{\of}}\mathcode33=" + '"8000 ', "!A,!B",
         r"\varphi,\psi"),
        (r"\catcode`\:=\active \let:=\colon ", "f:A", r"f\colon A"),
        (r"\mathcode`\:=" + '"603A ', "f:A", "f:A"),
        (r"\mathcode`\:=" + '"8000 ', "f:A", "f:A"),
        (r"{" + _BANG + "}", "!A", "!A"),
        (r"\DeclareMathSymbol{\exclaim}{\mathord}{operators}{`!}" + _BANG, r"!A\exclaim", r"\varphi_A!"),
        (r"{\catcode`\:\active\gdef:{\mathrel{\mathop\mathchar" + '"303A}}}' + r"\mathcode`:=" + '"8000 ', "a:b",
         r"a\mathrel{\mathop:}b"),
        (r"\mathchardef\mycolon=" + '"303A' + r"\mathchardef\mapstochar=" + '"3237 ', r"a\mycolon b\mapstochar",
         r"a:b\mapstochar"),
        ("", r"\mathchar`\= \mathchar`\{\mathchar" + '"2203 x', r"=\{*x"),
        (_BANG, r"!\text{no! $!B$ and !}!C", r"\varphi_\text{no! $\varphi_B$ and !}\varphi_C"),
        (r"{\catcode`\,=\active\gdef,{\futurelet\next\comma}}\def\comma{\ifx\next a;\else.\fi}\mathcode`\,=" + '"8000 ',
         "x,a,b", "x;a.b"),
    ],
)  # fmt: skip
def test_active_characters_are_expanded_in_formulas(
    preamble: str, formula: str, expected: str, tmp_path: Path
) -> None:
    source = rf"\documentclass{{article}}{preamble}\begin{{document}}No! ${formula}$\end{{document}}"
    assert [found.replace(" ", "") for found in formulas(source, tmp_path)] == [expected.replace(" ", "")]
    (document,) = read(tmp_path)
    assert document.fields["body"].text.startswith("No!")


def test_an_active_character_ends_with_its_group_and_is_expanded_in_text(tmp_path: Path) -> None:
    source = r"a!b {\catcode`\!=\active \def!#1{(#1)}a!b c!{de}} a!b \catcode`\!=12 a!b \lowercase{A\Large B}"
    assert text_of(source, tmp_path) == "a!b a(b) c(de) a!b a!b ab"


def test_at_is_a_letter_where_a_source_says_so(tmp_path: Path) -> None:
    source = r"\catcode`\@=11 \def\a@b{x}\a@b\catcode64=12 \def\a{y}\a@b\catcode`@=\active z"
    assert text_of(source, tmp_path) == "xy@bz"
