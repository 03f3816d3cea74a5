"""``porism equal``: verdicts, reasons and exit status."""

from __future__ import annotations

import json

from click.testing import CliRunner

from porism.cli import porism as command


def test_two_formulas_are_compared() -> None:
    cases = {
        ("2x+4y-3=0", "y=-x/2+3/4"): (0, [
            "Equal (same statement). The differences of their sides are equal up to a factor that is not 0.",
            "  The first says 2x + 4y - 3 = 0", "  The second says (1/2)x + y - 3/4 = 0",
            "  The left side of the first is that of the second times 4",
        ]),
        ("$n^2$", "k^2"): (0, [
            "Equal (renamed). They are the same formula with other names.", "  names: n ↦ k",
        ]),
        (r"\sqrt{x^2}", "x"): (1, [
            "Not equal (different). They differ.", "  At x = -1 the first is 1, the second -1.",
        ]),
        (r"\sum_{n=1}^\infty\frac1{n^2}", r"\sum_{n=2}^\infty\frac1{n^2}"): (1, [
            "Not known to be equal (unknown). No equality was found, and no point where they differ.",
            "  both have 1/n²",
        ]),
        ("-x<0", "0<x"): (0, ["Equal (same statement). The differences of their sides are the same.",
                              "  Both say -x < 0"]),
    }
    for formulas, (status, lines) in cases.items():
        result = CliRunner().invoke(command, ["equal", *formulas])
        assert (result.exit_code, result.stdout.splitlines()) == (status, lines)


def test_the_same_as_json() -> None:
    result = CliRunner().invoke(command, ["equal", "a-b", "b-a", "--json"])
    known = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (known["relation"], known["equal"], known["names"]) == ("different", False, {"a": "b", "b": "a"})
    assert known["difference"] == {"point": {"a": "2", "b": "3"}, "first": "-1", "second": "1"}
    empty = CliRunner().invoke(command, ["equal", "$$", "x"])
    assert empty.exit_code == 2
    assert "empty" in empty.stderr
