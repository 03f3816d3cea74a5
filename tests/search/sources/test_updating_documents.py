"""Updates compare each document with what the index has of it: others stay, move, or come from another file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from long_forms import LONG_ONLY
from updated_indexes import Write, check, contents, same_as_new

from porism.corpus.units import UnitStore
from porism.errors import Problem
from porism.index import IndexWriter, Snapshot
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import index_sources, update_index
from porism.types import Content, Document


def test_a_renamed_heading_leaves_nothing_behind(write: Write) -> None:
    long = "words " * 500
    root = write(**{"n/a.md": f"# One\n\n{long}\n\n# Two\n\n{long}\n\n# Three\n\n{long}"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)
    write(**{"n/a.md": f"# One\n\n{long}\n\n# Deux\n\n{long}\n\n# Three\n\n{long}"})
    check(update_index(index, jobs=1), 1, 0, 1)
    assert set(contents(index)) == {"n/a.md#one", "n/a.md#deux", "n/a.md#three"}
    write(**{"n/a.md": f"\n\nBefore.\n\n# One\n\n{long}\n\n# Deux\n\n{long}\n\n# Three\n\n{long}"})
    check(update_index(index, jobs=1), 1, 0, 0)
    same_as_new(index, root / "n")  # lines have moved, and nothing else was changed


def lines_of(index: Path) -> dict[str, str | None]:
    """Where documents begin, as metadata say, stored documents, hits and filters; all must say the same."""
    found = {}
    for doc_id, document in contents(index).items():
        line = document.metadata["line"]
        assert isinstance(line, str)
        with Snapshot.open(index) as snapshot:
            segment, doc = next(one for one in [snapshot.find(doc_id)] if one is not None)
            assert segment.metadata(doc) == document.metadata
            assert segment.filter("line", line)[doc]
            assert segment.filter("line", line).sum() == 1
            assert sum(segment.metadata_counts()["line"].values()) == segment.live_count
        with open_index(index) as opened:
            hits = opened.search(f"words of {doc_id[-1]}", 9, filters={"line": line})
            assert [hit.id for hit in hits] == [doc_id]
            assert int(line) <= (hits[0].location.line or 0) <= int(line) + 4  # at the match, below the heading
        found[doc_id[-1]] = line
    return found


def test_documents_whose_line_alone_moved_are_taken_over(write: Write) -> None:
    units = "".join(f"# {name}\n\n{name} {'words of ' * 400}\n\n" for name in "abc")
    root = write(**{"n/a.md": units})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)
    assert lines_of(index) == {"a": "1", "b": "5", "c": "9"}
    with Snapshot.open(index) as before:
        write(**{"n/a.md": f"\n\n{units}"})
        report = update_index(index, jobs=1)
        check(report, 0, 0, 0, 1)
        assert report.documents == 0  # nothing was analysed
        assert [segment.name for segment in before.segments] == [
            segment.name for segment in Snapshot.open(index).segments
        ]
        assert before.segments[0].lines.tolist() == [1, 5, 9]  # who reads an earlier state sees that
    assert lines_of(index) == {"a": "3", "b": "7", "c": "11"}
    same_as_new(index, root / "n")
    report = update_index(index, jobs=1)
    check(report, 0, 0, 0, 0)
    write(**{"n/a.md": "\n" + units.replace("# b", "# b\n\nnew")})  # some move, one changes
    report = update_index(index, jobs=1)
    check(report, 0, 1, 0, 1)
    assert report.documents == 1
    assert lines_of(index) == {"a": "2", "b": "6", "c": "12"}
    with IndexWriter(index, create=False) as writer:
        writer.merge()
        writer.commit()
    assert lines_of(index) == {"a": "2", "b": "6", "c": "12"}
    same_as_new(index, root / "n")
    write(**{"n/a.md": units.replace("# b", "# b\n\nnew")})
    update_index(index, jobs=1)
    assert lines_of(index) == {"a": "1", "b": "5", "c": "11"}


def test_records_whose_line_alone_moved_are_taken_over(write: Write) -> None:
    records = [f'{{"id": "{name}", "text": "words of {name}"}}\n' for name in "abc"]
    root = write(**{"t.jsonl": "".join(records)})
    index = root / "index"
    index_sources([root / "t.jsonl"], index, jobs=1)
    write(**{"t.jsonl": "\n" + "".join(records)})
    report = update_index(index, jobs=1)
    check(report, 0, 0, 0, 1)
    assert report.documents == 0
    assert lines_of(index) == {"a": "2", "b": "3", "c": "4"}
    same_as_new(index, root / "t.jsonl")


def test_records_of_one_table_that_did_not_change_stay(write: Write) -> None:
    records = [{"id": f"r{number}", "text": f"words $x^{number}$ and $1$"} for number in range(50)]

    def dump() -> str:
        return "".join(json.dumps(record) + "\n" for record in records)

    root = write(**{"t.jsonl": dump()})
    index = root / "index"
    check(index_sources([root / "t.jsonl"], index, jobs=1), 50, 0, 0)
    records[7]["text"] = "other words"
    records[9]["id"] = "new"
    write(**{"t.jsonl": dump()})
    report = update_index(index, jobs=1)
    check(report, 1, 1, 1, 1)
    assert report.documents == 2
    same_as_new(index, root / "t.jsonl")
    del records[20]
    write(**{"t.jsonl": dump()})
    check(update_index(index, jobs=1), 0, 0, 1)
    same_as_new(index, root / "t.jsonl")


def test_own_ids_belong_to_the_first_that_has_them(write: Write) -> None:
    record = '{"id": "x", "text": "words %s"}\n'
    root = write(**{"t/b.jsonl": record % "b", "t/c.md": "words c"})
    index = root / "index"
    index_documents([Document("py", {"body": Content("words")})], index, jobs=1)
    index_sources([root / "t"], index, jobs=1)
    write(**{"t/a.jsonl": record % "a" + '{"id": "py", "text": "words"}\n', "u.jsonl": record % "u"})
    problems: list[Problem] = []
    report = index_sources([root / "t", root / "u.jsonl"], index, jobs=1, on_problem=problems.append)
    check(report, 3, 0, 0)
    found = contents(index)
    assert {doc_id: document.fields["body"].text for doc_id, document in found.items()} == {
        "x": "words b", "t/a.jsonl#x": "words a", "t/a.jsonl#py": "words", "u.jsonl#x": "words u", "py": "words",
        "t/c.md": "words c",
    }
    assert len(problems) == 3
    check(update_index(index, jobs=1, read_all=True), 0, 0, 0)
    (root / "t/b.jsonl").rename(root / "t/0.jsonl")  # all of its records go to another file
    check(update_index(index, jobs=1), 1, 0, 0)
    assert contents(index)["x"].metadata["file"] == "0.jsonl"


def test_records_that_change_files_in_one_update(write: Write) -> None:
    record = '{"id": "%s", "text": "words %s"}\n'
    root = write(**{"t/a.jsonl": record % ("x", 1), "t/b.jsonl": record % ("y", 2) + record % ("z", 3)})
    index = root / "index"
    index_sources([root / "t"], index, jobs=1)
    write(**{"t/a.jsonl": record % ("y", 2) + record % ("z", 3), "t/b.jsonl": record % ("x", 1)})
    update_index(index, jobs=1)
    same_as_new(index, root / "t")


def test_changing_documents_compares_what_is_stored(write: Write) -> None:
    root = write(**{"n/a.md": "words a", "n/b.md": "words b"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)

    def shout(document: Document) -> Document:
        text = document.fields["body"].text
        body = Content(text.upper() if "a" in text else text)
        return Document(document.id, {**document.fields, "body": body}, document.metadata)

    check(index_sources([root / "n"], index, jobs=1, change=shout), 0, 1, 0)
    check(index_sources([root / "n"], index, jobs=1, change=shout), 0, 0, 0)
    check(update_index(index, jobs=1), 0, 0, 0, 0)
    assert contents(index)["n/a.md"].fields["body"].text == "WORDS A"


MAIN = "\\documentclass{article}\n\\input{macros}\n\\begin{document}\n%s\n\\end{document}\n"


@LONG_ONLY
def test_a_chapter_is_read_with_the_documents_that_use_it(write: Write) -> None:
    root = write(**{
        "p/one.tex": MAIN % "\\input{c1}\n\\input{c2}", "p/two.tex": MAIN % "\\input{c3}",
        "p/macros.tex": "\\def\\R{R}", "p/c1.tex": "\\section{A} words $\\R$", "p/c2.tex": "\\section{B} words $x^2$",
        "p/c3.tex": "\\section{C} words $\\R$", "p/lone.tex": "\\section{L} words $\\R$",
    })  # fmt: skip
    index, project = root / "index", root / "p"
    index_sources([project], index, jobs=1)
    files = {document.metadata["file"] for document in contents(index).values()}
    assert files == {"c1.tex", "c2.tex", "c3.tex", "lone.tex"}
    check(update_index(index, jobs=1), 0, 0, 0, 0)
    write(**{"p/c3.tex": "\\section{C} other words $\\R$"})
    report = update_index(index, jobs=1)
    check(report, 0, 1, 0)
    assert report.files_read == 3  # two.tex, c3.tex and macros.tex
    same_as_new(index, project)
    write(**{"p/macros.tex": "\\def\\R{Q}"})
    check(update_index(index, jobs=1), 0, 3, 0)  # c1, c3, and lone, which has the macros of the first
    same_as_new(index, project)
    write(**{"p/two.tex": MAIN % "\\input{c3}\n\\input{c2}", "p/one.tex": MAIN % "\\input{c1}"})
    update_index(index, jobs=1)
    same_as_new(index, project)
    write(**{"p/c1.tex": None})
    update_index(index, jobs=1)
    same_as_new(index, project)
    write(**{"p/c1.tex": "\\section{A} words $\\R$ again"})
    update_index(index, jobs=1)
    same_as_new(index, project)
    write(**{"p/lone.tex": "\\section{L} lone words $\\R$"})  # the first document is not read, but for its macros
    check(update_index(index, jobs=1), 0, 1, 0, 4)
    same_as_new(index, project)


@LONG_ONLY
def test_of_a_book_only_the_chapters_that_changed_are_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("c1", "c2", "c3", "c4")

    def chapter(name: str, text: str) -> str:
        return f"\\section{{{name}}}\n{text} $\\R$\n\\begin{{lemma}}\\label{{{name}}} a $x^2$\n\\end{{lemma}}\n"

    def problems(path: Path) -> list[tuple[str, str, str]]:
        with Snapshot.open(path) as snapshot:
            (group,) = snapshot.sources["p"].groups.values()
        return sorted((problem.document, problem.where, problem.what) for problem in group.problems)

    read: list[str] = []
    document = UnitStore._document
    monkeypatch.setattr(UnitStore, "_document", lambda self, unit: (read.append(unit.file), document(self, unit))[1])
    inputs = "".join(f"\\input{{{name}}}\n" for name in names)
    root = write(**{
        "p/main.tex": MAIN % inputs, "p/macros.tex": "\\def\\R{R}",
        **{f"p/{name}.tex": chapter(name, "words") for name in names},
    })
    index = root / "index"
    index_sources([root / "p"], index, jobs=1)

    def update(files: set[str], added: int, changed: int, removed: int, **changes: str | None) -> None:
        write(**{f"p/{name}.tex": text for name, text in changes.items()})
        read.clear()
        check(update_index(index, jobs=1), added, changed, removed)
        assert set(read) - {"main.tex"} == files
        same_as_new(index, root / "p")
        assert problems(index) == problems(max(root.glob("fresh*"), key=lambda path: int(path.name[5:])))

    update({"c2.tex", "c4.tex"}, 0, 1, 0, c2=chapter("c2", "other words"))
    update({f"{name}.tex" for name in names}, 0, 4, 0, macros="\\def\\R{Q}")
    update({"c1.tex", "c4.tex"}, 0, 1, 0, c1=chapter("c1", "new words\\end{x}"))
    update({"c3.tex", "c4.tex"}, 0, 1, 0, c3=chapter("c3", "newer words"))
    update({"c1.tex", "c4.tex"}, 0, 0, 2, main=MAIN % inputs.replace("\\input{c2}\n", ""), c2=None)
    with IndexWriter(index, create=False) as writer:  # an update that did not come to its end
        source = writer.sources.sources["p"]
        groups = {name: replace(group, complete=False) for name, group in source.groups.items()}
        writer.sources = replace(writer.sources, sources={"p": replace(source, groups=groups)})
        writer.delete(["p/c1.tex#c1"])
        writer.commit()
    update({"c1.tex", "c3.tex", "c4.tex"}, 1, 0, 0)
    with IndexWriter(index, create=False) as writer:
        writer.delete(["p/c1.tex#c1"])
        writer.commit()
    update({"c1.tex", "c4.tex"}, 1, 1, 0, c4=chapter("c4", "last words"))
