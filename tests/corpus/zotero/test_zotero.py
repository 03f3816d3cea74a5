"""Libraries of Zotero: items, notes, annotations, files, and updates."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem, SourceError
from porism.search.locations import Location
from porism.search.sources.updating import index_sources, update_index
from porism.types import Document

_TABLES = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, libraryID INT, key TEXT, version INT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT, parentCollectionID INT, key TEXT);
CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE itemAnnotations (
  itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, text TEXT, comment TEXT, pageLabel TEXT, position TEXT
);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group');
INSERT INTO groups VALUES (77, 2, 'Seminar');
INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'note'), (3, 'attachment'), (4, 'annotation');
INSERT INTO fields VALUES (1, 'title'), (2, 'abstractNote'), (3, 'date'), (4, 'DOI'), (5, 'publicationTitle');
INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor');
INSERT INTO creators VALUES (1, 'Emmy', 'Noether'), (2, '', 'Bourbaki');
INSERT INTO tags VALUES (1, 'rings'), (2, 'to read');
INSERT INTO collections VALUES (1, 'Algebra', NULL, 'C1'), (2, 'Ideals', 1, 'C2');
INSERT INTO items VALUES
  (1, 1, 1, 'PAPER', 5), (2, 2, 1, 'NOTE', 5), (3, 3, 1, 'SNAP', 5), (4, 3, 1, 'PDF', 5), (5, 4, 1, 'ANNO', 5),
  (6, 1, 2, 'GROUPED', 1), (7, 1, 1, 'BIN', 1), (8, 2, 1, 'ALONE', 1), (9, 3, 1, 'LINKED', 1), (10, 2, 1, 'OFBIN', 1);
INSERT INTO deletedItems VALUES (7);
INSERT INTO itemDataValues VALUES
  (1, 'Ideal theory in rings of <i>p</i>-adic $\\mathbb{Z}_p$'), (2, 'We show $I = \\bigcap Q_i$.'),
  (3, '1921-05-00 1921'),
  (4, '10.1007/BF01464225'), (5, 'Math. Ann.'), (6, 'In the bin'), (7, 'Of the group');
INSERT INTO itemData VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 4), (1, 5, 5), (6, 1, 7), (7, 1, 6);
INSERT INTO itemCreators VALUES (1, 2, 1, 1), (1, 1, 1, 0);
INSERT INTO itemTags VALUES (1, 1, 0), (1, 2, 1), (2, 1, 0);
INSERT INTO collectionItems VALUES (2, 1, 0);
INSERT INTO itemNotes VALUES
  (2, 1, '<div class="zotero-note"><h1>Idea</h1><p>Use <span class="math">$a+b$</span>:</p>
<pre class="math">$$c^2$$</pre></div>',
   'Idea'),
  (8, NULL, '<p>Alone $z$</p>', ''), (10, 7, '<p>gone</p>', '');
INSERT INTO itemAttachments VALUES
  (3, 1, 1, 'text/html', 'storage:page.html'), (4, 1, 0, 'image/vnd.djvu', 'storage:paper.djvu'),
  (9, 1, 2, 'text/plain', '/etc/hostname');
INSERT INTO itemAnnotations VALUES (5, 4, 1, 'Every ideal $I$', 'why?', 'iv', '{"pageIndex": 3, "rects": []}');
"""


def make_library(folder: Path) -> Path:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "zotero.sqlite")) as database:
        database.executescript(_TABLES)
    (folder / "storage" / "SNAP").mkdir(parents=True)
    (folder / "storage" / "SNAP" / "page.html").write_text("<title>Page</title><p>About $y$.</p>", encoding="utf-8")
    (folder / "storage" / "PDF").mkdir()
    (folder / "storage" / "PDF" / "paper.djvu").write_bytes(b"AT&TFORM")
    (folder / "storage" / "SNAP" / "unrelated.txt").write_text("of the page", encoding="utf-8")
    return folder


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "zotero.sqlite")) as database:
        database.execute(statement)
        database.commit()


@pytest.fixture
def documents(tmp_path: Path) -> dict[str, Document]:
    folder = make_library(tmp_path / "zotero")
    assert detect_format(folder) == "zotero"
    return {document.id.partition("/")[2]: document for document in open_source(folder)}


def test_all_that_is_not_in_the_bin_is_read(documents: dict[str, Document]) -> None:
    assert set(documents) == {
        *(f"zotero.sqlite#{name}" for name in ("PAPER", "NOTE", "ANNO", "77/GROUPED", "ALONE")),
        "storage/SNAP/page.html",
    }


def test_an_item(documents: dict[str, Document]) -> None:
    paper = documents["zotero.sqlite#PAPER"]
    assert {name: content.to_latex() for name, content in paper.fields.items()} == {
        "title": r"Ideal theory in rings of p-adic $\mathbb{Z}_p$", "body": r"We show $I = \bigcap Q_i$.",
        "authors": "Emmy Noether, Bourbaki", "journal": "Math. Ann.", "tags": "rings, to read",
    }
    assert paper.metadata == {
        "source": "zotero", "file": "zotero.sqlite", "type": "journal article", "key": "PAPER", "year": "1921",
        "authors": ("Emmy Noether", "Bourbaki"), "tags": ("rings", "to read"), "journal": "Math. Ann.",
        "url": "zotero://select/library/items/PAPER", "page": "https://doi.org/10.1007/BF01464225",
        "collections": ("Ideals", "Algebra"),
    }
    assert documents["zotero.sqlite#77/GROUPED"].metadata["url"] == "zotero://select/groups/77/items/GROUPED"
    assert Location.of(paper.metadata).url == "zotero://select/library/items/PAPER"


