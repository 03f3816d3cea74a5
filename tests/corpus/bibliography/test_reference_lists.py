"""RIS and CSL-JSON, and lists of references among other files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.bibliography.ris import ris_records
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.search.sources.updating import index_sources

RIS = """TY  - JOUR
TI  - On $p$-adic <i>L</i>-functions
AU  - Kubota, T.
AU  - Leopoldt, H.
PY  - 1964/05//
T2  - Crelle
AB  - We define $L_p(s)$
 for all s.
KW  - number theory
KW  - zeta
N1  - Read it
DO  - 10.1515/crll.1964.214
L1  - files/a.pdf
ER  -\x20
stray
TY  - BOOK
TI  - No end
"""
ITEM = {
    "id": "doe2010", "type": "article-journal", "title": "Sums $\\sum a_n$", "container-title": "J. Math",
    "author": [{"family": "Doe", "given": "Jane"}, {"literal": "The Group"}], "issued": {"date-parts": [[2010, 5]]},
    "URL": "https://example.org/a", "abstract": "<p>About $a_n$.</p>", "keyword": "sums; series",
}


def test_ris(tmp_path: Path) -> None:
    (tmp_path / "a.ris").write_text(RIS, encoding="utf-8")
    assert detect_format(tmp_path / "a.ris") == "ris"
    problems: list[Problem] = []
    paper, book = open_source(tmp_path / "a.ris", on_problem=problems.append)
    assert paper.title.to_latex() == "On $p$-adic L-functions"
    assert paper.fields["body"].to_latex() == "We define $L_p(s)$\nfor all s.\n\nRead it"
    assert paper.metadata == {
        "source": "a.ris", "file": "a.ris", "line": "1", "type": "article", "authors": ("T. Kubota", "H. Leopoldt"),
        "tags": ("number theory", "zeta"), "journal": "Crelle", "year": "1964",
        "url": "https://doi.org/10.1515/crll.1964.214", "attachments": ("files/a.pdf",),
    }
    assert (book.id, book.title.text, book.metadata["type"]) == ("a.ris#16", "No end", "book")
    assert [str(problem) for problem in problems] == [
        "a.ris:15: a line outside of any entry is skipped", "a.ris:16: the last entry has no end (ER)"
    ]


@given(st.lists(st.text(alphabet="TYERAUNI1 -a", max_size=12), max_size=20))
def test_any_lines_are_read_as_ris(lines: list[str]) -> None:
    for record in ris_records(enumerate(["TY  - X", *lines], 1), "x.ris", lambda problem: None):
        assert record.values["kind"] == "misc"


def test_csl(tmp_path: Path) -> None:
    odd = {"type": "book", "author": "x", "issued": [1], "title": 5, "family": 1}
    (tmp_path / "refs.json").write_text(json.dumps([ITEM, odd, {"type": "thesis"}]), encoding="utf-8")
    assert detect_format(tmp_path / "refs.json") == "csl-json"
    problems: list[Problem] = []
    paper, other = open_source(tmp_path / "refs.json", on_problem=problems.append)
    assert (paper.title.to_latex(), paper.fields["body"].to_latex()) == ("Sums $\\sum a_n$", "About $a_n$.")
    assert paper.id == "refs.json#doe2010"
    assert {name: paper.metadata[name] for name in ("authors", "year", "url", "tags", "type", "journal")} == {
        "authors": ("Jane Doe", "The Group"), "year": "2010", "url": "https://example.org/a",
        "tags": ("sums", "series"), "type": "article", "journal": "J. Math",
    }
    assert other.title.text == "5"
    assert [problem.where for problem in problems] == ["refs.json:3"]


@every_case("records", [
    [{"id": "1", "type": "article", "title": "x", "text": "y"}], [{"id": "1", "family": "x", "text": "y"}],
    {"type": "book", "DOI": "x", "text": "y"},
])  # fmt: skip
def test_other_json_stays_a_table(records: object, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(f"{json.dumps(records)}\n{json.dumps(records)}", encoding="utf-8")
    assert detect_format(tmp_path / "a.json") == "jsonl"


def test_an_update_reads_the_entries_that_changed(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nwords", encoding="utf-8")
    (folder / "refs.bib").write_text("@misc{a, title={A}}\n@misc{b, title={B}}\n", encoding="utf-8")
    (folder / "more.bib.gz").write_bytes(gzip.compress(b"@misc{a, title={A}}"))
    report = index_sources([folder], tmp_path / "index")
    assert (report.added, report.changed) == (4, 0)
    (folder / "refs.bib").write_text("@misc{a, title={A}}\n\n@misc{b, title={B2}}\n", encoding="utf-8")
    report = index_sources([folder], tmp_path / "index")
    assert (report.added, report.changed, report.files_read) == (0, 1, 1)


def test_files_of_the_source_have_what_is_said_of_their_entries(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "files").mkdir(parents=True)
    (folder / "refs.bib").write_text(
        "@misc{a, title={On $x$}, author={Doe, J}, file={Text:files/a.txt:text/plain;../b.txt}}", encoding="utf-8"
    )
    (folder / "c.ris").write_text("TY  - JOUR\nTI  - C\nL1  - files/c.md\nER  - \n", encoding="utf-8")
    for name in ("files/a.txt", "files/c.md", "other.txt", "../b.txt"):
        (folder / name).write_text("Some words", encoding="utf-8")
    index_sources([folder], tmp_path / "index")
    documents = {document.id: document for document in open_source(folder)}
    assert documents["papers/files/a.txt"].title.to_latex() == "On $x$"
    assert documents["papers/files/a.txt"].metadata["authors"] == ("J Doe",)
    assert documents["papers/files/c.md"].metadata["section"] == ("C",)
    assert not documents["papers/other.txt"].title
    (folder / "refs.bib").write_text("@misc{a, title={On y}, file={files/a.txt}}", encoding="utf-8")
    report = index_sources([folder], tmp_path / "index")
    assert (report.added, report.changed, report.files_read) == (0, 2, 2)
