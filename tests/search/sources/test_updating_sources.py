"""Sources of an index: several with the same files, parts of one, and those that move, go, or cannot be read."""

from __future__ import annotations

import pytest
from updated_indexes import Write, check, contents, same_as_new

from porism.errors import ConfigError, Problem, SourceError
from porism.index import Snapshot
from porism.search.sources.updating import index_sources, remove_source, update_index


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


def test_a_source_that_is_one_file_and_breaks_keeps_its_documents(write: Write) -> None:
    root = write(**{"t.jsonl": '{"id": "r", "text": "words"}\n'})
    index = root / "index"
    index_sources([root / "t.jsonl"], index, jobs=1)
    write(**{"t.jsonl": "no json at all\n"})
    report = update_index(index, jobs=1)
    check(report, 0, 0, 0)
    assert report.files_failed == 1
    assert set(contents(index)) == {"r"}


def test_a_source_is_removed_with_its_documents(write: Write) -> None:
    root = write(**{"a/x.md": "words a", "b/x.md": "words b"})
    index = root / "index"
    index_sources([root / "a", root / "b"], index, jobs=1)
    assert remove_source(index, "a") == 1
    assert set(contents(index)) == {"b/x.md"}
    with pytest.raises(SourceError, match="Its sources are b"):
        remove_source(index, "a")
    check(index_sources([root / "a"], index, jobs=1), 1, 0, 0)
