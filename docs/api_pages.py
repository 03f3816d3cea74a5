"""Pages of the Python reference: one for each part of the package, which autodoc fills from the docstrings."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path

WINGS = ("vectors", "lab", "serve")
"""Folders of the package whose folders are parts."""

LEFT_OUT = ("__main__", "cli", "serve.web")
"""Parts of the package that nobody calls from Python, apart from the client, which has a page of its own."""


@cache
def package_folder() -> Path:
    """The folder of the package that is documented."""
    spec = importlib.util.find_spec("porism")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def public_modules(package: Path) -> dict[str, list[str]]:
    """Part of the package → its modules by dotted name, the part itself first; compiled kernels are left out."""
    parts: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        names = path.relative_to(package).with_suffix("").parts
        names = names[:-1] if names[-1] == "__init__" else names
        part = ".".join(names[:2] if names[:1] and names[0] in WINGS else names[:1])
        kernels = names[-1:] == ("kernels",) and part != "system"
        if names and part not in LEFT_OUT and not kernels and not names[-1].endswith("_kernels"):
            parts.setdefault(part, []).append(".".join(("porism", *names)))
    return {part: sorted(names) for part, names in sorted(parts.items())}


@cache
def imported_names(module: str) -> dict[str, str]:
    """The names that a module or a package imports from others of Porism → where these have them."""
    path = package_folder().joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("porism"):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def home_of(name: str) -> str:
    """The dotted name of an object where it is defined: ``porism.lab.fusion.fuse`` is
    ``porism.lab.fusion.base.fuse``."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        home = imported_names(".".join(parts[:end])).get(parts[end])
        if home is not None and home != name:
            return home_of(".".join([home, *parts[end + 1 :]]))
    return name


def first_line(module: str) -> str:
    """The first line of a module's docstring."""
    path = package_folder().joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or module).splitlines()[0]


def heading(text: str, line: str) -> list[str]:
    """A heading of reStructuredText."""
    return [text, line * len(text), ""]


def write_api_pages(folder: Path) -> None:
    """Writes ``porism.<part>.rst`` for each part, and ``index.rst``; removes pages of parts that are gone."""
    pages = {}
    modules = public_modules(package_folder())
    for part, names in modules.items():
        lines = heading(f"porism.{part}", "=")
        for name in names:
            lines += [*(heading(name, "-") if name != f"porism.{part}" else []), f".. automodule:: {name}", ""]
        pages[f"porism.{part}.rst"] = "\n".join(lines)
    index = [*heading("Modules", "="), "Every module of the package, from its docstrings.", "", ".. list-table::", ""]
    for part in modules:
        index += [f"   * - :doc:`porism.{part}`", f"     - {first_line(f'porism.{part}')}"]
    index += ["", ".. toctree::", "   :hidden:", "", *(f"   porism.{part}" for part in modules), ""]
    pages["index.rst"] = "\n".join(index)
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.rst"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # unchanged pages are not built again
            path.write_text(text, encoding="utf-8")
