"""BibTeX and CSV of results."""

from __future__ import annotations

import csv
import io

from case_tables import every_case

from porism.search.answers import Hit
from porism.search.exporting import CSV_COLUMNS, bibtex, csv_table
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet
from porism.types import Metadata

NOWHERE = Location()


def hit(
    title: list[Piece], doc_id: str = "a b", metadata: Metadata | None = None, location: Location = NOWHERE
) -> Hit:
    return Hit(1, doc_id, 1.5, Snippet(tuple(title)), Snippet((Piece("text"),)), metadata or {}, location)


def test_an_entry_has_what_is_known_and_its_formulas_as_latex() -> None:
    title = [Piece("50% of #1 & "), Piece("$x^2_{1}$", formula=True), Piece(" {a}\\")]
    metadata = {"author": ("Emmy Noether", "B. & C."), "date": "published 1921-03-02"}
    assert bibtex([hit(title, metadata=metadata, location=Location(url="https://x.org/{a}"))]) == (
        "@misc{a-b,\n"
        "  title = {{50\\% of \\#1 \\& $x^2_{1}$ \\{a\\}\\textbackslash{}}},\n"
        "  author = {Emmy Noether and B. \\& C.},\n"
        "  year = {1921},\n"
        "  url = {https://x.org/%7Ba%7D},\n"
        "}\n"
    )


def test_keys_are_used_once_and_files_stand_for_addresses() -> None:
    place = Location(source="book", file="a_b.tex", line=3)
    entries = bibtex([hit([Piece("T")], "x y", location=place), hit([Piece("T")], "x?y", location=place)])
    assert [line for line in entries.splitlines() if line.startswith("@")] == ["@misc{x-y,", "@misc{x-y-2,"]
    assert "  howpublished = {book/a\\_b.tex:3}," in entries


@every_case("latex", ["$a}$", "$a{$", "$}{$"])
def test_a_formula_without_paired_braces_does_not_break_the_entry(latex: str) -> None:
    entry = bibtex([hit([Piece(latex, formula=True)])])
    unescaped = entry.replace("\\{", "").replace("\\}", "")
    assert unescaped.count("{") == unescaped.count("}")


@every_case("title", ["=1+1", "+a", "-a", "@a", " =HYPERLINK(1)", "\t=a"])
def test_no_cell_is_a_formula_to_a_spreadsheet(title: str) -> None:
    head, row = csv.reader(io.StringIO(csv_table([hit([Piece(title)], "a,\"b")])))
    assert tuple(head) == CSV_COLUMNS
    shown = dict(zip(head, row, strict=True))
    assert shown["title"] == f"'{title}"
    assert (shown["id"], shown["rank"], shown["score"], shown["passage"]) == ('a,"b', "1", "1.5", "text")
