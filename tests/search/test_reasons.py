"""Why a document was found, in a line: formulas as the search pairs them, and words."""

from __future__ import annotations

from pathlib import Path

from porism import Content, Document, Formula, index_documents, open_index
from porism.search.answering import IndexAnswers
from porism.search.reasons import reason_line

SQUARES = r"\frac{1}{n^2}+n"


def document(doc_id: str, title: str, *parts: str | Formula) -> Document:
    return Document(doc_id, {"title": Content(title), "body": Content.of(*parts)})


def test_reasons_of_documents(tmp_path: Path) -> None:
    renamed, value = Formula(r"\frac{1}{k^2}+k"), Formula(r"\frac{1+n^3}{n^2}")
    documents = [
        document("same", "It converges", "it ", Formula(SQUARES), " converging"),
        document("renamed", "Series", "converges ", renamed, " and ", renamed, " and ", renamed),
        document("value", "A series", "some ", Formula(r"\frac{1}{n^2}+m"), " or ", value),
        document("part", "Another", "some ", Formula(rf"\sin({SQUARES})=0"), "."),
        *(document(f"other-{number}", "Others", "what", Formula(rf"\alpha_{{{number}}}")) for number in range(9)),
    ]
    index_documents(documents, tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        answer = IndexAnswers(index).search(rf"does ${SQUARES}$ converge? series", 20, explain=True)
    lines = {
        hit.id: reason_line(hit.reasons, hit.matches or ()) for hit in answer.hits if hit.reasons is not None
    }
    assert lines["same"] == "the same formula; converge in the title and once in the text; without series"
    assert lines["renamed"] == (
        "the same formula up to names (n ↦ k), three times; converge once in the text; series in the title"
    )
    assert lines["value"] == "a formula of equal value; series in the title; without converge"
    assert lines["part"] == "a formula that contains it; without converge, series"
    kept = next(hit for hit in answer.hits if hit.id == "renamed").to_dict()["reasons"]
    assert kept["formulas"] == [{"relation": "renamed", "count": 3, "in_title": False}]
