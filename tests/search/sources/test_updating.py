"""Updates: an index that was brought up to date is the index that would be made anew, and only what changed is read."""

from __future__ import annotations

import os

import pytest
from updated_indexes import Write, check, contents, same_as_new

from porism.corpus import ReaderOptions
from porism.index import Snapshot
from porism.search.sources.updating import index_sources, update_index
from porism.types import Document


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