def test_notes_and_annotations(documents: dict[str, Document]) -> None:
    note, annotation = documents["zotero.sqlite#NOTE"], documents["zotero.sqlite#ANNO"]
    assert note.title.text == "Idea"
    assert [formula.source for formula in note.fields["body"].formulas] == ["a+b", "c^2"]
    assert note.metadata["collections"] == ("Ideals", "Algebra")
    assert note.metadata["section"] == (r"Ideal theory in rings of p-adic $\mathbb{Z}_p$",)
    assert annotation.fields["body"].to_latex() == "Every ideal $I$\n\nwhy?"
    assert annotation.metadata["page_number"] == "iv"
    assert annotation.metadata["url"] == "zotero://open-pdf/library/items/PDF?page=4&annotation=ANNO"
    assert documents["zotero.sqlite#ALONE"].metadata["type"] == "note"


def test_a_file_has_what_is_said_of_its_item(documents: dict[str, Document]) -> None:
    page = documents["storage/SNAP/page.html"]
    assert (page.title.text, page.fields["body"].to_latex()) == ("Page", "About $y$.")
    assert page.metadata["section"] == (r"Ideal theory in rings of p-adic $\mathbb{Z}_p$",)
    assert page.metadata["url"] == "zotero://select/library/items/PAPER"
    assert (page.metadata["type"], page.metadata["file"]) == ("document", "storage/SNAP/page.html")


def test_a_library_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    folder = make_library(tmp_path / "all" / "refs")
    (tmp_path / "all" / "a.md").write_text("words", encoding="utf-8")
    problems: list[Problem] = []
    documents = list(open_source(tmp_path / "all", on_problem=problems.append))
    assert {document.id for document in documents} >= {
        "all/a.md", "all/refs/zotero.sqlite#PAPER", "all/refs/storage/SNAP/page.html"
    }
    assert [problem.where for problem in problems] == ["refs/zotero.sqlite: LINKED"]
    (folder / "zotero.sqlite").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 8)
    problems.clear()
    assert [document.id for document in open_source(tmp_path / "all", on_problem=problems.append)] == ["all/a.md"]
    assert [problem.where for problem in problems] == ["refs/zotero.sqlite"]
    with pytest.raises(SourceError, match="database cannot be read"):
        open_source(folder)


def test_an_update_reads_what_changed(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "zotero")
    report = index_sources([folder], tmp_path / "index")
    assert (report.added, report.files_read) == (6, 2)
    report = update_index(tmp_path / "index")
    assert (report.added, report.changed, report.files_read) == (0, 0, 0)
    change(folder, "UPDATE itemDataValues SET value = 'Another' WHERE valueID = 7")
    report = update_index(tmp_path / "index")
    assert (report.added, report.changed, report.files_read) == (0, 1, 1)
    change(folder, "INSERT INTO collectionItems VALUES (1, 6, 0), (1, 8, 0)")
    change(folder, "UPDATE itemDataValues SET value = 'New title' WHERE valueID = 1")
    report = update_index(tmp_path / "index")
    assert (report.added, report.changed, report.files_read) == (0, 6, 2)
    assert report.left_out == {".djvu": 1}
    change(folder, "INSERT INTO deletedItems VALUES (1)")
    assert update_index(tmp_path / "index").removed == 4


_NEWER = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
INSERT INTO version VALUES ('userdata', 125), ('globalSchema', 39);
CREATE TABLE deletedCollections (
  collectionID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL
);
INSERT INTO collections (collectionID, collectionName, parentCollectionID, key) VALUES (3, 'Thrown away', 1, 'C3');
INSERT INTO collectionItems VALUES (3, 1, 1);
INSERT INTO deletedCollections (collectionID) VALUES (3);
ALTER TABLE itemAttachments ADD COLUMN lastRead INT;
ALTER TABLE itemAttachments ADD COLUMN lastProcessedModificationTime INT;
ALTER TABLE itemAnnotations ADD COLUMN isExternal INT NOT NULL DEFAULT 0;
INSERT INTO items VALUES (11, 4, 1, 'EPUBANNO', 1), (12, 3, 1, 'GONE', 1), (13, 3, 1, 'BASE', 1);
INSERT INTO itemAttachments (itemID, parentItemID, linkMode, path) VALUES
  (12, 1, 0, 'storage:gone.pdf'), (13, 1, 2, 'attachments:books/lang.pdf');
INSERT INTO itemAnnotations VALUES
  (11, 4, 1, 'A book', '', '12', '{"type": "FragmentSelector", "value": "epubcfi(/6/4)"}', 0);
PRAGMA user_version = 125;
"""


def test_a_library_of_a_newer_zotero(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "zotero")
    with closing(sqlite3.connect(folder / "zotero.sqlite")) as database:
        database.executescript(_NEWER)
    problems: list[str] = []
    opened = open_source(folder, on_problem=lambda problem: problems.append(problem.what))
    documents = {document.id.rpartition("#")[2]: document for document in opened}
    assert [what for what in problems if "left out" in what] == [
        "1 attached file left out: not in the library's folder, such as storage:gone.pdf",
        "1 attached file left out: where only Zotero knows (attachments:), such as attachments:books/lang.pdf",
    ]
    assert documents["PAPER"].metadata["collections"] == ("Ideals", "Algebra")
    assert documents["EPUBANNO"].metadata["page_number"] == "12"
