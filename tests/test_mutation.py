"""Mutation testing: which changes are made, and which tests judge them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG, LONG_ONLY

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
    tried = 0
    for path in (ROOT / "src" / "porism" / "lab" / "fusion").glob("*.py" if LONG else "m*.py"):
        for mutant in tools[0].mutants_of(path)[:: 20 if LONG else 200]:
            compile(mutant.source(), str(path), "exec")  # a SyntaxError fails
            tried += 1
    assert tried


@LONG_ONLY
def test_tests_that_use_a_module_mirror_it_the_ones_with_its_name_first(tools):
    package, tests = ROOT / "src" / "porism", ROOT / "tests"
    find = tools[1].mirrored_tests
    assert find(package / "lab" / "fusion" / "majority.py", package, tests)[0] == "tests/lab/fusion/test_majority.py"
    assert find(package / "lab" / "evaluate" / "splits.py", package, tests) == ["tests/lab/evaluate/test_splits.py"]
    assert "tests/index/test_rows.py" in find(package / "index" / "row_kernels.py", package, tests)
    assert find(package / "index" / "lock.py", package, tests)[-1] != "tests/index/test_storage.py"
    for path in sorted((package / "formula").rglob("*.py"))[:: 1 if LONG else 8]:
        assert find(path, package, tests), path


@LONG_ONLY
@every_case(("check", "status", "share"), [("2", 0, "1.000"), ("3", 1, "0.000")])
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
    watched = {"file": "src/porism/lab/fusion/sums.py", "function": "double", "before": "2 * x", "after": "3 * x"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in watched.items()]
    (tmp_path / "benchmarks" / "robustness" / "mutation_watched.toml").write_text(
        "\n".join(["[[mutant]]", *lines, 'tests = ["tests/lab/fusion/test_sums.py"]'])
    )
    command = [sys.executable, "-m", "benchmarks", "robustness", "mutation", "--jobs", "1"]
    done = subprocess.run([*command, "--watched"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    done = subprocess.run([*command, "--packages", "lab/fusion"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"lab/fusion          3        {3 if status == 0 else 0}    {share}" in done.stdout
    if status:
        assert "-    return 2 * x\n+    return 3 * x" in done.stdout


def test_watched_mutants_change_code_that_is_there(tools):
    """Each names one place, and what becomes of it can be compiled."""
    from benchmarks.robustness.mutation import WATCHED, watched_mutants

    mutants = watched_mutants(WATCHED)
    assert len(mutants) >= 12
    for mutant, tests in mutants:
        compile(mutant.source(), str(mutant.path), "exec")
        assert all((ROOT / test).exists() for test in tests), tests


def test_a_watched_mutant_whose_code_is_gone_is_an_error(tmp_path):
    from benchmarks.robustness.mutation import watched_mutants

    entry = 'file = "src/porism/version.py"\nfunction = ""\nbefore = "no such code"\nafter = ""\ntests = []\n'
    (tmp_path / "watched.toml").write_text(f"[[mutant]]\n{entry}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"is 0 times in src/porism/version\.py"):
        watched_mutants(tmp_path / "watched.toml")
