"""LaTeX projects that tests read."""

from __future__ import annotations

from pathlib import Path

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.latex.reader import LatexReader
from porism.errors import Problem
from porism.types import Document


def read(
    path: Path, problems: list[Problem] | None = None, options: ReaderOptions | None = None
) -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(LatexReader().read(path, options or ReaderOptions(), report, ignore_progress))


def formulas(text: str, tmp_path: Path, problems: list[Problem] | None = None) -> list[str]:
    path = tmp_path / "main.tex"
    path.write_text(text, encoding="utf-8")
    return [
        formula.source for document in read(path, problems)
        for content in document.fields.values() for formula in content.formulas
    ]


def text_of(source: str, tmp_path: Path) -> str:
    path = tmp_path / "main.tex"
    path.write_text(source, encoding="utf-8")
    (document,) = read(path)
    return document.fields["body"].to_latex()
