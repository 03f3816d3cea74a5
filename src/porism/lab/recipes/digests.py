"""Digests of values, files, sources, topics and code, and the versions of libraries."""

from __future__ import annotations

import inspect
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
from porism.version import __version__

_BLOCK = 1 << 20


def digest(value: Any) -> str:
    """The digest of plain values (32 hexadecimal digits); tables are equal whatever the order of their keys."""
    content = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=_plain)
    return str(xxhash.xxh3_128_hexdigest(content))


def file_digest(path: Path) -> str:
    """The digest of a file's bytes."""
    hasher = xxhash.xxh3_128()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                hasher.update(block)
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    return str(hasher.hexdigest())


def files_digest(path: Path) -> str:
    """The digest of a file's bytes, or of the names and bytes of all files of a folder."""
    if path.is_file():
        return file_digest(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return digest([[file.relative_to(path).as_posix(), file_digest(file)] for file in files])


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


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no digest")


_ROOT = Path(__file__).parents[2]


def code_digest(made_by: type) -> str:
    """The digest of the version and the files of the package; of a class from elsewhere its file too."""
    file = Path(inspect.getfile(made_by)).resolve()
    own = [] if file.is_relative_to(_ROOT) else [file_digest(file)]
    return digest([package_digest(_ROOT), *own])


@cache
def package_digest(root: Path) -> str:
    """The digest of the version of Porism and of all files of a package but those that Python compiled."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return digest([__version__, [[path.relative_to(root).as_posix(), file_digest(path)] for path in files]])


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
