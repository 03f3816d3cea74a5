"""Formats by name and by look, folders of everything, several sources in a row."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus.base import ReaderOptions
from porism.corpus.opening import open_source, open_sources
from porism.corpus.registry import READERS, detect_format, source_groups
from porism.errors import Problem, SourceError

FILES = {
    "a.md": (b"# A\n$a$", "markdown"),
    "b.rst": (b"B\n=\n\n:math:`b`", "rst"),
    "c.ipynb": (json.dumps({"cells": [{"cell_type": "markdown", "source": "$c$"}]}).encode(), "notebook"),
    "d.html": (b"<p>$d$</p>", "html"),
    "e.txt": (b"$e$", "text"),
    "f.tex": (b"$f$", "latex"),
    "g.jsonl": (b'{"id": "g1", "text": "$g$"}\n', "jsonl"),
    "h.csv": (b"id,text\nh1,$h$\n", "csv"),
    "i.Rmd": (b"$i$", "markdown"),
    "j.xhtml": (b"<html><p>$j$</p></html>", "html"),
    "k.py": (b"# %% [markdown]\n# $k$\n", "notebook"),
}


def fill(folder: Path) -> None:
    for name, (data, _) in FILES.items():
        (folder / name).write_bytes(data)


@every_case("name", FILES)
def test_formats_by_name(name: str, tmp_path: Path) -> None:
    fill(tmp_path)
    assert detect_format(tmp_path / name) == FILES[name][1]
    documents = list(open_source(tmp_path / name))
    assert [formula.source for document in documents for formula in document.fields["body"].formulas] == [name[0]] or [
        formula.source for document in documents for content in document.fields.values() for formula in content.formulas
    ] == [name[0]]


@every_case(
    ("data", "expected"),
    [
        (b"<!DOCTYPE html><html><p>x", "html"), (b"% c\n\\documentclass{article}", "latex"), (b"just words", "text"),
        (b'{"cells": []}', "notebook"), (b'{"id": 1}\n', "jsonl"), ("wörds".encode("utf-16"), "text"),
    ],
)  # fmt: skip
def test_formats_by_first_bytes(data: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / "noname").write_bytes(data)
    assert detect_format(tmp_path / "noname") == expected


@every_case("data", [b"%PDF-1.4", b"\x89PNG\r\n\0", b"PK\x03\x04", b"\x7fELF\0\0\0"])
def test_unknown_formats_name_the_known_ones(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(data)
    with pytest.raises(SourceError, match="no known format") as caught:
        open_source(tmp_path / "x.bin")
    assert all(name in str(caught.value) for name in READERS)
    with pytest.raises(SourceError, match="no file of a known format"):
        open_source(tmp_path)


def test_missing_empty_and_misnamed_sources_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "e.md").touch()
    with pytest.raises(SourceError, match="empty"):
        open_source(tmp_path / "e.md")
    with pytest.raises(SourceError, match="no such file"):
        open_source(tmp_path / "none")
    with pytest.raises(SourceError, match="no such file"):
        open_source(tmp_path / "none", "markdown")
    with pytest.raises(SourceError, match="there is no format 'word'"):
        open_source(tmp_path, "word")


def test_a_folder_of_everything(tmp_path: Path) -> None:
    fill(tmp_path)
    for name in (".git/x.md", "node_modules/y.md", ".hidden.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("hidden", encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("$k$", encoding="utf-8")
    (tmp_path / "sub" / "empty.md").touch()
    (tmp_path / "sub" / "broken.ipynb").write_text("{", encoding="utf-8")
    assert detect_format(tmp_path) == "folder"
    problems: list[Problem] = []
    progress: list[tuple[int, int]] = []
    documents = list(open_source(tmp_path, on_problem=problems.append, on_progress=lambda *at: progress.append(at)))
    found = [
        formula.source for document in documents for content in document.fields.values() for formula in content.formulas
    ]
    assert sorted(found) == list("abcdefghijkk")
    assert {document.id for document in documents} >= {
        f"{tmp_path.name}/{name}" for name in ("a.md", "sub/a.md", "f.tex#text-1", "e.txt")
    } | {"g1", "h1"}
    assert [problem.where for problem in problems] == ["sub/broken.ipynb:1", "sub/empty.md"]
    assert progress[-1][0] == progress[-1][1] > 0


def test_a_folder_of_one_format_is_of_that_format(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    (tmp_path / "pic.jpg").write_bytes(b"\xff\xd8")
    assert detect_format(tmp_path) == "markdown"
    (tmp_path / "b.tex").write_text("x", encoding="utf-8")
    assert detect_format(tmp_path) == "folder"


def tables(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("A.1\t0\t12\t2\nA.1\t0\t13\t0\n", encoding="utf-8")
    (folder / "measured.csv").write_text("name,score\nours,0.5\n", encoding="utf-8")
    (folder / "formulas.tsv").write_text("id\tpost_id\tformula\n1\t2\tx^2\n", encoding="utf-8")
    (folder / "empty.csv").touch()
    (folder / "sub").mkdir()
    (folder / "sub" / "broken.csv.gz").write_bytes(b"\x1f\x8bno gzip")


def test_tables_without_text_are_passed_over_in_folders(tmp_path: Path) -> None:
    tables(tmp_path)
    (tmp_path / "notes.md").write_text("x", encoding="utf-8")
    (tmp_path / "faq.csv").write_text('"Number";"Question";"Answer"\n1;"Why?";"So."\n', encoding="utf-8")
    (tmp_path / "sub" / "qa.tsv.gz").write_bytes(gzip.compress(b"Q\tA\nwhat\tthis\n"))
    assert detect_format(tmp_path) == "folder"
    problems: list[Problem] = []
    documents = list(open_source(tmp_path, on_problem=problems.append))
    assert [document.fields["body"].text for document in documents] == ["So.", "x", "this"]
    assert [problem.what for problem in problems] == [
        "tables whose header names no column of text are passed over: empty.csv, formulas.tsv, measured.csv and 2 "
        "more; name such a file to read it"
    ]


def test_tables_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    tables(tmp_path)
    with pytest.raises(SourceError, match="holds no text") as caught:
        list(open_source(tmp_path))
    assert "--format csv" in str(caught.value)
    (document,) = open_source(tmp_path / "formulas.tsv")
    assert document.id == "1"
    assert "x^2" in document.fields["body"].text
    problems: list[Problem] = []
    documents = list(open_source(tmp_path, "csv", on_problem=problems.append))
    made_up = {f"{tmp_path.name}/{name}" for name in ("measured.csv#2", "qrels.tsv#2")}
    assert {"1"} | made_up <= {document.id for document in documents}
    assert not any("passed over" in problem.what for problem in problems)
    options = ReaderOptions(fields={"body": "formula"})
    (document,) = open_source(tmp_path, options=options)
    assert document.fields["body"].text == "x^2"


@every_case(("name", "data"), [("a.csv", b"id,text\n1,x\n"), ("a.jsonl", b'{"id": 1, "text": "x"}\n')])
def test_a_folder_of_tables(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    for format in (None, READERS[detect_format(tmp_path / name)].name):
        assert [document.fields["body"].text for document in open_source(tmp_path, format)] == ["x"]


def test_a_collection_inside_a_folder_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "Posts.xml").write_text(
        '<posts><row Id="1" PostTypeId="1" Title="T $x$" Body="&lt;p&gt;Q&lt;/p&gt;" AcceptedAnswerId="2" />'
        '<row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;$y$&lt;/p&gt;" /></posts>',
        encoding="utf-8",
    )
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    documents = list(open_source(tmp_path))
    assert [document.id for document in documents] == [f"{tmp_path.name}/a.md", "2"]


def test_symbolic_links_do_not_loop(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("x", encoding="utf-8")
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    os.symlink(tmp_path / "gone", tmp_path / "a" / "dangling.md")
    problems: list[Problem] = []
    (document,) = open_source(tmp_path, on_problem=problems.append)
    assert document.id == f"{tmp_path.name}/a/x.md"
    assert any("link to a folder" in problem.what for problem in problems)


def test_ids_name_the_source_and_the_file(tmp_path: Path) -> None:
    for name in ("c/a", "c/b", "d/a", "e/d/a"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "read me.md").write_text(name, encoding="utf-8")
    problems: list[Problem] = []
    sources = [tmp_path / "c/a", tmp_path / "c/b", tmp_path / "d/a", tmp_path / "e/d/a", tmp_path / "d/a/read me.md"]
    documents = list(open_sources(sources, on_problem=problems.append))
    assert [document.id for document in documents] == [
        "a/read me.md", "b/read me.md", "a@d/read me.md", "a@d-2/read me.md", "read me.md",
    ]
    assert [document.metadata["source"] for document in documents] == ["a", "b", "a@d", "a@d-2", "read me.md"]
    assert {document.metadata["file"] for document in documents} == {"read me.md"}
    assert problems == []


def test_names_of_sources_differ_in_more_than_case(tmp_path: Path) -> None:
    for name in ("a/Notes", "b/notes"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.md").write_text(name, encoding="utf-8")
    documents = open_sources([tmp_path / "a/Notes", tmp_path / "b/notes"])
    assert [document.id for document in documents] == ["Notes/x.md", "notes@b/x.md"]


def test_own_ids_stay_and_repeated_ones_are_reported(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    record = '{"id": "x", "text": "words"}\n'
    (tmp_path / "t" / "a.jsonl").write_text(f'{record}{record}{{"text": "none"}}\n', encoding="utf-8")
    (tmp_path / "t" / "b.jsonl").write_text(record, encoding="utf-8")
    (tmp_path / "c.jsonl").write_text(record + record, encoding="utf-8")
    problems: list[Problem] = []
    documents = list(open_sources([tmp_path / "t", tmp_path / "c.jsonl"], on_problem=problems.append))
    assert [(document.id, document.metadata["file"], document.metadata["line"]) for document in documents] == [
        ("x", "a.jsonl", "1"), ("t/a.jsonl#x", "a.jsonl", "2"), ("t/a.jsonl#3", "a.jsonl", "3"),
        ("t/b.jsonl#x", "b.jsonl", "1"), ("c.jsonl#x", "c.jsonl", "1"), ("c.jsonl#x~2", "c.jsonl", "2"),
    ]
    assert [problem.what.rpartition(" ")[2] for problem in problems] == [
        "t/a.jsonl#x", "t/b.jsonl#x", "c.jsonl#x", "c.jsonl#x~2",
    ]


@every_case("headings", [("a", "a", "a-2"), ("a-2", "a", "a"), ("a", "a", "a", "A")])
def test_headings_of_one_file_get_ids_of_their_own(tmp_path: Path, headings: tuple[str, ...]) -> None:
    text = "".join(f"# {heading}\n\n{'words ' * 500}\n\n" for heading in headings)
    (tmp_path / "x.md").write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    ids = [document.id for document in open_source(tmp_path / "x.md", on_problem=problems.append)]
    assert len(set(ids)) == len(headings)
    assert problems == []


def test_an_id_that_comes_ever_again_takes_linear_time(tmp_path: Path, assert_linear: Callable[..., None]) -> None:
    source = tmp_path / "same.jsonl"

    def read(size: int) -> list[str]:
        source.write_text('{"id": "same", "text": "x"}\n' * size)
        return [document.id for document in open_source(source)]

    assert read(4) == ["same", "same.jsonl#same", "same.jsonl#same~2", "same.jsonl#same~3"]
    assert_linear(read, 100, 400)



def test_a_format_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("# H\n\n*x*", encoding="utf-8")
    (document,) = open_source(tmp_path / "a.txt", "markdown")
    assert document.title.text == "H"
    assert document.fields["body"].text == "x"


@every_case("format", [None, *READERS])
def test_a_named_pipe_is_refused_at_once(format: str | None, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.tex")
    with pytest.raises(SourceError, match="is a named pipe, not a file") as error:
        list(open_source(tmp_path / "pipe.tex", format))
    assert "Write what it gives to a file" in str(error.value)


@every_case(
    ("format", "suffixes"),
    [(None, ".tex .md .txt"), ("folder", ".tex .md .txt"), ("latex", ".tex"), ("markdown", ".md"), ("text", ".txt")],
)
def test_named_pipes_in_folders_are_passed_over(format: str | None, suffixes: str, tmp_path: Path) -> None:
    for suffix in (".tex", ".md", ".txt"):
        (tmp_path / f"a{suffix}").write_text("$x$", encoding="utf-8")
        os.mkfifo(tmp_path / f"pipe{suffix}")
    problems: list[Problem] = []
    assert list(open_source(tmp_path, format, on_problem=problems.append))
    passed_over = {Path(problem.where).name for problem in problems if "is a named pipe, not a file" in problem.what}
    assert passed_over == {f"pipe{suffix}" for suffix in suffixes.split()}


@every_case("format", [None, "folder", "markdown"])
def test_links_that_leave_the_source_are_followed_only_if_asked(format: str | None, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.md").write_text("secret", encoding="utf-8")
    source = tmp_path / "notes"
    source.mkdir()
    (source / "a.md").write_text("mine", encoding="utf-8")
    os.symlink(tmp_path / "secret" / "key.md", source / "key.md")
    os.symlink(tmp_path / "secret", source / "secret")
    os.symlink("a.md", source / "b.md")

    def bodies(options: ReaderOptions) -> list[str]:
        problems.clear()
        found = open_source(source, format, options, on_problem=problems.append)
        return sorted(document.fields["body"].text for document in found)

    problems: list[Problem] = []
    assert bodies(ReaderOptions()) == ["mine", "mine"]
    assert sorted(problem.where for problem in problems) == [str(source / "key.md"), str(source / "secret")]
    assert "leads out of the source; it is passed over (--outside allows it)" in problems[0].what
    assert bodies(ReaderOptions(outside=True)) == ["mine", "mine", "secret", "secret"]
    assert problems == []
    (source / "a.md").unlink()
    with pytest.raises(SourceError, match="leads out of the source" if format is None else "holds no file"):
        list(open_source(source, format))


def test_links_to_parts_of_collections_are_followed_only_if_asked(tmp_path: Path) -> None:
    real = tmp_path / "real.xml"
    real.write_text(
        '<posts><row Id="1" PostTypeId="1" Title="t" Body="b" Tags=""/>'
        '<row Id="2" PostTypeId="2" ParentId="1" Body="a"/></posts>', encoding="utf-8",
    )
    for format, name in (("stackexchange", "Posts.xml"), ("arqmath", "Posts.V1.3.xml")):
        source = tmp_path / format
        source.mkdir()
        os.symlink(real, source / name)
        problems: list[Problem] = []
        with pytest.raises(SourceError, match="there is no file of posts"):
            list(open_source(source, on_problem=problems.append))
        assert [problem.where for problem in problems] == [str(source / name)]
        assert [document.id for document in open_source(source, options=ReaderOptions(outside=True))] == ["2"]


def test_a_packed_bomb_in_a_folder_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(b'{"text": "' + b"x" * 200_000))
    (tmp_path / "a.md").write_text("kept", encoding="utf-8")
    problems: list[Problem] = []
    documents = list(open_source(tmp_path, options=ReaderOptions(max_unpacked=1000), on_problem=problems.append))
    assert [document.fields["body"].text for document in documents] == ["kept"]
    assert len(problems) == 1
    assert "unpacks to more than 1,000 bytes" in problems[0].what


@every_case(("name", "endings"), [
    ("jsonl", ".jsonl, .ndjson, .jsonlines, .json"), ("csv", ".csv, .tsv, .tab"), ("text", ".txt, .text"),
])
def test_files_of_other_endings_are_to_be_named(tmp_path: Path, name: str, endings: str) -> None:
    (tmp_path / "notes.odd").write_text('{"id": "a", "body": "text"}\n')
    with pytest.raises(SourceError) as error:
        source_groups(tmp_path, name, ReaderOptions())
    assert error.value.hint == f"Its files end in {endings}; give others by their names: {tmp_path}/*"
    assert [group.files for group in source_groups(tmp_path / "notes.odd", name, ReaderOptions()).groups] == [
        [tmp_path / "notes.odd"]
    ]


@every_case(("name", "format"), [
    ("page.rst.txt", "rst"), ("page.MD.txt", "markdown"), ("page.txt", "text"), ("page.tar.txt", "text"),
])
def test_sources_that_sphinx_copied_are_read_by_the_ending_before(name: str, format: str, tmp_path: Path) -> None:
    text = "# Groups\n\nA $y$." if format == "markdown" else "Groups\n======\n\nA :math:`y`."
    (tmp_path / "other.html").write_text("<p>$x$</p>")
    (tmp_path / name).write_text(text)
    assert detect_format(tmp_path / name) == format
    (document,) = (document for document in open_source(tmp_path) if document.metadata["file"] == name)
    assert document.fields["body"].to_latex() == (text if format == "text" else "A $y$.")


def test_a_file_that_could_have_a_form_that_is_read_is_refused_with_what_makes_it(tmp_path: Path) -> None:
    path = tmp_path / "thesis.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    for source in (path, tmp_path):
        with pytest.raises(SourceError, match=r"\.doc") as caught:
            detect_format(source)
        assert "save them as .docx" in (caught.value.hint or "")
