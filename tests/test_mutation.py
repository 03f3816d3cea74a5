"""Mutation testing: which changes are made, and which tests judge them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from long_forms import LONG

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "benchmarks"
PARTS = ("__init__", "mutation", "mutants", "mirrors")

pytestmark = pytest.mark.skipif(
    not TOOLS.is_dir(),
    reason="needs the folder benchmarks, which an installed package lacks: run it in a checkout",
)

SOURCE = '''
"""Text."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

LIMIT: int = 3


def count(values, most=10, *, deep=True):
    """Counts."""
    total = 0
    for value in values:
        if value is None or value < 0:
            continue
        total += value * 2
    if not deep:
        raise ValueError(f"no {1 + 1}")
    print("told" + "twice")
    return total


def __repr__():
    return 1 + 1
'''


@pytest.fixture
def tools():
    """The modules ``mutants`` and ``mirrors``."""
    from benchmarks.robustness import mirrors, mutants

    return mutants, mirrors


def test_every_kind_of_change_is_made_once_and_texts_are_left_alone(tools, tmp_path):
    path = tmp_path / "some.py"
    path.write_text(SOURCE)
    made = [(one.function, one.old, one.new) for one in tools[0].mutants_of(path)]
    assert made == [
        ("", "3", "4"),
        ("count", "10", "11"),
        ("count", "True", "False"),
        ("count", "0", "1"),
        ("count", "value is None or value < 0", "not (value is None or value < 0)"),
        ("count", "is", "is not"),
        ("count", "or", "and"),
        ("count", "<", "<="),
        ("count", "0", "1"),
        ("count", "continue", "break"),
        ("count", "total += value * 2", "pass"),
        ("count", "*", "/"),
        ("count", "2", "3"),
        ("count", "not deep", "deep"),
        ("count", "not deep", "not (not deep)"),
        ("count", 'raise ValueError(f"no {1 + 1}")', "pass"),
        ("count", 'print("told" + "twice")', "pass"),
        ("count", "return total", "return None"),
    ]


def test_a_mutant_changes_its_piece_and_nothing_else(tools, tmp_path):
    path = tmp_path / "some.py"
    path.write_text("# é, two bytes\nLIMIT = 1 if 2 > 1 else 0\n", encoding="utf-8")
    mutant = next(one for one in tools[0].mutants_of(path) if one.old == ">")
    assert mutant.source() == "# é, two bytes\nLIMIT = 1 if 2 >= 1 else 0\n"
    assert mutant.key(tmp_path) == "some.py::: LIMIT = 1 if 2 > 1 else 0: '>' → '>='"
    assert mutant.diff(tmp_path).splitlines()[-2:] == ["-LIMIT = 1 if 2 > 1 else 0", "+LIMIT = 1 if 2 >= 1 else 0"]


def test_all_mutants_of_the_project_are_python(tools):
    for path in (ROOT / "src" / "porism" / "lab" / "fusion").glob("*.py" if LONG else "m*.py"):
        for mutant in tools[0].mutants_of(path)[:: 20 if LONG else 200]:
            compile(mutant.source(), str(path), "exec")


def test_tests_that_use_a_module_mirror_it_the_ones_with_its_name_first(tools):
    package, tests = ROOT / "src" / "porism", ROOT / "tests"
    find = tools[1].mirrored_tests
    assert find(package / "lab" / "fusion" / "majority.py", package, tests)[0] == "tests/lab/fusion/test_majority.py"
    assert find(package / "lab" / "evaluate" / "splits.py", package, tests) == ["tests/lab/evaluate/test_splits.py"]
    assert "tests/index/test_rows.py" in find(package / "index" / "row_kernels.py", package, tests)
    assert find(package / "index" / "lock.py", package, tests)[-1] != "tests/index/test_storage.py"
    for path in sorted((package / "formula").rglob("*.py"))[:: 1 if LONG else 8]:
        assert find(path, package, tests), path


@pytest.mark.parametrize(("check", "status", "share"), [("2", 0, "1.000"), ("3", 1, "0.000")])
def test_a_project_is_judged_by_its_tests(tmp_path, check, status, share):
    """A whole run over a project of one function: a test of its value kills, one that checks nothing does not."""
    for folder in (
        "src/porism/lab/fusion", "src/porism/system/compiled", "tests/lab/fusion", "docs", "benchmarks/robustness",
    ):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", *(f"robustness/{name}.py" for name in PARTS)):
        (tmp_path / "benchmarks" / name).write_text((TOOLS / name).read_text())
    (tmp_path / "benchmarks" / "robustness" / "mutation_equivalent.toml").write_text("equivalent = []\n")
    for name in ("pyproject.toml", "README.md", "ARCHITECTURE.md"):
        (tmp_path / name).write_text("")
    (tmp_path / "src" / "porism" / "__init__.py").write_text("")
    (tmp_path / "src" / "porism" / "system" / "compiled" / "warmup.py").write_text(
        "def kernel_modules():\n    return []\n\n\ndef compilation(modules):\n    return None\n"
    )
    (tmp_path / "src" / "porism" / "lab" / "fusion" / "__init__.py").write_text("")
    (tmp_path / "src" / "porism" / "lab" / "fusion" / "sums.py").write_text("def double(x):\n    return 2 * x\n")
    asserted = "double(5) == 10" if check == "2" else "callable(double)"
    (tmp_path / "tests" / "lab" / "fusion" / "test_sums.py").write_text(
        f"from porism.lab.fusion.sums import double\n\n\ndef test_double():\n    assert {asserted}\n"
    )
    command = [
        sys.executable, "-m", "benchmarks", "robustness", "mutation", "--packages", "lab/fusion", "--floor", "0.9",
        "--jobs", "1", "--output", tmp_path / "out.json",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert f"lab/fusion          3        {3 if status == 0 else 0}    {share}" in done.stdout
    if status:
        assert "-    return 2 * x\n+    return 3 * x" in done.stdout
        assert "below the floor of 90%" in done.stderr


@pytest.mark.parametrize(
    ("killed", "count", "floor", "below"),
    [(0, 0, 0.0, True), (0, 5, 0.0, False), (9, 16, 0.6, False), (5, 16, 0.6, True), (6, 16, 0.6, False),
     (17, 40, 0.6, True), (18, 40, 0.6, False), (30, 30, 1.0, False), (29, 30, 1.0, True)],
)  # the borders by the distribution function of the binomial: 0.0191 for 5 of 16, 0.0583 for 6
def test_a_floor_fails_where_chance_does_not_explain_the_sample(killed, count, floor, below):
    from benchmarks.robustness.mutation import is_below

    assert is_below(killed, count, floor) is below
