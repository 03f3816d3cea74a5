"""Pages of which each formula is a document, as in the Wikipedia formulas of NTCIR-12."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.html.content import formula_of_math
from porism.corpus.html.reader import declared_encoding
from porism.corpus.text_files import decode, guess_encoding, read_bytes, size_of
from porism.corpus.walking import relative_name, source_name, walk
from porism.errors import OnProblem, Problem, SourceError
from porism.types import PLACEHOLDER, Content, Document

EXTENSIONS = (".html", ".xhtml", ".htm", ".xht", ".xml")

_MATH = re.compile(r"<(?:[\w.-]+:)?math\b(?:[^>]*/>|.*?</(?:[\w.-]+:)?math\s*>)", re.DOTALL | re.IGNORECASE)


class FormulaPageReader:
    """Formulas of pages as a registered reader; it is used where it is named."""

    name = "html-formulas"

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
            file for file in walk(path, on_problem, outside=options.outside) if file.suffix.lower() in EXTENSIONS
        ]
        if not files:
            raise SourceError(
                "holds no page", where=str(path), hint=f"Pages end in {', '.join(EXTENSIONS)}."
            )
        total, done = sum(map(size_of, files)), 0
        for file in files:
            name = relative_name(file, path)
            data = read_bytes(file, name, on_problem)
            if data is not None:
                encoding = options.encoding or guess_encoding(data) or declared_encoding(data)
                text = decode(data, name, on_problem, encoding)
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
        yield Document(
            f"{stem}:{number}", {"body": Content(PLACEHOLDER, (formula,))}, {"source": source, "file": name}
        )
