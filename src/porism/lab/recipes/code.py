"""The digest of the code that makes the output of a stage, and the versions of libraries."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from porism.lab.recipes.digests import digest, file_digest
from porism.version import __version__

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
