"""``porism open``: a result in an editor or a browser."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest
from case_tables import every_case

from porism import index_documents, open_index
from porism.cli.last_search import LastSearch, last_indexes, recall_search, remember_search, state_folder
from porism.cli.opening import editor_command
from porism.search.sources.updating import index_sources
from porism.types import Content, Document

FILE = Path("/notes/a b.tex")


@every_case(("environment", "line", "command"), [
    ({"EDITOR": "vim"}, 12, ["vim", "+12", str(FILE)]), ({"EDITOR": "vim"}, None, ["vim", str(FILE)]),
    ({"EDITOR": "/usr/bin/nano -w"}, 12, ["/usr/bin/nano", "-w", "+12", str(FILE)]),
    ({"EDITOR": "emacsclient -t"}, 3, ["emacsclient", "-t", "+3", str(FILE)]),
    ({"EDITOR": "kak"}, 3, ["kak", "+3", str(FILE)]),
    ({"EDITOR": "code --wait"}, 3, ["code", "--wait", "-g", f"{FILE}:3"]),
    ({"EDITOR": "hx"}, 3, ["hx", f"{FILE}:3"]), ({"EDITOR": "subl"}, 3, ["subl", f"{FILE}:3"]),
    ({"EDITOR": "zed"}, 3, ["zed", f"{FILE}:3"]), ({"EDITOR": "kate"}, 3, ["kate", "--line", "3", str(FILE)]),
    ({"EDITOR": "unheard-of"}, 3, ["unheard-of", str(FILE)]),
    ({"EDITOR": "vim", "VISUAL": "hx"}, 3, ["hx", f"{FILE}:3"]),
    ({"VISUAL": "hx", "PORISM_EDITOR": "my-editor --at {line} {file} --end"}, 3,
     ["my-editor", "--at", "3", str(FILE), "--end"]),
    ({"PORISM_EDITOR": "e {file}:{line}"}, None, ["e", f"{FILE}:1"]),
    ({"VISUAL": " ", "EDITOR": "vi"}, 1, ["vi", "+1", str(FILE)]),
])
def test_editors_get_the_line_as_they_take_it(environment, line, command) -> None:
    assert editor_command(FILE, line, environment) == command


def test_a_usual_editor_is_found_where_none_is_named(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert editor_command(FILE, 3, {}) is None
    (tmp_path / "nano").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "nano").chmod(0o755)
    assert editor_command(FILE, 3, {}) == ["nano", "+3", str(FILE)]


def test_what_was_found_is_remembered_by_index(tmp_path: Path) -> None:
    assert recall_search(tmp_path / "a") is None
    remember_search(tmp_path / "a", "primes", ["x", "y"])
    remember_search(tmp_path / "b", "evens", [])
    assert recall_search(tmp_path / "a") == LastSearch("primes", ("x", "y"))
    assert recall_search(tmp_path / "c" / ".." / "a") == LastSearch("primes", ("x", "y"))
    assert recall_search(tmp_path / "b") == LastSearch("evens", ())
    assert last_indexes() == ((tmp_path / "b").resolve(),)
    files = list((state_folder() / "searches").iterdir())
    assert len(files) == 2
    for file in files:
        file.write_text("{broken", encoding="utf-8")
    assert recall_search(tmp_path / "a") is None


def test_a_folder_that_cannot_be_written_stops_no_search(porism, sample_index, monkeypatch, tmp_path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert porism("search", "prime", "--index", sample_index).status == 0
    result = porism("open", 1, "--index", sample_index)
    assert result.status == 1
    assert "no search of this index is remembered" in result.err
    assert "porism open 1" in result.err


@pytest.fixture
def opened(porism, tmp_path: Path, monkeypatch) -> Path:
    """The file in which an editor made for this writes its arguments."""
    script = tmp_path / "vim"
    output = str(tmp_path / "opened")
    script.write_text(
        f"#!{sys.executable}\nimport sys\nopen({output!r}, 'w').write(repr(sys.argv[1:]))\n", encoding="utf-8"
    )
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    return tmp_path / "opened"


@pytest.fixture
def notes(porism, tmp_path: Path) -> Path:
    """An index of a folder: a remark and a lemma, and a page."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "note.tex").write_text(
        "\\documentclass{article}\\newtheorem{lemma}{Lemma}\\newtheorem{remark}{Remark}\n\\begin{document}\n"
        "\\begin{remark}\nEvery prime but one is odd.\n\\end{remark}\n"
        "\\begin{lemma}[Doubles]\nEvery double is twice another number.\n\\end{lemma}\n\\end{document}\n",
        encoding="utf-8",
    )
    (folder / "page.html").write_text("<h1>Squares</h1><p>Every square.</p>", encoding="utf-8")
    assert porism("index", folder, "--index", tmp_path / "index", "--jobs", 1).status == 0
    return tmp_path / "index"


@pytest.mark.skipif(os.name == "nt", reason="the editor is a script of a shell: run it on Linux or macOS")
def test_a_result_opens_in_the_editor_at_its_line(porism, notes, opened, tmp_path) -> None:
    found = porism("search", "double", "--index", notes)
    assert "note.tex:7 · Lemma" in found.out
    assert porism("open", 1, "--index", notes).status == 0
    file = tmp_path / "notes" / "note.tex"
    assert opened.read_text(encoding="utf-8") == repr(["+7", str(file)])
    printed = porism("open", 1, "--index", notes, "--print")
    assert printed.out == f"{file}:7\n"
    with open_index(notes) as index:
        (hit,) = index.search("prime", 1)
    assert porism("open", hit.id, "--index", notes).status == 0
    assert opened.read_text(encoding="utf-8") == repr([f"+{hit.metadata['line']}", str(file)])


