"""``porism parse --pdf``: what is read of a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from porism.cli import porism as command

pytest.importorskip("pdfminer")
SERIES = str(Path(__file__).parents[1] / "corpus" / "pdf" / "series.pdf")


def test_a_page_is_shown_with_its_formulas_and_their_boxes() -> None:
    result = CliRunner().invoke(command, ["parse", "--pdf", SERIES, "--page", "2"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "page 2: 2 lines, 1 formula"
    assert lines[1].strip() == "The second page says that $e^{i\\pi}+1=0$."
    assert lines[3].split()[0] == "inline"
    assert lines[3].endswith(" e^{i\\pi}+1=0")


def test_a_page_as_json() -> None:
    result = CliRunner().invoke(command, ["parse", "--pdf", SERIES, "--page", "2", "--json"])
    facts = json.loads(result.output)
    assert facts["page"] == 2
    assert facts["formulas"][0]["latex"] == "e^{i\\pi}+1=0"
    assert len(facts["formulas"][0]["box"]) == 4


def test_a_page_that_is_not_there_is_an_error() -> None:
    result = CliRunner().invoke(command, ["parse", "--pdf", SERIES, "--page", "9"])
    assert result.exit_code != 0
    assert "has no page 9" in str(result.exception or result.output)


def test_a_formula_or_a_page_is_needed() -> None:
    result = CliRunner().invoke(command, ["parse"])
    assert result.exit_code == 2
    assert "Missing argument 'FORMULA'" in result.output
