"""Updates: an index that was brought up to date is the index that would be made anew, and only what changed is read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from porism.analysis.documents import load_document
from porism.corpus import ReaderOptions
from porism.corpus.units import UnitStore
from porism.errors import ConfigError, Problem, SourceError
from porism.index import IndexWriter, Snapshot
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import UpdateReport, index_sources, remove_source, update_index
from porism.types import Content, Document

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files below ``tmp_path``: content by path, None to remove."""

    def write(**files: str | None) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
        return tmp_path

    return write


def contents(index: Path) -> dict[str, Document]:
    """All documents of an index, by id."""
    with Snapshot.open(index) as snapshot:
        found = [
            load_document(segment.stored(doc)) for segment in snapshot.segments
            for doc in range(segment.doc_count) if segment.live[doc]
        ]
    assert len({document.id for document in found}) == len(found)
    return {document.id: document for document in found}


def check(report: UpdateReport, added: int, changed: int, removed: int, read: int | None = None) -> None:
    assert (report.added, report.changed, report.removed) == (added, changed, removed)
    if read is not None:
        assert report.files_read == read


def same_as_new(index: Path, *sources: Path, **settings: Any) -> None:
    """The index is that which would be made of the sources now: documents, and answers."""
    fresh = index.with_name(f"fresh{len(list(index.parent.iterdir()))}")
    index_sources(sources, fresh, jobs=1, **settings)
    assert contents(index) == contents(fresh)
    with open_index(index) as one, open_index(fresh) as other:
        found, expected = (opened.search("words $x^2$ a", 20) for opened in (one, other))
    assert [(hit.id, round(hit.score, 4)) for hit in found] == [(hit.id, round(hit.score, 4)) for hit in expected]


def test_two_sources_with_the_same_file_are_both_kept(write: Write) -> None:
    """The report that began it: ``porism index c/a c/b``, a README.md in each."""
    root = write(**{"c/a/README.md": "words of a", "c/b/README.md": "words of b", "d/a/README.md": "other words"})
    index = root / "index"
    check(index_sources([root / "c/a", root / "c/b"], index, jobs=1), 2, 0, 0)
    assert set(contents(index)) == {"a/README.md", "b/README.md"}
    check(index_sources([root / "d/a"], index, jobs=1), 1, 0, 0)
    assert set(contents(index)) == {"a/README.md", "b/README.md", "a@d/README.md"}
    with Snapshot.open(index) as snapshot:
        assert {name: source.path for name, source in snapshot.sources.items()} == {
            "a": root / "c/a", "b": root / "c/b", "a@d": root / "d/a",
        }


def test_an_update_reads_only_what_changed(write: Write) -> None:
    root = write(**{f"notes/{name}.md": f"words of {name} $x^2$" for name in "abcdef"})
    index, notes = root / "index", root / "notes"
    check(index_sources([notes], index, jobs=1), 6, 0, 0, 6)
    generation = Snapshot.open(index).generation
    report = update_index(index, jobs=1)
    check(report, 0, 0, 0, 0)
    assert report.files_unchanged == 6
    write(**{"notes/a.md": "changed words", "notes/b.md": None, "notes/new.md": "new words"})
    write(**{"notes/c.md": "words of c $x^2$"})
    (notes / "d.md").rename(notes / "moved.md")
    report = update_index(index, jobs=1)
    check(report, 2, 1, 2, 3)
    same_as_new(index, notes)
    assert Snapshot.open(index).generation > generation
    for file in notes.iterdir():
        os.utime(file, (1_700_000_000, 1_700_000_000))
    check(update_index(index, jobs=1), 0, 0, 0, 0)  # notes the times
    generation = Snapshot.open(index).generation
    check(index_sources([notes], index, jobs=1), 0, 0, 0, 0)
    assert Snapshot.open(index).generation == generation


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
            assert [(hit.id, hit.location.line) for hit in hits] == [(doc_id, int(line))]
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


MAIN = "\\documentclass{article}\n\\input{macros}\n\\begin{document}\n%s\n\\end{document}\n"


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


def test_a_part_of_a_source_brings_only_it_up_to_date(write: Write) -> None:
    """The report that began it: a file of an indexed folder replaced documents of another, and left its own twice."""
    text = "\\section{Introduction}\\label{section-introduction} words %s"
    root = write(**{f"stacks/{name}.tex": text % name for name in ("etale", "sites")})
    index, stacks = root / "index", root / "stacks"
    index_sources([stacks], index, jobs=1)
    before = set(contents(index))
    write(**{"stacks/etale.tex": text % "new", "stacks/sites.tex": text % "newer"})
    report = index_sources([stacks / "etale.tex"], index, jobs=1)
    check(report, 0, 1, 0, 1)
    assert "part of the source stacks" in report.notes[0]
    assert set(contents(index)) == before
    check(update_index(index, [stacks / "sites.tex"], jobs=1), 0, 1, 0, 1)
    same_as_new(index, stacks)
    write(**{"stacks/etale.tex": None})
    check(update_index(index, ["stacks"], jobs=1), 0, 0, 1)
    with pytest.raises(ConfigError, match="read with other options"):
        index_sources([stacks / "sites.tex"], index, jobs=1, options={"encoding": "cp1252"})


