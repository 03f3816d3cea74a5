"""Imports point down the layers only, and no circle of imports exists, not even a hidden one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import porism

ROOT = Path(porism.__file__).parent

LAYERS = [
    {"types", "errors", "settings", "explanation", "extras", "version", "system", "sample"},
    {"runs"},
    {"formula", "corpus", "analysis"},
    {"index"},
    {"retrieve"},
    {"search"},
    {"vectors"},
    {"lab"},
    {"serve"},
    {"cli", "__init__", "__main__"},
]
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}


def module_of(path: Path) -> str:
    """The dotted name of a file of the package; that of the folder for ``__init__.py``."""
    names = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def part_of(path: Path) -> str:
    """The top-level part of the package that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


FILES = sorted(ROOT.rglob("*.py"))
MODULES = {module_of(path): path for path in FILES}


@cache
def imported(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and module of each import of the package's own, those inside functions and for type checkers too."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else node.module for name in below]
        else:
            continue
        for name in names:
            if name == "porism" or name.startswith("porism."):
                yield node.lineno, name


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of names from each of which arrows lead to all others of the group (Tarjan 1972), sorted."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        stack.append(name)
        for other in sorted(arrows.get(name, ())):
            if other not in index:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], index[other])
        if lowest[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1 or name in arrows.get(name, ()):
                found.append(sorted(group))

    for name in sorted(arrows):
        if name not in index:
            visit(name)
    return sorted(found)


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in FILES} == set(LAYER_OF)


def test_imports_point_down() -> None:
    wrong: list[str] = []
    for path in FILES:
        own = part_of(path)
        for line, module in imported(path):
            place, part = f"{path.relative_to(ROOT)}:{line}", module.partition(".")[2].partition(".")[0]
            if module == "porism":
                if own not in ("__init__", "cli"):
                    wrong.append(f"{place}: name the module, not the package")
            elif part not in LAYER_OF:
                wrong.append(f"{place}: porism.{part} has no layer")
            elif part != own != "__init__" and LAYER_OF[part] > LAYER_OF[own]:
                wrong.append(f"{place}: {own} may not import {part}")
    assert wrong == []


def test_no_circle_of_modules() -> None:
    assert circles({name: {other for _, other in imported(path)} for name, path in MODULES.items()}) == []


def test_no_circle_of_parts() -> None:
    arrows: dict[str, set[str]] = {}
    for path in FILES:
        own = part_of(path)
        if own != "__init__":
            others = {module.split(".")[1] for _, module in imported(path) if module != "porism"}
            arrows.setdefault(own, set()).update(others - {own})
    assert circles(arrows) == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}}) == [["a", "b", "c"], ["e"]]


def test_no_loose_modules_but_values() -> None:
    loose = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"}
    assert loose == {"types", "errors", "settings", "explanation", "extras", "version"}
