"""``porism experiment``: what it prints, and the example of the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from long_forms import LONG_ONLY
from recipe_cases import FUSIONS

from porism.lab.recipes.kinds.fusions import FuseRuns

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "sample.toml"

class Result(Protocol):
    """What a command left behind."""

    status: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of two runs made elsewhere and their fusion, with its files."""
    topics = ("T.1", "T.2", "T.3")
    documents = [f"d{number}" for number in range(8)]
    gains = [f"{topic} 0 {doc} {3 * number % 4}\n" for topic in topics for number, doc in enumerate(documents)]
    (tmp_path / "qrels.txt").write_text("".join(gains), encoding="utf-8")
    for name, order in (("first", documents), ("second", documents[::-1])):
        lines = [
            f"{topic} Q0 {doc} {rank} {9 - rank} {name}\n" for topic in topics for rank, doc in enumerate(order, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(FUSIONS, encoding="utf-8")
    return path


def test_tables_are_printed_and_stages_told(porism: Command, recipe: Path) -> None:
    path = recipe
    plan = porism("experiment", path, "--plan")
    assert plan.out == "to make  fuse both on dev\nto make  report report on dev\n"
    first = porism("experiment", path)
    assert first.status == 0
    assert re.search(r"^both +0\.\d{4}", first.out, flags=re.M)
    assert re.search(r"^fuse both on dev: \d+\.\d s$", first.err, flags=re.M)
    assert f"Written: {path.parent / 'recipe-results'}" in first.err
    second = porism("experiment", path)
    assert second.out == first.out
    assert "fuse both on dev: cached\nreport report on dev: cached\n" in second.err
    plan = porism("experiment", path, "--dry-run")
    assert plan.out == "cached   fuse both on dev\ncached   report report on dev\n"
    quiet = porism("experiment", path, "--quiet", "--fresh")
    assert (quiet.out, quiet.err) == (first.out, "")


def test_options(porism: Command, recipe: Path) -> None:
    path = recipe
    result = porism(
        "experiment", path, "--only", "both", "--output", path.parent / "o", "--cache", path.parent / "c", "--json"
    )
    record = json.loads(result.out)
    assert [stage["stage"] for stage in record["stages"]] == ["fuse both on dev"]
    assert (path.parent / "o" / "runs" / "dev" / "both.run").is_file()
    assert (path.parent / "c" / "made").is_dir()
    assert not (path.parent / ".porism-cache").exists()
    plan = json.loads(porism("experiment", path, "--plan", "--json").out)
    assert [stage["cached"] for stage in plan["stages"]] == [False, False]


def test_all_errors_a_line_each(porism: Command, recipe: Path) -> None:
    path = recipe
    path.write_text(FUSIONS.replace('"first", "second"]', '"first", "secnd"]\nkk = 3'), encoding="utf-8")
    result = porism("experiment", path)
    assert result.status == 1
    assert result.out == ""
    assert result.err.splitlines() == [
        f"Error: {path}:8: there is no system 'secnd'. Did you mean second?",
        f"Error: {path}:9: there is no setting 'fusions.both.kk'. Did you mean fusions.both.k?",
    ]


def test_an_interruption_says_how_to_go_on(
    porism: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FuseRuns, "make_run", interrupted)
    result = porism("experiment", recipe)
    assert result.status == 130
    assert "the same command continues from there" in result.err


@LONG_ONLY
def test_the_example_of_the_documentation(porism: Command, tmp_path: Path) -> None:
    result = porism("experiment", EXAMPLE, "--output", tmp_path / "o", "--cache", tmp_path / "c")
    assert result.status == 0, result.err
    told = {line.split(":")[1].strip() for line in result.out.splitlines() if line.startswith("WARNING")}
    assert {"hybrid", "reranked", "rrf"} <= told  # the sample had a part in choosing the default search
    assert not told & {"words", "formulas"}
    page = (tmp_path / "o" / "test" / "report.html").read_text(encoding="utf-8")
    assert "Words, formulas, and both" in page
    shown = (ROOT / "docs" / "reference" / "recipes.md").read_text(encoding="utf-8")
    assert EXAMPLE.read_text(encoding="utf-8") in shown
