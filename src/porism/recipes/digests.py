"""Digests: of values, files, Porism's own code, and the versions of libraries that results depend on."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson
import xxhash

import porism
from porism.corpus.base import ignore_problem
from porism.corpus.files import walk
from porism.errors import SourceError
from porism.types import Query

_BLOCK = 1 << 20

_TERMS = (
    "analysis", "batch", "channels", "documents", "embeddings", "errors", "extras", "files", "formula", "index",
    "neural", "settings", "text", "types",
)
_BELOW_INDEX = (*_TERMS, "corpus", "explanation", "provenance", "retrieve", "run", "sample", "similarity")
_SEARCH = (
    *_BELOW_INDEX, "formula_places", "formula_queries", "formula_searching", "highlighting", "indexing", "searching",
    "snippets",
)
_MAKING = (
    "recipes/answers.py", "recipes/making.py", "recipes/models.py", "recipes/rerankers.py", "recipes/systems.py",
)
CODE: Mapping[str, tuple[str, ...]] = {
    "tokenizer": (*_BELOW_INDEX, "indexing", "tokenizing", "recipes/terms_making.py"),
    "index": (*_BELOW_INDEX, "indexing", "recipes/making.py"),
    "embeddings": (*_TERMS, "recipes/terms_making.py"),
    "similarities": (*_TERMS, "similarity", "recipes/terms_making.py"),
    "run": (*_SEARCH, *_MAKING),
    "rerank": (*_SEARCH, "fusion", "pipeline", *_MAKING),
    "fuse": (*_BELOW_INDEX, "fusion", *_MAKING),
    "tune": (*_SEARCH, "evaluate", "fusion", "pipeline", "tuning", *_MAKING, "recipes/learning.py"),
    "apply": (*_SEARCH, "evaluate", "fusion", "pipeline", "tuning", *_MAKING, "recipes/learning.py"),
    "report": (
        *_SEARCH, "evaluate", "fusion", "pipeline", "reports", "tuning", *_MAKING, "recipes/learning.py",
        "recipes/reporting.py",
    ),
}
"""Kind of stage → the parts of the package that make its output, and all that these import.

Of recipes, only what does the work: what the rest works out from a recipe stands in the stages' parameters.
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
    return digest([file for part in CODE[kind] for file in _code_files(part)])


@cache
def _code_files(part: str) -> list[list[str]]:
    """The files of a part of the package, and their digests. Most kinds of stages share most of them."""
    root = Path(porism.__file__).parent
    if (root / part).is_dir():
        files = sorted((root / part).rglob("*.py"))
    else:
        files = [root / part if part.endswith(".py") else root / f"{part}.py"]
    return [[file.relative_to(root).as_posix(), file_digest(file)] for file in files]


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
