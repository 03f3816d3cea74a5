"""``porism parse``: notations in and out."""

from __future__ import annotations

import json

from case_tables import every_case
from click.testing import CliRunner

from porism.cli import porism as command


def parsed(*arguments: str) -> str:
    result = CliRunner().invoke(command, ["parse", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout.rstrip("\n")


@every_case(
    ("target", "written"),
    [
        ("latex", r"\frac{a}{\sqrt{2}}"), ("unicode", "a/√2"), ("asciimath", "(a)/(sqrt(2))"),
        ("typst", "frac(a, sqrt(2))"), ("spoken", "a over square root of 2"),
    ],
)
def test_a_formula_is_written_in_another_notation(target: str, written: str) -> None:
    assert parsed(r"\frac a{\sqrt 2}", "--to", target) == written
    assert parsed("a/sqrt(2)", "--to", target) == written
    assert parsed(parsed(r"\frac a{\sqrt 2}", "--to", "mathml"), "--to", target) == written


def test_the_notation_may_be_said() -> None:
    assert parsed("f x y", "--from", "lean", "--to", "latex") == "f(x,y)"
    assert parsed("f x y", "--to", "latex") == "fxy"
    assert parsed("$sqrt(x)$", "--to", "latex") == "sqrt(x)"  # dollars are LaTeX


def test_problems_are_shown() -> None:
    result = CliRunner().invoke(command, ["parse", "sqrt(x", "--to", "latex"])
    assert result.stdout == "\\sqrt{x}\n"
    assert result.stderr == "character 4: this is never closed\n"
    read = json.loads(parsed("sqrt(x", "--to", "latex", "--json"))
    assert read == {"latex": r"\sqrt{x}", "problems": [{"position": 4, "what": "this is never closed"}]}


def test_terms_of_text_channels_are_those_of_the_latex() -> None:
    assert parsed("alpha <= x_1", "--terms", "joint:prefix") == parsed(r"\alpha\le x_1", "--terms", "joint:prefix")
