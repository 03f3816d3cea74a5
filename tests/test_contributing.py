"""The recipes of CONTRIBUTING.md work as they are written."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from copied_kernels import copy_kernels
from long_forms import LONG_ONLY

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"^## (Add .+?)\n(.+?)(?=^## |\Z)", PAGE, flags=re.M | re.S)
_STEP = re.compile(
    r"^New file `(?P<new>[^`]+)`:\n\n```python\n(?P<text>.+?)^```$"
    r"|^In `(?P<changed>[^`]+)`:\n(?P<diffs>(?:\n```diff\n.+?^```\n)+)",
    flags=re.M | re.S,
)


def changed(text: str, diff: str) -> str:
    """A text with the lines of a diff replaced.

    :raises ValueError: the lines before the change are not in the text, or not once.
    """
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    if text.count(before) != 1:
        raise ValueError(f"these lines are in the file {text.count(before)} times:\n{before}")
    return text.replace(before, after)


def follow(recipe: str, project: Path) -> list[str]:
    """Does the steps of a recipe in a copy of the project; gives the new files."""
    made = []
    for step in _STEP.finditer(recipe):
        path = project / (step["new"] or step["changed"])
        if step["new"]:
            assert not path.exists(), f"{step['new']} exists already"
            path.write_text(step["text"], encoding="utf-8")
            made.append(step["new"])
        else:
            for diff in re.findall(r"```diff\n(.+?)^```$", step["diffs"], flags=re.M | re.S):
                path.write_text(changed(path.read_text(encoding="utf-8"), diff), encoding="utf-8")
    return made


def commands(recipe: str) -> list[list[str]]:
    """The commands that a recipe says to run."""
    blocks = re.findall(r"^```sh\n(.+?)^```$", recipe, flags=re.M | re.S)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which all recipes were followed, with the compiled kernels of this one."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc", "*.egg-info", "api"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"):
        shutil.copy2(ROOT / name, folder / name)
    for _, recipe in RECIPES:
        assert follow(recipe, folder)
    copy_kernels(folder / "src" / "porism")
    return folder


def run(arguments: list[str], project: Path) -> None:
    """Runs a command in the copy, and shows what it printed where it fails."""
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    for name in ("PYTEST_XDIST_WORKER", "PORISM_LONG_TESTS"):
        environment.pop(name, None)
    done = subprocess.run(arguments, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]


def test_there_are_five_recipes() -> None:
    assert [title for title, _ in RECIPES] == [
        "Add a reader", "Add a channel", "Add a weighting or a retriever", "Add a fusion", "Add a reranker",
    ]


@LONG_ONLY
def test_the_recipes_pass_their_own_tests(project: Path) -> None:
    tests = []
    for title, recipe in RECIPES:
        (command,) = commands(recipe)
        assert command[:3] == ["python", "-m", "pytest"], title
        made = set(re.findall(r"^New file `(tests/[^`]+)`", recipe, flags=re.M))
        assert made <= set(command), title
        tests += command[3:]
    run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *dict.fromkeys(tests)], project)


def test_what_the_recipes_add_passes_the_linter(project: Path) -> None:
    pytest.importorskip("ruff", reason="what the recipes add is linted by ruff: pip install '.[dev]'")
    run([sys.executable, "-m", "ruff", "check", "--no-cache", "src", "tests"], project)


def test_a_diff_must_fit() -> None:
    assert changed("a\nb\nc\n", " a\n-b\n+B\n+C\n") == "a\nB\nC\nc\n"
    with pytest.raises(ValueError, match="0 times"):
        changed("a\n", " b\n+c\n")
