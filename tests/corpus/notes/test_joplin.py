"""Exports of Joplin: archives and RAW folders."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.notes.joplin import _Export
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.search.sources.updating import index_sources
from porism.types import Document

A, B, N, M, H, T, X, E = (character * 32 for character in "abcdef01")
ITEMS = {
    A: f"Maths\n\nid: {A}\nparent_id: \ntype_: 2", B: f"Algebra\n\nid: {B}\nparent_id: {A}\ntype_: 2",
    N: f"Rings of $p$-adics\n\nThe ring $\\mathbb{{Z}}_p$.\n\n# Ideals\n\nkey: value\n\n> [!theorem] Main\n"
       f"> $I=p^n$\n\nid: {N}\nparent_id: {B}\nsource_url: https://x.org\nmarkup_language: 1\ntype_: 1",
    M: f"Empty body\n\nid: {M}\nparent_id: {M}\ntype_: 1",
    H: f"Clipped\n\n<p>About $x$</p>\n\nid: {H}\nmarkup_language: 2\ntype_: 1",
    T: f"to read\n\nid: {T}\ntype_: 5", X: f"id: {X}\nnote_id: {N}\ntag_id: {T}\ntype_: 6",
    E: f"Secret\n\n\n\nid: {E}\nencryption_applied: 1\ntype_: 1",
}


def raw(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in ITEMS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def archive(path: Path) -> Path:
    with tarfile.open(path, "w") as file:
        for name, text in {**ITEMS, "x": "x"}.items():
            member = tarfile.TarInfo(f"{name}.md")
            member.size = len(text.encode())
            file.addfile(member, io.BytesIO(text.encode()))
    return path


def read(path: Path) -> tuple[dict[str, Document], list[Problem]]:
    problems: list[Problem] = []
    return {document.id: document for document in open_source(path, on_problem=problems.append)}, problems


@every_case("packed", [False, True])
def test_notes_have_their_notebooks_and_tags(tmp_path: Path, packed: bool) -> None:
    path = archive(tmp_path / "x.jex") if packed else raw(tmp_path / "x")
    assert detect_format(path) == "joplin"
    documents, problems = read(path)
    first, theorem = (f"x.jex#{N}", f"x.jex#{N}/theorem-1") if packed else (f"x/{N}.md", f"x/{N}.md#theorem-1")
    assert set(documents) == {
        first, theorem, *((f"x.jex#{name}" if packed else f"x/{name}.md") for name in (M, H)),
        f"x.jex#{N}/ideals" if packed else f"x/{N}.md#ideals",
    }
    note = documents[first]
    assert note.title.to_latex() == "Rings of $p$-adics"
    assert note.fields["body"].to_latex() == r"The ring $\mathbb{Z}_p$."
    expected = {
        "notebook": ("Maths", "Maths/Algebra"), "tags": ("to read",), "page": "https://x.org",
        "url": f"joplin://x-callback-url/openNote?id={N}", "file": "x.jex" if packed else f"{N}.md",
    }
    assert {name: note.metadata[name] for name in expected} == expected
    assert (documents[theorem].title.text, documents[theorem].metadata.get("line")) == ("Main", None if packed else "9")
    assert [problem.where for problem in problems] == [f"{E}.md"]


def test_a_folder_of_notes_among_others(tmp_path: Path) -> None:
    raw(tmp_path / "all" / "notes")
    archive(tmp_path / "all" / "x.jex")
    (tmp_path / "all" / "a.md").write_text("words", encoding="utf-8")
    documents, _ = read(tmp_path / "all")
    assert {f"all/notes/{N}.md", f"all/x.jex#{N}", "all/a.md"} <= set(documents)
    assert documents[f"all/notes/{N}.md"].metadata["file"] == f"notes/{N}.md"
    index_sources([tmp_path / "all"], tmp_path / "index")
    (tmp_path / "all" / "notes" / f"{T}.md").write_text(f"read\n\nid: {T}\ntype_: 5", encoding="utf-8")
    report = index_sources([tmp_path / "all"], tmp_path / "index")
    assert (report.added, report.changed, report.removed) == (0, 3, 0)


def test_what_is_broken_is_reported(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.jex")
    path.write_bytes(path.read_bytes()[:3200])
    documents, problems = read(path)
    assert len(documents) == 3
    assert [problem.where for problem in problems] == ["x.jex"]
    folder = raw(tmp_path / "x")
    (folder / f"{E}.md").write_text("no item", encoding="utf-8")
    documents, problems = read(folder)
    assert len(documents) == 5
    assert [problem.where for problem in problems] == [f"{E}.md"]


@given(st.binary(max_size=200), st.text(alphabet="ab: \nid_typ1", max_size=100))
def test_any_items_are_read(data: bytes, text: str) -> None:
    items = [(f"{A}.md", data), (f"{B}.md", f"{text}\n\n{text}\ntype_: 1".encode())]
    for document in _Export(lambda report: iter(items)).documents("x", lambda problem: None):
        assert document.metadata["source"] == "x"