def test_without_an_index_that_of_the_last_search_is_meant(porism, notes, opened, tmp_path, monkeypatch) -> None:
    other = tmp_path / "other-index"
    index_documents([Document("a", {"body": Content("double")}, {"url": "https://example.org/1"})], other)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    porism("search", "double", "--index", "../other-index")
    porism("search", "double", "--index", "../index")
    assert porism("open", 1, "--print").out == f"{tmp_path / 'notes' / 'note.tex'}:7\n"
    assert porism("open", 1, "--print", "--index", other).out == "https://example.org/1\n"
    monkeypatch.setenv("PORISM_INDEX", str(other))
    assert porism("open", 1, "--print").out == "https://example.org/1\n"
    monkeypatch.delenv("PORISM_INDEX")
    notes.rename(tmp_path / "renamed")
    gone = porism("open", 1, "--print")
    assert (gone.status, gone.out) == (1, "")
    assert f"{notes}: the index of your last search is gone" in gone.err
    assert "porism open N --index DIR" in gone.err


def test_where_nothing_was_searched_the_default_index_is_meant(porism, notes, monkeypatch) -> None:
    notes.rename(notes.parent / "porism-index")
    monkeypatch.chdir(notes.parent)
    missing = porism("open", 1, "--print")
    assert (missing.status, "no search of this index is remembered" in missing.err) == (1, True)


def test_pages_open_in_the_browser(porism, notes, opened, tmp_path, monkeypatch) -> None:
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: addresses.append(address) or True)
    porism("search", "square", "--index", notes)
    assert porism("open", 1, "--index", notes).status == 0
    assert addresses == [(tmp_path / "notes" / "page.html").as_uri()]
    assert not opened.exists()
    if os.name != "nt":
        assert porism("open", 1, "--index", notes, "--editor").status == 0
        assert opened.exists()


def test_an_address_opens_in_the_browser(porism, tmp_path, monkeypatch) -> None:
    documents = [Document("a", {"body": Content("prime")}, {"url": "https://example.org/1"})]
    index_documents(documents, tmp_path / "index")
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(addresses.append(address)))
    assert porism("open", "a", "--index", tmp_path / "index", "--print").out == "https://example.org/1\n"
    failed = porism("open", "a", "--index", tmp_path / "index")
    assert (failed.status, addresses) == (1, ["https://example.org/1"])
    assert "no browser could be started" in failed.err


def test_files_that_are_gone_or_changed_are_said_to_be(porism, notes, opened, tmp_path) -> None:
    porism("search", "double", "--index", notes)
    file = tmp_path / "notes" / "note.tex"
    file.write_text("% New\n\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    changed = porism("open", 1, "--index", notes, "--print")
    assert (changed.status, changed.out) == (0, f"{file}:7\n")
    assert "has changed since it was indexed" in changed.err
    file.unlink()
    gone = porism("open", 1, "--index", notes)
    assert gone.status == 1
    assert "the file is gone since it was indexed" in gone.err
    assert "porism update" in gone.err
    assert not opened.exists()


@pytest.mark.parametrize(("argument", "message"), [
    ("nowhere", "the index has no document 'nowhere'"), (9, "the last search ('double') had 1 result"),
    ("0", "the last search ('double') had 1 result"),
])
def test_results_that_are_not_there_are_explained(porism, notes, argument, message) -> None:
    porism("search", "double", "--index", notes)
    result = porism("open", argument, "--index", notes)
    assert (result.status, result.out) == (1, "")
    assert message in result.err


def test_editors_that_fail_are_named(porism, notes, monkeypatch) -> None:
    porism("search", "double", "--index", notes)
    monkeypatch.setenv("EDITOR", "/nowhere/vi")
    missing = porism("open", 1, "--index", notes)
    assert (missing.status, "the editor '/nowhere/vi' cannot be started" in missing.err) == (1, True)
    if os.name != "nt":
        monkeypatch.setenv("EDITOR", "false")
        assert "ended with status 1" in porism("open", 1, "--index", notes).err


def test_documents_from_nowhere_cannot_be_opened(porism, tmp_path) -> None:
    index_documents([Document("a", {"body": Content("prime")})], tmp_path / "index")
    result = porism("open", "a", "--index", tmp_path / "index")
    assert result.status == 1
    assert "does not know where the document 'a' comes from" in result.err


def test_a_paper_in_an_archive_opens_its_page(porism, tmp_path: Path) -> None:
    folder, index = tmp_path / "papers", tmp_path / "index"
    folder.mkdir()
    for name in ("2301.00001.zip", "own.zip"):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("a.md", "text")
    index_sources([folder], index, jobs=1)
    paper, own = (
        porism("open", f"papers/{name}.zip/a.md", "--print", "--index", index).out for name in ("2301.00001", "own")
    )
    assert paper == "https://arxiv.org/abs/2301.00001\n"
    assert own.startswith(str(folder / "own.zip"))
