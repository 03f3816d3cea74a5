"""The digest of the code that makes the output of a stage, worked out from what that code imports.

A class makes a stage. Its own text counts, and that of the functions, classes and constants that it uses of
``porism.recipes``, each by itself, so that how a recipe is read and checked does not count. Of the rest of Porism whole
modules count: those that these definitions name, and all that these import, inside functions too. A name that a package
only passes on leads to the module where it is defined. With a module count the files that lie beside it and are not
Python, such as tables and templates. Annotations of parameters lead nowhere: what code is given was
made elsewhere, and so was a run that a stage is made of, whose key counts instead.
"""

from __future__ import annotations

import ast
import inspect
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from porism.recipes.digests import digest, file_digest

_ROOT = Path(__file__).parents[1]
_RECIPES = "porism.recipes"


class CodeOf:
    """The code of a package: the modules and their imports.

    :param root: the folder of the package.
    :param by_definition: of this part of the package, single definitions count.
    """

    def __init__(self, root: Path, by_definition: str) -> None:
        self.by_definition = by_definition
        self.files = {_module_name(root, path): path for path in root.rglob("*.py")}
        self.data = _data_files(root)
        self._trees: dict[str, ast.Module] = {}
        self._bindings: dict[str, dict[str, list[ast.stmt]]] = {}
        self._statements: dict[str, list[ast.Import | ast.ImportFrom]] = {}
        self._imports: dict[str, frozenset[str]] = {}

    def digest(self, module: str, name: str) -> str:
        """The digest of all code that a definition uses."""
        definitions, modules = self.used_by(module, name)
        return digest([
            sorted([*place, text] for place, text in definitions.items()),
            [[used, file_digest(self.files[used])] for used in sorted(modules)],
            [[path.name, file_digest(path)] for path in self.data_of(modules)],
        ])

    def used_by(self, module: str, name: str) -> tuple[dict[tuple[str, str], str], frozenset[str]]:
        """The definitions that a definition uses, by module and name with their code, itself among them; and the whole
        modules."""
        definitions: dict[tuple[str, str], str] = {}
        roots: set[str] = set()
        waiting = [(module, name)]
        while waiting:
            place = waiting.pop()
            if place in definitions:
                continue
            nodes = self._bound_in(place[0]).get(place[1], [])
            used = [node for node in nodes if not isinstance(node, (ast.Import, ast.ImportFrom))]
            definitions[place] = "\n".join(ast.unparse(node) for node in used)
            names = {found for node in used for found in _names(node)}
            reached = {(place[0], found) for found in names if found in self._bound_in(place[0])}
            reached |= {target for node in nodes for target in self._targets(node, place[1])}
            reached |= {
                target for node in used for inner in _imports_in(node) for target in self._targets(inner, "")
            }
            for other, wanted in reached:
                if wanted and (other == module or _is_below(other, self.by_definition)):
                    waiting.append((other, wanted))
                else:
                    roots.add(other)
        return {place: text for place, text in definitions.items() if text}, self.reached(roots)

    def data_of(self, modules: Iterable[str]) -> list[Path]:
        """The files besides Python that lie beside modules."""
        folders = {self.files[module].parent for module in modules}
        return [path for folder in sorted(folders) for path in self.data.get(folder, ())]

    def reached(self, roots: Iterable[str]) -> frozenset[str]:
        """Modules and all that they import."""
        found: set[str] = set()
        waiting = list(roots)
        while waiting:
            module = waiting.pop()
            if module not in found:
                found.add(module)
                waiting += self._imported(module)
        return frozenset(found)

    def _bound_in(self, module: str) -> dict[str, list[ast.stmt]]:
        if module not in self._bindings:
            self._bindings[module] = _bindings(self._tree(module))
        return self._bindings[module]

    def _imported(self, module: str) -> frozenset[str]:
        if module not in self._imports:
            found = {other for node in self._import_statements(module) for other, _ in self._targets(node, "")}
            self._imports[module] = frozenset(found)
        return self._imports[module]

    def _import_statements(self, module: str) -> list[ast.Import | ast.ImportFrom]:
        if module not in self._statements:
            self._statements[module] = list(_imports_in(self._tree(module)))
        return self._statements[module]

    def _targets(self, node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
        """Where an import leads within the package, as module and name; for one name, or all if that is empty."""
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name in self.files)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if not name or name == (alias.asname or alias.name):
                    yield from self._origin(node.module, alias.name)

    def _origin(self, module: str, name: str) -> Iterator[tuple[str, str]]:
        """The module where a name is defined, and the name; a module itself has an empty one."""
        if f"{module}.{name}" in self.files:
            yield f"{module}.{name}", ""
        elif module in self.files:
            is_package = self.files[module].name == "__init__.py"
            passed_on = [
                target for node in (self._import_statements(module) if is_package else ())
                for target in self._targets(node, name)
            ]
            yield from passed_on or [(module, name)]

    def _tree(self, module: str) -> ast.Module:
        if module not in self._trees:
            self._trees[module] = ast.parse(self.files[module].read_text(encoding="utf-8"))
        return self._trees[module]


def code_digest(made_by: type) -> str:
    """The digest of the code that a class of stages uses."""
    files = _porism().files
    if made_by.__module__ not in files:  # one from elsewhere
        files[made_by.__module__] = Path(inspect.getfile(made_by))
    return _code_digest(made_by.__module__, made_by.__qualname__)


def code_modules(made_by: type) -> frozenset[str]:
    """The modules of Porism, besides recipes, whose code counts for a class of stages."""
    return _porism().used_by(made_by.__module__, made_by.__qualname__)[1]


@cache
def _code_digest(module: str, name: str) -> str:
    return _porism().digest(module, name)


@cache
def _porism() -> CodeOf:
    return CodeOf(_ROOT, _RECIPES)


@cache
def library_versions(distributions: tuple[str, ...]) -> Mapping[str, str]:
    """The versions of libraries and of Python."""
    return {"python": platform.python_version(), **versions_of(distributions)}


def versions_of(distributions: Iterable[str]) -> dict[str, str]:
    """Distribution → version, ``missing`` for one that is not installed."""
    return {name: _version(name) for name in distributions}


@cache
def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"


def _data_files(root: Path) -> dict[Path, list[Path]]:
    """Folder of modules → the files in it, and in its folders without modules, that are not Python."""
    found: dict[Path, list[Path]] = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            folder = next(folder for folder in path.parents if (folder / "__init__.py").exists())
            found.setdefault(folder, []).append(path)
    return found


def _module_name(root: Path, path: Path) -> str:
    names = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _imports_in(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports in some code; only statements can hold them."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not isinstance(node, ast.expr):
            waiting += ast.iter_child_nodes(node)


def _is_below(module: str, part: str) -> bool:
    return module == part or module.startswith(f"{part}.")


def _bindings(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """The statements at the top of a module by the names that they bind; those under a condition count as well."""
    found: dict[str, list[ast.stmt]] = {}
    waiting: list[ast.stmt] = list(tree.body)
    for node in waiting:  # it grows on the way
        if isinstance(node, (ast.If, ast.Try)):
            waiting += [*node.body, *node.orelse]
        for name in _bound(node):
            found.setdefault(name, []).append(node)
    return found


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]


def _names(node: ast.AST) -> Iterator[str]:
    """The names that code uses, but for those in annotations of parameters."""
    for field, value in ast.iter_fields(node):
        if field == "annotation" and isinstance(node, ast.arg):
            continue
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.Name):
                yield inner.id
            elif isinstance(inner, ast.AST):
                yield from _names(inner)
