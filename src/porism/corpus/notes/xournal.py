"""Notebooks of Xournal++ and Xournal: the texts and the LaTeX objects of each page, from its top to its bottom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

from porism.corpus.base import ReaderOptions, UnitId, clean
from porism.corpus.formula_sources import one_line, strip_delimiters
from porism.corpus.mathtext import split_math
from porism.corpus.streams import open_seekable
from porism.corpus.units import Parts, tidy
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Formula


class XournalReader(FileReader):
    """Reads notebooks, which are packed XML."""

    name = "xournal"
    extensions = (".xopp", ".xoj")
    document = "a page"

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        with open_seekable(path, on_problem, None, options.max_unpacked) as file:
            number = 0
            try:
                for _, element in etree.iterparse(
                    file, tag=("page", "stroke", "image"), resolve_entities=False, no_network=True, load_dtd=False,
                    huge_tree=True,
                ):
                    if element.tag == "page":
                        number += 1
                        document = _page(element, number, name, source, on_problem)
                        if document is not None:
                            yield document
                    element.clear()
            except etree.XMLSyntaxError as error:
                on_problem(Problem(f"{name}:{error.lineno or 1}", f"the XML is broken ({error.msg}); it ends there"))


def _page(page: Any, number: int, name: str, source: str, on_problem: OnProblem) -> Document | None:
    """The document of a page, None where nothing is written on it."""
    placed: list[tuple[float, float, Parts]] = []
    for element in page.iter("text", "teximage"):
        if element.tag == "text":
            text = split_math(clean(element.text or ""), where=f"{name}: page {number}", on_problem=on_problem)
            parts: Parts = [*text.parts]
            across, down = element.get("x"), element.get("y")
        else:
            latex, _ = strip_delimiters(clean(element.get("text") or ""))
            parts = [Formula(one_line(latex), display=True)] if latex else []
            across, down = element.get("left"), element.get("top")
        placed.append((_number(down), _number(across), parts))
    body = tidy([part for _, _, parts in sorted(placed, key=lambda entry: entry[:2]) for part in ("\n\n", *parts)])
    if not body:
        return None
    title = Content(f"{clean(PurePosixPath(name).stem)}, page {number}")
    metadata = {"source": source, "type": "page", "file": name, "page_number": str(number)}
    return Document(UnitId(name, f"page-{number}"), {"title": title, "body": body}, metadata)


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
