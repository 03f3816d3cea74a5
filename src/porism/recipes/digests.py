"""Digests: of values, files, Porism's own code, and the versions of libraries that results depend on."""

from __future__ import annotations

import ast
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.corpus.base import ignore_problem
from porism.corpus.walking import walk
from porism.errors import SourceError
from porism.types import Query

_BLOCK = 1 << 20
_ROOT = Path(__file__).parents[1]

_MAKING = ("recipes/answers.py", "recipes/making.py", "pipeline/rerankers/registry.py", "recipes/systems.py")
_SEARCH = ("search", "sample", *_MAKING)
CODE: Mapping[str, tuple[str, ...]] = {
    "tokenizer": ("search", "recipes/terms_making.py"),
    "index": ("search", "sample", "recipes/making.py"),
    "embeddings": ("embeddings", "index", "recipes/terms_making.py"),
    "similarities": ("embeddings", "similarity", "recipes/terms_making.py"),
    "run": _SEARCH,
    "rerank": (*_SEARCH, "fusion", "pipeline"),
    "fuse": ("fusion", *_MAKING),
    "tune": (*_SEARCH, "evaluate", "fusion", "pipeline", "tuning", "recipes/learning.py"),
    "apply": (*_SEARCH, "evaluate", "fusion", "pipeline", "tuning", "recipes/learning.py"),
    "report": (
        *_SEARCH, "evaluate", "fusion", "pipeline", "reports", "tuning", "recipes/learning.py", "recipes/reporting.py",
    ),
}
"""Kind of stage → the parts of the package that make its output; :func:`code_parts` adds all that these import.

Of recipes, only what does the work, file by file: what the rest works out from a recipe is among the parameters of the
stages.
"""

_READING = ("lxml", "docutils", "markdown-it-py", "mdit-py-plugins", "PyYAML", "selectolax")
LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "tokenizer": (*_READING, "tokenizers"),
    "index": (*_READING, "PyStemmer", "numpy", "tokenizers"),
    "embeddings": ("numpy", "numba", "PyStemmer", "gensim", "tokenizers", "torch", "transformers"),
    "similarities": ("numpy", "numba", "rapidfuzz"),
    "run": ("numpy", "numba", "PyStemmer"),
    "rerank": ("numpy", "numba", "PyStemmer"),
    "fuse": ("numpy", "numba", "scipy", "scikit-learn"),
    "tune": ("numpy", "numba", "scipy", "scikit-learn", "ir_measures"),
    "apply": ("numpy", "numba", "scipy", "scikit-learn"),
    "report": ("numpy", "scipy", "ir_measures", "matplotlib", "jinja2"),
}
"""Kind of stage → the distributions whose version can change its output."""


def digest(value: Any) -> str:
    """The digest of plain values (32 hexadecimal digits); tables are equal whatever the order of their keys."""
    content = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=_plain)
    return str(xxhash.xxh3_128_hexdigest(content))


def file_digest(path: Path) -> str:
    """The digest of a file's bytes.

    :raises SourceError: it cannot be read.
    """
    hasher = xxhash.xxh3_128()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                hasher.update(block)
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    return str(hasher.hexdigest())


def source_digest(path: Path) -> str:
    """The digest of what a source holds: its name, and the names and bytes of its files.

    Of a single LaTeX file the whole folder counts, from which it may include others.

    :raises SourceError: a file cannot be read.
    """
    whole = path.resolve()
    root = whole.parent if whole.is_file() and whole.suffix.lower() in (".tex", ".ltx") else whole
    if root.is_file():
        return digest([whole.name, file_digest(root)])
    files = [[file.relative_to(root).as_posix(), file_digest(file)] for file in walk(root, ignore_problem)]
    return digest([whole.name, files])


def query_digest(query: Query) -> str:
    """The digest of a topic: its id, fields and metadata."""
    fields = [
        [name, content.text, [[f.source, f.notation, f.id, f.visual_id, f.display] for f in content.formulas]]
        for name, content in query.fields.items()
    ]
    metadata = {key: list(value) if isinstance(value, tuple) else value for key, value in query.metadata.items()}
    return digest([query.id, fields, metadata])


@cache
def code_digest(kind: str) -> str:
    """The digest of the parts of Porism that make the output of this kind of stage."""
    return digest([file for part in code_parts(kind) for file in _code_files(part)])


@cache
def code_parts(kind: str) -> tuple[str, ...]:
    """The parts of the package that make the output of this kind of stage, with all that they import."""
    found = {part for part in CODE[kind] if not part.endswith(".py")}
    waiting = sorted(found)
    while waiting:
        new = imported_parts(waiting.pop()) - found
        found |= new
        waiting += sorted(new)
    return (*sorted(found), *(part for part in CODE[kind] if part.endswith(".py")))


@cache
def imported_parts(part: str) -> frozenset[str]:
    """The parts of the package that a part imports, inside functions too, itself among them where it has modules."""
    found: set[str] = set()
    for name, _ in _code_files(part):
        for node in ast.walk(ast.parse((_ROOT / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [f"porism.{a.name}" for a in node.names] if node.module == "porism" else [node.module]
            else:
                continue
            found |= {name.split(".")[1] for name in names if name.startswith("porism.")}
    return frozenset(found - {"__version__"})


@cache
def _code_files(part: str) -> list[list[str]]:
    """The files of a part of the package, and their digests. Most kinds of stages share most of them."""
    if (_ROOT / part).is_dir():
        files = sorted((_ROOT / part).rglob("*.py"))
    else:
        files = [_ROOT / part if part.endswith(".py") else _ROOT / f"{part}.py"]
    return [[file.relative_to(_ROOT).as_posix(), file_digest(file)] for file in files]


@cache
def library_versions(kind: str) -> dict[str, str]:
    """The versions of the libraries that make the output of this kind of stage, and of Python."""
    return {"python": platform.python_version(), **versions_of(LIBRARIES[kind])}


def versions_of(distributions: Iterable[str]) -> dict[str, str]:
    """Distribution → version, ``missing`` for one that is not installed."""
    return {name: _version(name) for name in distributions}


@cache
def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no digest")
