"""The formulas of web pages by themselves, each a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.html.content import formula_of_math
from porism.corpus.html.reader import page_text
from porism.corpus.text_files import size_of
from porism.corpus.walking import relative_name, source_name
from porism.corpus.walking import walk as walk_files
from porism.errors import OnProblem, Problem, SourceError
from porism.types import PLACEHOLDER, Content, Document

EXTENSIONS = (".html", ".xhtml", ".htm", ".xht", ".xml")
"""The endings of pages whose formulas are documents."""
_MATH = re.compile(r"<(?:[\w.-]+:)?math\b(?:[^>]*/>|.*?</(?:[\w.-]+:)?math\s*>)", re.DOTALL | re.IGNORECASE)


class FormulaPageReader:
    """Makes each formula of pages a document, as in the Wikipedia formulas of NTCIR-12; used where it is named."""

    name = "html-formulas"
    document = "a formula"

    def detect(self, path: Path) -> bool:
        """No: a page is read as text with formulas unless this format is named."""
        return False

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields a document for each ``math`` element of a page, or of all pages below a folder.

        Its id is the name of the page without suffix, a colon and the number of the element in the page from 0, as in
        the judgments of NTCIR-12 (``Golden_ratio:14``); its one field is ``body``.

        :raises SourceError: there is no page.
        """
        path = Path(path)
        source = source_name(path, options)
        files = [path] if path.is_file() else [
            file for file in walk_files(path, on_problem, outside=options.outside) if file.suffix.lower() in EXTENSIONS
        ]
        if not files:
            raise SourceError("holds no page", where=str(path), hint=f"Pages end in {', '.join(EXTENSIONS)}.")
        total, done = sum(map(size_of, files)), 0
        for file in files:
            name = relative_name(file, path)
            text = page_text(file, name, options, on_problem)
            if text is not None:
                yield from _formulas(text, file.stem, name, source, options, on_problem)
            done += size_of(file)
            on_progress(done, total)


def _formulas(
    text: str, stem: str, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
) -> Iterator[Document]:
    for number, element in enumerate(_MATH.finditer(text)):
        formula = formula_of_math(element[0], formulas=options.formulas)
        if formula is None:
            line = text.count("\n", 0, element.start()) + 1
            on_problem(Problem(f"{name}:{line}", "a formula without content; it keeps its number"))
            continue
        yield Document(f"{stem}:{number}", {"body": Content(PLACEHOLDER, (formula,))}, {"source": source, "file": name})
