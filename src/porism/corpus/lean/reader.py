"""Lean 4: a document for each declaration, and for what the comments of a module say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from porism.corpus.base import ReaderOptions
from porism.corpus.lean.documents import LeanDocuments
from porism.corpus.text_files import read_text
from porism.corpus.walking import FileReader
from porism.errors import OnProblem
from porism.types import Document

_LAKE_FILES = ("lakefile.lean", "lakefile.toml", "lean-toolchain")
"""What the root of a Lake package has."""
_SOURCE_FOLDERS = frozenset(("src", "lib", "source"))


class LeanReader(FileReader):
    """Reads the modules of Lake packages."""

    name = "lean"
    extensions = (".lean",)

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = read_text(path, name, on_problem, options.encoding)
        if text is not None:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            yield from LeanDocuments(text, name, source, module_name(path, name), on_problem).documents()


def module_name(path: Path, name: str) -> str:
    """The name of the module of a file, from the root of its Lake package, or of the source where there is none.

    :param name: of the file in the source.
    """
    path = path.absolute()
    root = _package_root(path.parent)
    place = PurePosixPath(name) if root is None else PurePosixPath(path.relative_to(root).as_posix())
    parts = place.with_suffix("").parts
    while len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        parts = parts[1:]
    return ".".join(parts)


@lru_cache(maxsize=10_000)
def _package_root(folder: Path) -> Path | None:
    if any((folder / name).is_file() for name in _LAKE_FILES):
        return folder
    return _package_root(folder.parent) if folder != folder.parent else None
