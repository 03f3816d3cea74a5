"""One command lists the benchmarks and runs them, and the documentation names those that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import __main__ as command

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


def test_wrong_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["peer", "documents"]) == 2
    assert "Did you mean peers documents?" in capsys.readouterr().err
    assert command.main(["nothing"]) == 2
    assert "lists all" in capsys.readouterr().err