def test_a_folder_takes_in_the_sources_inside_it(write: Write) -> None:
    root = write(**{"all/a/x.md": "words a", "all/b/x.md": "words b", "all/c.md": "words c"})
    index = root / "index"
    index_sources([root / "all/a", root / "all/b"], index, jobs=1)
    report = index_sources([root / "all"], index, jobs=1)
    check(report, 3, 0, 2)
    assert len(report.notes) == 2
    assert set(contents(index)) == {"all/a/x.md", "all/b/x.md", "all/c.md"}
    assert set(Snapshot.open(index).sources) == {"all"}
    report = index_sources([root / "all/a", root / "all", root / "all"], index, jobs=1)
    check(report, 0, 0, 0, 0)


def test_a_source_that_moved_keeps_its_ids(write: Write) -> None:
    root = write(**{"x/notes/a.md": "words a", "x/notes/b.md": "words b"})
    write(**{"x/one.jsonl": '{"id": "r", "text": "words"}\n'})
    index = root / "index"
    index_sources([root / "x/notes", root / "x/one.jsonl"], index, jobs=1)
    (root / "x").rename(root / "y")
    report = index_sources([root / "y/notes", root / "y/one.jsonl"], index, jobs=1)
    check(report, 0, 0, 0, 0)
    assert "has moved" in report.notes[0]
    (root / "y/notes").rename(root / "y/journal")
    check(index_sources([root / "y/journal"], index, jobs=1), 0, 0, 0)
    assert set(contents(index)) == {"notes/a.md", "notes/b.md", "r"}
    assert Snapshot.open(index).sources["notes"].path == root / "y/journal"


