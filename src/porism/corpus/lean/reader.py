"""Lean 4: a document for each declaration, and for what the comments of a module say."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from porism.corpus.formal.reader import FormalReader, folder_with
from porism.corpus.lean.documents import LeanDocuments
from porism.errors import OnProblem

_LAKE_FILES = ("lakefile.lean", "lakefile.toml", "lean-toolchain")
"""What the root of a Lake package has."""
_SOURCE_FOLDERS = frozenset(("src", "lib", "source"))


class LeanReader(FormalReader):
    """Reads the modules of Lake packages."""

    name = "lean"
    extensions = (".lean",)

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> LeanDocuments:
        return LeanDocuments(text, name, source, module_name(path, name), on_problem)


def module_name(path: Path, name: str) -> str:
    """The name of the module of a file, from the root of its Lake package, or of the source where there is none.

    :param name: of the file in the source.
    """
    path = path.absolute()
    root = folder_with(path.parent, _LAKE_FILES)
    place = PurePosixPath(name) if root is None else PurePosixPath(path.relative_to(root).as_posix())
    parts = place.with_suffix("").parts
    while len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        parts = parts[1:]
    return ".".join(parts)
