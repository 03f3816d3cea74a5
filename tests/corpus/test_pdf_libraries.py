"""PDF files of libraries: those of Zotero and of folders of arXiv papers are read, and an update reads changed ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.zotero.test_zotero import change, make_library

import porism
from porism.corpus import open_source
from porism.corpus.pdf import reader
from porism.search.sources.updating import index_sources, update_index

pytest.importorskip("pdfminer")
FILES = Path(__file__).parent / "pdf"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the PDFs that are read."""
    names: list[str] = []
    read_pages = reader.read_pages

    def noted(path: Path, *arguments: Any) -> Iterator[Any]:
        names.append(path.name)
        return read_pages(path, *arguments)

    monkeypatch.setattr(reader, "read_pages", noted)
    return names


def test_a_pdf_of_zotero_has_the_facts_of_its_item_and_is_read_again_when_it_changes(
    tmp_path: Path, read: list[str]
) -> None:
    folder = make_library(tmp_path / "zotero")
    is_pdf = "contentType = 'application/pdf', path = 'storage:a.pdf'"
    change(folder, f"UPDATE itemAttachments SET {is_pdf} WHERE itemID = 4")
    file = folder / "storage" / "PDF" / "a.pdf"
    shutil.copy(FILES / "series.pdf", file)
    index_sources([folder], tmp_path / "index", jobs=1, meaning="off")
    index = porism.open_index(tmp_path / "index")
    document = index.document("zotero/storage/PDF/a.pdf#theorem-1.2")
    assert document.metadata["authors"] == ("Emmy Noether", "Bourbaki")
    assert any((formula.id or "").startswith("page=1&rect=") for formula in document.fields["body"].formulas)
    assert index.indexed_file(document.id)[0] == file
    update_index(tmp_path / "index", jobs=1)
    assert read == ["a.pdf"]
    shutil.copy(FILES / "limits.pdf", file)
    update_index(tmp_path / "index", jobs=1)
    assert read == ["a.pdf", "a.pdf"]


def test_a_folder_of_arxiv_papers(tmp_path: Path) -> None:
    shutil.copy(FILES / "series.pdf", tmp_path / "2101.00001v2.pdf")
    theorem = next(document for document in open_source(tmp_path) if document.metadata["type"] == "theorem")
    assert theorem.id.endswith("2101.00001v2.pdf#theorem-1.2")
    assert (theorem.metadata["url"], theorem.metadata["version"]) == ("https://arxiv.org/abs/2101.00001", "v2")


def test_an_update_reads_changed_files_alone(tmp_path: Path, read: list[str]) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("a.pdf", "b.pdf"):
        shutil.copy(FILES / "limits.pdf", papers / name)
    index_sources([papers], tmp_path / "index", jobs=1, meaning="off")
    (papers / "b.pdf").write_bytes((FILES / "series.pdf").read_bytes())
    update_index(tmp_path / "index", jobs=1)
    assert read == ["a.pdf", "b.pdf", "b.pdf"]
    assert "papers/b.pdf#theorem-1.2" in porism.open_index(tmp_path / "index")