def test_a_source_that_is_not_there_keeps_its_documents(write: Write) -> None:
    root = write(**{"a/x.md": "words a", "b/x.md": "words b"})
    index = root / "index"
    index_sources([root / "a", root / "b"], index, jobs=1)
    (root / "a").rename(root / "elsewhere")
    write(**{"b/x.md": "changed words"})
    problems: list[Problem] = []
    report = update_index(index, jobs=1, on_problem=problems.append)
    check(report, 0, 1, 0)
    assert report.unreachable == ("a",)
    assert "documents stay" in problems[0].what
    (root / "a").mkdir()  # an empty mount point
    assert update_index(index, jobs=1).unreachable == ("a",)
    with pytest.raises(SourceError, match="holds no file"):
        index_sources([root / "a"], index, jobs=1)
    assert set(contents(index)) == {"a/x.md", "b/x.md"}
    check(update_index(index, jobs=1, remove_missing=True), 0, 0, 1)
    assert set(contents(index)) == {"b/x.md"}
    assert set(Snapshot.open(index).sources) == {"b"}


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0,
    reason="needs permissions of POSIX, which root has not: run it on Linux or macOS as another user",
)
def test_files_that_cannot_be_read_keep_their_documents(write: Write) -> None:
    root = write(**{"n/a.md": "words a", "n/sub/b.md": "words b", "n/c.md": "words c"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)
    write(**{"n/a.md": "changed words"})
    (root / "n/a.md").chmod(0)
    (root / "n/sub").chmod(0)
    try:
        report = update_index(index, jobs=1)
        check(report, 0, 0, 0)
        assert report.files_failed == 2
        assert len(contents(index)) == 3
        assert Snapshot.open(index).sources["n"].problem_count == 2
        (root / "n/sub").chmod(0o100)
        check(update_index(index, jobs=1), 0, 0, 0)
    finally:
        (root / "n/a.md").chmod(0o600)
        (root / "n/sub").chmod(0o700)
    check(update_index(index, jobs=1), 0, 1, 0)
    same_as_new(index, root / "n")
    assert Snapshot.open(index).sources["n"].problem_count == 0


def test_a_source_that_is_one_file_and_breaks_keeps_its_documents(write: Write) -> None:
    root = write(**{"t.jsonl": '{"id": "r", "text": "words"}\n'})
    index = root / "index"
    index_sources([root / "t.jsonl"], index, jobs=1)
    write(**{"t.jsonl": "no json at all\n"})
    report = update_index(index, jobs=1)
    check(report, 0, 0, 0)
    assert report.files_failed == 1
    assert set(contents(index)) == {"r"}


def test_options_are_remembered_and_a_change_reads_all_again(write: Write) -> None:
    root = write(**{"t.csv": "nr,headline,main\n1,words one,a\n2,words two,b\n"})
    index, table = root / "index", root / "t.csv"
    options = ReaderOptions(fields={"title": "headline", "body": "main"}, id_field="nr")
    index_sources([table], index, jobs=1, options=options)
    write(**{"t.csv": "nr,headline,main\n1,words one,a\n2,words two,c\n"})
    check(update_index(index, jobs=1), 0, 1, 0)
    assert contents(index)["2"].fields["body"].text == "c"
    report = index_sources([table], index, jobs=1, options={"fields": {"body": "headline"}})
    check(report, 0, 2, 0)
    assert "other settings of fields" in report.notes[0]
    source = Snapshot.open(index).sources["t.csv"]
    assert source.options == ReaderOptions(fields={"body": "headline"}, id_field="nr")
    check(update_index(index, jobs=1), 0, 0, 0, 0)
    same_as_new(index, table, options=source.options)


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


def test_files_that_become_others(write: Write) -> None:
    root = write(**{"n/a.md": "words a", "n/b.md": "words b", "n/é #1.md": "words c", "n/empty.md": ""})
    index, notes = root / "index", root / "n"
    index_sources([notes], index, jobs=1)
    (notes / "a.md").unlink()
    write(**{"n/a.md/inner.md": "words inside", "n/b.md": "", "n/empty.md": "no more"})
    check(update_index(index, jobs=1), 2, 0, 2)
    assert set(contents(index)) == {"n/a.md/inner.md", "n/empty.md", "n/é #1.md"}
    same_as_new(index, notes)


def test_names_in_both_forms_of_unicode_are_as_many_files_as_the_system_has(write: Write) -> None:
    root = write(**{"n/caf\u00e9.md": "words one", "n/cafe\u0301.md": "words two"})
    files = len(list((root / "n").iterdir()))  # one where names that look alike are the same, such as on macOS
    index = root / "index"
    check(index_sources([root / "n"], index, jobs=1), files, 0, 0)
    (root / "n/caf\u00e9.md").unlink()
    check(update_index(index, jobs=1), 0, 0, 1)
    left = ["words two"][: files - 1]
    assert [document.fields["body"].text for document in contents(index).values()] == left


def test_contents_are_compared_where_times_do_not_tell(write: Write) -> None:
    root = write(**{"n/a.md": "words one", "n/b.md": "words b"})
    index, file = root / "index", root / "n/a.md"
    long_ago = 1_600_000_000
    os.utime(file, (long_ago, long_ago))
    index_sources([root / "n"], index, jobs=1)
    file.write_text("words two", encoding="utf-8")  # as long as before
    os.utime(file, (long_ago, long_ago))
    check(update_index(index, jobs=1), 0, 0, 0, 0)
    check(update_index(index, jobs=1, checksum=True), 0, 1, 0, 1)
    file.write_text("words six", encoding="utf-8")
    os.utime(file, (long_ago, long_ago))
    check(update_index(index, jobs=1, read_all=True), 0, 1, 0, 2)
    os.utime(file)  # another time, the same content: not read, and the time is noted
    check(update_index(index, jobs=1), 0, 0, 0, 0)


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


def test_a_source_is_removed_with_its_documents(write: Write) -> None:
    root = write(**{"a/x.md": "words a", "b/x.md": "words b"})
    index = root / "index"
    index_sources([root / "a", root / "b"], index, jobs=1)
    assert remove_source(index, "a") == 1
    assert set(contents(index)) == {"b/x.md"}
    with pytest.raises(SourceError, match="Its sources are b"):
        remove_source(index, "a")
    check(index_sources([root / "a"], index, jobs=1), 1, 0, 0)


def test_problems_are_kept_with_their_files(write: Write) -> None:
    root = write(**{
        "n/a.md": "words $\\frac{a}{b$ more", "n/b.md": "fine words",
        "n/t.jsonl": '{"id": "r", "text": "words $x^{2$"}\nbroken\n{"id": "s", "text": "fine"}\n',
    })  # fmt: skip
    index = root / "index"
    report = index_sources([root / "n"], index, jobs=1)
    source = Snapshot.open(index).sources["n"]
    assert source.problem_count == report.problems == 3
    assert [problem.document for problem in source.groups["t.jsonl"].problems] == ["", "r"]
    write(**{"n/t.jsonl": '{"id": "r", "text": "words $x^{2$"}\n{"id": "s", "text": "better"}\n'})
    assert update_index(index, jobs=1).problems == 0
    source = Snapshot.open(index).sources["n"]
    assert [problem.document for problem in source.groups["t.jsonl"].problems] == ["r"]
    assert source.groups["a.md"].problem_count == 1


def test_an_interruption_is_made_up_for(write: Write) -> None:
    root = write(**{f"n/{number:03}.md": f"words {number} $x^2$" for number in range(40)})
    index, notes = root / "index", root / "n"
    index_sources([notes], index, jobs=1)
    write(**{f"n/{number:03}.md": f"changed words {number}" for number in range(0, 40, 2)}, **{"n/001.md": None})

    def stop(document: Document) -> Document:
        if "020" in document.id:
            raise KeyboardInterrupt
        return document

    report = index_sources([notes], index, jobs=1, change=stop)
    assert report.interrupted
    assert len(contents(index)) == 40  # nothing is gone before all was read
    assert "n/001.md" in contents(index)
    update_index(index, jobs=1)
    same_as_new(index, notes)


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
