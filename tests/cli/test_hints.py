"""Every command of Porism that a message or a docstring names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
from long_forms import LONG_ONLY

import porism
from porism.cli import porism as group

PACKAGE = Path(porism.__file__).parent
COMMAND = re.compile(r"(?<![\w/-])porism ([a-z][a-z0-9-]*)(?: ([a-z][a-z0-9-]*))?")
NOT_COMMANDS = {"porism", "made", "worker"}
"""Words that follow the name in sentences."""
VERBS = {"", "wrote"}
"""Words that follow the name of a group of commands in sentences."""


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a module, pieces of formatted ones joined, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(map(str, pieces))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def named_commands() -> dict[tuple[str, str], str]:
    """What stands after ``porism`` in the strings of the package, one or two words, and where."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, text in strings(path):
            for name, second in COMMAND.findall(" ".join(text.split())):
                found.setdefault((name, second), f"{path.relative_to(PACKAGE)}:{line}")
    return found


@LONG_ONLY
def test_commands_that_are_named_exist() -> None:
    wrong = []
    for (name, second), where in named_commands().items():
        if name in NOT_COMMANDS:
            continue
        command = group.commands.get(name)
        below = command.commands if isinstance(command, click.Group) else {}
        if command is None or (below and second not in below and second not in VERBS):
            wrong.append(f"{where}: porism {name} {second}")
    assert wrong == []


def test_a_command_that_does_not_exist_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('hint = f"Make it: porism train bpe {1}"\n', encoding="utf-8")
    assert next(COMMAND.findall(text) for _, text in strings(module)) == [("train", "bpe")]
