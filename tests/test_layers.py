"""Imports point down the layers only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import porism

ROOT = Path(porism.__file__).parent

LAYERS = [
    {
        "types", "run", "caching", "durable", "errors", "explanation", "extras", "files", "locks", "neural",
        "printable", "provenance", "sample", "settings", "workers",
    },
    {"corpus"},
    {"formula", "text", "analysis", "batch", "channels", "documents"},
    {"index"},
    {"embeddings", "similarity"},
    {"retrieve"},
    {
        "checking", "conditions", "expansion", "formula_guessing", "formula_places", "formula_queries",
        "formula_searching", "freshness", "fusion", "highlighting", "hits", "indexing", "kernels", "locations",
        "marked_text", "questions", "searching", "snippets", "source_choice", "source_reading", "suggestions",
        "tokenizing", "updating",
    },
    {"evaluate", "pipeline"},
    {"reports", "tuning"},
    {"adapters", "recipes"},
    {"cli", "__init__", "__main__"},
]
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}


def part_of(path: Path) -> str:
    """The top-level part of the package that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level part of each import of the package's own modules, imports inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            names = [f"porism.{alias.name}" for alias in node.names] if node.module == "porism" else [node.module]
        else:
            continue
        for name in names:
            if name.startswith("porism."):
                yield node.lineno, name.split(".")[1]


FILES = sorted(ROOT.rglob("*.py"))


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in FILES} == set(LAYER_OF)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    own = part_of(path)
    for line, part in imported_parts(path):
        if part == "__version__":
            continue
        assert part in LAYER_OF, f"{path.name}:{line}: porism.{part} has no layer"
        if part != own and own != "__init__":
            assert LAYER_OF[part] <= LAYER_OF[own], f"{path.name}:{line}: {own} may not import {part}"
