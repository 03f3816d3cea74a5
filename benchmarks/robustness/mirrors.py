"""Which tests mirror a module: those of its package's folder that use it, the ones that name it first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SLOW_TESTS = ("test_crash", "test_power")
"""Files that start many processes: they come last."""
LEFT_OUT = ("test_ranx", "test_building")
"""Files that compile for a minute."""
WINGS = ("vectors", "lab", "serve")
"""Folders of the package whose folders are parts."""


def mirrored_tests(path: Path, package: Path, tests: Path) -> list[str]:
    """Test files for a module of the package, relative to the folder above ``tests``, the closest first.

    They lie in the folder of tests with the name of its part, and import it: by itself, by a name that a package gives
    on from it, or through modules of the same part. The nearest of them and those one step farther count. Where none
    does, all of the folder do.
    """
    part = part_of(path, package)
    module = _name(path, package)
    files = tests_of(part, tests)
    distance = {}
    for file in files:
        steps = _steps(file, module, package, part)
        if steps is not None:
            distance[file] = steps
    if not distance:
        return [str(file.relative_to(tests.parent)) for file in files]
    nearest = min(distance.values())
    stem = path.stem.removesuffix("_kernels").removeprefix("_")
    chosen = [file for file, steps in distance.items() if steps <= nearest + 1]
    chosen.sort(key=lambda file: (file.stem in SLOW_TESTS, stem not in file.stem, distance[file], file.name))
    return [str(file.relative_to(tests.parent)) for file in chosen]


def tests_of(part: str, tests: Path) -> list[Path]:
    """The files of tests of a part, but for those that are left out."""
    return sorted(file for file in (tests / part).rglob("test_*.py") if file.stem not in LEFT_OUT)


def part_of(path: Path, package: Path) -> str:
    """The part of the package that a module belongs to: ``index``, or ``lab/fusion`` in a wing."""
    names = path.relative_to(package).parts
    return "/".join(names[:2] if names[0] in WINGS else names[:1])


def _steps(file: Path, module: str, package: Path, part: str) -> int | None:
    """How many imports lead from a test to a module, through modules of its part; None where none do."""
    seen = set(_imports(file, package))
    level, steps = set(seen), 0
    while level:
        if module in level:
            return steps
        level = {
            further for name in level if name.startswith(f"{package.name}.{part.replace('/', '.')}.")
            for further in _imports(_file(name, package), package)
        } - seen
        seen |= level
        steps += 1
    return None


@cache
def _imports(file: Path, package: Path) -> frozenset[str]:
    """The modules of the package whose names a file imports, inside functions too."""
    return frozenset(_found(file, package))


def _found(file: Path, package: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package.name:
            for alias in node.names:
                yield _defining(node.module, alias.name, package)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == package.name)


@cache
def _defining(module: str, name: str, package: Path) -> str:
    """The module that defines a name, which another may only give on."""
    inner = f"{module}.{name}"
    if _file(inner, package).exists():
        return inner
    file = _file(module, package)
    if file.name != "__init__.py":
        return module
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package.name:
            for alias in node.names:
                if (alias.asname or alias.name) == name and node.module != module:
                    return _defining(node.module, alias.name, package)
    return module


def _file(module: str, package: Path) -> Path:
    path = package.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
