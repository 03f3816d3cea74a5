"""Lean 4: a document for each declaration, and for what the comments of a module say."""

from __future__ import annotations

from pathlib import Path

from porism.corpus.formal.reader import Folders, FormalReader, module_name
from porism.corpus.lean.documents import LeanDocuments
from porism.errors import OnProblem

_LAKE_FILES = ("lakefile.lean", "lakefile.toml", "lean-toolchain")
"""What the root of a Lake package has."""
_SOURCE_FOLDERS = ("src", "lib", "source")


class LeanReader(FormalReader):
    """Reads the modules of Lake packages."""

    name = "lean"
    document = "a declaration, or what an attribute makes of it; the comments of the module, or a section of them"
    extensions = (".lean",)

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> LeanDocuments:
        return LeanDocuments(text, name, source, module_name(path, name, _LAKE_FILES, _folders), on_problem)


def _folders(root: Path) -> Folders:
    """The folders of a Lake package that may have its modules."""
    return [*((root / folder, "") for folder in _SOURCE_FOLDERS), (root, "")]
