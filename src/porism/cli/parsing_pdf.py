"""``porism parse --pdf``: what is read of a page of a PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from porism.cli.options import print_json
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.corpus.pdf.text import FoundFormula, PageText


def show_page(path: Path, number: int, as_json: bool) -> None:
    """Prints the lines of a page with their formulas, each formula with its box in points.

    :raises QueryError: the file cannot be read, or has no such page.
    """
    from porism.corpus.pdf.process import read_pages
    from porism.corpus.pdf.reader import PDF
    from porism.corpus.pdf.text import FoundFormula, PageText
    from porism.errors import Problem, QueryError

    PDF.load("reading PDF")
    problems: list[Problem] = []
    items = read_pages(path, path.name, problems.append, number, number)
    page = next((item for item in items if isinstance(item, PageText)), None)
    if page is None:
        reason = str(problems[0].what) if problems else f"has no page {number}"
        raise QueryError(reason, where=str(path))
    formulas = [part for line in page.lines for part in line.parts if isinstance(part, FoundFormula)]
    if as_json:
        print_json({
            "page": page.number, "label": page.label, "images": page.images,
            "lines": [line.text for line in page.lines], "formulas": [_facts(formula) for formula in formulas],
        })
        return
    _print(page, formulas)


def _facts(formula: FoundFormula) -> dict[str, object]:
    from porism.corpus.pdf.structure import tidied

    return {"latex": tidied(formula.latex), "display": formula.is_display, "box": list(formula.box)}


def _print(page: PageText, formulas: list[FoundFormula]) -> None:
    from porism.corpus.pdf.structure import tidied
    from porism.errors import pluralise

    label = f" ({page.label})" if page.label and page.label != str(page.number) else ""
    echo(f"page {page.number}{label}: {pluralise(len(page.lines), 'line')}, {pluralise(len(formulas), 'formula')}")
    for line in page.lines:
        parts = (part if isinstance(part, str) else f"${tidied(part.latex)}$" for part in line.parts)
        echo(("    " if line.is_display else "  ") + "".join(parts))
    for formula in formulas:
        kind = "display" if formula.is_display else "inline"
        box = ",".join(f"{value:.1f}" for value in formula.box)
        echo(f"{kind:<8} {box:<27} {tidied(formula.latex)}")
