"""One command lists the benchmarks and runs them, and the documentation names those that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks.effectiveness import development, neural

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
NAMED = re.compile(r"python -m benchmarks ([a-z]\w*) ([a-z]\w*)")


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    listed = capsys.readouterr().out
    for group, name in command.benchmarks():
        assert re.search(rf"^{group}: .+(\n  .+)*\n  {name} +[A-Z]", listed, flags=re.M), (group, name)
    assert {group for group, _ in command.benchmarks()} == set(command.GROUPS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_benchmarks_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(NAMED.findall(text)) <= set(command.benchmarks())
    assert not re.search(r"benchmarks/\w+\.py", text)


def test_the_readme_has_a_row_for_each() -> None:
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    rows = NAMED.findall("\n".join(re.findall(r"^\| `.+", readme, flags=re.M)))
    assert sorted(rows) == sorted(command.benchmarks())


def test_one_runs_by_its_name() -> None:
    arguments = [sys.executable, "-m", "benchmarks", "effectiveness", "ensembles", "--help"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--ranks" in done.stdout


def test_models_are_measured_alone_and_in_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "heavy.toml").write_text('kind = "dense"\nencoder = "none"\n', encoding="utf-8")
    heavy = str(tmp_path / "heavy.toml")
    assert neural.parts_of("default:0.3+dense:0.7") == {"default": 0.3, "dense": 0.7}
    models = neural.chosen_models(["words", "tokens", heavy], ["words:0.25+tokens:0.75"])
    assert list(models) == ["words", "tokens", heavy, "words:0.25+tokens:0.75"]
    assert list(neural.chosen_models(["words", "tokens", "paths"], None))[3:] == [
        "words+tokens", "words+paths", "words+tokens+paths",
    ]
    task = development.sample(tmp_path)
    found = neural.measured(task, models)
    assert "heavy.toml is left out" in capsys.readouterr().err
    assert found.names == ("words", "tokens", "words:0.25+tokens:0.75")
    for name in found.names:
        alone = task.scores(models[name])
        assert found[name].aggregated["nDCG'@10"] == pytest.approx(alone.mean())
    rows = neural.rows_of(task, found)
    mean = {row[1]: float(row[2]) for row in rows}
    assert float(rows[1][3]) == pytest.approx(mean["tokens"] - mean["words"], abs=2e-4)
    parts = {part.by: part for part in neural.breakdowns(task, found, neural.information(task, tmp_path))}
    assert set(parts) == {"length", "share of mathematics"}
    known = {query.id: {"category": "odd" if number % 2 else "even"} for number, query in enumerate(task.queries)}
    (by_category,) = [part for part in neural.breakdowns(task, found, known) if part.by == "category"]
    assert {name: len(members) for name, members in by_category.topics.items()} == {"even": 28, "odd": 28}
    topics = sum(len(members) for members in parts["length"].topics.values())
    assert topics == len(task.queries)
    table = neural.group_rows(parts["length"])
    assert len(table) == 1 + 3 * len(parts["length"].groups)
    assert table[2][-1].count("to") == 1


def test_wrong_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["peer", "documents"]) == 2
    assert "Did you mean peers documents?" in capsys.readouterr().err
    assert command.main(["nothing"]) == 2
    assert "lists all" in capsys.readouterr().err
